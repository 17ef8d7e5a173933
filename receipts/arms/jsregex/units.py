"""Sets of UTF-16 units: JavaScript's classes, and what is done with them."""

from collections.abc import Iterable

from receipts.arms.jsregex.tree import LAST_UNIT, Ranges

DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Ranges = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
LINE_END: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
ESCAPED = {"d": DIGIT, "w": WORD, "s": SPACE}


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return ranges sorted, with those that overlap or touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def others(ranges: Ranges) -> Ranges:
    """Return the units that are not in some merged ranges."""
    found = []
    start = 0
    for first, last in ranges:
        if start < first:
            found.append((start, first - 1))
        start = last + 1
    if start <= LAST_UNIT:
        found.append((start, LAST_UNIT))
    return tuple(found)


def of_escape(letter: str) -> Ranges | None:
    r"""Return the set that a letter behind a backslash names, such as `\d` or `\D`, or None."""
    ranges = ESCAPED.get(letter.lower())
    if ranges is None:
        return None
    return others(ranges) if letter.isupper() else ranges
