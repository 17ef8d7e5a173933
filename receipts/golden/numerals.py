"""The number that a text holds, read as a person reads it, in decimal arithmetic."""

import re
import unicodedata
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation

from receipts import jsontext
from receipts.golden.words import as_text

_LARGEST_EXPONENT = 99_999
"""A number with a larger exponent is not read: it could not be subtracted in any memory."""

_MINUS = "-\u2010\u2011\u2013\u2212\ufe63\uff0d"
_SIGN = rf"[{re.escape(_MINUS)}+\uff0b]"
# A sign counts only with no letter or digit before it: `step-3` is a three, `10-5` begins with ten.
# The same goes for a leading point, for `No.5` is a five.
_ALONE = r"(?<![^\W_])"
_SEPARATORS = ",\uff0c\u00a0\u202f\u2009'\u2019"
_GROUPED = (
    rf"\d{{1,3}}(?P<separator>[{_SEPARATORS}])\d{{3}}(?:(?P=separator)\d{{3}})*"
    rf"(?!\d|[{_SEPARATORS}]\d)"
)
_POINT = r"[.\uff0e]"
_NUMBER = re.compile(
    rf"(?:{_ALONE}(?P<sign>{_SIGN})(?P<currency>[$¢£¤¥\u20a0-\u20cf])?)?"
    rf"(?:(?P<whole>{_GROUPED}|\d+)(?:{_POINT}(?P<part>\d+))?"
    rf"|(?<![^\W_])(?<!{_POINT}){_POINT}(?P<only>\d+))"
    rf"(?:[eE](?P<power>{_SIGN}?\d+))?"
)
_TOLERANCE = re.compile(r" *(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)? ?(%?) *\Z", re.ASCII)
_LABEL = re.compile(r"label:(.*\S.*)\Z", re.DOTALL)


def first_number(value: object, label: str | None = None) -> Decimal | None:
    """Return the first number of a value, or None.

    A number in JSON is itself. In a text: any decimal digits, with or without sign, point, exponent
    and well-formed thousands groups; units, currency and percent signs are passed over and scale
    nothing. Fractions, superscripts, number words, `nan` and `inf` are no numbers.

    Args:
        value: A value of JSON.
        label: A word; only what stands behind its first occurrence is looked at.
    """
    if label is None and isinstance(value, int | float) and not isinstance(value, bool):
        return _of_json(value)
    text = as_text(value)
    start = 0
    if label is not None:
        found = _labelled(label).search(text)
        if found is None:
            return None
        start = found.end()
    match = _NUMBER.search(text, start)
    return _read(match) if match else None


def label_of(parse: object) -> str:
    """Return the word of a `parse` field.

    Raises:
        ValueError: It is not `label:<word>`.
    """
    match = _LABEL.match(parse) if isinstance(parse, str) else None
    if match is None:
        raise ValueError('`parse` must be "label:<word>"')
    return match[1].strip()


def tolerance(text: str) -> tuple[Decimal, bool]:
    """Return the width that a rule names, and whether it is in percent of the expected number.

    Raises:
        ValueError: It is no finite number of zero or more, with at most one `%` behind it.
    """
    match = _TOLERANCE.match(text)
    width = _decimal(match[1] + (match[2] or "")) if match else None
    if match is None or width is None:
        raise ValueError(f"the tolerance {text!r} is no number of zero or more, with or without %")
    return width, bool(match[3])


def is_within(answer: Decimal, expected: Decimal, width: Decimal, *, in_percent: bool) -> bool:
    """Say whether two numbers differ by no more than a width, exactly; the border is inside."""
    operands = (answer, expected, width)
    # Enough digits for any difference and product of the three, so that nothing is rounded.
    top = max(0, *(number.adjusted() for number in operands))
    bottom = min(0, *(_exponent(number) for number in operands))
    digits = top - bottom + sum(len(number.as_tuple().digits) for number in operands) + 4
    exact = Context(digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, InvalidOperation])
    distance = exact.abs(exact.subtract(answer, expected))
    if in_percent:
        width = exact.scaleb(exact.multiply(exact.abs(expected), width), Decimal(-2))
    return exact.compare(distance, width) <= 0


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)  # the numbers here are finite


def _of_json(value: float) -> Decimal | None:
    if isinstance(value, jsontext.Number):
        return _decimal(value.text)
    # repr gives the shortest digits that mean this float: those that the author wrote.
    number = Decimal(value) if isinstance(value, int) else Decimal(repr(value))
    return number if number.is_finite() and abs(number.adjusted()) <= _LARGEST_EXPONENT else None


def _labelled(label: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, label.split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W\d_])", re.IGNORECASE)


def _read(match: re.Match[str]) -> Decimal | None:
    whole = match["whole"] or ""
    if match["separator"]:
        groups = re.split(f"[{_SEPARATORS}]", whole)
        # No thousands begin with a zero: `0,123` is written with a decimal comma, of which the
        # whole part is read, as in `1,23`.
        if unicodedata.decimal(groups[0][0]) == 0:
            return _decimal(_sign(match["sign"]) + "0")
        whole = "".join(groups)
    digits = f"{whole or '0'}.{match['part'] or match['only'] or '0'}"
    power = match["power"] or ""
    exponent = f"e{_sign(power[:1])}{power.lstrip(_MINUS + '+' + chr(0xFF0B))}" if power else ""
    return _decimal(_ascii(_sign(match["sign"]) + digits + exponent))


def _sign(character: str | None) -> str:
    return "-" if character and character in _MINUS else ""


def _ascii(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(mark, mark)) for mark in text)


def _decimal(text: str) -> Decimal | None:
    mantissa, _, power = text.lower().partition("e")
    # Python reads no integer of thousands of digits; such an exponent is out of range anyway.
    significant = power.lstrip("+-0")
    if len(significant) > len(str(_LARGEST_EXPONENT)):
        return None
    exponent = int(significant or "0") * (-1 if power.startswith("-") else 1)
    sign, digits, own = Decimal(mantissa).as_tuple()
    return Decimal((sign, digits, int(own) + exponent))
