"""JavaScript strings are sequences of UTF-16 units; Python's are sequences of code points.

Inside this package every text is held the JavaScript way, an astral character as two surrogates, so
that lengths, columns and comparisons are the original's. Only `load` and `dump` convert.
"""

import re

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
LONE_SURROGATE = re.compile(
    "[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]"
)


def to_units(text: str) -> str:
    """Return the text with every astral character as its two surrogates."""
    if text.isascii():
        return text
    return _ASTRAL.sub(lambda match: split_astral(ord(match[0])), text)


def from_units(text: str) -> str:
    """Return the text with every surrogate pair as one character; lone surrogates stay."""
    if text.isascii():
        return text
    return _PAIR.sub(lambda match: _joined(match[0]), text)


def split_astral(code: int) -> str:
    """Return a code point as one or two UTF-16 units."""
    if code < 0x10000:
        return chr(code)
    code -= 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _joined(pair: str) -> str:
    return chr(0x10000 + ((ord(pair[0]) - 0xD800) << 10) + (ord(pair[1]) - 0xDC00))


def line_and_column(units: str, at: int) -> tuple[int, int]:
    """Return the line and column, both from 1, of an offset."""
    before = min(max(at, 0), len(units))
    return units.count("\n", 0, before) + 1, before - (units.rfind("\n", 0, before) + 1) + 1
