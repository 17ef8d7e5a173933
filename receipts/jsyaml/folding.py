"""Folds long lines at blanks, where npm `yaml` does. All lengths are UTF-16 units."""

from collections.abc import Callable
from typing import Literal

LINE_WIDTH = 80
_MIN_CONTENT_WIDTH = 20
# What is not part of a word: the ends of the text count.
_NO_WORD = frozenset(("", " ", "\n", "\t"))
_ESCAPE_SIZES = {"x": 4, "u": 6, "U": 10}

Mode = Literal["flow", "block", "quoted"]


def fold(
    text: str,
    indent: str,
    mode: Mode,
    at: int | None,
    on_overflow: Callable[[], None] | None = None,
) -> str:
    """Return the text with line breaks and `indent` in place of some blanks.

    Args:
        text: One scalar as it is written, quotes included.
        indent: The indentation of its further lines.
        mode: `quoted` may break inside a word, with a backslash; `block` leaves further indented
            lines alone.
        at: Where on its line the text starts, when known.
        on_overflow: Called when a line could not be kept within the width.
    """
    step = max(1 + _MIN_CONTENT_WIDTH, 1 + LINE_WIDTH - len(indent))
    if len(text) <= step:
        return text
    folder = _Folder(text, indent, step, quoted=mode == "quoted")
    if at is not None:
        if at > LINE_WIDTH - _MIN_CONTENT_WIDTH:
            folder.folds.append(0)
        else:
            folder.end = LINE_WIDTH - at
    if not folder.scan(block=mode == "block"):
        return text
    if folder.overflow and on_overflow:
        on_overflow()
    return folder.joined()


class _Folder:
    """One pass over a text, noting where to fold it."""

    def __init__(self, text: str, indent: str, step: int, *, quoted: bool) -> None:
        self.text = text
        self.indent = indent
        self.step = step
        self.quoted = quoted
        # The position by which the current line should have been broken.
        self.end = LINE_WIDTH - len(indent)
        self.folds: list[int] = []
        self.escaped: set[int] = set()
        self.overflow = False
        self._escape = (-1, -1)

    def scan(self, *, block: bool) -> bool:
        """Find the folds; False when the text is to be left alone."""
        text, size = self.text, len(self.text)
        split = 0
        before = ""
        pos = -1
        if block:
            pos = _past_indented_lines(text, pos, len(self.indent))
            if pos != -1:
                self.end = pos + self.step
        pos += 1
        while pos < size:
            char = text[pos]
            if self.quoted and char == "\\":
                pos = self._past_escape(pos)
            if char == "\n":
                if block:
                    pos = _past_indented_lines(text, pos, len(self.indent))
                self.end = pos + len(self.indent) + self.step
                split = 0
            else:
                if (
                    char == " "
                    and before not in _NO_WORD
                    and text[pos + 1 : pos + 2] not in _NO_WORD
                ):
                    split = pos
                if pos >= self.end:
                    if split:
                        self._fold_at(split)
                        split = 0
                    elif self.quoted:
                        char, pos = self._past_blanks(before, char, pos)
                        if not self._break_word(pos):
                            return False
                    else:
                        self.overflow = True
            before = char
            pos += 1
        return True

    def _past_escape(self, pos: int) -> int:
        """Return the last position of the escape at `pos`, which is not to be broken."""
        last = pos + _ESCAPE_SIZES.get(self.text[pos + 1 : pos + 2], 2) - 1
        self._escape = (pos, last)
        return last

    def _past_blanks(self, before: str, char: str, pos: int) -> tuple[str, int]:
        """Blanks at the end of a line may stretch past the width."""
        while before in (" ", "\t"):
            before = char
            pos += 1
            char = self.text[pos : pos + 1]
            self.overflow = True
        return char, pos

    def _fold_at(self, position: int) -> None:
        self.folds.append(position)
        self.end = position + self.step

    def _break_word(self, pos: int) -> bool:
        """Break inside a word, before the escape that `pos` is in, if any."""
        start, end = self._escape
        position = pos - 2 if pos > end + 1 else start - 1
        if position in self.escaped:
            return False
        self._fold_at(position)
        self.escaped.add(position)
        return True

    def joined(self) -> str:
        """Return the folded text."""
        text, folds = self.text, self.folds
        if not folds:
            return text
        out = [text[: folds[0]]]
        for number, position in enumerate(folds):
            following = folds[number + 1] if number + 1 < len(folds) else 0
            end = following or len(text)
            if position == 0:
                out = ["\n", self.indent, text[:end]]
                continue
            if position in self.escaped:
                # Under deep indentation the original reaches before the start of the text.
                out.append(text[position] if position > 0 else "undefined")
                out.append("\\")
            out.extend(("\n", self.indent, text[position + 1 : end]))
        return "".join(out)


def _past_indented_lines(text: str, pos: int, indent: int) -> int:
    """Return the last line end of the lines after `pos` that are indented further."""
    end = pos
    start = pos + 1
    char = text[start : start + 1]
    while char in (" ", "\t"):
        if pos < start + indent:
            pos += 1
            char = text[pos : pos + 1] if pos >= 0 else ""
        else:
            newline = text.find("\n", pos + 1)
            pos = len(text) if newline == -1 else newline
            end = pos
            start = pos + 1
            char = text[start : start + 1]
    return end
