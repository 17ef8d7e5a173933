"""The events that an agent writes, a JSON map a line, read however badly they are written."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from receipts.jsontext import SAFE_INTEGER

LONGEST_LINE = 16 << 20
_MOST_ODDITIES = 20
_CHUNK = 1 << 18
Event = dict[str, Any]


class Oddities(list[str]):
    """Sentences about lines that could not be read; those beyond the first twenty are dropped."""

    def note(self, sentence: str) -> None:
        """Keep a sentence."""
        if len(self) < _MOST_ODDITIES:
            self.append(sentence)


def events(transcript: Path, oddities: Oddities | None = None) -> Iterator[Event]:
    """Yield the events of a transcript; a line that is none is named and passed over.

    No more than one line is in memory, and of a line above 16 MB nothing.
    """
    odd = Oddities() if oddities is None else oddities
    for number, line in _lines(transcript, odd):
        text = line.strip()
        if not text:
            continue
        event = parsed(text)
        if event is None:
            odd.note(f"line {number} of the transcript is no JSON map; it was passed over")
        else:
            yield event


def parsed(line: bytes) -> Event | None:
    """Return a line's event, or None when it is none."""
    if not line.startswith(b"{"):
        return None
    try:
        event = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _lines(transcript: Path, odd: Oddities) -> Iterator[tuple[int, bytes]]:
    number, held, is_too_long = 1, bytearray(), False
    if not transcript.is_file():
        return
    with open(transcript, "rb") as stream:
        while chunk := stream.read(_CHUNK):
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                if is_too_long or len(held) + len(part) > LONGEST_LINE:
                    odd.note(f"line {number} of the transcript is above 16 MB; it was passed over")
                else:
                    yield number, bytes(held) + part
                number, is_too_long = number + 1, False
                held.clear()
            if is_too_long or len(held) + len(rest) > LONGEST_LINE:
                is_too_long = True
                held.clear()
            else:
                held += rest
    if is_too_long:
        odd.note(f"line {number} of the transcript is above 16 MB; it was passed over")
    elif held.strip():
        if parsed(bytes(held).strip()) is None:
            odd.note(f"the transcript ends in the middle of line {number}")
        else:
            yield number, bytes(held)


class Watcher:
    """Looks for one event in output that is still coming, and stops looking when it is found."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_over = False

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that a chunk completes."""
        if self._is_over:
            return
        self._held += chunk
        if len(self._held) > LONGEST_LINE:
            self.stop()
            return
        *lines, rest = bytes(self._held).split(b"\n")
        self._held = bytearray(rest)
        for line in lines:
            if event := parsed(line.strip()):
                yield event

    def stop(self) -> None:
        """Look no further."""
        self._is_over = True
        self._held.clear()


def compact(value: object) -> str:
    """Return JSON as JavaScript writes it without indentation."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def number(value: object) -> float | None:
    """Return a number of what was used, or None for what cannot be one, such as -1 or 1e308."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= SAFE_INTEGER else None


def count(value: object) -> int | None:
    """Return a count of tokens, or None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= SAFE_INTEGER else None


def maps(value: object) -> Iterator[Event]:
    """Yield the maps of a list; anything else holds none."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def text_of(value: object) -> str:
    """Return a text; anything else is empty."""
    return value if isinstance(value, str) else ""
