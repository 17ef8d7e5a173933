"""Numbers of a receipt that contradict each other, and values that it gives twice.

A receipt is somebody's word, and the schema takes PASS with nine losses. Everything in it that
follows from something else in it is worked out again here, and what differs is named. What the
schema leaves open stays open: a sign test held at 1.0 is how a run with a suite is written,
`per_case` may list only some of the rows, and the verdict of a method other than `arms` comes
from that method's own block unless the receipt compares with a baseline.
"""

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from receipts import holes, jsontext, runid
from receipts.forms import BASELINE, INCUMBENT
from receipts.numbers import fixed
from receipts.stats import EXACT_ROWS, net_lift, sign_test, verdict
from receipts.terminal import one_line

if TYPE_CHECKING:
    from receipts.receipt import CaseResult, Comparison, Receipt

_MOST = 50
_LONGEST_NAME = 60
# The other client sums in doubles; nobody is accused over the last digits.
_TOLERANCE = 1e-9
_APPROXIMATE_TOLERANCE = 1e-3
_CLOCKS_APART = timedelta(days=1)


def contradictions(data: bytes) -> list[str]:
    """Return a sentence for each value that a receipt gives twice or contradicts; see `problems`.

    Bytes that are no receipt contradict nothing but themselves.
    """
    from receipts.receipt import read_receipt

    receipt = read_receipt(data).receipt
    return [*repeated_keys(data), *(problems(receipt) if receipt else [])]


def problems(
    receipt: "Receipt",
    *,
    skill_id: str | None = None,
    version: str | None = None,
    run_id: str | None = None,
    content_digest: str | None = None,
    now: datetime | None = None,
) -> list[str]:
    """Return what in a receipt contradicts the rest of it, a sentence each, with the field.

    Args:
        receipt: The receipt.
        skill_id: The skill id of the place where it stands, when that is known.
        version: The version of its place.
        run_id: The run id of its place.
        content_digest: The digest of the bytes it is filed under.
        now: The present, for tests.
    """
    place = {
        "skill_id": skill_id and skill_id.lower(),
        "version": version,
        "run_id": run_id,
        "content_digest": content_digest,
    }
    found = [
        *_place(receipt, place),
        *_verdict(receipt),
        *_rows(receipt),
        *_comparisons(receipt),
        *_cases(receipt),
        *_case_runs(receipt),
        *_rates(receipt),
        *holes.contradictions(receipt),
        *_times(receipt, now or datetime.now(UTC)),
    ]
    return _first(found)


def repeated_keys(data: bytes) -> list[str]:
    """Return a sentence for each key that stands in its map more than once.

    Readers differ in which of its values they take: what one shows as PASS another may show as
    FAIL. Of bytes that are no JSON nothing is said.
    """
    try:
        repeated = Counter(jsontext.repeated_keys(data))
    except jsontext.JsonError:
        return []
    found = [
        f"{jsontext.shown(path)}: stands here {more + 1} times, and only the last counts"
        for path, more in repeated.items()
    ]
    return _first(found)


def _first(found: list[str]) -> list[str]:
    more = len(found) - _MOST
    return [*found[:_MOST], f"and {more} more problems"] if more > 0 else found


def _place(receipt: "Receipt", place: dict[str, str | None]) -> Iterator[str]:
    for field, expected in place.items():
        value = getattr(receipt, field)
        if field == "skill_id" and value is not None:
            value = value.lower()
        if expected is not None and value != expected:
            yield f"{field}: {value or 'null'}, but it stands under {one_line(expected)}"


def _verdict(receipt: "Receipt") -> Iterator[str]:
    comparison = receipt.comparisons.get(BASELINE)
    if comparison is None:
        if receipt.method == "arms" and receipt.verdict != "NEUTRAL":
            yield f"verdict: {receipt.verdict}, but nothing was compared with the baseline"
        return
    expected = verdict(comparison.win, comparison.loss, comparison.tie)
    if receipt.verdict != expected:
        yield (
            f"verdict: {receipt.verdict}, but {_record(comparison)} against the baseline "
            f"is {expected}"
        )


def _rows(receipt: "Receipt") -> Iterator[str]:
    expected, scored = receipt.expected_rows, receipt.scored_rows
    if scored > expected:
        yield f"scored_rows: {scored}, more than the {expected} expected"
    if receipt.method != "arms":
        return
    status = "complete" if scored >= expected else "partial" if scored else "failed"
    if receipt.execution_status != status:
        yield (
            f"execution_status: {receipt.execution_status}, but {scored} of {expected} rows "
            f"scored is {status}"
        )
    compared = sum(item.win + item.loss + item.tie for item in receipt.comparisons.values())
    if compared != scored:
        yield f"scored_rows: {scored}, but the comparisons add up to {compared}"


def _comparisons(receipt: "Receipt") -> Iterator[str]:
    # What another client means by other comparisons, and so what follows from them, is not known.
    for name in (BASELINE, INCUMBENT):
        if comparison := receipt.comparisons.get(name):
            yield from _comparison(f"comparisons.{name}", comparison)


