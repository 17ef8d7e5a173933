"""A case: one task that every arm is given, and what is asked of the result."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from receipts.arms import checks
from receipts.arms.assets import seeds
from receipts.arms.assets.folder import EvalFolder
from receipts.arms.assets.yamlfile import Fields
from receipts.arms.checks import Check
from receipts.filenames import shortened, shown
from receipts.jsontext import SAFE_INTEGER
from receipts.nearest import did_you_mean

KEYS = (
    "task",
    "checks",
    "judge",
    "files",
    "fixture",
    "setup",
    "requires",
    "timeout_minutes",
    "max_turns",
    "bucket",
)
BUCKETS = ("explicit", "implicit", "contextual", "negative", "adversarial")
LONGEST_MINUTES = 120.0
MAX_TURNS = 200
# What is handed to `command -v`, or to Python's `import`.
_REQUIRED = re.compile(r"python3:[^\W\d]\w*(?:\.[^\W\d]\w*)*|(?!-)[^\s/\\:]+")


@dataclass(frozen=True)
class Case:
    """One task.

    Attributes:
        name: The stem of its file.
        task: What the agent is asked to do.
        checks: What is looked for in the result; an arm passes when all of them do.
        judge: The rubric of the judge, who is asked when the checks do not decide; or None.
        files: Files written into the sandbox, by relative path with `/`.
        fixture: A folder copied into the sandbox before them, or None.
        setup: A shell script run in the sandbox after that, or None.
        requires: Programs, or Python modules as `python3:module`, that the case needs.
        timeout_minutes: How long a session may take.
        max_turns: How many turns a session may take.
        bucket: What kind of case it is, for the author; or None.
        file: Where it is written, for messages.
    """

    name: str
    task: str
    checks: tuple[Check, ...]
    judge: str | None
    files: dict[str, str]
    fixture: Path | None
    setup: str | None
    requires: tuple[str, ...]
    timeout_minutes: float
    max_turns: int
    bucket: str | None
    file: str


def read(fields: Fields, name: str, folder: EvalFolder, file: str) -> Case:
    """Read a case; whatever cannot be used is refused in its report.

    Args:
        fields: The fields of its file.
        name: The case's name.
        folder: The eval assets.
        file: The path of its file in them.
    """
    fields.check_keys(KEYS)
    judge = _unless_blank(fields.text("judge"))
    found = checks_of(fields)
    if not found and judge is None:
        fields.warn(
            f"{fields.who} has no checks and no judge, so every arm ties: it measures nothing"
        )
    session = read_session(fields, name, folder, file)
    return replace(session, checks=found, judge=judge, bucket=_bucket(fields))


def read_session(fields: Fields, name: str, folder: EvalFolder, file: str) -> Case:
    """Read what a session of a case, or of the suite, is given; nothing is asked of the result."""
    files = seeds.files_of(fields)
    base, _, _ = file.rpartition("/")
    return Case(
        name=name,
        task=_task(fields),
        checks=(),
        judge=None,
        files=files,
        fixture=seeds.fixture_of(fields, folder, base or ".", files),
        setup=_unless_blank(fields.text("setup")),
        requires=_requires(fields),
        timeout_minutes=_timeout(fields),
        max_turns=_max_turns(fields),
        bucket=None,
        file=folder.place(file),
    )


def checks_of(fields: Fields) -> tuple[Check, ...]:
    """Read the checks of a case or sub-case, and warn of each that tells no arms apart."""
    found: list[Check] = []
    tests: set[object] = set()
    for position, spec in enumerate(fields.items("checks")):
        check = checks.read(spec)
        why = _pointless(check) or ("is there twice" if check.test in tests else "")
        if why:
            sentence = f"{fields.who}: check {position + 1} ({shortened(check.name)}) {why}"
            fields.warn(sentence, "checks", position)
        tests.add(check.test)
        found.append(check)
    return tuple(found)


def _pointless(check: Check) -> str:
    """Return what makes a check tell no arms apart, or an empty text."""
    if check.problem:
        return f"fails in every arm: {check.problem}"
    if check.cannot_pass:
        return "fails in every arm, whatever the agent does"
    return "passes in every arm, whatever the agent does" if check.cannot_fail else ""


def _task(fields: Fields) -> str:
    task = fields.text("task")
    if fields.data.get("task") is None or (task is not None and not task.strip()):
        fields.refuse(f"{fields.who} needs a 'task'", "task")
    return task or ""


def _unless_blank(text: str | None) -> str | None:
    return text if text and text.strip() else None


def _requires(fields: Fields) -> tuple[str, ...]:
    needed = fields.texts("requires")
    for name in needed:
        if not _REQUIRED.fullmatch(name):
            fields.refuse(
                f"{fields.who}: 'requires' has {shown(name)}, which is neither the name of a"
                " program nor `python3:` and that of a module",
                "requires",
            )
    return needed


def _timeout(fields: Fields) -> float:
    value = fields.data.get("timeout_minutes")
    if value is None:
        return LONGEST_MINUTES
    # Not so for NaN either.
    if not (isinstance(value, float) and 0 < value <= LONGEST_MINUTES):
        fields.refuse(
            f"{fields.who}: 'timeout_minutes' must be a number greater than 0 and at most"
            f" {LONGEST_MINUTES:g}",
            "timeout_minutes",
        )
        return LONGEST_MINUTES
    return value


def _max_turns(fields: Fields) -> int:
    value = fields.data.get("max_turns")
    if value is None:
        return MAX_TURNS
    if not (isinstance(value, float) and value.is_integer() and 0 < value <= SAFE_INTEGER):
        fields.refuse(f"{fields.who}: 'max_turns' must be a positive integer", "max_turns")
        return MAX_TURNS
    return int(value)


def _bucket(fields: Fields) -> str | None:
    bucket = fields.text("bucket")
    if bucket is not None and bucket not in BUCKETS:
        hint = did_you_mean(bucket, BUCKETS, "'{}'") or f"The buckets are {', '.join(BUCKETS)}"
        fields.refuse(f"{fields.who}: unknown bucket '{bucket}'. {hint}", "bucket")
    return bucket
