"""Timestamps and base-60 numbers, as YAML 1.1 writes them."""

import datetime as dt
import re

from receipts.jsyaml.foreign import JsDate

_DAY_MS = 86_400_000
_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
# Python's calendar ends at year 9999; whole Gregorian cycles of 400 years carry beyond.
_CYCLE_YEARS = 400
_CYCLE_DAYS = 146_097
TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:t|T|[ \t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(\.[0-9]+)?"
    r"(?:[ \t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?"
)


def sexagesimal(text: str) -> float:
    """Return the value of digits in groups of base 60, such as `1:30`."""
    total = 0.0
    for part in text.lstrip("+-").replace("_", "").split(":"):
        total = total * 60 + float(part)
    return -total if text[0] == "-" else total


def parse_timestamp(text: str) -> JsDate:
    """Return the moment that a timestamp names; fields beyond their range carry over.

    Raises:
        ValueError: The text is no timestamp.
    """
    match = TIMESTAMP.fullmatch(text)
    if match is None:
        raise ValueError("!!timestamp expects a date, starting with yyyy-mm-dd")
    year, month, day, hour, minute, second = (int(match[group] or 0) for group in range(1, 7))
    # `Date.UTC` takes the years 0 to 99 for those of the twentieth century.
    year += 1900 if year < 100 else 0
    milliseconds = int(((match[7] or ".") + "000")[1:4])
    months = year * 12 + month - 1
    days = _days_before(months // 12, months % 12 + 1) + day - 1
    moment = ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milliseconds
    zone = match[8]
    if zone and zone != "Z":
        offset = sexagesimal(zone)
        moment -= int(60_000 * (offset * 60 if abs(offset) < 30 else offset))
    return JsDate(_iso(moment))


def _days_before(year: int, month: int) -> int:
    cycles, year = divmod(year, _CYCLE_YEARS)
    date = dt.date(year + _CYCLE_YEARS, month, 1)
    return date.toordinal() - _EPOCH_DAY + (cycles - 1) * _CYCLE_DAYS


def _iso(moment: int) -> str:
    days, rest = divmod(moment, _DAY_MS)
    cycles, ordinal = divmod(days + _EPOCH_DAY - 1, _CYCLE_DAYS)
    date = dt.date.fromordinal(ordinal + 1)
    year = date.year + cycles * _CYCLE_YEARS
    seconds, milliseconds = divmod(rest, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}Z"
    shown = f"{year:04}" if 0 <= year <= 9999 else f"{year:+07}"
    return f"{shown}-{date.month:02}-{date.day:02}T{clock}"
