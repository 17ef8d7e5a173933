"""The style in which a string is written: plain, quoted or as a block."""

import re
from collections.abc import Callable
from typing import NamedTuple

from receipts.jsyaml.folding import LINE_WIDTH, fold
from receipts.jsyaml.units import LONE_SURROGATE

_NEEDS_ESCAPES = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]|" + LONE_SURROGATE.pattern)
# JavaScript's multi-line `^`: after LF, CR and the Unicode line ends.
_DOCUMENT_MARKER = re.compile("(?:\\A|(?<=[\n\r\u2028\u2029]))(?:%|---|\\.\\.\\.)")
_UNSAFE_PLAIN = re.compile(
    "\\A[\n\t ,\\[\\]{}#&*!|>'\"%@`]"
    "|\\A[?-]\\Z"
    "|\\A[?-][ \t]"
    "|[\n:][ \t]"
    "|[ \t]\n"
    "|[\n\t ]#"
    "|[\n\t :]\\Z"
)
_FLOW_INDICATORS = re.compile(r"[\[\]{},]")
_BLANK_AT_LINE_END = re.compile(r"[ \t]\n|\n[ \t]")
_BLANK_LAST_LINE = re.compile(r"\n[\t ]+\Z")
_LINE_FEEDS = re.compile(r"\n+")
_INNER_LINE_FEEDS = re.compile(r"(?<!\n)\n+(?!\n|\Z)")
_REST_OF_LINE = re.compile("[^\n\r\u2028\u2029]*")
_BLANK_RUN = re.compile(r"[\n\t ]*")
_INDENTED_LINE = re.compile(r"(?:\A|\n)(?=[\t ])")
_JSON_SPECIAL = re.compile(r" (?=\\n)|\\(?:u[0-9a-f]{4}|.)")
_SHORT_ESCAPES = {"\\u0000": "\\0", "\\u0007": "\\a", "\\u000b": "\\v", "\\u001b": "\\e"}
_MIN_MULTI_LINE = 40
_STEP = "  "


class Place(NamedTuple):
    """Where a string is written. `at` is where on its line it starts, when known."""

    indent: str = ""
    at: int | None = None
    implicit_key: bool = False
    in_flow: bool = False


def string_text(
    value: str, place: Place, reads_as_other: Callable[[str], bool], style: str = ""
) -> str:
    """Return a string as it is written.

    Args:
        value: The string, in UTF-16 units.
        place: Where it is written.
        reads_as_other: Tells whether a plain text would not read back as a string.
        style: How the source wrote it (`plain`, `single`, `double`, `literal`, `folded`), when that
            is to be kept.
    """
    if style == "double" or _NEEDS_ESCAPES.search(value):
        return _double_quoted(value, place)
    if style == "single":
        return _single_quoted(value, place)
    if style in ("literal", "folded"):
        return _quoted(value, place)
    return _plain(value, place, reads_as_other)


def _plain(value: str, place: Place, reads_as_other: Callable[[str], bool]) -> str:
    multi_line = "\n" in value
    if place.implicit_key and multi_line:
        return _quoted(value, place)
    if place.in_flow and _FLOW_INDICATORS.search(value):
        return _quoted(value, place)
    one_line = place.implicit_key or place.in_flow
    if _UNSAFE_PLAIN.search(value):
        return _quoted(value, place) if one_line or not multi_line else _block(value, place)
    if multi_line and not one_line:
        return _block(value, place)
    if _DOCUMENT_MARKER.search(value):
        if not place.indent:
            return _block(value, place)
        if place.implicit_key and place.indent == _STEP:
            return _quoted(value, place)
    text = _LINE_FEEDS.sub(lambda run: f"{run[0]}\n{place.indent}", value)
    if reads_as_other(text):
        return _quoted(value, place)
    return text if place.implicit_key else fold(text, place.indent, "flow", place.at)


def _quoted(value: str, place: Place) -> str:
    if '"' in value and "'" not in value:
        return _single_quoted(value, place)
    return _double_quoted(value, place)


def _indent_of(value: str, place: Place) -> str:
    return place.indent or (_STEP if _DOCUMENT_MARKER.search(value) else "")


