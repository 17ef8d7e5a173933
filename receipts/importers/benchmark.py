"""A `benchmark.json` of the skill-creator skill, as a receipt of arms.

Runs with and without the skill pair by eval and run number; the higher share of passed
expectations wins. The document does not say which bytes it measured, and a person declares that.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from receipts import stats
from receipts.attempts.refusals import sentence
from receipts.errors import ReceiptError
from receipts.forms import BASELINE
from receipts.importers.declared import UNKNOWN, Declared, Ran, Subject, receipt

_TOOL = "skill-creator"
_ARMS = {"with_skill": "candidate", "without_skill": "baseline"}
_ROUNDED = 0.01
_LONGEST = 200

_Count = Annotated[int, Field(ge=0)]
_Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Result(_Part):
    pass_rate: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    passed: _Count | None = None
    failed: _Count | None = None
    total: _Count | None = None
    time_seconds: _Number | None = None
    tokens: _Number | None = None

    @property
    def share(self) -> Fraction:
        """The share of passed expectations: exact where it is counted, for the rate is rounded."""
        if self.total and self.passed is not None and self.passed <= self.total:
            return Fraction(self.passed, self.total)
        return Fraction(self.pass_rate)


class _Expectation(_Part):
    text: str
    passed: bool


class _Run(_Part):
    eval_id: int | str
    eval_name: str | None = None
    configuration: str
    run_number: int
    result: _Result
    expectations: list[Any] = []


class _Metadata(_Part):
    skill_name: str | None = None
    executor_model: str | None = None
    timestamp: str | None = None


class _Benchmark(_Part):
    metadata: _Metadata
    runs: list[_Run]


class _Pair(NamedTuple):
    case: str
    rep: int
    candidate: _Run
    baseline: _Run

    @property
    def outcome(self) -> Literal["win", "loss", "tie"]:
        ours, theirs = self.candidate.result.share, self.baseline.result.share
        return "win" if ours > theirs else "loss" if ours < theirs else "tie"


def declared(data: bytes, subject: Subject, name: str) -> Declared:
    """Return the receipt of a benchmark for the bytes of a skill.

    Args:
        data: The `benchmark.json`.
        subject: The skill.
        name: What to call the document in an error.

    Raises:
        ReceiptError: It is no benchmark, is of another skill, or compares nothing.
    """
    try:
        document = _Benchmark.model_validate_json(data)
    except ValidationError as error:
        raise ReceiptError(f"{name} is no benchmark: {sentence(error)}.") from error
    said = _said(document.metadata.skill_name)
    if said is not None and said not in (subject.name, subject.called):
        raise ReceiptError(f"{name} is of the skill {said}, and the folder holds {subject.called}.")
    runs = _by_place(document.runs, name)
    pairs = _pairs(runs)
    if not pairs:
        raise ReceiptError(
            f"{name} compares nothing: no eval has a run with the skill (with_skill) and one "
            "without it (without_skill) of the same number."
        )
    expected = len({place[1:] for place in runs})
    warnings = [
        f"{name} does not say which bytes it measured; by importing it you declare that it was "
        "these.",
        *_contradictions(document.runs),
        *_left_out(document.runs, pairs),
    ]
    ran = Ran(
        tool=_TOOL,
        when=_time(document.metadata.timestamp),
        model=_said(document.metadata.executor_model) or UNKNOWN,
        k=1 + max(pair.rep for pair in pairs),
        cases=list(dict.fromkeys(pair.case for pair in pairs)),
    )
    return Declared(receipt(data, ran, subject, _numbers(pairs, expected)), tuple(warnings))


def _by_place(runs: Iterable[_Run], name: str) -> dict[tuple[str, str, int], _Run]:
    """Return the runs of both arms by arm, eval and number."""
    found: dict[tuple[str, str, int], _Run] = {}
    for run in runs:
        if run.configuration not in _ARMS:
            continue
        place = (_ARMS[run.configuration], str(run.eval_id), run.run_number)
        if place in found:
            raise ReceiptError(
                f"{name} holds run {run.run_number} of eval {run.eval_id}, "
                f"{run.configuration}, twice."
            )
        found[place] = run
    return found


def _pairs(runs: dict[tuple[str, str, int], _Run]) -> list[_Pair]:
    numbers = sorted({number for _, _, number in runs})
    names = _names(runs.values())
    return [
        _Pair(names[eval_id], numbers.index(number), run, runs["baseline", eval_id, number])
        for (arm, eval_id, number), run in runs.items()
        if arm == "candidate" and ("baseline", eval_id, number) in runs
    ]


def _names(runs: Iterable[_Run]) -> dict[str, str]:
    """Return what each eval is called: its name, where that is its alone."""
    found: dict[str, str] = {}
    for run in runs:
        found.setdefault(str(run.eval_id), run.eval_name or "")
    used = Counter(found.values())
    return {
        eval_id: name if name and used[name] == 1 else f"eval {eval_id}"
        for eval_id, name in found.items()
    }


def _numbers(pairs: Sequence[_Pair], expected: int) -> dict[str, Any]:
    counts = Counter(pair.outcome for pair in pairs)
    record = counts["win"], counts["loss"], counts["tie"]
    arms = {
        "baseline": [pair.baseline for pair in pairs],
        "candidate": [pair.candidate for pair in pairs],
    }
    return {
        "verdict": stats.verdict(*record),
        "attribution": "declared by {}: {} won, {} lost, {} tied".format(_TOOL, *record),
        "execution_status": "complete" if len(pairs) == expected else "partial",
        "expected_rows": expected,
        "scored_rows": len(pairs),
        "comparisons": {
            BASELINE: {
                "win": record[0],
                "loss": record[1],
                "tie": record[2],
                "net_lift": stats.net_lift(*record),
                "sign_p": stats.sign_test(*record),
            }
        },
        "arm_scores": {
            arm: float(sum(run.result.share for run in runs) / len(runs))
            for arm, runs in arms.items()
        },
        "per_case": [_row(pair) for pair in pairs],
        "case_runs": {
            arm: {"passed": sum(run.result.share == 1 for run in runs), "total": len(runs)}
            for arm, runs in arms.items()
        },
        "efficiency": {arm: _means(runs) for arm, runs in arms.items()},
    }


def _row(pair: _Pair) -> dict[str, Any]:
    arms = {"baseline": pair.baseline, "candidate": pair.candidate}
    return {
        "case": pair.case,
        "rep": pair.rep,
        "arms": {
            arm: {"passed": run.result.share == 1, "checks": _checks(run)}
            for arm, run in arms.items()
        },
        "outcomes": {BASELINE: pair.outcome},
    }


def _checks(run: _Run) -> list[list[Any]]:
    """Return the expectations with their verdicts, or none where they are not those counted."""
    found = []
    for item in run.expectations:
        try:
            expectation = _Expectation.model_validate(item, strict=True)
        except ValidationError:
            return []
        found.append([expectation.text[:_LONGEST], expectation.passed])
    passed = [verdict for _, verdict in found].count(True)
    return found if found and Fraction(passed, len(found)) == run.result.share else []


def _means(runs: Sequence[_Run]) -> dict[str, Any]:
    seconds = _mean([run.result.time_seconds for run in runs])
    return {
        "turns": None,
        "duration_ms": None if seconds is None else 1000 * seconds,
        "cost_usd": None,
        "tokens": _mean([run.result.tokens for run in runs]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    said = [value for value in values if value is not None]
    return sum(said) / len(said) if len(said) == len(values) else None


def _contradictions(runs: Iterable[_Run]) -> Iterable[str]:
    for run in runs:
        result = run.result
        where = f"run {run.run_number} of eval {run.eval_id}, {run.configuration}"
        if abs(float(result.share) - result.pass_rate) > _ROUNDED:
            yield (
                f"{where}: pass_rate is {result.pass_rate:g}, and {result.passed} of "
                f"{result.total} passed; the counts are taken"
            )
        if result.total is not None and None not in (result.passed, result.failed):
            counted = (result.passed or 0) + (result.failed or 0)
            if counted != result.total:
                yield f"{where}: passed and failed are {counted}, and total is {result.total}"


def _left_out(runs: Sequence[_Run], pairs: Sequence[_Pair]) -> Iterable[str]:
    others = Counter(run.configuration for run in runs if run.configuration not in _ARMS)
    for configuration, count in sorted(others.items()):
        yield f"{count} run(s) of the configuration {configuration} are left out"
    alone = len(runs) - sum(others.values()) - 2 * len(pairs)
    if alone:
        yield f"{alone} run(s) have no partner with the other configuration, and are not scored"


def _said(text: str | None) -> str | None:
    """Return what a document says, None where it holds the template's `<...>`."""
    is_blank = not text or not text.strip() or (text.startswith("<") and text.endswith(">"))
    return None if is_blank else text


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
