"""A saved run at a glance: what a list says of it, without the schema.

A schema takes longer to load than a thousand runs take to read. So a run in the usual form is
looked through here, every value of it but the transcripts. Whatever is unusual (an odd type, a
number as text, a value that may be impossible) is no failure: then nothing is said, and the caller
reads the run by the schema. So this takes nothing that the schema refuses.
"""

import json
from datetime import datetime
from typing import Any, NamedTuple

from receipts.attempts import forms
from receipts.attempts.outcomes import Outcome
from receipts.attempts.scores import Counts, average, counted
from receipts.attempts.transcripts import without


def _refuse(name: str) -> None:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_COUNTS = {outcome.value: counted([outcome]) for outcome in Outcome}


class Glance(NamedTuple):
    """What ran, and how it came out.

    Attributes:
        timestamp: When the run ended.
        k: Attempts at each task.
        backend: The agent.
        model: Its model; None for its default.
        ablated: What was left out.
        interrupted: Whether the run was told to stop.
        tasks: How many tasks it has.
        score: Its success rate, from its attempts; None when nothing was measured.
    """

    timestamp: datetime
    k: int
    backend: str
    model: str | None
    ablated: list[str]
    interrupted: bool
    tasks: int
    score: float | None


def glance(data: bytes) -> Glance | None:
    """Return what a file says, None unless it is a run in the usual form."""
    rest = without(data)
    if b"\\" in rest and (b"\\ud" in rest or b"\\uD" in rest):  # perhaps half a character
        return None
    try:
        document = _DECODER.decode(rest.decode())
        return _read(document) if forms.FILE.fits(document) else None
    except (ValueError, RecursionError):
        return None


def _read(document: dict[str, Any]) -> Glance:
    run, tasks = document["run"], document["task_results"]
    return Glance(
        datetime.fromisoformat(run["timestamp"]),
        run["k"],
        run["backend"],
        run.get("model"),
        run.get("ablated", []),
        run.get("interrupted", False),
        len(tasks),
        average(map(_score, tasks)),
    )


def _score(task: dict[str, Any]) -> float | None:
    counts = [_COUNTS[attempt["outcome"]] for attempt in task["attempts"]]
    return Counts(*map(sum, zip(*counts, strict=True))).score if counts else None
