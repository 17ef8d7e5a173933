"""`golden.jsonl`: one case a line. Checked whole before anything is paid for, and never written."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from receipts import jsontext
from receipts.errors import GoldenError
from receipts.golden.grading import NEEDS_DATA, SUPERSEDED, checked_rule
from receipts.golden.rules import Rubric

UNCATEGORIZED = "uncategorized"
"""The one bucket of cases and records without a category."""

REFUSAL = "refusal"
"""The category whose score is shown on its own."""

LINE_LIMIT = 16 << 20
_BOM = b"\xef\xbb\xbf"

Case = Mapping[str, Any]


class Excluded(NamedTuple):
    """A case that is in no percentage, and why: `needs-data`, `superseded` or `rubric`."""

    id: str
    category: str
    kind: str
    reason: str


@dataclass
class Overview:
    """What a golden file holds.

    Attributes:
        digest: The SHA-256 of its bytes, in hex.
        cases: How many cases each category has, without superseded ones, in order of appearance.
        calls: How many cases will call the subject.
        records: How many records a whole run writes.
        excluded: The cases that are in no percentage.
        broken: Cases that cannot be graded whatever is answered, and why; they call nobody.
        rubrics: The names of the rubrics that cases use; an empty name is a defect.
        oddities: What is taken as it is, and named: statuses that nobody knows.
    """

    digest: str
    cases: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    records: int = 0
    excluded: list[Excluded] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    rubrics: set[str] = field(default_factory=set)
    oddities: list[str] = field(default_factory=list)


def category_of(value: Mapping[str, Any]) -> str:
    """Return the category of a case or record; names are compared as they are."""
    category = value.get("category")
    if category is None:
        return UNCATEGORIZED
    return category if isinstance(category, str) else jsontext.dumps(category)


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, split at line feeds alone.

    Raises:
        GoldenError: The file cannot be read, or a line has more than 16 MB.
    """
    try:
        with open(path, "rb") as stream:
            number = 0
            while line := stream.readline(LINE_LIMIT):
                number += 1
                if number == 1:
                    line = line.removeprefix(_BOM)
                if len(line) == LINE_LIMIT:
                    raise GoldenError(f"{path} line {number} has more than {LINE_LIMIT:,} bytes.")
                if stripped := line.strip(b" \t\r\n"):
                    yield number, stripped
    except OSError as error:
        raise GoldenError(f"{path} cannot be read: {error.strerror}.") from error


def parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """Return the case that a line holds.

    Raises:
        GoldenError: It is no JSON object.
    """
    try:
        case = jsontext.loads(line, limit=LINE_LIMIT)
    except jsontext.JsonError as error:
        raise GoldenError(
            f"{path} line {number} is {error}.", "Correct the line; no case was run."
        ) from None
    if not isinstance(case, dict):
        raise GoldenError(
            f"{path} line {number} is no JSON object.", "Correct the line; no case was run."
        )
    return case


def overview(path: Path) -> Overview:
    """Read a whole golden file and return what it holds.

    Raises:
        GoldenError: It cannot be read, a line is no JSON object, or an id is missing or used twice.
    """
    seen: dict[str, int] = {}
    found = Overview(digest_of(path))
    for number, line in lines(path):
        case = parse(line, path, number)
        name = case.get("id")
        if not isinstance(name, str) or not name:
            raise GoldenError(
                f"{path} line {number} has no `id`.", "Give each case an id of its own."
            )
        if name in seen:
            raise GoldenError(
                f"{path} has the id {name!r} twice, in lines {seen[name]} and {number}.",
                "Give each case an id of its own.",
            )
        seen[name] = number
        _note(found, name, case)
    return found


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a golden file's bytes, in hex.

    Raises:
        GoldenError: It cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise GoldenError(f"{path} cannot be read: {error.strerror}.") from error


def _note(found: Overview, name: str, case: dict[str, Any]) -> None:
    """Count one case, and name it where it is not simply run and graded."""
    category, status = category_of(case), case.get("status")
    if status == SUPERSEDED:
        by = case.get("superseded_by")
        why = f"superseded by {by}" if isinstance(by, str) and by else "superseded"
        reason = case.get("reason")
        why += f": {reason}" if isinstance(reason, str) and reason.strip() else ""
        found.excluded.append(Excluded(name, category, SUPERSEDED, why))
        return
    found.cases[category] = found.cases.get(category, 0) + 1
    found.records += 1
    if status == NEEDS_DATA:
        found.excluded.append(Excluded(name, category, NEEDS_DATA, "no data to expect yet"))
        if case.get("expected") is not None:
            found.oddities.append(f"{name} is needs-data, and its `expected` is not null")
        return
    if status is not None:
        found.oddities.append(f"{name} has the status {status!r}, which nobody knows; it is run")
    try:
        rule = checked_rule(case)
    except ValueError as error:
        found.broken[name] = str(error)
        return
    found.calls += 1
    if isinstance(rule, Rubric):
        found.rubrics.add(rule.name)
        why = f"rubric {rule.name!r} is for a person or a judge" if rule.name else "unnamed rubric"
        found.excluded.append(Excluded(name, category, "rubric", why))
