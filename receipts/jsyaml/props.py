"""Reads the tokens around nodes: properties and indicators before, comments behind."""

from dataclasses import dataclass

from receipts.jsyaml.cst import BlockMap, BlockSeq, Flow, FlowScalar, Lead, Part, Token
from receipts.jsyaml.errors import Fault

_NEEDS_BLANK = "Comments must be separated from other tokens by white space"
_TAB = "Tabs are not allowed as indentation"
_PROPERTY_NEEDS_BLANK = "Tags and anchors must be separated from the next token by white space"


@dataclass(slots=True, eq=False, repr=False)
class Props:
    """What stood before a node.

    `found` is the indicator looked for, `start` the offset of the first property (else `end`),
    `end` the offset behind everything.
    """

    start: int
    end: int
    anchor: Token | None = None
    tag: Token | None = None
    found: Token | None = None
    comma: Token | None = None
    newline_after_property: Token | None = None
    has_newline: bool = False
    space_before: bool = False
    comment: str = ""


class _Reading:
    """The state while reading one lead from left to right."""

    def __init__(self, indicator: str, *, in_flow: bool, at_newline: bool) -> None:
        self.indicator = indicator
        self.in_flow = in_flow
        self.at_newline = at_newline
        self.has_space = at_newline
        self.needs_space = False
        self.tab: Token | None = None
        self.comment: list[str] = []
        self.comment_break = ""
        self.start: int | None = None
        self.props = Props(0, 0)

    def token(self, token: Token) -> None:
        kind = token.kind
        if kind == "newline":
            self._newline(token)
        elif kind == "comment":
            self._comment(token)
        elif kind in ("anchor", "tag"):
            self._property(token)
        elif kind == self.indicator:
            self._indicator(token)
        elif kind == "comma" and self.in_flow:
            if self.props.comma:
                raise Fault("Unexpected , in flow collection", token.at)
            self.props.comma = token
            self.at_newline = self.has_space = False
        else:
            raise Fault(f"Unexpected {kind}", token.at)

    def _newline(self, token: Token) -> None:
        props = self.props
        if not self.at_newline:
            self.comment_break += token.text
        elif self.comment:
            self.comment.append(token.text)
        elif not props.found or self.indicator != "seq-item":
            props.space_before = True
        self.at_newline = self.has_space = props.has_newline = True
        if props.anchor or props.tag:
            props.newline_after_property = token

    def _comment(self, token: Token) -> None:
        if not self.has_space:
            raise Fault(_NEEDS_BLANK, token.at)
        if self.comment:
            self.comment.append(self.comment_break)
        self.comment.append(token.text[1:] or " ")
        self.comment_break = ""
        self.at_newline = False

    def _property(self, token: Token) -> None:
        if token.kind == "anchor":
            if self.props.anchor:
                raise Fault("A node can have at most one anchor", token.at)
            self.props.anchor = token
        else:
            if self.props.tag:
                raise Fault("A node can have at most one tag", token.at)
            self.props.tag = token
        if self.start is None:
            self.start = token.at
        self.at_newline = self.has_space = False
        self.needs_space = True

    def _indicator(self, token: Token) -> None:
        if self.props.anchor or self.props.tag:
            raise Fault(f"Anchors and tags must be after the {token.text} indicator", token.at)
        if self.props.found:
            raise Fault(f"Unexpected {token.text}", token.at)
        self.props.found = token
        self.at_newline = self.indicator in ("seq-item", "explicit-key")
        self.has_space = False


