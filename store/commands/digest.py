"""`receipts digest`."""

import os
from typing import Any

import click

from receipts import difference, terminal
from receipts.digest import Measured, measure
from receipts.errors import UsageError
from receipts.options import json_option
from store import completing

_MARKS = {
    difference.ADDED: "only in the second",
    difference.REMOVED: "only in the first",
    difference.CHANGED: "content differs",
    difference.LINE_ENDINGS: "only line endings differ",
    difference.EXECUTABLE: "only the executable bit differs, which does not count",
}


@click.command(
    "digest",
    epilog="Examples: receipts digest ~/.claude/skills/tdd; receipts digest tdd theirs --json",
)
@click.argument("skill", shell_complete=completing.skills)
@click.argument("other", required=False, shell_complete=completing.skills)
@click.option("--explain", is_flag=True, help="List each file, what was left out, and SKILL.md.")
@json_option
def command(skill: str, other: str | None, *, explain: bool, as_json: bool) -> None:
    """Print the content digest of SKILL, or say how SKILL and OTHER differ.

    Each is a folder, or the name of an installed skill.
    """
    path = _folder(skill)
    if other is not None:
        if explain:
            raise UsageError("--explain is about one folder.", "Leave out the second folder.")
        _compare(path, _folder(other), as_json=as_json)
        return
    measured = measure(path)
    if as_json:
        terminal.print_json({"path": path, **_document(measured, explain=explain)})
        return
    terminal.print_text(measured.digest)
    if explain:
        _explain(measured)
    _say_doubts(path, measured)


def _folder(reference: str) -> str:
    if os.path.isdir(reference):  # then nothing need be loaded to find it
        return reference
    from store.library import find_folder

    return str(find_folder(reference))


def _compare(path: str, other: str, *, as_json: bool) -> None:
    first, second, differences = difference.compare_folders(path, other)
    if as_json:
        terminal.print_json(
            {
                "first": {"path": path, **_document(first)},
                "second": {"path": other, **_document(second)},
                "equal": first.digest == second.digest,
                "differences": [item._asdict() for item in differences],
            }
        )
        return
    terminal.print_text(f"{first.digest}  {path}")
    terminal.print_text(f"{second.digest}  {other}")
    if first.digest == second.digest:
        terminal.print_text("The digests are equal.")
    for item in differences:
        terminal.print_text(f"  {terminal.one_line(item.path)}: {_MARKS[item.kind]}")
    _say_doubts(path, first)
    _say_doubts(other, second)


def _document(measured: Measured, *, explain: bool = False) -> dict[str, Any]:
    document: dict[str, Any] = {
        "digest": measured.digest,
        "certain": measured.certain,
        "doubts": list(measured.doubts),
    }
    if explain:
        document["files"] = [file._asdict() for file in measured.files]
        document["left_out"] = [item._asdict() for item in measured.left_out]
        document["canonical_skill_md"] = measured.canonical_skill_md
    return document


def _explain(measured: Measured) -> None:
    terminal.print_text(
        "\nfiles that count (sha256 of the content; SKILL.md in its canonical form):"
    )
    for file in measured.files:
        note = "  (executable)" if file.executable else ""
        terminal.print_text(f"  {file.sha256}  {terminal.one_line(file.path)}{note}")
    if measured.left_out:
        terminal.print_text("left out:")
        for item in measured.left_out:
            terminal.print_text(f"  {terminal.one_line(item.path)}: {item.why}")
    if measured.canonical_skill_md is not None:
        terminal.print_text("SKILL.md in its canonical form:")
        for line in measured.canonical_skill_md.split("\n"):
            terminal.print_content(f"  | {line}")


def _say_doubts(path: str, measured: Measured) -> None:
    if measured.canonical_skill_md is None:
        terminal.say(f"note: {path} has no SKILL.md, so it is not a skill.")
    for doubt in measured.doubts:
        terminal.say(f"not certain: {doubt}")
