"""Numbers as they are printed: rounded as JavaScript's `toFixed` rounds.

The decision falls on the exact binary value, and an exact half goes away from zero. Python's own
formatting sends a half to the even digit, and would print 0.062 where the other client prints
0.063.
"""

import math

_PLAIN_BELOW = 1e21  # from here on JavaScript writes an exponent


def fixed(value: float, digits: int) -> str:
    """Return a number with a fixed count of decimals.

    Zero has no sign, whichever it has; a negative number that rounds to zero keeps its own. Not
    a number, the infinities and numbers from 1e21 on are written as JavaScript writes them.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if abs(value) >= _PLAIN_BELOW:
        return repr(float(value))
    sign = "-" if value < 0 else ""
    # A whole number too is what JavaScript would hold: a double.
    numerator, denominator = abs(float(value)).as_integer_ratio()
    rounded = (2 * numerator * 10**digits + denominator) // (2 * denominator)
    if digits == 0:
        return f"{sign}{rounded}"
    text = str(rounded).zfill(digits + 1)
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


def percent(share: float) -> str:
    """Return a share of one as a signed whole percent: `+44%`, `+0%`, `-33%`.

    A small negative share is `-0%`: it is below zero, and the other client prints it so.
    """
    hundredfold = 100 * share
    return f"{'+' if hundredfold >= 0 else ''}{fixed(hundredfold, 0)}%"
