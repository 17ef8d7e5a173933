"""Where the entries of a YAML map stand in its text, as far as an edit in place needs to know.

This is no reader of YAML. It finds the keys that are written plainly or quoted, and the extent of
their values, in text that a real reader has accepted. Where something rarer is written it finds no
such key, or a wrong extent; so whoever edits by it must read the result again and compare.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_WHITE = " \t\r\n"
_GAP = re.compile(r"(?>(?:[ \t\r\n]+|(?:(?<=[ \t\r\n])|\A)#[^\n]*)*)")
_PROPERTY = re.compile(r"[&!][^ \t\r\n,\[\]{}]*")
_QUOTED = re.compile(r""" "(?>(?:[^"\\]|\\.)*)" | '(?>(?:[^']|'')*)' """, re.DOTALL | re.VERBOSE)
_BLOCK_COLON = re.compile(r":(?=[ \t\r\n]|\Z)")
_FLOW_COLON = re.compile(r":(?=[ \t\r\n,\[\]{}]|\Z)")
_FLOW_PLAIN_END = re.compile(r"[,\[\]{}]|:(?=[ \t\r\n,\[\]{}]|\Z)|[ \t\r\n]#|\Z")
_COMMENT = re.compile(r"[ \t\r\n]#|\Z")
# What a line at a map's own column may start with when it belongs to the entry above it.
_CONTINUED = re.compile(r"[#\]}\t]|[-:](?=[ \t\r\n]|\Z)|\Z")


class Entry(NamedTuple):
    """One entry of a map.

    Attributes:
        name: The key; empty when it is not written plainly or quoted, and followed by a colon.
        start: The offset of the key.
        colon: The offset behind its colon.
        end: The offset behind the entry: of the next entry's line, or behind its last token in
            braces.
    """

    name: str
    start: int
    colon: int
    end: int


