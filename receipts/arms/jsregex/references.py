"""What a reference to a group finds in it, where that is the same in both languages.

JavaScript forgets what a group captured each time a repetition around it starts anew, and when an
iteration of one takes nothing; Python keeps the latest. So a reference stays only where its group
has taken part in the one way that there is, and any other is refused.
"""

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from receipts.arms.jsregex.errors import RegexError
from receipts.arms.jsregex.tree import Choice, Group, Look, Node, Reference, Repeat, Sequence

_IN_LOOK = "a look behind and a reference to a group do not go together in Python's `re`"
_IN_REPEAT = (
    "it refers to a group in a repetition, which forgets what it captured in JavaScript and does"
    " not in Python"
)


@dataclass(frozen=True, eq=False)
class _Branch:
    """One part of a choice."""

    choice: Choice
    number: int


_Around: TypeAlias = tuple[_Branch | Look | Repeat, ...]


def settled(root: Node) -> Node:
    """Return a pattern without the references that always find nothing.

    Each that is left means: what the group captured, or nothing when it took no part.

    Raises:
        RegexError: What a reference finds cannot be told.
    """
    return _Settling().node(root, ())


class _Settling:
    def __init__(self) -> None:
        self.closed: dict[int, _Around] = {}

    def node(self, node: Node, around: _Around) -> Node:
        match node:
            case Reference():
                return node if self._finds(node, around) else Sequence(())
            case Group():
                body = self.node(node.body, around)
                self.closed[node.number] = around
                return replace(node, body=body)
            case Look() | Repeat():
                return replace(node, body=self.node(node.body, (*around, node)))
            case Sequence():
                return Sequence(tuple(self.node(part, around) for part in node.parts))
            case Choice():
                return Choice(
                    tuple(
                        self.node(part, (*around, _Branch(node, number)))
                        for number, part in enumerate(node.parts)
                    )
                )
            case _:
                return node

    def _finds(self, reference: Reference, around: _Around) -> bool:
        """Say whether a reference can find anything."""
        if any(isinstance(outer, Look) and outer.behind for outer in around):
            raise RegexError(_IN_LOOK)
        group = self.closed.get(reference.number)
        if group is None:  # it stands before the group or in it
            return False
        pairs = zip(group, around, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        own = group[shared:]  # what is around the group and not around the reference
        if any(isinstance(outer, Look) and outer.negated for outer in own):
            return False
        if any(isinstance(outer, Look) and outer.behind for outer in own):
            raise RegexError(_IN_LOOK)
        if any(_may_forget(outer, own[at:]) for at, outer in enumerate(own)):
            raise RegexError(_IN_REPEAT)
        in_loop = any(isinstance(outer, Repeat) and outer.most != 1 for outer in group[:shared])
        if in_loop and not all(isinstance(outer, Look) for outer in own):
            raise RegexError(_IN_REPEAT)  # an iteration may pass the group by
        return True


def _may_forget(outer: _Branch | Look | Repeat, inside: _Around) -> bool:
    """Say whether a repetition around a group may end without what the group captured in it."""
    if not isinstance(outer, Repeat):
        return False
    return outer.most != 1 or outer.lazy or any(isinstance(inner, Look) for inner in inside)
