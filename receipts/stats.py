"""The statistics of a receipt, from wins, losses and ties.

Everything is decided in whole numbers, so the verdict's bounds are exact, and a result becomes a
float in one correctly rounded division.
"""

import math
from fractions import Fraction

EXACT_ROWS = 100_000
"""Wins and losses up to which the sign test is exact; no real run comes near."""


def net_lift(wins: int, losses: int, ties: int) -> float:
    """Return (wins - losses) / (wins + losses + ties), or 0 when there are no rows.

    Ties stay in the denominator, so they dilute: five wins and five ties is +0.5.

    Raises:
        TypeError: A count is not an integer.
        ValueError: A count is negative.
    """
    rows = _rows(wins, losses, ties)
    return (wins - losses) / rows if rows else 0.0


def sign_test(wins: int, losses: int, ties: int) -> float:
    """Return the two-sided exact sign test: how often a split is at least this lopsided by luck.

    Ties are ignored; without a win or a loss the answer is 1. Above 100,000 decided rows it is
    the normal approximation with continuity correction, good to better than three decimals.

    Raises:
        TypeError: A count is not an integer.
        ValueError: A count is negative.
    """
    _rows(wins, losses, ties)
    if wins + losses > EXACT_ROWS:
        deviation = max(0, abs(wins - losses) - 1)
        return math.erfc(deviation / math.sqrt(2 * (wins + losses)))
    return float(exact_sign_test(wins, losses))


def exact_sign_test(wins: int, losses: int) -> Fraction:
    """Return min(1, 2 * sum of C(n, i) for i up to k, / 2^n), where n is all and k the fewer."""
    decided, fewer = wins + losses, min(wins, losses)
    if 2 * fewer >= decided - 1:
        return Fraction(1)
    total = term = 1
    for i in range(fewer):
        term = term * (decided - i) // (i + 1)
        total += term
    return Fraction(2 * total, 2**decided)


def is_pinned(wins: int, losses: int, sign_p: float) -> bool:
    """Say whether a receipt holds its sign test at 1 although the counts would give less.

    That is how a run with a suite is written, for rows that share one agent session are not
    independent.
    """
    return sign_p == 1 and abs(wins - losses) > 1


def verdict(wins: int, losses: int, ties: int) -> str:
    """Return PASS from a net lift of +1/3 on, FAIL from -1/3 down, NEUTRAL between or without rows.

    Raises:
        TypeError: A count is not an integer.
        ValueError: A count is negative.
    """
    rows = _rows(wins, losses, ties)
    lead = 3 * (wins - losses)
    if rows and lead >= rows:
        return "PASS"
    if rows and lead <= -rows:
        return "FAIL"
    return "NEUTRAL"


def _rows(*counts: int) -> int:
    """Return the number of rows, refusing counts that count nothing."""
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"a count of rows is an integer, not {count!r}")
        if count < 0:
            raise ValueError(f"a count of rows is not below 0: {count}")
    return sum(counts)
