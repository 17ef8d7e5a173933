"""The text that a flow or block scalar stands for, before any tag speaks."""

import re
from typing import NamedTuple

from receipts.jsyaml.cst import BlockScalar, Garbage
from receipts.jsyaml.errors import Fault
from receipts.jsyaml.units import split_astral

_FORBIDDEN_START = {
    "\t": "a tab",
    ",": "the flow indicator ,",
    "%": "the directive indicator %",
    "|": "the block scalar indicator |",
    ">": "the block scalar indicator >",
    "@": "the reserved character @",
    "`": "the reserved character `",
}
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "\t": "\t",
}
_ESCAPE_DIGITS = {"x": 2, "u": 4, "U": 8}
_HIGHEST_CODE_POINT = 0x10FFFF
# What needs work inside double quotes: white space around line ends, and escapes.
_DOUBLE_QUOTED_PIECE = re.compile(
    r"(?P<plain>[^\\ \t\r\n]+)"
    r"|(?P<fold>[ \t]*\r?\n(?:[ \t\n]|\r\n)*)"
    r"|(?P<blanks>[ \t]+)"
    r"|(?P<joined>\\(?:\r\n|\n)[ \t]*)"
    r"|(?P<escape>\\)"
    r"|(?P<return>\r)"
)
_HEX = re.compile(r"[0-9a-fA-F]+")


def plain_text(source: str, at: int) -> str:
    """Return the text of a plain scalar.

    Raises:
        Fault: It starts with a character that is reserved.
    """
    why = _FORBIDDEN_START.get(source[:1])
    if why:
        raise Fault(f"A plain value cannot start with {why}", at)
    return _folded(source)


def single_quoted_text(source: str, at: int) -> str:
    """Return the text of a single-quoted scalar, given with its quotes.

    Raises:
        Fault: The closing quote is missing.
    """
    if len(source) == 1 or source[-1] != "'":
        raise Fault("Missing closing 'quote", at + len(source))
    return _folded(source[1:-1]).replace("''", "'")


def double_quoted_text(source: str, at: int) -> str:
    """Return the text of a double-quoted scalar, given with its quotes.

    Raises:
        Fault: The closing quote is missing, or an escape is unknown.
    """
    if len(source) == 1 or source[-1] != '"':
        raise Fault('Missing closing "quote', at + len(source))
    out: list[str] = []
    last = len(source) - 1
    pos = 1
    while pos < last:
        match = _DOUBLE_QUOTED_PIECE.match(source, pos, last)
        if match is None or match.lastgroup == "escape":
            text, size = _escaped(source, pos, at)
            out.append(text)
            pos += size
            continue
        if match.lastgroup == "fold":
            out.append("\n" * (match[0].count("\n") - 1) or " ")
        elif match.lastgroup != "joined":
            out.append(match[0])
        pos = match.end()
    return "".join(out)


def _escaped(source: str, pos: int, at: int) -> tuple[str, int]:
    """Return what the escape at `pos` stands for, and its size."""
    # An escaped quotation mark at the very end also closes the scalar: the original's own reading.
    char = source[pos + 1 : pos + 2]
    if char in _ESCAPES:
        return _ESCAPES[char], 2
    size = _ESCAPE_DIGITS.get(char, 0)
    digits = source[pos + 2 : pos + 2 + size]
    if size and len(digits) == size and _HEX.fullmatch(digits):
        code = int(digits, 16)
        if code <= _HIGHEST_CODE_POINT:
            return split_astral(code), 2 + size
    raise Fault(f"Invalid escape sequence {source[pos : pos + 2 + size]!r}", at + pos)


def _folded(source: str) -> str:
    """Join lines: one line end is a blank, each further one a line feed."""
    if "\n" not in source:
        return source
    first, *middle, last = source.split("\n")
    out = [first.removesuffix("\r").rstrip(" \t")]
    separator = " "
    for line in middle:
        content = line.removesuffix("\r").strip(" \t")
        if content:
            out.append(separator + content)
            separator = " "
        elif separator == "\n":
            out.append("\n")
        else:
            separator = "\n"
    out.append(separator + last.lstrip(" \t"))
    return "".join(out)


class BlockText(NamedTuple):
    """A block scalar's text, its style, the header's comment and the offset behind it."""

    text: str
    style: str
    comment: str
    end: int


class _Header(NamedTuple):
    indent: int
    chomp: str
    comment: str
    length: int


