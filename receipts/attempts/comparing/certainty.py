"""Whether a rate moved or chance did: an interval for every rate and every difference.

Attempts of a task pair when the same numbers were usable on both sides, so that the difference of
the pairs is the difference that is shown; else they are compared unpaired. Tasks are taken as they
are: an interval says what more attempts at these tasks would show, not what other tasks would.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from receipts import rates
from receipts.attempts.comparing.rows import Row
from receipts.attempts.outcomes import Outcome
from receipts.attempts.runfile import TaskResult
from receipts.intervals import Interval, net_lift
from receipts.rates import Rate

PAIRED = "paired score interval"
UNPAIRED = "Newcombe's hybrid score interval"
RATES = "Wilson's score interval"
NEEDED = "Fleiss, Tytun and Ury 1980, two-sided 5 %, power 80 %"

_LEAST_PAIRS = 6  # fewer cannot tell, by the sign test, whatever they show
_DECIMALS = 4

Verdicts = list[tuple[int, bool]]
"""The number of each attempt that counts, and whether it was a success."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure two rates and their difference are.

    Attributes:
        before: A's rate, None when nothing was measured.
        after: B's.
        pairs: Wins, losses and ties of B over A, where attempts pair; else None.
    """

    before: Rate | None
    after: Rate | None
    pairs: tuple[int, int, int] | None = None

    @property
    def is_measured(self) -> bool:
        """Whether both sides have a rate."""
        return self.before is not None and self.after is not None

    @property
    def delta(self) -> Interval | None:
        """The interval of the difference, None when a side measured nothing."""
        if self.before is None or self.after is None:
            return None
        return net_lift(*self.pairs) if self.pairs else rates.difference(self.before, self.after)

    @property
    def method(self) -> str | None:
        """How that interval is made."""
        if self.before is None or self.after is None:
            return None
        return PAIRED if self.pairs else UNPAIRED

    @property
    def is_change(self) -> bool | None:
        """Whether the interval leaves out zero, so that chance alone does not explain it."""
        return None if self.delta is None else not self.delta.holds(0)

    @property
    def needed(self) -> int | None:
        """How many attempts a side would show a difference of this size."""
        if self.before is None or self.after is None:
            return None
        count = rates.needed(self.before.share, self.after.share)
        return max(count, _LEAST_PAIRS) if count is not None and self.pairs else count

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it, intervals as pairs of numbers."""
        return {
            "a_interval": listed(self.before and self.before.interval),
            "b_interval": listed(self.after and self.after.interval),
            "delta_interval": listed(self.delta),
            "method": self.method,
            "is_change": self.is_change,
            "needed_attempts": self.needed,
        }


def success(task: TaskResult) -> Verdicts:
    """Return the attempts that count toward the success rate."""
    return [
        (attempt.attempt, attempt.outcome is Outcome.PASS)
        for attempt in task.attempts
        if attempt.outcome.is_usable
    ]


def activation(task: TaskResult) -> Verdicts:
    """Return the attempts that count toward the activation score."""
    return [
        (attempt.attempt, attempt.activation_passed is True)
        for attempt in task.attempts
        if attempt.is_activation_scored
    ]


def rate_of(task: TaskResult) -> Rate | None:
    """Return the success rate of a task, None when nothing was measured."""
    return _rate(success(task))


def of_row(row: Row, verdicts: Callable[[TaskResult], Verdicts]) -> Certainty:
    """Return how sure the rates of one task are."""
    a, b = verdicts(row.a), verdicts(row.b)
    return Certainty(_rate(a), _rate(b), _pairs(a, b))


def of_all(certainties: Sequence[Certainty]) -> Certainty:
    """Return how sure the means over the tasks are that both sides measured.

    All pairs count together where every task has equally many, which is when the difference over
    all of them is the difference of the means.
    """
    found = [one for one in certainties if one.is_measured]
    if not found:
        return Certainty(None, None)
    before = rates.mean([one.before for one in found if one.before is not None])
    after = rates.mean([one.after for one in found if one.after is not None])
    paired = [one.pairs for one in found if one.pairs is not None]
    if len(paired) < len(found) or len({sum(pairs) for pairs in paired}) > 1:
        return Certainty(before, after)
    wins, losses, ties = (sum(pairs[kind] for pairs in paired) for kind in range(3))
    return Certainty(before, after, (wins, losses, ties))


def _rate(verdicts: Verdicts) -> Rate | None:
    if not verdicts:
        return None
    return Rate(sum(passed for _, passed in verdicts) / len(verdicts), len(verdicts))


def _pairs(a: Verdicts, b: Verdicts) -> tuple[int, int, int] | None:
    """Return wins, losses and ties of B, None unless each attempt has one partner."""
    before, after = dict(a), dict(b)
    if before.keys() != after.keys() or len(a) != len(before) or len(b) != len(after) or not a:
        return None
    steps = [after[number] - before[number] for number in before]
    return steps.count(1), steps.count(-1), steps.count(0)


def listed(interval: Interval | None) -> list[float] | None:
    """Return an interval as JSON has it."""
    return None if interval is None else [round(end, _DECIMALS) for end in interval]
