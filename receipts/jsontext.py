"""JSON as bytes: read strictly, changed one value at a time, and printed as it was written.

A receipt's identity is its bytes, so it is never written anew. This module reads what JavaScript's
`JSON.parse` reads and nothing more (the other client is written in it), and edits a document by
replacing the bytes of single tokens; every other byte stays as it was. Documents of which only the
meaning counts are written anew, and then every number that was read keeps its digits.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from receipts.terminal import one_line

LIMIT = 1024 * 1024
"""Bytes a document may have; the receipts of real runs are a few kilobytes."""

DEPTH = 200
"""Levels of maps and lists a document may have."""

SAFE_INTEGER = 2**53 - 1
"""The largest integer that JavaScript tells from its neighbours."""

_LONGEST_KEY = 60  # characters of a key that are shown

Path = tuple[str | int, ...]

_STRING = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
_TOKEN = re.compile(rb'%s|[{}\[\],:]|[^ \t\n\r"{}\[\],:]++' % _STRING.encode())
# What is looked at before parsing; an unfinished string runs to the end of the text.
_SHAPE = re.compile(rf"(?>{_STRING}?)|[\[\]{{}}]|NaN|Infinity", re.DOTALL)
_QUOTE = ord('"')
_STARTS_OF_NUMBERS = b"-0123456789"


class JsonError(ValueError):
    """A text is not JSON, or is more of it than is read.

    Attributes:
        line: Line of the first fault, from 1; 0 when the whole document is meant.
        column: Character in that line, from 1; 0 when the whole document is meant.
    """

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        place = f"not JSON: {reason} (line {line}, column {column})"
        super().__init__(place if line else reason)
        self.line = line
        self.column = column


class Number(float):
    """A number that Python would write with other digits, such as `1.10`, `1e400` or 2^53 + 1.

    It is the double that JavaScript reads; `dumps` writes the digits that it was read from.
    """

    text: str
    __slots__ = ("text",)

    def __new__(cls, text: str) -> Self:
        """Return the number that a JSON text of one number is."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def loads(data: bytes | str, *, limit: int = LIMIT) -> Any:  # noqa: ANN401 - any JSON document
    """Return the value of a JSON text, as `JSON.parse` reads it.

    The last of two equal keys wins. Integers beyond ±(2^53-1) become floats, numbers beyond a
    double's range become infinite, as they do in JavaScript; the digits of both are kept, see
    `Number`. Lone surrogate escapes are kept.

    Args:
        data: The document, as UTF-8 or text.
        limit: The most bytes it may have.

    Raises:
        JsonError: It is no JSON, is not UTF-8, starts with a byte order mark, is nested deeper
            than 200 levels or is longer than the limit.
    """
    text = _text(data, limit)
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        _check_shape(text)  # what is wrong with the shape of a document is said first
        if not isinstance(error, json.JSONDecodeError):
            raise
        if error.msg.startswith("Illegal trailing comma"):
            # From Python 3.13 on. Elsewhere the place is that of what follows the comma.
            after = len(text) - len(text[error.pos + 1 :].lstrip(" \t\n\r"))
            error = json.JSONDecodeError(error.msg, text, after)
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        raise JsonError(reason[:1].lower() + reason[1:], error.lineno, error.colno) from None
    if text.count("[") + text.count("{") > DEPTH and _is_deep(value):
        _check_shape(text)
    return value


def dumps(value: Any, *, indent: str | None = None, ascii_only: bool = False) -> str:  # noqa: ANN401 - any JSON value
    """Return a value as JSON, laid out as `json.dumps` does it, with the digits that were read.

    Args:
        value: The value, with texts for keys.
        indent: What each level is indented by; None keeps all on one line.
        ascii_only: Whether characters beyond ASCII are escaped.

    Raises:
        ValueError: It holds a number that is not finite and was not read.
        TypeError: It holds something that JSON cannot.
    """
    scalar = json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False).encode

    def listed(brackets: str, items: list[str], line: str) -> str:
        if indent is None:
            return f"{brackets[0]}{', '.join(items)}{brackets[1]}"
        return f"{brackets[0]}{line}{indent}{f',{line}{indent}'.join(items)}{line}{brackets[1]}"

    def written(value: Any, line: str) -> str:  # noqa: ANN401 - any JSON value
        if isinstance(value, Number):
            return value.text
        inner = line + (indent or "")
        if isinstance(value, dict) and value:
            items = [f"{scalar(str(key))}: {written(item, inner)}" for key, item in value.items()]
            return listed("{}", items, line)
        if isinstance(value, list | tuple) and value:
            return listed("[]", [written(item, inner) for item in value], line)
        return scalar(value)

    return written(value, "\n")


