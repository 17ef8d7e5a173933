"""The numbers of a run, from its rows and samples. A hole is never a zero.

Rows that nobody could decide, and the samples of a repetition without a decided row, are in no
number but the expected rows.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from receipts import stats
from receipts.arms.samples import CheckOutcome, Row, Sample, Trigger

Map = dict[str, Any]
_TOKENS = ("input", "output", "cache_read", "cache_write")


def status(expected: int, scored: int) -> str:
    """Return `complete`, `partial` or `failed`, of scored rows out of the expected."""
    if scored >= expected:
        return "complete"
    return "partial" if scored else "failed"


def comparison(rows: Iterable[Row], *, pinned: bool) -> Map:
    """Return wins, losses, ties and what follows from them, of the scored rows of one opponent.

    Args:
        rows: The rows.
        pinned: Hold the sign test at 1: rows of a suite share one session.
    """
    outcomes = [row.outcome for row in rows if row.is_scored]
    counts = tuple(outcomes.count(outcome) for outcome in ("win", "loss", "tie"))
    return {
        "win": counts[0],
        "loss": counts[1],
        "tie": counts[2],
        "net_lift": stats.net_lift(*counts),
        "sign_p": 1.0 if pinned else stats.sign_test(*counts),
    }


def counted(samples: Iterable[Sample], rows: Iterable[Row]) -> list[Sample]:
    """Return the samples that count: alive, in a case and repetition with a scored row."""
    scored = {(row.case, row.rep) for row in rows if row.is_scored}
    return [s for s in samples if not s.is_dead and (s.case, s.rep) in scored]


def arm_score(samples: Iterable[Sample]) -> float | None:
    """Return the mean share of checks passed, over samples that have checks."""
    return _mean(sample.share for sample in samples)


def case_runs(samples: Iterable[Sample]) -> Map:
    """Return in how many of the samples that have checks every one passed."""
    known = [sample.passed for sample in samples if sample.checks]
    return {"passed": sum(known), "total": len(known)}


def efficiency(samples: Sequence[Sample]) -> Map:
    """Return mean turns, milliseconds and dollars, each over the sessions that reported it.

    Where the agent reported tokens, also the mean of each of the four counts, over those known.
    """

    def mean(value: Callable[[Sample], float | None]) -> float | None:
        return _mean(value(sample) for sample in samples)

    means: Map = {
        "turns": mean(lambda sample: sample.ran.turns),
        "duration_ms": mean(lambda sample: sample.ran.duration_ms),
        "cost_usd": mean(lambda sample: sample.ran.cost_usd),
    }
    tokens = [sample.ran.tokens for sample in samples if sample.ran.tokens]
    if tokens:
        columns = zip(_TOKENS, zip(*tokens, strict=True), strict=True)
        means["tokens"] = {name: _mean(column) for name, column in columns}
    return means


def trigger_counts(triggers: Iterable[Trigger]) -> Map:
    """Return hits, misses and false fires, and the rates that have something to be a rate of."""
    answered = [(one.expected, one.fired) for one in triggers if one.fired is not None]
    tp, fn = answered.count((True, True)), answered.count((True, False))
    fp, tn = answered.count((False, True)), answered.count((False, False))
    return {
        "recall": tp / (tp + fn) if tp + fn else None,
        "precision": tp / (tp + fp) if tp + fp else None,
        "tp": tp,
        "fn": fn,
        "fp": fp,
        "tn": tn,
    }


def uninformative(samples: Iterable[Sample]) -> list[Map]:
    """Return the checks that came out the same in every arm and repetition, seen at least twice."""
    # By place too: two checks may have one name, for a name holds only the start of a command.
    seen: dict[tuple[str, int, str], list[bool]] = {}
    for sample in samples:
        for place, check in enumerate(sample.checks):
            seen.setdefault((sample.case, place, check.name), []).append(check.passed)
    return [
        {"case": case, "check": name, "result": "passed" if passed[0] else "failed"}
        for (case, _, name), passed in seen.items()
        if len(passed) > 1 and len(set(passed)) == 1
    ]


def per_case(
    samples: Iterable[Sample], rows: Sequence[Row], comparisons: dict[str, str]
) -> list[Map]:
    """Return what each case came to in each repetition, arm by arm, and its scored outcomes.

    Args:
        samples: Every sample, dead ones included.
        rows: Every row.
        comparisons: The comparison's name by opponent.
    """
    found: dict[tuple[str, int], Map] = {}
    for sample in samples:
        entry = found.setdefault(
            (sample.case, sample.rep),
            {"case": sample.case, "rep": sample.rep, "arms": {}, "outcomes": {}},
        )
        entry["arms"][sample.arm] = {
            "passed": None if sample.is_dead or not sample.checks else sample.passed,
            "checks": [_shown(check) for check in sample.checks],
        }
    for row in rows:
        if row.is_scored and (row.case, row.rep) in found:
            found[row.case, row.rep]["outcomes"][comparisons[row.opponent]] = row.outcome
    return list(found.values())


def _shown(check: CheckOutcome) -> list[Any]:
    return [check.name, check.passed]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
