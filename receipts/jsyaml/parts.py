"""How parts of the concrete tree begin, and where the tokens around them go."""

from typing import TYPE_CHECKING

from receipts.jsyaml.cst import (
    BlockMap,
    BlockScalar,
    BlockSeq,
    Document,
    Flow,
    FlowScalar,
    Item,
    Lead,
    Open,
    Part,
    Token,
)

if TYPE_CHECKING:
    from receipts.jsyaml.builder import Builder

SCALARS = frozenset(("alias", "plain", "single", "double"))
_BEFORE_KEY = frozenset(("doc-start", "explicit-key", "map-value", "seq-item", "newline"))


def flow_scalar(builder: "Builder", token: Token) -> FlowScalar:
    """Return the part that an alias or a flow scalar's token makes."""
    return FlowScalar(token.kind, token.at, builder.indent, token.text)


def start_part(builder: "Builder", token: Token, parent: Open) -> Part | None:
    """Return the part that a token begins inside `parent`, None when it begins none."""
    kind = token.kind
    at, indent = token.at, builder.indent
    if kind in SCALARS:
        return flow_scalar(builder, token)
    if kind == "block-header":
        return BlockScalar(at, indent, [token])
    if kind == "flow-start":
        return Flow(at, indent, token)
    if kind == "seq-item":
        return BlockSeq(at, indent, [Item(Lead((token,)))])
    if kind == "explicit-key":
        builder.on_key_line = True
        start = key_start(last_lead(parent))
        start.append(token)
        return BlockMap(at, indent, [Item(start, explicit=True)])
    if kind == "map-value":
        builder.on_key_line = True
        start = key_start(last_lead(parent))
        return BlockMap(at, indent, [Item(start, sep=Lead((token,)))])
    return None


def last_lead(parent: Open) -> Lead:
    """Return the tokens that `parent` holds before the part now beginning."""
    match parent:
        case Document():
            return parent.start
        case BlockMap():
            item = parent.items[-1]
            return item.start if item.sep is None else item.sep
        case BlockSeq():
            return parent.items[-1].start
        case _:
            return Lead()


def key_start(lead: Lead) -> Lead:
    """Cut the first key's own properties off the tokens before the map that it begins."""
    cut = len(lead)
    while cut > 0 and lead[cut - 1].kind not in _BEFORE_KEY:
        cut -= 1
    while cut < len(lead) and lead[cut].kind == "space":
        cut += 1
    own = Lead(lead[cut:])
    del lead[cut:]
    return own


def trail(builder: "Builder", token: Token, part: FlowScalar | Flow | Document) -> bool:
    """Take what follows a finished node on its line; True when the token ends it instead."""
    if token.kind in ("comma", "doc-start", "doc-end", "flow-end", "map-value"):
        builder.close()
        return True
    if part.end is None:
        part.end = Lead()
    part.end.append(token)
    if token.kind == "newline":
        builder.on_key_line = False
        builder.close()
    return False


def joins_trailing_comment(value: Part, newline: Token) -> bool:
    """Let a line end behind a node's trailing comment belong to that node."""
    end = _end_of(value)
    if not end or end[-1].kind != "comment":
        return False
    end.append(newline)
    return True


def joins_comment_before(
    builder: "Builder", comment: Token, collection: BlockMap | BlockSeq
) -> bool:
    """Let a comment that is indented under the entry before belong to that entry."""
    start = collection.items[-1].start
    if comment.kind != "comment" or builder.indent <= collection.indent:
        return False
    # From the back, where an earlier comment shows at once.
    if any(token.kind not in ("newline", "space") for token in reversed(start)):
        return False
    before = collection.items[-2].value if len(collection.items) > 1 else None
    end = _end_of(before)
    if end is None:
        return False
    end.extend(start)
    end.append(comment)
    collection.items.pop()
    return True


def _end_of(part: Part | None) -> Lead | None:
    return part.end if isinstance(part, FlowScalar | Flow) else None