def read_props(
    lead: Lead,
    indicator: str,
    following: "Part | Token | None",
    offset: int,
    parent_indent: int,
    *,
    in_flow: bool = False,
    at_newline: bool = False,
) -> Props:
    """Read the tokens before a node.

    Args:
        lead: The tokens.
        indicator: The kind of indicator that may be among them.
        following: What comes next, if anything.
        offset: Where the node is when there are no tokens.
        parent_indent: Indentation of the collection around it.
        in_flow: The collection is a flow collection.
        at_newline: The lead starts a line.

    Raises:
        Fault: A token may not stand here.
    """
    if not lead:
        return Props(offset, offset)
    props = _just_indicator(lead, indicator, in_flow=in_flow)
    if props is not None:
        return props
    reading = _Reading(indicator, in_flow=in_flow, at_newline=at_newline)
    # In flow only the tree knows indentation, and before a flow collection tabs are plain blanks.
    tabs_matter = not in_flow and not (indicator == "doc-start" and isinstance(following, Flow))
    for token in lead:
        if reading.needs_space:
            if token.kind not in ("space", "newline", "comma"):
                raise Fault(_PROPERTY_NEEDS_BLANK, token.at)
            reading.needs_space = False
        if reading.tab:
            if reading.at_newline and token.kind not in ("comment", "newline"):
                raise Fault(_TAB, reading.tab.at)
            reading.tab = None
        if token.kind == "space":
            if tabs_matter and "\t" in token.text:
                reading.tab = token
            reading.has_space = True
        else:
            reading.token(token)
    if reading.needs_space and following is not None and not _separates(following):
        raise Fault(_PROPERTY_NEEDS_BLANK, following.at)
    tab = reading.tab
    if tab and (
        (reading.at_newline and tab.indent <= parent_indent)
        or isinstance(following, BlockMap | BlockSeq)
    ):
        raise Fault(_TAB, tab.at)
    props = reading.props
    props.comment = "".join(reading.comment)
    props.end = lead[-1].end
    props.start = props.end if reading.start is None else reading.start
    return props


def _just_indicator(lead: Lead, indicator: str, *, in_flow: bool) -> Props | None:
    """Read the most common lead at once: one indicator, perhaps with blanks behind it."""
    size = len(lead)
    if size > 2 or (size == 2 and (lead[1].kind != "space" or "\t" in lead[1].text)):
        return None
    first = lead[0]
    end = lead[-1].end
    if first.kind == indicator:
        return Props(end, end, found=first)
    if first.kind == "comma" and in_flow:
        return Props(end, end, comma=first)
    return None


def _separates(following: Part | Token) -> bool:
    if isinstance(following, Token):
        return following.kind in ("space", "newline", "comma")
    return isinstance(following, FlowScalar) and following.kind == "plain" and not following.text


def read_end(
    end: "Lead | list[Token] | None", offset: int, *, needs_space: bool = True
) -> tuple[str, int]:
    """Read what trails a node; return the comment and the offset behind it.

    Raises:
        Fault: Something else than white space and comments trails it.
    """
    comment: list[str] = []
    comment_break = ""
    has_space = False
    for token in end or ():
        if token.kind == "comment":
            if needs_space and not has_space:
                raise Fault(_NEEDS_BLANK, token.at)
            if comment:
                comment.append(comment_break)
            comment.append(token.text[1:] or " ")
            comment_break = ""
        elif token.kind == "newline":
            if comment:
                comment_break += token.text
            has_space = True
        elif token.kind == "space":
            has_space = True
        else:
            raise Fault(f"Unexpected {token.kind} at node end", token.at)
        offset += len(token.text)
    return "".join(comment), offset


def contains_newline(part: Part | None) -> bool:
    """Tell whether a node spans lines, which an implicit key may not."""
    if part is None:
        return False
    if isinstance(part, FlowScalar):
        return "\n" in part.text or (part.end is not None and part.end.has("newline"))
    if not isinstance(part, Flow):
        return True
    # Depth first without recursion; every flow collection is asked once and remembers.
    stack = [part]
    while stack:
        flow = stack[-1]
        if flow.newline is None and not _own_newline(flow):
            waiting = [
                child
                for item in flow.items
                for child in (item.key, item.value)
                if isinstance(child, Flow) and child.newline is None
            ]
            if waiting:
                stack.extend(waiting)
                continue
            flow.newline = any(
                contains_newline(child) for item in flow.items for child in (item.key, item.value)
            )
        elif flow.newline is None:
            flow.newline = True
        stack.pop()
    return bool(part.newline)


def _own_newline(flow: Flow) -> bool:
    return any(
        item.start.has("newline") or (item.sep is not None and item.sep.has("newline"))
        for item in flow.items
    )