def _single_quoted(value: str, place: Place) -> str:
    if (place.implicit_key and "\n" in value) or _BLANK_AT_LINE_END.search(value):
        return _double_quoted(value, place)
    indent = _indent_of(value, place)
    text = _LINE_FEEDS.sub(lambda run: f"{run[0]}\n{indent}", value.replace("'", "''"))
    text = f"'{text}'"
    return text if place.implicit_key else fold(text, indent, "flow", place.at)


def _double_quoted(value: str, place: Place) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    text = LONE_SURROGATE.sub(lambda unit: f"\\u{ord(unit[0]):04x}", text)
    indent = _indent_of(value, place)
    breaks_lines = not place.implicit_key and len(text) >= _MIN_MULTI_LINE
    out: list[str] = []
    done = 0
    match = _JSON_SPECIAL.search(text)
    while match:
        out.append(text[done : match.start()])
        done = match.end()
        piece = match[0]
        if piece == " ":
            out.append("\\ ")
        elif piece.startswith("\\u"):
            out.append(_short_escape(piece))
        elif piece == "\\n" and breaks_lines and text[done] != '"':
            breaks = 2
            while text.startswith("\\n", done) and text[done + 2] != '"':
                breaks += 1
                done += 2
            # A blank at the start of a line would be folded away.
            out.append("\n" * breaks + indent + ("\\" if text[done] == " " else ""))
        else:
            out.append(piece)
        match = _JSON_SPECIAL.search(text, done)
    out.append(text[done:])
    text = "".join(out)
    return text if place.implicit_key else fold(text, indent, "quoted", place.at)


def _short_escape(escape: str) -> str:
    if escape in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[escape]
    return f"\\x{escape[4:]}" if escape.startswith("\\u00") else escape


def _block(value: str, place: Place) -> str:
    if _BLANK_LAST_LINE.search(value):
        return _quoted(value, place)
    indent = _indent_of(value, place)
    limit = LINE_WIDTH - len(indent)
    literal = all(len(line) <= limit for line in value.split("\n"))
    content = value.rstrip("\n\t ")
    tail = value[len(content) :]
    newline = tail.find("\n")
    if newline == -1:
        chomp = "-"
    elif not content or newline != len(tail) - 1:
        chomp = "+"
    else:
        chomp = ""
    tail = _INNER_LINE_FEEDS.sub(lambda run: run[0] + indent, tail.removesuffix("\n"))
    start_end = len(content) - len(content.lstrip(" \n"))
    has_blank = " " in content[:start_end]
    last = content.rfind("\n", 0, start_end)
    start, content = content[: last + 1], content[last + 1 :]
    start = _LINE_FEEDS.sub(lambda run: run[0] + indent, start)
    header = ("2" if has_blank and indent else "1" if has_blank else "") + chomp
    if not literal:
        folded = _LINE_FEEDS.sub(lambda run: run[0] + indent, _doubled_line_feeds(content))
        overflows: list[bool] = []
        body = fold(
            f"{start}{folded}{tail}",
            indent,
            "block",
            len(place.indent),
            lambda: overflows.append(True),
        )
        if not overflows:
            return f">{header}\n{indent}{body}"
    lines = _LINE_FEEDS.sub(lambda run: run[0] + indent, content)
    return f"|{header}\n{indent}{start}{lines}{tail}"


def _doubled_line_feeds(content: str) -> str:
    """Double line feeds for folding, but not around lines that are indented further."""
    text = _LINE_FEEDS.sub(lambda run: "\n" + run[0], content)
    out: list[str] = []
    done = 0
    blanks_end = -1
    match = _INDENTED_LINE.search(text)
    while match:
        out.append(text[done : match.start()])
        line = _REST_OF_LINE.match(text, match.end())
        done = line.end() if line else match.end()
        out.append(text[match.end() : done])
        if done > blanks_end:
            run = _BLANK_RUN.match(text, done)
            blanks_end = run.end() if run else done
        if blanks_end > done and text[blanks_end - 1] == "\n":
            out.append(text[done : blanks_end - 1])
            done = blanks_end
        match = _INDENTED_LINE.search(text, done)
    out.append(text[done:])
    return "".join(out)
