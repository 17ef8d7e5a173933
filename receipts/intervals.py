"""How sure wins, losses and ties make us: exact 95 % and 80 % intervals.

Counts here are of units that are independent of each other (`receipts.units`). Pure Python, and
quick enough for a command: a few milliseconds for the units of a real run.

How the interval of net lift is made, and why so, is in
docs/adr/0016-evidence-by-independent-units.md; the coverage that it has is measured by
tests/receipts/test_coverage.py.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate, repeat
from typing import NamedTuple

EXACT_UNITS = 40
"""Units up to which the interval of net lift comes from the exact distribution."""

LEVELS = (0.95, 0.80)
"""The levels at which intervals are made."""

_OWN_SHARE = 0.35  # how much of its own probability an outcome counts with; see the record
_QUANTILES = {0.95: 1.959963984540054, 0.80: 1.2815515655446004}
_EXACT_TRIALS = 100_000
_STEPS = 18  # halvings of a range of at most 2, for
_DECIMALS = 4
_EPSILON = 1e-9


class Interval(NamedTuple):
    """What is not ruled out, ends included."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Say whether a number is not ruled out."""
        return self.low <= value <= self.high


def win_share(wins: int, losses: int, level: float = 0.95) -> Interval | None:
    """Return the Clopper-Pearson interval of the share of wins among wins and losses.

    None without a win or a loss. Above 100,000 of them it is Wilson's score interval.
    """
    decided = wins + losses
    if decided == 0:
        return None
    if decided > _EXACT_TRIALS:
        return wilson(wins / decided, decided, level)
    tail = (1 - level) / 2
    low, high = _least_share(wins, decided, tail), 1 - _least_share(losses, decided, tail)
    return Interval(round(low, _DECIMALS), round(high, _DECIMALS))


