"""A saved run of attempts, as a receipt of exactly the bytes that it had installed."""

import hashlib
from pathlib import Path

from pydantic import ValidationError

from receipts.attempts.block import block, success, verdict
from receipts.attempts.refusals import sentence
from receipts.attempts.report import contradictions
from receipts.attempts.runfile import RunFile, Snapshot
from receipts.attempts.specs.skillfiles import Rules, read_folder
from receipts.errors import ReceiptError
from receipts.importers.declared import UNKNOWN, Declared, Ran, Subject, receipt
from receipts.numbers import fixed

_TOOL = "caliper-eval"
_OURS = "receipts"
_NAMED = 3


def declared(data: bytes, subject: Subject, name: str) -> Declared:
    """Return the receipt of a saved run for a skill that it had installed.

    Args:
        data: The saved run.
        subject: The skill.
        name: What to call the run in an error.

    Raises:
        ReceiptError: It is no saved run, did not have the skill, or had other bytes of it.
        SkillError: The folder cannot be read.
    """
    try:
        run = RunFile.model_validate_json(data)
    except ValidationError as error:
        raise ReceiptError(f"{name} is no saved run: {sentence(error)}.") from error
    _check_bytes(_snapshot(run, subject.called, name), subject.folder, name)
    bar = run.receipts.bar if run.receipts else None
    rate = success(run)
    meta = run.run
    ran = Ran(
        tool=_OURS if run.receipts else _TOOL,
        version=run.receipts.version if run.receipts else "",
        when=meta.timestamp,
        model=meta.model or UNKNOWN,
        judge_model=meta.judge_model or UNKNOWN,
        agent_version=meta.cli_version or UNKNOWN,
        k=meta.k,
        cases=[task.task_name for task in run.task_results],
    )
    fields = {
        "method": "attempts",
        "verdict": verdict(rate, bar),
        "attribution": _attribution(run, rate, bar),
        "execution_status": _status(run, rate),
        "attempts": block(run, bar),
    }
    return Declared(receipt(data, ran, subject, fields), tuple(contradictions(run)))


def _snapshot(run: RunFile, skill: str, name: str) -> Snapshot:
    found = [snapshot for snapshot in run.skill_snapshots if snapshot.name == skill]
    if found:
        return found[0]
    if skill in run.run.ablated:
        raise ReceiptError(f"{name} was run without {skill}, so it says nothing of its bytes.")
    had = ", ".join(run.skills) or "none"
    raise ReceiptError(f"{name} did not have the skill {skill}: it had {had}.")


def _check_bytes(snapshot: Snapshot, folder: Path, name: str) -> None:
    """Raise unless a run had installed exactly the files that would be installed of a folder."""
    here = {
        path: f"sha256:{hashlib.sha256(file.data).hexdigest()}"
        for path, file in read_folder(folder, Rules()).kept.items()
    }
    there = {path: file.hash for path, file in snapshot.files.items()}
    differing = sorted(
        path for path in here.keys() | there.keys() if here.get(path) != there.get(path)
    )
    if differing:
        more = f" and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
        raise ReceiptError(
            f"{name} measured other bytes of {snapshot.name}; what differs: "
            f"{', '.join(differing[:_NAMED])}{more}.",
            "Name the folder as it was when the run was made.",
        )


def _attribution(run: RunFile, rate: float | None, bar: float | None) -> str:
    usable = sum(task.usable for task in run.task_results)
    if rate is None:
        return "no attempt was usable"
    passed = sum(task.successes for task in run.task_results)
    held = "no bar" if bar is None else f"the bar is {fixed(100 * bar, 1)}%"
    return f"success {fixed(100 * rate, 1)}%, {passed} of {usable} usable attempts; {held}"


def _status(run: RunFile, rate: float | None) -> str:
    if rate is None:
        return "failed"
    return "partial" if run.run.interrupted else "complete"
