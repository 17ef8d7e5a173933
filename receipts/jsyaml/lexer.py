"""Cuts a YAML text into tokens, line by line and with npm `yaml`'s idea of where scalars end.

The lexer knows indentation and flow nesting, not structure: it decides which following lines belong
to a scalar and nothing else. It never fails; what makes no sense becomes a token that the tree or
the composer refuses, because in a few places the original drops such a thing unread.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from receipts.jsyaml.cst import Token

BOM = "\ufeff"
_BLANK_OR_END = frozenset(("", " ", "\n", "\r", "\t"))
_BLANK_STARTS = (" ", "\t", "\n", "\r\n")
_STARTS_PROPERTY = frozenset("!&-?:")
_FLOW_INDICATORS = frozenset(",[]{}")

_SPACES = re.compile(r" *")
_BLANKS = re.compile(r"[ \t]*")
_NOTHING_MORE = re.compile(r"[ \t]*(?:#|\r?\n|\Z)")
_COMMENT_AFTER_BLANK = re.compile(r"[ \t]#")
_PLAIN_RUN = re.compile(r"[^:\n\r\t ]+")
_PLAIN_RUN_IN_FLOW = re.compile(r"[^:\n\r\t ,\[\]{}]+")
_NAME = re.compile(r"[&*][^ ,\[\]{}\n\r\t]*")
_TAG = re.compile(r"!(?:<[^ \n\r\t>]*>?|(?:[-\w#;/?:@&=+$.!~*'()]|%[0-9A-Fa-f]{2})*)", re.ASCII)
_BLOCK_HEADER = re.compile(r"[|>]([-+1-9]*)[^ \n\r\t#]*")
_SINGLE_QUOTED = re.compile(r"'(?>(?:[^']++|'')*)'")
_DOUBLE_QUOTED = re.compile(r'"(?>(?:[^"\\]++|\\[\s\S])*)"')
_BLANK_LINES = re.compile(r"(?: |\r?\n)*")
_TRAILING_BLANKS = re.compile(r"[ \t\r\n]*")

_KIND_OF_TEXT = {
    "---": "doc-start",
    "...": "doc-end",
    "\n": "newline",
    "\r\n": "newline",
    "-": "seq-item",
    "?": "explicit-key",
    ":": "map-value",
    "{": "flow-start",
    "[": "flow-start",
    "}": "flow-end",
    "]": "flow-end",
    ",": "comma",
    BOM: "byte-order-mark",
}
_KIND_OF_FIRST = {
    " ": "space",
    "\t": "space",
    "#": "comment",
    "%": "directive",
    "*": "alias",
    "&": "anchor",
    "!": "tag",
    "'": "single",
    '"': "double",
    "|": "block-header",
    ">": "block-header",
}
# Tokens handed on at once, so that a text refused early is not read to its end.
_BATCH = 200
# A state reads some text and returns the next state, which a type alias cannot say of itself.
_State = Callable[[], Any]


def kind_of(text: str) -> str:
    """Return the kind of a piece of text that no state vouches for; `unknown` when it has none."""
    return _KIND_OF_TEXT.get(text) or _KIND_OF_FIRST.get(text[:1], "unknown")


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text in UTF-16 units; their texts joined give the text back."""
    lexer = _Lexer(text)
    state: _State = lexer.stream
    while lexer.pos < len(text):
        state = state()
        if len(lexer.out) > _BATCH:
            yield from lexer.out
            lexer.out.clear()
    yield from lexer.out


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[Token] = []
        self.pos = 0
        # Of the line being read, and the least that keeps a following line in the current scalar.
        self._indent = 0
        self._indent_next = 0
        self._flow_level = 0
        # In flow: the last node may be a key whose colon needs no blank behind it.
        self._json_key = False

    # -- states: what may come next --------------------------------------------------------------

    def stream(self) -> _State:
        """Outside any document: directives, comments and blank lines."""
        line = self._line()
        if line.startswith(BOM):
            self._push("byte-order-mark", 1)
            line = line[1:]
        if line.startswith("%"):
            comment = _COMMENT_AFTER_BLANK.search(line)
            directive = (line[: comment.start()] if comment else line).rstrip(" \t")
            self._push("directive", len(directive))
            self._push("comment", len(line) - len(directive) - self._push_blanks())
            return self.stream
        if _NOTHING_MORE.match(self.text, self.pos):
            self._push("comment", len(line) - self._push_blanks())
            self._push_newline()
            return self.stream
        self._mark("doc-mode")
        return self._line_start()

    def _line_start(self) -> _State:
        if self._at_document_marker(self.pos):
            marker = self.text[self.pos : self.pos + 3]
            self._push(_KIND_OF_TEXT[marker], 3)
            self._indent = 0
            self._indent_next = 0
            return self._document if marker == "---" else self.stream
        self._indent = self._push_spaces()
        # The character after the first one is what the original looks at here.
        if self._indent_next > self._indent and self._peek(1) not in _BLANK_OR_END:
            self._indent_next = self._indent
        return self._block_start()

    def _block_start(self) -> _State:
        while self._peek(0) in ("-", "?", ":") and self._peek(1) in _BLANK_OR_END:
            self._push(_KIND_OF_TEXT[self._peek(0)], 1)
            width = 1 + self._push_blanks()
            self._indent_next = self._indent + 1
            self._indent += width
            if self.pos >= len(self.text):
                break
        return self._document

    def _document(self) -> _State:
        """Inside a line of block context."""
        self._push_blanks()
        self._push_properties()
        char = self._char_of_line()
        if char == "#":
            self._push("comment", self._line_end() - self.pos)
            char = ""
        if char == "":
            self._push_newline()
            return self._line_start()
        if char in "{[":
            self._push("flow-start", 1)
            self._json_key = False
            self._flow_level = 1
            return self._flow
        if char in "}]":
            self._push("flow-end", 1)
            return self._document
        if char == "*":
            self._push_match("alias", _NAME)
            return self._document
        if char in "\"'":
            return self._quoted(char)
        if char in "|>":
            return self._block_scalar(self._line_end())
        return self._plain()

    def _flow(self) -> _State:
        """Inside a flow collection."""
        indent = self._push_blank_lines()
        if indent != -1 and self._leaves_flow(indent):
            self._flow_level = 0
            self._mark("flow-error-end")
            return self._line_start()
        while self.text.startswith(",", self.pos):
            self._push("comma", 1)
            self._push_blanks()
            self._json_key = False
        self._push_properties()
        char = self._char_of_line()
        if char == "":
            return self._flow
        if char == "#":
            self._push("comment", self._line_end() - self.pos)
            return self._flow
        return self._flow_node(char)

    def _flow_node(self, char: str) -> _State:
        if char in "{[":
            self._push("flow-start", 1)
            self._json_key = False
            self._flow_level += 1
            return self._flow
        if char in "}]":
            self._push("flow-end", 1)
            self._json_key = True
            self._flow_level -= 1
            return self._flow if self._flow_level else self._document
        if char == "*":
            self._push_match("alias", _NAME)
            return self._flow
        if char in "\"'":
            self._json_key = True
            return self._quoted(char)
        ends_key = char == ":" and (
            self._json_key or self._peek(1) in _BLANK_OR_END or self._peek(1) == ","
        )
        self._json_key = False
        if ends_key:
            self._push("map-value", 1)
            self._push_blanks()
            return self._flow
        return self._plain()

    # -- scalars ---------------------------------------------------------------------------------

    def _quoted(self, quote: str) -> _State:
        pattern = _SINGLE_QUOTED if quote == "'" else _DOUBLE_QUOTED
        match = pattern.match(self.text, self.pos)
        end = len(self.text)
        if match:
            end = match.end()
            newline = self.text.find("\n", self.pos, end)
            while newline != -1:
                following = self._continues(newline + 1)
                if following == -1:
                    # Too little indentation: the scalar stops here, and is complete only when it
                    # happens to end in a quotation mark.
                    end = newline - (self.text[newline - 1] == "\r")
                    break
                newline = self.text.find("\n", following, end)
        self._push("single" if quote == "'" else "double", end - self.pos)
        return self._flow if self._flow_level else self._document

    def _plain(self) -> _State:
        in_flow = self._flow_level > 0
        run = _PLAIN_RUN_IN_FLOW if in_flow else _PLAIN_RUN
        text, size = self.text, len(self.text)
        stops = _FLOW_INDICATORS if in_flow else frozenset[str]()
        end = at = self.pos
        while at < size:
            match = run.match(text, at)
            if match:
                end = at = match.end()
                continue
            char = text[at]
            following = text[at + 1 : at + 2]
            if char == ":":
                if following in _BLANK_OR_END or following in stops:
                    break
                end = at = at + 1
                continue
            if char in stops:
                break
            if char == "\r":
                if following == "\n":
                    at += 1
                    char = "\n"
                    following = text[at + 1 : at + 2]
                else:
                    end = at + 1
            if following == "#" or following in stops:
                break
            if char == "\n":
                line = self._continues(at + 1)
                if line == -1:
                    break
                # Step back to the last blank of the indentation, so that ` #` is still seen.
                at = max(at, line - 2)
            at += 1
        self._push_scalar(end)
        return self._flow if in_flow else self._document

    def _block_scalar(self, line_end: int) -> _State:
        header = _BLOCK_HEADER.match(self.text, self.pos)
        flags = header[1] if header else ""
        digits = [flag for flag in flags if flag.isdigit()]
        self._push_match("block-header", _BLOCK_HEADER)
        self._push_blanks()
        rest = self.text[self.pos : line_end]
        if rest:
            self._push(kind_of(rest), len(rest))
        self._push_newline()
        self._block_scalar_lines(int(digits[-1]) if digits else None, keep="+" in flags)
        return self._line_start()

    def _block_scalar_lines(self, explicit: int | None, *, keep: bool) -> None:
        text, start = self.text, self.pos
        blank = _BLANK_LINES.match(text, start)
        first = blank.end() if blank else start
        newline = text.rfind("\n", start, first)
        newline = start - 1 if newline == -1 else newline
        indent = text.count(" ", newline + 1, first)
        if indent >= self._indent_next:
            if explicit is None:
                self._indent_next = indent
            else:
                self._indent_next = explicit - 1 + (self._indent_next or 1)
            while True:
                line = self._continues(newline + 1)
                if line == -1:
                    break
                newline = text.find("\n", line)
                if newline == -1:
                    newline = len(text)
                    break
        following = _SPACES.match(text, newline + 1)
        after = following.end() if following else len(text)
        if text[after : after + 1] == "\t":
            # Too little indentation by a tab is an error; inside the scalar it will be noticed.
            blanks = _TRAILING_BLANKS.match(text, after)
            newline = (blanks.end() if blanks else after) - 1
        elif not keep:
            newline = self._without_trailing_lines(start, newline, indent)
        self._push_scalar(newline + 1)

    def _without_trailing_lines(self, start: int, newline: int, indent: int) -> int:
        text = self.text
        while True:
            last = newline - 1
            if last >= 0 and text[last] == "\r":
                last -= 1
            at = last
            while at >= 0 and text[at] == " ":
                at -= 1
            if at < start or text[at] != "\n" or at + 1 + indent <= last:
                return newline
            newline = at

    # -- looking ---------------------------------------------------------------------------------

    def _peek(self, ahead: int) -> str:
        at = self.pos + ahead
        return self.text[at] if at < len(self.text) else ""

    def _char_of_line(self) -> str:
        """Return the next character, nothing at the end of a line."""
        char = self.text[self.pos : self.pos + 1]
        ends = char == "\n" or (char == "\r" and self._peek(1) == "\n")
        return "" if ends else char

    def _line_end(self) -> int:
        end = self.text.find("\n", self.pos)
        if end == -1:
            return len(self.text)
        return end - (end > self.pos and self.text[end - 1] == "\r")

    def _line(self) -> str:
        return self.text[self.pos : self._line_end()]

    def _at_document_marker(self, at: int) -> bool:
        return (
            self.text.startswith(("---", "..."), at) and self.text[at + 3 : at + 4] in _BLANK_OR_END
        )

    def _continues(self, at: int) -> int:
        """Return where a scalar's next line has its content, -1 when it is not the scalar's."""
        if self._indent_next > 0:
            spaces = _SPACES.match(self.text, at)
            content = spaces.end() if spaces else at
            if self.text.startswith("\r\n", content):
                return content + 1
            if content - at >= self._indent_next or self.text.startswith("\n", content):
                return content
            return -1
        return -1 if self._at_document_marker(at) else at

    def _leaves_flow(self, indent: int) -> bool:
        char = self._peek(0)
        too_little = indent < self._indent_next and char != "#"
        marker = indent == 0 and self._at_document_marker(self.pos)
        if not (too_little or marker):
            return False
        # The outermost bracket may close at the indentation that its collection started at.
        closes = char in ("]", "}") and self._flow_level == 1
        return not (closes and indent == self._indent_next - 1)

    # -- taking ----------------------------------------------------------------------------------

    def _push(self, kind: str, size: int) -> None:
        if size > 0:
            self.out.append(Token(kind, self.text[self.pos : self.pos + size], self.pos))
            self.pos += size

    def _push_scalar(self, end: int) -> None:
        self.out.append(Token("plain", self.text[self.pos : end], self.pos))
        self.pos = max(self.pos, end)

    def _mark(self, kind: str) -> None:
        self.out.append(Token(kind, "", self.pos))

    def _push_match(self, kind: str, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.pos)
        self._push(kind, match.end() - self.pos if match else 0)

    def _push_spaces(self) -> int:
        start = self.pos
        if not self.text.startswith(" ", start):
            return 0
        self._push_match("space", _SPACES)
        return self.pos - start

    def _push_blanks(self) -> int:
        start = self.pos
        if not self.text.startswith((" ", "\t"), start):
            return 0
        self._push_match("space", _BLANKS)
        return self.pos - start

    def _push_newline(self) -> bool:
        if not self.text.startswith(("\n", "\r\n"), self.pos):
            return False
        self._push("newline", 1 if self.text[self.pos] == "\n" else 2)
        return True

    def _push_blank_lines(self) -> int:
        """Take blank lines; return the indentation of the line reached, -1 on the same line."""
        indent = -1
        if not self.text.startswith(_BLANK_STARTS, self.pos):
            return indent
        while True:
            newline = self._push_newline()
            if newline:
                self._indent = indent = self._push_spaces()
            if not self._push_blanks() and not newline:
                return indent

    def _push_properties(self) -> None:
        """Take tags, anchors and indicators, each with the blanks behind it."""
        while True:
            char = self.text[self.pos : self.pos + 1]
            if char not in _STARTS_PROPERTY:
                return
            if char == "!":
                self._push_match("tag", _TAG)
            elif char == "&":
                self._push_match("anchor", _NAME)
            elif self._is_indicator(self._peek(1)):
                if self._flow_level == 0:
                    self._indent_next = self._indent + 1
                else:
                    self._json_key = False
                self._push(_KIND_OF_TEXT[char], 1)
            else:
                return
            self._push_blanks()

    def _is_indicator(self, following: str) -> bool:
        if following in _BLANK_OR_END:
            return True
        return self._flow_level > 0 and following in _FLOW_INDICATORS