class Map(NamedTuple):
    """A map: in braces when `flow`, else in lines that start at `column`.

    `end` is the offset of the closing brace, or behind the last line. `comma` is the offset behind
    a comma that no entry follows, or 0.
    """

    flow: bool
    column: int
    start: int
    end: int
    entries: list[Entry]
    comma: int = 0

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name, or None when the scan did not find it."""
        return next((entry for entry in self.entries if entry.name == name), None)


class Span(NamedTuple):
    """Where a value stands, with its anchor and tag; `sign` is its first character without them.

    Nothing is written when `start == end`.
    """

    start: int
    end: int
    sign: str


def read_map(text: str, start: int, end: int) -> Map:
    """Find the map that is the only node between two offsets."""
    first = _skip_gap(text, start, end)
    node = _skip_properties(text, first, end)
    if text.startswith("{", node):
        return _flow_map(text, node, end)
    if "\n" in text[first:node]:  # the anchor or tag is that of the map, not of its first key
        first = node
    column = first - (text.rfind("\n", 0, first) + 1)
    return Map(
        flow=False,
        column=column,
        start=first,
        end=end,
        entries=_block_entries(text, column, first, end),
    )


def value_span(text: str, entry: Entry, within: Map, *, nested: bool) -> Span:
    """Find the value of an entry, without the comments around it.

    Args:
        text: The whole text.
        entry: The entry.
        within: The map that holds it.
        nested: The value is a map or list, so that lines below the key may hold it.
    """
    first = _skip_gap(text, entry.colon, entry.end)
    if first >= entry.end:
        return Span(entry.colon, entry.colon, "")
    node = _skip_properties(text, first, entry.end)
    sign = text[node] if node < entry.end else ""
    if within.flow:
        end = entry.end
    elif nested:
        braces_end = _flow_map(text, node, entry.end).end + 1 if sign in {"{", "["} else node
        end = braces_end
        if _skip_gap(text, braces_end, entry.end) < entry.end:  # a block, even if it starts so
            end = last_line_end(text, node, entry.end, within.column)
    elif quoted := _QUOTED.match(text, node, entry.end):
        end = quoted.end()
    elif sign in {"|", ">"}:
        end = last_line_end(text, node, entry.end, within.column)
    else:
        if not sign:  # an anchor or tag of nothing
            node = first
        comment = _COMMENT.search(text, node, entry.end)
        end = _trimmed(text, node, comment.start() if comment else entry.end)
    return Span(first, end, sign)


def last_line_end(text: str, start: int, end: int, column: int) -> int:
    """Return the end of the last line that belongs to what starts at an offset.

    Such lines are indented deeper than `column`, or are list items at it.
    """
    found = start
    for line, line_end in _lines(text, start, end):
        content = _skip_blanks(text, line, line_end)
        trimmed = _trimmed(text, line, line_end)
        if trimmed > content and (
            line == start or content - line > column or text.startswith("-", content)
        ):
            found = trimmed
    return found


def _block_entries(text: str, column: int, start: int, end: int) -> list[Entry]:
    keys = []
    for line, line_end in _lines(text, start - column, end):
        content = _skip_blanks(text, line, line_end)
        trimmed = _trimmed(text, line, line_end)
        if content - line == column and not _CONTINUED.match(text, content, max(content, trimmed)):
            keys.append((content, trimmed))
    ends = [*(content - column for content, _ in keys[1:]), end]
    return [
        _block_entry(text, key, line_end, until)
        for (key, line_end), until in zip(keys, ends, strict=False)
    ]


def _block_entry(text: str, start: int, line_end: int, end: int) -> Entry:
    quoted = _QUOTED.match(text, start, line_end)
    colon = _BLOCK_COLON.search(text, quoted.end() if quoted else start, line_end)
    if colon is None:
        return Entry("", start, start, end)
    return Entry(_name(text, start, colon.start()), start, colon.end(), end)


def _flow_map(text: str, start: int, end: int) -> Map:
    """Find the entries of a map in braces; of a list in brackets, only its end."""
    entries: list[Entry] = []
    tokens: list[tuple[int, int]] = []  # of the current entry, without its colon
    depth, key_end, colon, comma = 1, 0, 0, 0
    for sign, token, token_end in _flow_tokens(text, start + 1, end):
        depth -= sign in {"}", "]"}
        if depth == 0 or (depth == 1 and sign == ","):
            if tokens:
                first, last = tokens[0][0], tokens[-1][1]
                name = _name(text, first, key_end) if colon else ""
                entries.append(Entry(name, first, colon or last, max(colon, last)))
            if depth == 0:
                return Map(
                    flow=True,
                    column=0,
                    start=start,
                    end=token,
                    entries=entries,
                    comma=0 if tokens else comma,
                )
            tokens, colon, comma = [], 0, token_end
        elif depth == 1 and sign == ":" and not colon:
            key_end, colon = token, token_end
        else:
            tokens.append((token, token_end))
        depth += sign in {"{", "["}
    return Map(flow=True, column=0, start=start, end=end, entries=entries)


def _flow_tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield each token in braces as its first character, start and end."""
    position = _skip_gap(text, start, end)
    quoted_before = False
    while position < end:
        sign = text[position]
        quoted = _QUOTED.match(text, position, end)
        if quoted:
            token_end = quoted.end()
        elif sign in "{}[]," or (
            sign == ":" and (quoted_before or _FLOW_COLON.match(text, position, end))
        ):
            token_end = position + 1
        elif found := _PROPERTY.match(text, position, end):
            token_end = found.end()
        else:
            plain = _FLOW_PLAIN_END.search(text, position + 1, end)
            token_end = _trimmed(text, position, plain.start() if plain else end)
            sign = "plain"
        yield sign, position, token_end
        quoted_before = quoted is not None
        position = _skip_gap(text, token_end, end)


def _name(text: str, start: int, end: int) -> str:
    from receipts import jsyaml

    source = text[start:end].rstrip(_WHITE)
    if not _QUOTED.fullmatch(source):
        return source
    try:
        return str(jsyaml.load(source))
    except jsyaml.YamlError:
        return ""


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        line_end = text.find("\n", start, end)
        if line_end < 0:
            line_end = end
        yield start, line_end
        start = line_end + 1


def _skip_gap(text: str, start: int, end: int) -> int:
    found = _GAP.match(text, start, end)
    return found.end() if found else start


def _skip_properties(text: str, start: int, end: int) -> int:
    while found := _PROPERTY.match(text, start, end):
        start = _skip_gap(text, found.end(), end)
    return start


def _skip_blanks(text: str, start: int, end: int) -> int:
    while start < end and text[start] == " ":
        start += 1
    return start


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(_WHITE))
