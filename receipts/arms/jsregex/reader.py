r"""Reads a pattern as JavaScript does without flags, the leniency of Annex B included.

Without the flag `u` nearly everything is a pattern: `\q` is q, `{` alone is itself, `\u{61}` is
sixty-one times u, `\8` is 8, and `\1` is a reference only where there is such a group.
"""

import re

from receipts.arms.jsregex.errors import RegexError
from receipts.arms.jsregex.escapes import character
from receipts.arms.jsregex.tree import (
    Boundary,
    Choice,
    End,
    Group,
    Look,
    Node,
    Ranges,
    Reference,
    Repeat,
    Sequence,
    Start,
    Units,
)
from receipts.arms.jsregex.units import LINE_END, merged, of_escape, others
from receipts.jsyaml.units import from_units

# Whatever is deeper would end Python's own reader of patterns with an error.
_DEPTH = 50
# What JavaScript takes for more than any text has.
_COUNTED_TO = 2**31 - 1
_INTERVAL = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME = re.compile(r"<([^>]*)>")
_NUMBER = re.compile(r"\\([1-9][0-9]*)")
# Each group that captures, past whatever only looks like one.
_GROUPS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\((?:(?!\?)|\?<(?![=!])))", re.DOTALL)
_LOOKS = {"(?=": (False, False), "(?!": (False, True), "(?<=": (True, False), "(?<!": (True, True)}


def read(units: str) -> Node:
    """Return the tree of a pattern given in UTF-16 units.

    Raises:
        RegexError: JavaScript refuses the pattern, or it nests more deeply than is read.
    """
    return _Reader(units).pattern()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.opened = 0  # groups so far
        starts = [found for found in _GROUPS.finditer(text) if found[1]]
        self.group_count = len(starts)
        self.names: dict[str, int] = {}  # a reference may come before its group
        for number, found in enumerate(starts, 1):
            if found[1] != "(":
                self._add_name(number, found.end() - 1)

    def _add_name(self, number: int, at: int) -> None:
        found = _NAME.match(self.text, at)
        name = from_units(found[1]) if found else ""
        if not name.replace("$", "_").isidentifier():
            raise RegexError("a group between `(?<` and `>` has no valid name")
        if name in self.names:
            raise RegexError(f"two groups are called {name}")
        self.names[name] = number

    def pattern(self) -> Node:
        node = self._choice()
        if self.at < len(self.text):
            raise RegexError("a `)` has no `(`")
        return node

    # -- structure -------------------------------------------------------------------------------

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEPTH:
            raise RegexError(f"groups nest more than {_DEPTH} deep")
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _term(self) -> Node:
        node, repeatable = self._atom()
        return self._quantified(node) if repeatable else node

    def _atom(self) -> tuple[Node, bool]:
        """Read what stands alone, and say whether it may be repeated."""
        sign = self.text[self.at]
        if sign == "(":
            return self._group()
        if sign == "\\":
            return self._escape()
        if sign in "*+?" or _INTERVAL.match(self.text, self.at):
            raise RegexError(f"`{sign}` has nothing to repeat")
        self.at += 1
        match sign:
            case "^":
                return Start(), False
            case "$":
                return End(), False
            case ".":
                return Units(others(LINE_END)), True
            case "[":
                return self._class(), True
            case _:
                return _unit(ord(sign)), True

    def _quantified(self, node: Node) -> Node:
        if interval := _INTERVAL.match(self.text, self.at):
            self.at = interval.end()
            least = min(int(interval[1]), _COUNTED_TO)
            most: int | None = least
            if interval[2]:
                most = min(int(interval[3]), _COUNTED_TO) if interval[3] else None
            if most is not None and most < least:
                raise RegexError(f"the numbers in {interval[0]} are out of order")
        elif self._take("*"):
            least, most = 0, None
        elif self._take("+"):
            least, most = 1, None
        elif self._take("?"):
            least, most = 0, 1
        else:
            return node
        return Repeat(node, least, most, lazy=self._take("?"))

    def _group(self) -> tuple[Node, bool]:
        for opening, (behind, negated) in _LOOKS.items():
            if self._take(opening):
                return Look(self._closed(), behind, negated), not behind
        if self._take("(?:"):
            return self._closed(), True
        if self._take("(?<"):
            self.at = self.text.index(">", self.at) + 1
        elif self._take("(?"):
            raise RegexError("a group starts with `(?` and then neither `:`, `=`, `!` nor `<`")
        else:
            self.at += 1
        self.opened += 1
        number = self.opened
        return Group(number, self._closed()), True

    def _closed(self) -> Node:
        node = self._choice()
        if not self._take(")"):
            raise RegexError("a `(` has no `)`")
        return node

    # -- escapes and classes ---------------------------------------------------------------------

    def _escape(self) -> tuple[Node, bool]:
        following = self.text[self.at + 1 : self.at + 2]
        if following and following in "bB":
            self.at += 2
            return Boundary(negated=following == "B"), False
        if following == "k" and self.names:
            return self._named_reference(), True
        number = _NUMBER.match(self.text, self.at)
        if number and len(number[1]) < 6 and int(number[1]) <= self.group_count:
            self.at = number.end()
            return Reference(int(number[1])), True
        if (ranges := of_escape(following)) is not None:
            self.at += 2
            return Units(ranges), True
        return _unit(self._character(in_class=False)), True

    def _named_reference(self) -> Reference:
        found = _NAME.match(self.text, self.at + 2)
        name = from_units(found[1]) if found else ""
        if found is None or name not in self.names:
            raise RegexError(r"`\k` is not followed by the name of a group in `<>`")
        self.at = found.end()
        return Reference(self.names[name])

    def _character(self, *, in_class: bool) -> int:
        unit, self.at = character(self.text, self.at, in_class=in_class, has_names=bool(self.names))
        return unit

    def _class(self) -> Units:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        while not self._take("]"):
            first = self._class_atom()
            if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
                self.at += 1
                last = self._class_atom()
                ranges.extend(_between(first, last))
            else:
                ranges.extend(_as_ranges(first))
        found = merged(ranges)
        return Units(others(found) if negated else found)

    def _class_atom(self) -> int | Ranges:
        if self.at >= len(self.text):
            raise RegexError("a `[` has no `]`")
        if self.text[self.at] != "\\":
            self.at += 1
            return ord(self.text[self.at - 1])
        if (ranges := of_escape(self.text[self.at + 1 : self.at + 2])) is not None:
            self.at += 2
            return ranges
        return self._character(in_class=True)

    def _take(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True


def _unit(unit: int) -> Units:
    return Units(((unit, unit),))


def _as_ranges(atom: int | Ranges) -> Ranges:
    return ((atom, atom),) if isinstance(atom, int) else atom


def _between(first: int | Ranges, last: int | Ranges) -> Ranges:
    """Return a range of units; a class at either end makes the dash an ordinary character."""
    if isinstance(first, int) and isinstance(last, int):
        if first > last:
            raise RegexError("a range in `[]` is out of order")
        return ((first, last),)
    dash = ord("-")
    return (*_as_ranges(first), (dash, dash), *_as_ranges(last))
