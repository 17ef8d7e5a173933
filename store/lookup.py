"""What a person means by FILE, RUN or SKILL: a path, a run id or the name of an installed skill."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from receipts import inputs, jsontext
from receipts.digest import measure
from receipts.errors import ReceiptError, UsageError
from receipts.receipt import ReceiptFile, read_receipt
from receipts.runid import is_run_id
from store import library, runs
from store.runlog import trigger_rows

TeamReceipt = Callable[[str], bytes | None]


class Found(NamedTuple):
    """A receipt, the rows of its trigger run if its run kept them, and what to say beside it."""

    file: ReceiptFile
    trigger_rows: list[dict[str, Any]]
    notes: list[str]


def find(reference: str, team_receipt: TeamReceipt | None = None) -> Found:
    """Return the receipt that a person means.

    Args:
        reference: The path of a receipt, `-` for stdin; a run id; or a skill, by the path of its
            folder or by its name in a library: then the newest usable receipt of its exact bytes is
            meant.
        team_receipt: Asked for a receipt of a digest when this machine has none.

    Raises:
        UsageError: The reference is ambiguous.
        ReceiptError: It leads to no receipt, or to one that is not valid.
        SkillError: The skill cannot be found or measured.
    """
    if inputs.is_stream(reference) or (os.path.lexists(reference) and not os.path.isdir(reference)):
        return _in_file(Path(reference))
    if is_run_id(reference) and not os.path.isdir(reference):
        return _of_run(reference)
    return _of_skill(library.find(reference), team_receipt)


def _in_file(path: Path) -> Found:
    file = read_receipt(inputs.read(path, jsontext.LIMIT))
    if file.problem:
        raise ReceiptError(f"{inputs.name_of(path)} is no valid receipt: {file.problem}.")
    return Found(file, trigger_rows(path.parent) if path.name == runs.RECEIPT else [], [])


def _of_run(run_id: str) -> Found:
    found = runs.survey(run_id=run_id)
    if len(found.runs) > 1:
        listed = ", ".join(str(run.path / runs.RECEIPT) for run in found.runs)
        raise UsageError(
            f"Several runs have the id {run_id}, of different bytes: {listed}.",
            "Name one of these files.",
        )
    notes = [f"{item.path}: {item.why}" for item in found.left_out if item.run_id]
    if not found.runs:
        raise ReceiptError(
            f"No usable run {run_id} on this machine." + "".join(f" {note}." for note in notes),
            "`receipts list` shows the runs that there are.",
        )
    run = found.runs[0]
    return Found(run.file, trigger_rows(run.path), notes)


def _of_skill(folder: Path, team_receipt: TeamReceipt | None) -> Found:
    measured = measure(folder)
    found = runs.survey(measured.digest)
    notes = list(measured.doubts)
    if line := runs.unreadable_line(found.left_out):
        notes.append(line)
    usable = [run for run in found.runs if run.file.receipt]
    data = team_receipt(measured.digest) if team_receipt and not usable else None
    if data is not None:
        return Found(read_receipt(data), [], [*notes, "a receipt of your team"])
    if found.runs:
        run = (usable or found.runs)[-1]
        notes.append(f"run {run.run_id}, on this machine: {run.path}")
        return Found(run.file, trigger_rows(run.path), notes)
    name = folder.resolve().name
    others = sum(_name(run) == name for run in runs.all_runs())
    raise ReceiptError(
        f"No receipt here measured exactly these bytes of {name} ({runs.short(measured.digest)})."
        + "".join(f" {note}" for note in notes),
        f"{others} run(s) of {name} measured other bytes: `receipts list {name}`."
        if others
        else "",
    )


def _name(run: runs.LocalRun) -> str | None:
    return run.file.receipt.skill_name if run.file.receipt else None
