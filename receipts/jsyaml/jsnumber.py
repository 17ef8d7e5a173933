"""JavaScript numbers: their text, and reading them from text."""

import math
import re
from typing import Final

_PLAIN_FROM: Final = -6
_PLAIN_BELOW: Final = 21
_FLOAT_PREFIX = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_RADIX_PREFIXES = {"0x": 16, "0o": 8, "0b": 2}
# What JavaScript trims: its white space and its line ends.
JS_BLANK = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def number_text(value: float) -> str:
    """Return `String(value)`: `-0` is `0`, and plain decimals reach from 1e-6 to below 1e21."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    digits, point = shortest_digits(value)
    if _PLAIN_FROM < point <= _PLAIN_BELOW:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        if len(digits) <= point:
            return f"{sign}{digits}{'0' * (point - len(digits))}"
        return f"{sign}{digits[:point]}.{digits[point:]}"
    return sign + exponential(digits, point)


def exponential(digits: str, point: int) -> str:
    """Return `d.ddde+x` of digits that stand before and after `point`."""
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def shortest_digits(value: float) -> tuple[str, int]:
    """Return the shortest digits that read back as |value|, and where the decimal point stands.

    The value is the digits read as `0.digits` times ten to the power of the point.
    """
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    return stripped.rstrip("0") or "0", point - (len(digits) - len(stripped))


def parse_float(text: str) -> float:
    """Return `parseFloat(text)` of a text without leading white space and without `Infinity`."""
    match = _FLOAT_PREFIX.match(text)
    return float(match[0]) if match else math.nan


def parse_digits(digits: str, radix: int) -> float:
    """Return `parseInt(digits, radix)` of digits, perhaps signed, that all belong to the radix."""
    if not digits.strip("+-"):
        return math.nan
    if radix == 10:
        return float(digits)
    try:
        return float(int(digits, radix))
    except OverflowError:
        return math.inf


def to_number(text: str) -> float:
    """Return `Number(text)`."""
    trimmed = text.strip(JS_BLANK)
    if not trimmed:
        return 0.0
    if trimmed in ("Infinity", "+Infinity"):
        return math.inf
    if trimmed == "-Infinity":
        return -math.inf
    radix = _RADIX_PREFIXES.get(trimmed[:2].lower())
    if radix:
        digits = trimmed[2:]
        allowed = "0123456789abcdef"[:radix]
        valid = digits and all(digit in allowed for digit in digits.lower())
        return parse_digits(digits, radix) if valid else math.nan
    return float(trimmed) if _FLOAT_PREFIX.fullmatch(trimmed) else math.nan