def wilson(share: float, trials: float, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share of so many trials (Wilson 1927).

    Args:
        share: The share that was observed.
        trials: How many there were, more than none; a fraction where they count as so many.
        level: One of `LEVELS`.
    """
    square = _QUANTILES[level] ** 2 / trials
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    # Rounding alone can lead out of what a share can be.
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


@lru_cache(maxsize=4096)
def net_lift(wins: int, losses: int, ties: int, level: float = 0.95) -> Interval:
    """Return the interval of net lift, (wins - losses) / units, as units of this kind have it.

    Up to 40 units: the lifts that an exact test does not reject. A lift is rejected when outcomes
    at least as far from it as this one, by the score statistic, are together rarer than the level
    allows; the tie share is the one of maximum likelihood at that lift, and this outcome itself
    counts with 0.35 of its probability. Above 40 units: the lifts whose score statistic is within
    the normal quantile (Tango 1998). The lift 0 is left out only when the two-sided exact sign
    test rejects it as well, so that equal arms are held to the level whatever their tie share.

    Raises:
        ValueError: There are no units.
    """
    units = wins + losses + ties
    if units == 0:
        raise ValueError("no units, no interval")
    if units <= EXACT_UNITS:
        is_rejected = _exact_test(wins, losses, units, 1 - level)
    else:
        is_rejected = _score_test(wins, losses, units, _QUANTILES[level])
    estimate = (wins - losses) / units
    low = -1.0 if losses == units else _border(-1.0, estimate, is_rejected)
    high = 1.0 if wins == units else _border(1.0, estimate, is_rejected)
    if sign_probability(wins, losses) > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    return Interval(round(low, _DECIMALS), round(high, _DECIMALS))


def sign_probability(wins: int, losses: int) -> float:
    """Return the two-sided sign test as `receipts.stats.sign_test`, fast for any counts.

    In floating point, good to nine digits.
    """
    decided, more = wins + losses, max(wins, losses)
    if 2 * more <= decided + 1:
        return 1.0
    if decided > _EXACT_TRIALS:
        return math.erfc((2 * more - decided - 1) / math.sqrt(2 * decided))
    return min(1.0, 2 * _upper_tail(more, decided, 0.5))


def _least_share(successes: int, trials: int, tail: float) -> float:
    """Return the share at which so many successes or more have the probability `tail`."""
    if successes == 0:
        return 0.0
    return _border(
        0.0, successes / trials, lambda share: _upper_tail(successes, trials, share) < tail
    )


def _upper_tail(successes: int, trials: int, share: float) -> float:
    """Return the probability of at least so many successes, where they are more than expected."""
    if share <= 0:
        return 0.0
    logarithm = math.lgamma(trials + 1)
    logarithm -= math.lgamma(successes + 1) + math.lgamma(trials - successes + 1)
    logarithm += successes * math.log(share) + (trials - successes) * math.log1p(-share)
    term = math.exp(logarithm)
    total, odds = 0.0, share / (1 - share)
    for count in range(successes, trials + 1):
        total += term
        if term < total * 1e-15:
            break
        term *= (trials - count) / (count + 1) * odds
    return total


def _border(outside: float, inside: float, is_rejected: Callable[[float], bool]) -> float:
    """Return where, between a value that is rejected and one that is not, it changes."""
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        if is_rejected(middle):
            outside = middle
        else:
            inside = middle
    return outside


def _score_test(wins: int, losses: int, units: int, quantile: float) -> Callable[[float], bool]:
    return lambda lift: abs(_score(wins - losses, wins + losses, units, lift)) > quantile


def _exact_test(wins: int, losses: int, units: int, alpha: float) -> Callable[[float], bool]:
    return lambda lift: _probability(wins, losses, units, lift) < alpha


def _probability(wins: int, losses: int, units: int, lift: float) -> float:
    """Return how probable outcomes at least as far from a lift as this one are at that lift."""
    decided = wins + losses
    limit = abs(_score(wins - losses, decided, units, lift)) - _EPSILON
    if limit <= 0:
        return 1.0
    share = _decided_share(wins - losses, decided, units, lift)
    win = _powers((share + lift) / 2, units)
    loss = _powers((share - lift) / 2, units)
    tie = _powers(1 - share, units)
    total = 0.0
    for count in range(units + 1):
        ways, some = _ways(count), 0.0
        # The score grows with every win for a loss: look from both ends as far as it is extreme.
        for won in range(count, -1, -1):
            if _score(2 * won - count, count, units, lift) < limit:
                break
            some += ways[won] * win[won] * loss[count - won]
        for won in range(count + 1):
            if -_score(2 * won - count, count, units, lift) < limit:
                break
            some += ways[won] * win[won] * loss[count - won]
        total += math.comb(units, count) * tie[units - count] * some
    own = _ways(decided)[wins] * win[wins] * loss[losses]
    own *= math.comb(units, decided) * tie[units - decided]
    return total - (1 - _OWN_SHARE) * own


def _score(lead: int, decided: int, units: int, lift: float) -> float:
    """Return the score statistic of a lead of wins over losses at a net lift."""
    share = _decided_share(lead, decided, units, lift)
    variance = units * (share - lift * lift)
    return (lead - units * lift) / math.sqrt(variance) if variance > 0 else 0.0


def _decided_share(lead: int, decided: int, units: int, lift: float) -> float:
    """Return the share of wins and losses that is most likely, given the net lift."""
    linear = decided + lift * lead
    constant = lift * lead - (units - decided) * lift * lift
    # abs for rounding alone: what is below the root is never negative.
    return (linear + math.sqrt(abs(linear * linear - 4 * units * constant))) / (2 * units)


def _powers(base: float, highest: int) -> list[float]:
    return list(accumulate(repeat(max(base, 0.0), highest), float.__mul__, initial=1.0))


@lru_cache(maxsize=EXACT_UNITS + 1)
def _ways(count: int) -> list[int]:
    return [math.comb(count, some) for some in range(count + 1)]
