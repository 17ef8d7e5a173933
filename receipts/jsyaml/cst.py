"""The concrete tree: tokens grouped into documents, collections and scalars, errors included."""

from dataclasses import dataclass, field
from typing import TypeAlias


class Token:
    """A piece of the text. `indent` is set by the tree builder: the indentation it stands at."""

    __slots__ = ("at", "indent", "kind", "text")

    def __init__(self, kind: str, text: str, at: int) -> None:
        self.kind = kind
        self.text = text
        self.at = at
        self.indent = 0

    @property
    def end(self) -> int:
        """Return the offset behind it."""
        return self.at + len(self.text)


class Lead(list[Token]):
    """The tokens before a node: white space, comments, properties and indicators.

    Blank leads travel up the tree as collections close, and are asked the same two questions at
    every level; remembering the answers keeps deeply nested text from costing its square.
    """

    __slots__ = ("_answers",)

    def _look(self) -> tuple[int, bool, int]:
        seen, blank, comment_indent = getattr(self, "_answers", (0, True, -1))
        if len(self) < seen:
            seen, blank, comment_indent = 0, True, -1
        for token in self[seen:]:
            if token.kind == "comment":
                comment_indent = max(comment_indent, token.indent)
            elif token.kind not in ("space", "newline"):
                blank = False
        self._answers: tuple[int, bool, int] = (len(self), blank, comment_indent)
        return self._answers

    def is_blank(self) -> bool:
        """Tell whether there is nothing but white space and comments."""
        return self._look()[1]

    def comment_indent(self) -> int:
        """Return the deepest indentation of a comment, -1 without one."""
        return self._look()[2]

    def has(self, kind: str) -> bool:
        """Tell whether a token of this kind is among them."""
        return any(token.kind == kind for token in self)


@dataclass(slots=True, eq=False, repr=False)
class Item:
    """A map's pair, or a sequence's entry. `sep` is None until a key or a colon was met."""

    start: Lead
    key: "Part | None" = None
    sep: Lead | None = None
    value: "Part | None" = None
    explicit: bool = False


@dataclass(slots=True, eq=False, repr=False)
class FlowScalar:
    """An alias, or a plain, single- or double-quoted scalar, by `kind`; `end` trails it."""

    kind: str
    at: int
    indent: int
    text: str
    end: Lead | None = None


@dataclass(slots=True, eq=False, repr=False)
class BlockScalar:
    """A literal or folded scalar: its header and the rest of that line, then its lines."""

    at: int
    indent: int
    props: "list[Token | Garbage]"
    text: str = ""


@dataclass(slots=True, eq=False, repr=False)
class BlockMap:
    """A mapping by indentation."""

    at: int
    indent: int
    items: list[Item]


@dataclass(slots=True, eq=False, repr=False)
class BlockSeq:
    """A sequence by indentation."""

    at: int
    indent: int
    items: list[Item]


@dataclass(slots=True, eq=False, repr=False)
class Flow:
    """A flow collection; `end` holds the closing bracket and what trails on its line."""

    at: int
    indent: int
    open: Token
    items: list[Item] = field(default_factory=list)
    end: Lead = field(default_factory=Lead)
    newline: bool | None = None


@dataclass(slots=True, eq=False, repr=False)
class Garbage:
    """Text in a place where no token of its kind may be."""

    at: int
    text: str
    message: str


@dataclass(slots=True, eq=False, repr=False)
class Document:
    """A document, perhaps empty."""

    at: int
    start: Lead
    value: "Part | None" = None
    end: Lead | None = None


@dataclass(slots=True, eq=False, repr=False)
class DocumentEnd:
    """A `...` line; `end` is the rest of it."""

    at: int
    end: Lead


Part: TypeAlias = FlowScalar | BlockScalar | BlockMap | BlockSeq | Flow | Garbage
Open: TypeAlias = Part | Document | DocumentEnd
