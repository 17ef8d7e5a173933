r"""Writes a pattern's tree for Python's `re`, so that it matches what JavaScript matches.

Every unit is written by its number and every part that is repeated in a group of its own, so that
nothing of Python's own syntax comes into play. A look behind, which may be of any width in
JavaScript, is written as its alternatives of one width each, as long as these are few.
"""

from collections.abc import Iterable

from receipts.arms.jsregex.errors import RegexError
from receipts.arms.jsregex.references import settled
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
    walk,
    width,
)
from receipts.arms.jsregex.units import others

_MOST_ALTERNATIVES = 64
_LOOKS = {(False, False): "(?=", (False, True): "(?!", (True, False): "(?<=", (True, True): "(?<!"}
_BEHIND = "what it looks behind at may have any width, which Python's `re` cannot do"


def write(root: Node) -> str:
    """Return a pattern for `re` with the flag ASCII, to be searched in UTF-16 units.

    Raises:
        RegexError: Python cannot be made to give it the same meaning.
    """
    tree = settled(root)
    return _Writer({node.number for node in walk(tree) if isinstance(node, Reference)}).written(
        tree
    )


class _Writer:
    def __init__(self, referenced: set[int]) -> None:
        self._referenced = referenced

    def written(self, node: Node) -> str:
        match node:
            case Units():
                return _units(node.ranges)
            case Start():
                return r"\A"
            case End():
                return r"\Z"
            case Boundary():
                # Python's `\B` is no opposite of `\b` in an empty text.
                return r"(?!\b)" if node.negated else r"\b"
            case Sequence():
                return "".join(map(self._part, node.parts))
            case Choice():
                return "|".join(map(self.written, node.parts))
            case Look():
                return self._look(node)
            case Group():
                opening = f"(?P<g{node.number}>" if node.number in self._referenced else "(?:"
                return f"{opening}{self.written(node.body)})"
            case Reference():
                group = f"g{node.number}"
                # What took no part matches nothing in JavaScript, and fails in Python.
                return f"(?({group})(?P={group})|)"
            case Repeat():
                most = "" if node.most is None else node.most
                lazy = "?" * node.lazy
                return f"(?:{self.written(node.body)}){{{node.least},{most}}}{lazy}"

    def _part(self, node: Node) -> str:
        text = self.written(node)
        return f"(?:{text})" if isinstance(node, Choice) else text

    def _look(self, look: Look) -> str:
        opening = _LOOKS[look.behind, look.negated]
        if not look.behind:
            return f"{opening}{self.written(look.body)})"
        looks = [f"{opening}{self.written(body)})" for body in _of_one_width(look.body)]
        return "".join(looks) if look.negated else f"(?:{'|'.join(looks)})"


def _units(ranges: Ranges) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _unit(ranges[0][0])
    inverse = others(ranges)
    if not ranges or (inverse and len(inverse) < len(ranges)):
        return f"[^{_listed(inverse)}]"  # an empty class too, for beyond the last unit is nothing
    return f"[{_listed(ranges)}]"


def _listed(ranges: Ranges) -> str:
    return "".join(
        _unit(first) if first == last else f"{_unit(first)}-{_unit(last)}" for first, last in ranges
    )


def _unit(unit: int) -> str:
    return chr(unit) if unit < 0x80 and chr(unit).isalnum() else f"\\u{unit:04x}"


def _of_one_width(node: Node) -> list[Node]:
    """Return alternatives that together match what a node does, each of one width."""
    least, most = width(node)
    if least == most:
        return [node]
    match node:
        case Choice():
            found = [each for part in node.parts for each in _of_one_width(part)]
        case Group():
            found = _of_one_width(node.body)
        case Sequence():
            found = _joined(_of_one_width(part) for part in node.parts)
        case Repeat(most=int(upmost)) if upmost - node.least < _MOST_ALTERNATIVES:
            found = [
                each
                for count in range(node.least, upmost + 1)
                for each in _repeated(node.body, count)
            ]
        case _:
            raise RegexError(_BEHIND)
    if len(found) > _MOST_ALTERNATIVES:
        raise RegexError(_BEHIND)
    return found


def _repeated(body: Node, count: int) -> list[Node]:
    bodies = _of_one_width(body)
    if len(bodies) == 1:
        return [Repeat(bodies[0], count, count, lazy=False)]
    if count > _MOST_ALTERNATIVES:
        raise RegexError(_BEHIND)
    return _joined([bodies] * count)


def _joined(parts: Iterable[list[Node]]) -> list[Node]:
    """Return every way to put one alternative of each part after another."""
    found: list[tuple[Node, ...]] = [()]
    for alternatives in parts:
        found = [(*before, each) for before in found for each in alternatives]
        if len(found) > _MOST_ALTERNATIVES:
            raise RegexError(_BEHIND)
    return [Sequence(each) for each in found]
