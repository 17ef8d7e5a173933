"""How sure success rates and their differences make us: 95 % intervals in closed form.

Differences of paired attempts have the interval of net lift (`receipts.intervals.net_lift`): the
rate after minus the rate before is wins minus losses over pairs.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from receipts.intervals import Interval, wilson

_SIZE = 1.959963984540054  # two-sided 5 %
_POWER = 0.8416212335729143  # 80 %


class Rate(NamedTuple):
    """A success rate and how many attempts it counts as: a fraction for a mean over tasks."""

    share: float
    trials: float

    @property
    def interval(self) -> Interval:
        """Wilson's score interval."""
        return wilson(self.share, self.trials)


def mean(rates: Sequence[Rate]) -> Rate:
    """Return the mean of the rates of several tasks.

    It counts as many attempts as one rate would need to vary as much, t² / Σ 1/n: their number
    when all tasks have equally many. Where tasks differ in how hard they are it varies less than
    that, and the interval is wider than it had to be.

    Raises:
        ValueError: There are none.
    """
    if not rates:
        raise ValueError("no rates, no mean")
    tasks = len(rates)
    share = sum(rate.share for rate in rates) / tasks
    return Rate(share, tasks**2 / sum(1 / rate.trials for rate in rates))


def difference(before: Rate, after: Rate) -> Interval:
    """Return the interval of the rate after minus the rate before, of unpaired attempts.

    Newcombe's hybrid of two score intervals: R. G. Newcombe, "Interval estimation for the
    difference between independent proportions", Statistics in Medicine 17 (1998), method 10.
    """
    first, second, shift = before.interval, after.interval, after.share - before.share
    below = math.hypot(after.share - second.low, first.high - before.share)
    above = math.hypot(second.high - after.share, before.share - first.low)
    return Interval(max(-1.0, shift - below), min(1.0, shift + above))


def needed(before: float, after: float) -> int | None:
    """Return how many attempts on each side show such a difference, None when there is none.

    With a chance of 80 %, at a two-sided 5 %: the normal approximation with the continuity
    correction of Fleiss, Tytun and Ury, "A simple approximation for calculating sample sizes for
    comparing independent proportions", Biometrics 36 (1980), which is close to what Fisher's exact
    test needs.
    """
    shift = abs(after - before)
    if shift == 0:
        return None
    middle = (before + after) / 2
    null = _SIZE * math.sqrt(2 * middle * (1 - middle))
    apart = _POWER * math.sqrt(before * (1 - before) + after * (1 - after))
    plain = ((null + apart) / shift) ** 2
    return math.ceil(plain / 4 * (1 + math.sqrt(1 + 4 / (plain * shift))) ** 2)