def dump(document: Mapping[str, Any]) -> bytes:
    """Return a document as every client writes its files: two spaces, a line feed at the end.

    Raises:
        ValueError: As `dumps`.
    """
    return _bytes(dumps(document, indent="  ") + "\n")


def repeated_keys(data: bytes, *, limit: int = LIMIT) -> list[Path]:
    """Return the path of every key that stands in its map a second time, or once more.

    The last one counts, and a reader that takes the first reads another document.

    Raises:
        JsonError: The document is not JSON, as for `loads`.
    """
    loads(data, limit=limit)
    if not _has_repeated_key(data):
        return []
    found: list[Path] = []
    seen: list[set[str | int]] = []  # the keys of each open map or list
    for path, role, _, _ in _walk(data):
        if role == "open":
            seen.append(set())
        elif role == "close":
            seen.pop()
        elif role == "key":
            if path[-1] in seen[-1]:
                found.append(path)
            seen[-1].add(path[-1])
    return found


def _has_repeated_key(data: bytes) -> bool:
    """Say whether some map has a key twice, of a valid document; far sooner than which one."""
    found = False

    def look(pairs: list[tuple[str, Any]]) -> None:
        nonlocal found
        found = found or len(dict(pairs)) < len(pairs)

    json.loads(data, object_pairs_hook=look, parse_int=str)  # not int, which has a limit
    return found


def shown(path: Path) -> str:
    """Return a path as `per_case[0].case`, on one line; its keys are anybody's text."""
    parts = [
        f"[{part}]" if isinstance(part, int) else f".{one_line(part)[:_LONGEST_KEY]}"
        for part in path
    ]
    return "".join(parts).removeprefix(".") or "the document"


def edit_strings(
    data: bytes,
    edit: Callable[[Path, str, bool], str],
    *,
    edit_number: Callable[[Path, str], str] | None = None,
    limit: int = LIMIT,
) -> bytes:
    """Return a document with some of its strings replaced, every other byte as it was.

    Args:
        data: The document.
        edit: Called with the path, the decoded text and whether it is a key, for every string
            value and every key in the order of the document; returns the text to have there.
            The path of a key is that of its map and the key itself. Paths name original keys.
        edit_number: Called with the path and the digits of every number in the same way. What it
            changes becomes a string.
        limit: The most bytes the document may have.

    Raises:
        JsonError: The document is not JSON, as for `loads`.
    """
    loads(data, limit=limit)
    pieces: list[bytes] = []
    done = 0
    for path, role, start, end in _walk(data):
        if data[start] == _QUOTE:
            before = json.loads(data[start:end])
            after = edit(path, before, role == "key")
        elif edit_number and data[start] in _STARTS_OF_NUMBERS:
            before = data[start:end].decode()
            after = edit_number(path, before)
        else:
            continue
        if after != before:
            pieces += (data[done:start], _encode(after))
            done = end
    pieces.append(data[done:])
    return b"".join(pieces)


def set_members(data: bytes, members: Mapping[str, Any], *, limit: int = LIMIT) -> bytes:
    """Return a document of one map with some of its members set, every other byte as it was.

    Where a key exists only its value's bytes are replaced, at every occurrence. A new key goes
    behind the last member, indented and spaced as that one is.

    Args:
        data: The document.
        members: The keys to set and their values.
        limit: The most bytes the document may have.

    Raises:
        JsonError: The document is not JSON, as for `loads`, or not a map.
        ValueError: A value is not finite.
    """
    if not isinstance(loads(data, limit=limit), dict):
        raise JsonError("the document is not a map")
    found = _top_members(data)
    style = _Style(data, found)
    pieces: list[bytes] = []
    done = 0
    for member in found:
        if member.key in members:
            pieces += (data[done : member.start], style.value(members[member.key]))
            done = member.end
    last = found[-1].end if found else data.index(b"{") + 1
    pieces.append(data[done:last])
    known = {member.key for member in found}
    new = [style.member(key, value) for key, value in members.items() if key not in known]
    if new:
        pieces.append(b"," + style.gap if found else b"")
        pieces.append((b"," + style.gap).join(new))
    pieces.append(data[last:])
    return b"".join(pieces)


def _text(data: bytes | str, limit: int) -> str:
    """Decode a document, refusing what is too long, not UTF-8 or marked with a byte order mark."""
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise JsonError(f"the document has {size:,} bytes, more than the {limit:,} that are read")
    if isinstance(data, bytes):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            good = data[: error.start].decode()
            raise JsonError("a byte is not UTF-8", *_position(good, len(good))) from None
    else:
        text = data
    if text.startswith("\ufeff"):
        raise JsonError("it starts with a byte order mark", 1, 1)
    return text


