"""How much a receipt's numbers show: intervals, what chance alone would do, and a grade.

The grade of a comparison is

* `strong` when the 95 % interval of net lift lies wholly on one side of 0,
* `weak` when the 80 % interval does,
* `none` otherwise.

By the making of the interval that is the two-sided exact sign test over units at 5 % and at 20 %,
so equal arms are graded strong at most once in twenty runs. A grade says that the arms differ, not
by how much and not in which direction, and it changes no verdict. See docs/reference/evidence.md.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from receipts import intervals, stats
from receipts.forms import BASELINE
from receipts.intervals import LEVELS, Interval
from receipts.numbers import fixed, percent
from receipts.terminal import one_line
from receipts.units import CannotCluster, Units, units_of

if TYPE_CHECKING:
    from receipts.receipt import Receipt

STRONG = "strong"
WEAK = "weak"
NONE = "none"

_EXACT_STEPS = 1000  # rows that lead or trail up to which equal arms are worked out exactly
_DECIMALS = 4


@dataclass(frozen=True)
class Evidence:
    """What one comparison shows.

    Attributes:
        units: What was counted, or None when the receipt does not tell what is independent.
        problem: Why there are no units to count, in a sentence without a full stop; else empty.
        grade: `strong`, `weak` or `none`; None without units to count.
        win_share: The 95 % interval of the share of won among decided units; None without any.
        net_lift: The 95 % interval of net lift over units.
        net_lift_80: The 80 % interval.
        verdict: The verdict that the rows of this comparison have by `receipts.stats.verdict`.
        equal_arms: In what share of runs equal arms would get that verdict with these rows.
        least_strong: The least net lift that so many units could have graded strong; None when
            they could not, whatever they showed.
    """

    units: Units | None
    problem: str
    grade: str | None = None
    win_share: Interval | None = None
    net_lift: Interval | None = None
    net_lift_80: Interval | None = None
    verdict: str = ""
    equal_arms: float | None = None
    least_strong: float | None = None


def evidence_of(receipt: "Receipt") -> dict[str, Evidence]:
    """Return what each of a receipt's comparisons shows, by its name, the baseline's first."""
    names = sorted(receipt.comparisons, key=lambda name: name != BASELINE)
    return {name: _evidence(receipt, name) for name in names}


def grade_of(receipt: "Receipt") -> str | None:
    """Return the grade of the comparison with the baseline alone, which costs next to nothing.

    None when there is no such comparison, no row in it, or no telling what is independent.
    """
    if BASELINE not in receipt.comparisons:
        return None
    try:
        units = units_of(receipt, BASELINE)
    except CannotCluster:
        return None
    return grade(units.won, units.lost) if units.total else None


def grade(won: int, lost: int) -> str:
    """Return the grade of units that were won and lost; those that tied do not change it."""
    p = intervals.sign_probability(won, lost)
    if p <= 1 - LEVELS[0]:
        return STRONG
    return WEAK if p <= 1 - LEVELS[1] else NONE


def equal_arms(units: Units, rows: int, verdict: str) -> float:
    """Return in what share of runs equal arms would get a verdict with these rows, one at least.

    Between equal arms each unit's lead could as well have been its opponent's, so each sign is
    tossed anew: exactly, by convolution over the units, and by the normal distribution where more
    than 1,000 rows lead or trail.
    """
    steps = sum(lead * count for lead, count in units.leads.items())
    bound = -(-rows // 3)  # the least lead that is PASS
    if steps > _EXACT_STEPS:
        spread = math.sqrt(sum(lead * lead * count for lead, count in units.leads.items()))
        beyond = math.erfc((bound - 0.5) / (spread * math.sqrt(2))) / 2
    else:
        ways = _tossed(tuple(sorted(units.leads.items())))
        # The k-th entry is a lead of 2k - steps.
        beyond = sum(ways[max(0, -(-(bound + steps) // 2)) :])
    return 1 - 2 * beyond if verdict == "NEUTRAL" else beyond


@lru_cache(maxsize=256)
def _tossed(leads: tuple[tuple[int, int], ...]) -> list[float]:
    """Return the distribution of how many leading rows fall to one side, each unit tossed."""
    ways = [1.0]
    for lead, count in leads:
        for _ in range(count):
            moved = [0.0] * lead + ways
            stayed = ways + [0.0] * lead
            ways = [(a + b) / 2 for a, b in zip(stayed, moved, strict=True)]
    return ways


def least_strong(units: int) -> float | None:
    """Return the least net lift that so many units can grade strong, None when they cannot."""
    won = 1
    while grade(won, 0) != STRONG:
        won += 1
    return won / units if won <= units else None


def _evidence(receipt: "Receipt", name: str) -> Evidence:
    try:
        units = units_of(receipt, name)
    except CannotCluster as reason:
        return Evidence(None, str(reason))
    if units.total == 0:
        return Evidence(None, "no row was scored")
    record = receipt.comparisons[name]
    counts = units.won, units.lost, units.tied
    verdict = stats.verdict(record.win, record.loss, record.tie)
    rows = record.win + record.loss + record.tie
    return Evidence(
        units,
        "",
        grade=grade(units.won, units.lost),
        win_share=intervals.win_share(units.won, units.lost),
        net_lift=intervals.net_lift(*counts),
        net_lift_80=intervals.net_lift(*counts, level=LEVELS[1]),
        verdict=verdict,
        equal_arms=equal_arms(units, rows, verdict),
        least_strong=least_strong(units.total),
    )


def lines(receipt: "Receipt") -> list[str]:
    """Return what `receipts show --explain` prints below the report."""
    found = evidence_of(receipt)
    if not found:
        return ["evidence: nothing was compared"]
    return [line for name, evidence in found.items() for line in _lines(one_line(name), evidence)]


def documents(receipt: "Receipt") -> dict[str, dict[str, Any]]:
    """Return what each comparison shows as JSON, by its name; numbers have four decimals."""
    return {name: _document(evidence) for name, evidence in evidence_of(receipt).items()}


def _document(evidence: Evidence) -> dict[str, Any]:
    units = evidence.units
    return {
        "grade": evidence.grade,
        "problem": evidence.problem or None,
        "unit": units.kind if units else None,
        "units": units.total if units else None,
        "won": units.won if units else None,
        "lost": units.lost if units else None,
        "tied": units.tied if units else None,
        "win_share": _interval(evidence.win_share),
        "net_lift": _interval(evidence.net_lift),
        "net_lift_80": _interval(evidence.net_lift_80),
        "verdict": evidence.verdict or None,
        "equal_arms": _rounded(evidence.equal_arms),
        "least_strong": _rounded(evidence.least_strong),
    }


def _lines(name: str, evidence: Evidence) -> list[str]:
    units, lift, lift_80 = evidence.units, evidence.net_lift, evidence.net_lift_80
    if units is None or lift is None or lift_80 is None or evidence.equal_arms is None:
        return [f"evidence, {name}: not known, because {evidence.problem}"]
    estimate = percent((units.won - units.lost) / units.total)
    counted = _counted(units.total, units.kind)
    least = (
        f"{counted} cannot be strong evidence, whatever they show"
        if evidence.least_strong is None
        else f"{counted} could be strong evidence from {percent(evidence.least_strong)} net lift on"
    )
    share = evidence.win_share
    return [
        f"evidence, {name}: {evidence.grade}, from {counted} "
        f"({units.won} won / {units.lost} lost / {units.tied} tied)",
        f"  net lift over {units.kind}s: {estimate} (95% interval {_percents(lift)}; "
        f"80% interval {_percents(lift_80)})",
        *(
            [
                f"  won of those decided: {units.won}/{units.won + units.lost} "
                f"(95% interval {fixed(share.low, 2)} to {fixed(share.high, 2)})"
            ]
            if share
            else []
        ),
        f"  equal arms would get {evidence.verdict} with these rows in "
        f"{fixed(100 * evidence.equal_arms, 1)}% of runs",
        f"  {least}",
    ]


def _counted(count: int, kind: str) -> str:
    return f"{count} {kind}" if count == 1 else f"{count} {kind}s"


def _percents(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"


def _interval(interval: Interval | None) -> dict[str, float] | None:
    return interval._asdict() if interval else None


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, _DECIMALS)
