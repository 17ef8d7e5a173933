"""The abstract tree: what a document says, with the marks that a collection key's text shows."""

from dataclasses import dataclass, field
from typing import TypeAlias

from receipts.jsyaml.foreign import JsBytes, JsDate


class MergeKey:
    """The value of a `<<` key that merges; no two are equal."""


Value: TypeAlias = str | float | bool | JsDate | JsBytes | MergeKey | None


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """What every node has: `at` is its offset, `end` the one behind it and what trails it."""

    at: int = 0
    end: int = 0
    anchor: str | None = None
    tag: str | None = None
    comment: str = ""
    comment_before: str = ""
    space_before: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Scalar(Node):
    """A scalar; `source` is its text before the tag spoke, `style` how it was written."""

    value: Value = None
    source: str | None = None
    style: str = ""
    form: str = ""
    fraction_digits: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Alias(Node):
    """An alias of an anchor."""

    name: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Pair:
    """A key and its value, None when neither value nor colon was written."""

    key: "AnyNode"
    value: "AnyNode | None" = None


@dataclass(slots=True, eq=False, repr=False)
class Map(Node):
    """A mapping; `kind` is `map` or `set`."""

    items: list[Pair] = field(default_factory=list)
    flow: bool = False
    kind: str = "map"


@dataclass(slots=True, eq=False, repr=False)
class Seq(Node):
    """A sequence; `kind` is `seq`, `pairs` or `omap`, and only the last two hold pairs."""

    items: "list[AnyNode | Pair]" = field(default_factory=list)
    flow: bool = False
    kind: str = "seq"


AnyNode: TypeAlias = Scalar | Alias | Map | Seq


def joined_comments(first: str, second: str) -> str:
    """Return two comments as one."""
    return f"{first}\n{second}" if first and second else first or second
