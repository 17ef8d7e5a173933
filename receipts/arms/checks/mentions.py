"""Looking for texts in a transcript that may be larger than memory."""

import re
from collections.abc import Iterable, Iterator

_PART = 1 << 20
_BLANK = re.compile(r"\s")


def mentioned(needles: Iterable[str], pieces: Iterable[str]) -> set[str]:
    """Return which texts stand in the pieces joined by line feeds, upper and lower case alike.

    Case is folded as JavaScript's `toLowerCase` does. One pass in little memory; it ends as soon as
    all are found.
    """
    waiting = {needle: needle.lower() for needle in needles}
    found: set[str] = {needle for needle in waiting if not needle}
    # What a part may share with the next one: all but one character of the longest text.
    kept = max(map(len, waiting.values()), default=0) - 1
    tail = ""
    for part in _parts(pieces):
        window = tail + part.lower()
        found |= {needle for needle, text in waiting.items() if text in window}
        if len(found) == len(waiting):
            return found
        tail = window[-kept:] if kept > 0 else ""
    return found


def _parts(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the joined pieces in parts that are cut where lower case does not depend on the next.

    The Greek sigma has another form at the end of a word; no word goes on past a blank.
    """
    separator = ""
    for piece in pieces:
        yield separator
        separator = "\n"
        start = 0
        while len(piece) - start > _PART:
            blank = _BLANK.search(piece, start + _PART)
            end = blank.start() if blank else len(piece)
            yield piece[start:end]
            start = end
        yield piece[start:]