def _check_shape(text: str) -> None:
    """Refuse NaN and Infinity, which Python's parser knows, and deep nesting, which it may take."""
    depth = 0
    for match in _SHAPE.finditer(text):
        first = match[0][0]
        if first in "[{":
            depth += 1
            if depth > DEPTH:
                place = _position(text, match.start())
                raise JsonError(f"nested deeper than {DEPTH} levels", *place)
        elif first in "]}":
            depth -= 1
        elif first in "NI":
            raise JsonError(f"{match[0]} is no number", *_position(text, match.start()))


def _is_deep(value: object) -> bool:
    """Say whether a value is nested deeper than is read."""
    level: list[Any] = [value]
    for _ in range(DEPTH):
        items = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [item for inside in items for item in inside if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _whole(digits: str) -> int | float:
    """Return a whole number as JavaScript holds it; also avoids Python's limit of 4,300 digits."""
    if len(digits) <= len(str(SAFE_INTEGER)) + 1 and digits != "-0":
        number = int(digits)
        if abs(number) <= SAFE_INTEGER:
            return number
    return _fraction(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    return number if repr(number) == digits else Number(digits)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_int=_whole, parse_float=_fraction, parse_constant=_no_number)


def _walk(data: bytes) -> Iterator[tuple[Path, str, int, int]]:
    """Yield every key and value of a valid document: path, role, start and end of its bytes.

    Role is "key", "scalar" for a value that is one token, "open" and "close" for the brackets of
    a map or list.
    """
    outer: list[tuple[Path, str | int, bool]] = []
    path: Path = ()  # of the innermost open map or list
    at: str | int = 0  # the key or index reached there
    in_map = expects_key = False
    for match in _TOKEN.finditer(data):
        token, here = match[0], (*path, at) if outer else ()
        if token in (b"{", b"["):
            yield here, "open", match.start(), match.end()
            outer.append((path, at, in_map))
            path, at = here, 0
            in_map = expects_key = token == b"{"
        elif token in (b"}", b"]"):
            yield path, "close", match.start(), match.end()
            path, at, in_map = outer.pop()
            expects_key = False
        elif token == b",":
            expects_key = in_map
            at = at + 1 if isinstance(at, int) else at
        elif expects_key:
            at, expects_key = str(json.loads(token)), False
            yield (*path, at), "key", match.start(), match.end()
        elif token != b":":
            yield here, "scalar", match.start(), match.end()


@dataclass(slots=True)
class _Member:
    """One member of the top map: its key, where that stands and where its value stands."""

    key: str
    key_start: int
    key_end: int
    start: int = 0
    end: int = 0


def _top_members(data: bytes) -> list[_Member]:
    """Return the members of the one map that a valid document is."""
    members: list[_Member] = []
    for path, role, start, end in _walk(data):
        if len(path) != 1:
            continue
        if role == "key":
            members.append(_Member(str(path[0]), start, end))
        else:
            members[-1].start = members[-1].start or start
            members[-1].end = end
    return members


class _Style:
    """How a document is laid out: what stands between its members, and around its colons."""

    def __init__(self, data: bytes, members: list[_Member]) -> None:
        self.colon = b": "
        self.gap = b" "
        if members:
            first, last = members[0], members[-1]
            self.colon = data[first.key_end : first.start]
            if len(members) > 1:
                before = data[members[-2].end : last.key_start]
                self.gap = before[before.index(b",") + 1 :]
            else:
                opening = data[data.index(b"{") + 1 : first.key_start]
                self.gap = opening if b"\n" in opening else self.colon[self.colon.index(b":") + 1 :]

    def value(self, value: Any) -> bytes:  # noqa: ANN401 - any JSON value
        """Return a member's value, over several lines where the document is."""
        line_end, feed, indent = self.gap.rpartition(b"\n")
        if not feed or not isinstance(value, dict | list):
            return _encode(value)
        line_feed = b"\r\n" if line_end.endswith(b"\r") else b"\n"
        lines = _encode(value, indent.decode()).split(b"\n")
        return (line_feed + indent).join(lines)

    def member(self, key: str, value: Any) -> bytes:  # noqa: ANN401 - any JSON value
        """Return a whole member."""
        return _encode(key) + self.colon + self.value(value)


def _encode(value: Any, indent: str | None = None) -> bytes:  # noqa: ANN401 - any JSON value
    return _bytes(dumps(value, indent=indent))


def _bytes(text: str) -> bytes:
    """Return JSON in UTF-8; half a surrogate pair, which that cannot hold, is escaped."""
    return text.encode("utf-8", "backslashreplace")
