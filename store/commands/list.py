"""`receipts list`."""

from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.nearest import did_you_mean
from receipts.options import json_option
from store import completing

if TYPE_CHECKING:
    from store.runs import LocalRun, Survey

_COLUMNS = ("run", "skill", "verdict", "scored", "model", "k", "who", "digest")


@click.command("list", epilog="Examples: receipts list; receipts list ~/.claude/skills/tdd --json")
@click.argument("skill", metavar="[SKILL|PATH]", required=False, shell_complete=completing.skills)
@json_option
def command(skill: str | None, *, as_json: bool) -> None:
    """List the evaluation runs on this machine, newest first.

    SKILL lists the runs of skills of that name; PATH those that measured exactly the bytes of that
    folder.
    """
    from store import runs

    found = runs.survey()
    note = ""
    if skill is not None:
        found, note = _only(found, skill)
    listed = found.runs[::-1]
    if as_json:
        terminal.print_json(
            {
                "runs": [_document(run) for run in listed],
                "left_out": [{**item._asdict(), "path": str(item.path)} for item in found.left_out],
                "note": note,
            }
        )
    elif listed:
        _print_rows([_row(run) for run in listed])
    for item in found.left_out:
        terminal.say(f"{item.kind}: {item.path} {item.why}")
    if note:
        terminal.say(f"note: {note}")
    if not listed and not note:
        terminal.say("No evaluation runs on this machine.")


def _only(found: "Survey", skill: str) -> "tuple[Survey, str]":
    """Return the runs of one skill, and a sentence about those that are not listed."""
    from receipts.digest import measure
    from store import library

    if not library.is_path(skill):
        matching = [run for run in found.runs if _name(run) == skill]
        digests = {run.digest for run in matching}
        left_out = [item for item in found.left_out if item.digest in digests]
        note = ""
        if not matching:
            near = did_you_mean(skill, filter(None, map(_name, found.runs)))
            note = f"No run on this machine is of a skill called {skill}. {near}".rstrip()
        return found._replace(runs=matching, left_out=left_out), note
    folder = library.find(skill)
    digest = measure(folder).digest
    name = folder.resolve().name
    others = sum(_name(run) == name and run.digest != digest for run in found.runs)
    matching = [run for run in found.runs if run.digest == digest]
    left_out = [item for item in found.left_out if item.digest == digest]
    note = "" if matching else f"No run on this machine measured exactly these bytes of {name}."
    if others:
        note += f"{' ' if note else ''}{others} other run(s) of {name} measured other bytes."
    return found._replace(runs=matching, left_out=left_out), note


def _document(run: "LocalRun") -> dict[str, Any]:
    receipt = run.file.receipt
    return {
        "run_id": run.run_id,
        "skill": _name(run),
        "verdict": receipt.verdict if receipt else None,
        "method": receipt.method if receipt else None,
        "execution_status": receipt.execution_status if receipt else None,
        "scored_rows": receipt.scored_rows if receipt else None,
        "expected_rows": receipt.expected_rows if receipt else None,
        "model": receipt.provenance.model if receipt else None,
        "k": receipt.provenance.k if receipt else None,
        "who": receipt.provenance.runner_handle if receipt else None,
        "content_digest": run.digest,
        "path": str(run.path),
        "newer": run.file.newer,
    }


def _row(run: "LocalRun") -> list[str]:
    from store.runs import short

    receipt = run.file.receipt
    if receipt is None:
        return [run.run_id, "", "(newer)", "", "", "", "", short(run.digest)]
    provenance = receipt.provenance
    cells = [
        run.run_id,
        receipt.skill_name,
        receipt.verdict,
        f"{receipt.scored_rows}/{receipt.expected_rows}",
        provenance.model,
        str(provenance.k),
        provenance.runner_handle,
        short(run.digest),
    ]
    return [terminal.one_line(cell) for cell in cells]


def _print_rows(rows: list[list[str]]) -> None:
    """Print a table where the terminal is wide enough, else two lines a run.

    Into a file or pipe goes one line a run, with tabs between.
    """
    if not terminal.is_shown():
        for row in rows:
            terminal.print_text("\t".join(row))
        return
    from rich.text import Text

    from receipts.columns import fitted

    # Cells are texts of receipts, so they are not read as markup.
    table = fitted(_COLUMNS, [[Text(cell) for cell in row] for row in rows])
    if table is not None:
        terminal.print_rich(table)
        return
    for run, skill, verdict, scored, model, k, who, digest in rows:
        terminal.print_text("  ".join(filter(None, (run, skill, verdict, scored))))
        terminal.print_text("  " + ", ".join(filter(None, (model, k and f"k={k}", who, digest))))


def _name(run: "LocalRun") -> str | None:
    return run.file.receipt.skill_name if run.file.receipt else None
