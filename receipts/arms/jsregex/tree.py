"""A pattern as a tree, and what can be said of its parts without matching."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

LAST_UNIT = 0xFFFF
Ranges: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Units:
    """One unit out of a set, given as sorted ranges that do not touch; perhaps of none."""

    ranges: Ranges


@dataclass(frozen=True)
class Start:
    """The start of the text."""


@dataclass(frozen=True)
class End:
    """The end of the text."""


@dataclass(frozen=True)
class Boundary:
    """A word's edge, or anywhere else when negated."""

    negated: bool


@dataclass(frozen=True)
class Look:
    """What must, or when negated must not, stand ahead of or behind a place."""

    body: "Node"
    behind: bool
    negated: bool


@dataclass(frozen=True)
class Group:
    """A capturing group, by its number from 1."""

    number: int
    body: "Node"


@dataclass(frozen=True)
class Reference:
    """What a group captured."""

    number: int


@dataclass(frozen=True)
class Repeat:
    """A part repeated; `most` is None when there is no end to it."""

    body: "Node"
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True)
class Sequence:
    """Parts one after another."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True)
class Choice:
    """One of several parts, the first that leads on."""

    parts: "tuple[Node, ...]"


Node: TypeAlias = (
    Units | Start | End | Boundary | Look | Group | Reference | Repeat | Sequence | Choice
)


def below(node: Node) -> "tuple[Node, ...]":
    """Return the parts directly inside a node."""
    match node:
        case Sequence() | Choice():
            return node.parts
        case Look() | Group() | Repeat():
            return (node.body,)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    yield node
    for part in below(node):
        yield from walk(part)


def width(node: Node) -> tuple[int, int | None]:
    """Return the fewest and the most units that a node takes; None when there is no most."""
    match node:
        case Units():
            return 1, 1
        case Group():
            return width(node.body)
        case Reference():
            return 0, None
        case Repeat():
            least, most = width(node.body)
            if most is None or node.most is None:
                return least * node.least, 0 if most == 0 or node.most == 0 else None
            return least * node.least, most * node.most
        case Sequence():
            least, most = 0, 0
            for part in node.parts:
                fewest, upmost = width(part)
                least += fewest
                most = None if most is None or upmost is None else most + upmost
            return least, most
        case Choice():
            widths = [width(part) for part in node.parts]
            mosts = [most for _, most in widths if most is not None]
            least = min(fewest for fewest, _ in widths)
            return least, max(mosts) if len(mosts) == len(widths) else None
        case _:
            return 0, 0


def never_matches(node: Node) -> bool:
    """Say whether no text can match, as far as the form of the pattern shows it."""
    match node:
        case Units():
            return not node.ranges
        case Look(negated=True):
            return _always_matches(node.body)
        case Look() | Group():
            return never_matches(node.body)
        case Repeat():
            return node.least > 0 and never_matches(node.body)
        case Choice():
            return all(never_matches(part) for part in node.parts)
        case Sequence():
            return any(never_matches(part) for part in node.parts) or _crosses_an_end(node)
        case _:
            return False


def _crosses_an_end(sequence: Sequence) -> bool:
    """Say whether something is taken before the text's start, or behind its end."""
    taken = ended = False
    for part in sequence.parts:
        takes = width(part)[0] > 0
        if (isinstance(part, Start) and taken) or (ended and takes):
            return True
        taken = taken or takes
        ended = ended or isinstance(part, End)
    return False


def _always_matches(node: Node) -> bool:
    """Say whether a node matches everywhere, by taking nothing."""
    match node:
        case Group():
            return _always_matches(node.body)
        case Repeat():
            return node.least == 0 or _always_matches(node.body)
        case Sequence():
            return all(_always_matches(part) for part in node.parts)
        case Choice():
            return any(_always_matches(part) for part in node.parts)
        case _:
            return False