def _comparison(where: str, comparison: "Comparison") -> Iterator[str]:
    counts = comparison.win, comparison.loss, comparison.tie
    lift = net_lift(*counts)
    if not _close(comparison.net_lift, lift):
        yield (
            f"{where}.net_lift: {comparison.net_lift:g}, but {_record(comparison)} is {lift:.4g}"
        )
    if comparison.sign_p == 1:
        return
    p = sign_test(*counts)
    exact = comparison.win + comparison.loss <= EXACT_ROWS
    if not _close(comparison.sign_p, p, _TOLERANCE if exact else _APPROXIMATE_TOLERANCE):
        yield (f"{where}.sign_p: {comparison.sign_p:g}, but {_record(comparison)} is {fixed(p, 3)}")


def _cases(receipt: "Receipt") -> Iterator[str]:
    """Check `per_case` within itself, then against the comparisons."""
    seen: set[tuple[str, int]] = set()
    for index, case in enumerate(receipt.per_case):
        where = f"per_case[{index}]"
        if (case.case, case.rep) in seen:
            yield f"{where}: {_name(case.case)} rep {case.rep} stands here a second time"
        seen.add((case.case, case.rep))
        if case.rep >= receipt.provenance.k:
            yield f"{where}.rep: {case.rep}, but provenance.k is {receipt.provenance.k}"
        yield from _arms(where, case)
    for name, comparison in receipt.comparisons.items():
        outcomes = Counter(case.outcomes.get(name, "") for case in receipt.per_case)
        yield from _outcomes(f"comparisons.{_name(name)}", comparison, outcomes)


def _arms(where: str, case: "CaseResult") -> Iterator[str]:
    for arm, result in case.arms.items():
        if result.passed is None or not result.checks:
            continue
        if result.passed != all(passed for _, passed in result.checks):
            word = "true, but a check failed" if result.passed else "false, but every check passed"
            yield f"{where}.arms.{_name(arm)}.passed: {word}"


def _outcomes(where: str, comparison: "Comparison", outcomes: Counter[str]) -> Iterator[str]:
    """Compare the listed rows; unscored rows may be listed as ties, so ties are not counted."""
    listed = outcomes["win"] + outcomes["loss"] + outcomes["tie"]
    all_listed = listed >= comparison.win + comparison.loss + comparison.tie
    for outcome, counted in (("win", comparison.win), ("loss", comparison.loss)):
        if outcomes[outcome] > counted or (all_listed and outcomes[outcome] < counted):
            yield f"{where}.{outcome}: {counted}, but per_case lists {outcomes[outcome]}"


def _case_runs(receipt: "Receipt") -> Iterator[str]:
    listed: Counter[tuple[str, bool | None]] = Counter(
        (arm, result.passed) for case in receipt.per_case for arm, result in case.arms.items()
    )
    for arm, tally in receipt.case_runs.items():
        where = f"case_runs.{_name(arm)}"
        passed, known = listed[arm, True], listed[arm, True] + listed[arm, False]
        if tally.passed > tally.total:
            yield f"{where}.passed: {tally.passed}, more than the total of {tally.total}"
        if passed > tally.passed:
            yield f"{where}.passed: {tally.passed}, but per_case lists {passed}"
        if known > tally.total:
            yield f"{where}.total: {tally.total}, but per_case lists {known}"


def _rates(receipt: "Receipt") -> Iterator[str]:
    for arm, score in receipt.arm_scores.items():
        if score is not None and not 0 <= score <= 1:
            yield f"arm_scores.{_name(arm)}: {score:g}, which is no share of checks"
    for arm, means in receipt.efficiency.items():
        for field in ("turns", "duration_ms", "cost_usd"):
            if (getattr(means, field) or 0) < 0:
                yield f"efficiency.{_name(arm)}.{field}: {getattr(means, field):g}, below 0"
    if counts := receipt.triggers:
        yield from _rate("recall", counts.recall, counts.tp, counts.fn)
        yield from _rate("precision", counts.precision, counts.tp, counts.fp)


def _rate(field: str, rate: float | None, hits: int, others: int) -> Iterator[str]:
    expected = hits / (hits + others) if hits + others else None
    same = rate is expected if None in (rate, expected) else _close(rate or 0, expected or 0)
    if not same:
        says, is_ = ("null" if value is None else f"{value:.4g}" for value in (rate, expected))
        yield f"triggers.{field}: {says}, but {hits} of {hits + others} is {is_}"


def _times(receipt: "Receipt", now: datetime) -> Iterator[str]:
    if not runid.in_range(receipt.run_id):
        yield f"run_id: {receipt.run_id} names no second of the calendar"
        return
    if not runid.is_plausible(receipt.run_id, now):
        yield f"run_id: {receipt.run_id} is before 2020 or in the future"
    started = _time(receipt.provenance.timestamp)
    imported = receipt.block("source") is not None
    if started and not imported and abs(runid.to_time(receipt.run_id) - started) > _CLOCKS_APART:
        yield (
            f"run_id: {receipt.run_id}, more than a day from provenance.timestamp "
            f"{started.isoformat()}"
        )


def _time(timestamp: str) -> datetime | None:
    """Return the time of a timestamp; None for free text, which the schema allows."""
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _record(comparison: "Comparison") -> str:
    return f"{comparison.win}W / {comparison.loss}L / {comparison.tie}T"


def _name(text: str) -> str:
    return one_line(text)[:_LONGEST_NAME]


def _close(a: float, b: float, tolerance: float = _TOLERANCE) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