def block_text(scalar: BlockScalar, *, at_root: bool) -> BlockText:
    """Return the text of a block scalar.

    Raises:
        Fault: The header is wrong, or a line is indented too little.
    """
    header = _header(scalar)
    style = "folded" if _header_text(scalar)[0] == ">" else "literal"
    lines = _lines(scalar.text)
    end = scalar.at + header.length + len(scalar.text)
    kept = len(lines)
    while kept and lines[kept - 1][1] in ("", "\r"):
        kept -= 1
    if kept == 0:
        empty = "\n" * max(1, len(lines) - 1) if header.chomp == "+" and lines else ""
        return BlockText(empty, style, header.comment, end)
    first, trim = _indentation(scalar, header, lines, kept, at_root=at_root)
    for number in range(len(lines) - 1, kept - 1, -1):
        if len(lines[number][0]) > trim:
            kept = number + 1
            break
    out = [blanks[trim:] + "\n" for blanks, _ in lines[:first]]
    content = _literal if style == "literal" else _folded_block
    out.extend(content(_trimmed(scalar, header, lines[first:kept], trim)))
    if header.chomp == "+":
        out.extend("\n" + blanks[trim:] for blanks, _ in lines[kept:])
        if not next((part for part in reversed(out) if part), "").endswith("\n"):
            out.append("\n")
    elif not header.chomp:
        out.append("\n")
    return BlockText("".join(out), style, header.comment, end)


def _header_text(scalar: BlockScalar) -> str:
    return scalar.props[0].text


def _header(scalar: BlockScalar) -> _Header:
    indent, chomp, comment = 0, "", ""
    source = _header_text(scalar)
    for at, char in enumerate(source[1:], 1):
        if not chomp and char in "-+":
            chomp = char
        elif not indent and char in "123456789":
            indent = int(char)
        else:
            raise Fault(f"Block scalar header includes extra characters: {source}", scalar.at + at)
    length = len(source)
    has_space = False
    for token in scalar.props[1:]:
        if isinstance(token, Garbage) or token.kind not in ("space", "newline", "comment"):
            raise Fault("Unexpected text in a block scalar header", token.at)
        if token.kind == "comment":
            if not has_space:
                raise Fault("Comments must be separated by white space", token.at)
            comment = token.text[1:]
        has_space = has_space or token.kind == "space"
        length += len(token.text)
    return _Header(indent, chomp, comment, length)


def _lines(source: str) -> list[tuple[str, str]]:
    """Return each line as its leading blanks and its content, which may end in CR."""
    if not source:
        return []
    lines = []
    for line in source.split("\n"):
        content = line.lstrip(" ")
        lines.append((line[: len(line) - len(content)], content))
    return lines


def _indentation(
    scalar: BlockScalar,
    header: _Header,
    lines: list[tuple[str, str]],
    kept: int,
    *,
    at_root: bool,
) -> tuple[int, int]:
    """Return the number of the first line with content, and how many blanks every line loses."""
    trim = scalar.indent + header.indent
    offset = scalar.at + header.length
    for number, (blanks, content) in enumerate(lines[:kept]):
        if content not in ("", "\r"):
            if len(blanks) < trim:
                raise Fault("An explicit indentation indicator is needed here", offset)
            if not header.indent:
                trim = len(blanks)
            if trim == 0 and not at_root:
                raise Fault("Block scalar values in collections must be indented", offset)
            return number, trim
        if not header.indent and len(blanks) > trim:
            trim = len(blanks)
        offset += len(blanks) + len(content) + 1
    return 0, trim


def _trimmed(
    scalar: BlockScalar, header: _Header, lines: list[tuple[str, str]], trim: int
) -> list[tuple[str, str]]:
    trimmed = []
    for blanks, line in lines:
        content = line.removesuffix("\r")
        if content and len(blanks) < trim:
            why = "explicit indentation indicator" if header.indent else "first line"
            raise Fault(f"A block scalar's line is indented less than its {why}", scalar.at)
        trimmed.append((blanks[trim:], content))
    return trimmed


def _literal(lines: list[tuple[str, str]]) -> list[str]:
    return ["\n".join(blanks + content for blanks, content in lines)]


def _folded_block(lines: list[tuple[str, str]]) -> list[str]:
    out: list[str] = []
    separator = ""
    after_indented = False
    for blanks, content in lines:
        if blanks or content.startswith("\t"):
            # Lines that are indented further keep their line ends.
            if separator == " ":
                separator = "\n"
            elif not after_indented and separator == "\n":
                separator = "\n\n"
            out.append(separator + blanks + content)
            separator = "\n"
            after_indented = True
        elif not content:
            if separator == "\n":
                out.append("\n")
            else:
                separator = "\n"
        else:
            out.append(separator + content)
            separator = " "
            after_indented = False
    return out
