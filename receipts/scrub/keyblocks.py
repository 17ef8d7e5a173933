r"""Private key blocks: PEM, OpenSSH, PGP and PuTTY, whole, cut off, or on one line with `\n`."""

import re
from collections.abc import Iterator

from receipts.scrub.rule import Span, compiled

_BEGIN = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_END = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")

_MARKER = r"-{4,5} ?%s [A-Z0-9 ]{0,64}PRIVATE KEY(?>(?: BLOCK)?) ?-{4,5}+"
_ANY_BEGIN = _MARKER % "BEGIN" + r"|Private-Lines: \d{1,4}+"
_ANY_END = _MARKER % "END"

# A line break, real or escaped, and what quotes and lists put around the lines of a block.
_GAP = r"(?>(?:\\+[nrt]|[\s>|#*+]){1,40})"
# Header lines, lines of base64 from 16 characters on, and a last short line: one that ends in
# padding or a checksum, or that the text ends with.
_BODY = (
    rf"(?>(?:{_GAP}[A-Za-z0-9-]{{3,24}}+: [^\n\\\"']{{0,200}}+){{0,8}})"
    rf"(?>(?:{_GAP}[A-Za-z0-9+/]{{16,}}+={{0,2}}+)+)"
    rf"(?>(?:{_GAP}(?:[A-Za-z0-9+/]{{1,15}}={{1,2}}+|[A-Za-z0-9+/]{{1,15}}+(?=\Z|[\"'])))?)"
    rf"(?>(?:{_GAP}=[A-Za-z0-9+/]{{4}})?)"
)
_CHUNK = re.compile(r"(?:[^\s\\]|\\(?![nrt]))+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}", re.ASCII)

_LONGEST_TAIL = 16_384
"""Characters of a block whose beginning is lost that are hidden; a large RSA key has 7,000."""


def closed(text: str) -> Iterator[Span]:
    """Yield every block from its first line to the nearest last line of a private key.

    The lines are found in one pass each: a search from every beginning to an end that may not be
    there would take quadratic time.
    """
    ends = _END.finditer(text)
    end = next(ends, None)
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        while end is not None and end.start() < begin.end():
            end = next(ends, None)
        if end is None:
            return
        done = end.end()
        yield begin.start(), done


def cut(text: str) -> Iterator[Span]:
    """Yield blocks of every kind that have lost their end, or their beginning."""
    begin, body, end = compiled(_ANY_BEGIN), compiled(_BODY), compiled(_ANY_END)
    for match in begin.finditer(text):
        key = body.match(text, match.end())
        if key:
            last = end.match(text, _skip_gap(text, key.end()))
            yield match.start(), last.end() if last else key.end()
    floor = 0
    for match in end.finditer(text):
        start = _start_of_tail(text, max(floor, match.start() - _LONGEST_TAIL), match.start())
        floor = match.end()
        if start is not None:
            yield start, match.end()


def _skip_gap(text: str, place: int) -> int:
    gap = compiled(_GAP).match(text, place)
    return gap.end() if gap else place


def _start_of_tail(text: str, floor: int, end: int) -> int | None:
    """Return where the lines of base64 before the end of a block start; None without any."""
    start = None
    characters = 0
    for number, line in enumerate(reversed(list(_CHUNK.finditer(text, floor, end)))):
        # Only the last line of a block may be short.
        if not _BASE64.fullmatch(line[0]) or (number and len(line[0]) < 16):
            break
        start = line.start()
        characters += len(line[0])
    return start if characters >= 32 else None
