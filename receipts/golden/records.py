"""The records of a results file: what is written of each case, and how it is read back.

A file is named for the UTC time at which its run began. While the run goes on, and if it is killed,
its name says that it is partial.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from receipts import jsontext
from receipts.golden.goldenfile import Case, category_of
from receipts.golden.grading import Grade

SCORED = "scored"
ERROR = "error"
REVIEW = "needs-rubric-review"
SKIPPED = "skipped-needs-data"
STATUSES = frozenset({SCORED, ERROR, REVIEW, SKIPPED})

PARTIAL = ".partial.jsonl"
WHOLE = ".jsonl"

_STATUS_OF = {
    "passed": SCORED,
    "failed": SCORED,
    "error": ERROR,
    "needs-review": REVIEW,
    "skipped": SKIPPED,
}
_PASS_OF = {"passed": True, "failed": False, "error": False}
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z\.jsonl\Z", re.ASCII)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
# The scanner itself: `json.loads` looks for blanks around the text, at half its cost again.
_scan = json.scanner.make_scanner(json.JSONDecoder())  # type: ignore[attr-defined]


def file_name(began: datetime) -> str:
    """Return the name of the results file of a run, without its ending."""
    moment = began.astimezone(UTC)
    return f"{moment.year:04}{moment:%m%dT%H%M%S}.{moment.microsecond:06}Z"


def time_of(name: str) -> tuple[datetime, str] | None:
    """Return when the run of a results file began, or None when the name is no such file's.

    The second part breaks ties: the digits of the fraction, beyond what a datetime holds.
    """
    match = _STAMP.match(name)
    if match is None:
        return None
    try:
        moment = datetime(*map(int, match.groups()[:6]), tzinfo=UTC)  # type: ignore[misc,arg-type]
    except ValueError:
        return None
    return moment, (match[7] or "").ljust(9, "0")


def record_of(
    case: Case,
    grade: Grade,
    answer: object,
    *,
    model: str,
    stderr: str = "",
    seconds: float | None = None,
) -> dict[str, Any]:
    """Return the record of one case.

    Args:
        case: The line of the golden file.
        grade: What became of it; never `excluded`.
        answer: What the subject said. For an error, the record holds the error's text instead.
        model: The pinned subject model.
        stderr: What the subject wrote there: where a missing credential is named.
        seconds: How long the call took.
    """
    record = {
        "id": case["id"],
        "category": category_of(case),
        "grade_rule": case.get("grade_rule", "exact"),
        "expected": case.get("expected"),
        "actual": grade.reason if grade.outcome == "error" else answer,
        "pass": _PASS_OF.get(grade.outcome),
        "status": _STATUS_OF[grade.outcome],
        "acceptable_failure_applied": grade.forgiven,
        "acceptable_failure_reason": grade.reason if grade.forgiven else None,
        "subject_model": model,
    }
    if stderr:
        record["stderr"] = stderr
    if seconds is not None:
        record["seconds"] = round(seconds, 3)
    return record


def encoded(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line; numbers keep the digits that they were read with."""
    expected, actual = record["expected"], record["actual"]
    if isinstance(expected, str) and isinstance(actual, str):
        text = _encode(record)
    else:
        text = jsontext.dumps(record)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def read(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the records of a results file, each checked to be one.

    Args:
        lines: The file's lines, split at line feeds alone.

    Raises:
        ValueError: A line is no JSON object, has no known status, was scored without a verdict, or
            has an id that an earlier one has. Counting it would count wrongly.
    """
    seen = set()
    number = 0
    for line in lines:
        number += 1
        text = line.strip(" \t\r\n")
        if not text:
            continue
        try:
            record, end = _scan(text, 0)
        except (StopIteration, ValueError, RecursionError):
            raise ValueError(f"line {number} is no JSON") from None
        if end != len(text) or type(record) is not dict:
            raise ValueError(f"line {number} is no JSON object")
        name = record.get("id")
        if name.__class__ is not str:
            raise ValueError(f"line {number} has no id")
        if name in seen:
            raise ValueError(f"line {number} has the id {name!r}, which an earlier line has")
        seen.add(name)
        status = record.get("status")
        if status.__class__ is not str or status not in STATUSES:
            raise ValueError(f"line {number} ({name}) has the status {status!r}, which is none")
        if status == SCORED and record.get("pass").__class__ is not bool:
            raise ValueError(f"line {number} ({name}) is scored, and `pass` is no true or false")
        yield record
