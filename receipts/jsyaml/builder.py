"""Groups tokens into the concrete tree, by indentation alone.

A stack holds what is open, innermost last; each token is offered to the innermost, which takes it,
opens something inside itself, or closes and leaves the token to its parent. What is wrong is kept
in the tree as it stands: the composer refuses it, unless it sits where the original never looks.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from receipts.jsyaml.blockmap import offer_to_map
from receipts.jsyaml.cst import (
    BlockMap,
    BlockScalar,
    BlockSeq,
    Document,
    DocumentEnd,
    Flow,
    FlowScalar,
    Garbage,
    Item,
    Lead,
    Open,
    Part,
    Token,
)
from receipts.jsyaml.errors import Fault
from receipts.jsyaml.parts import (
    SCALARS,
    flow_scalar,
    joins_comment_before,
    joins_trailing_comment,
    key_start,
    last_lead,
    start_part,
    trail,
)

# npm `yaml` recurses: an ordinary process reads 600 levels and fails before 2,000.
_IMPOSSIBLE_DEPTH = 2000

_AROUND_FLOW_NODES = frozenset(
    ("anchor", "comma", "comment", "explicit-key", "map-value", "newline", "space", "tag")
)

StreamPart = Token | Document | DocumentEnd


def build(tokens: Iterable[Token]) -> Iterator[StreamPart]:
    """Yield the directives, documents and document ends of a stream.

    Raises:
        Fault: A token stands outside any document, or the text nests too deeply.
    """
    builder = Builder()
    for token in tokens:
        builder.take(token)
        if builder.out:
            yield from builder.out
            builder.out.clear()
    while builder.stack:
        builder.close()
    yield from builder.out


class Builder:
    """The open parts and the place in the line."""

    def __init__(self) -> None:
        self.stack: list[Open] = []
        self.out: list[StreamPart] = []
        self.indent = 0
        self.on_key_line = False
        self._at_line_start = True
        self._offer: dict[type, Callable[[Builder, Token, Any], bool]] = {
            Document: _offer_to_document,
            DocumentEnd: _offer_to_document_end,
            FlowScalar: _offer_to_scalar,
            BlockScalar: _offer_to_block_scalar,
            BlockMap: offer_to_map,
            BlockSeq: _offer_to_seq,
            Flow: _offer_to_flow,
        }

    def take(self, token: Token) -> None:
        """Place one token in the tree."""
        kind = token.kind
        token.indent = self.indent
        if kind == "unknown":
            self.close(Garbage(token.at, token.text, "Not a YAML token"))
            return
        if kind == "plain":
            self._at_line_start = False
        self._step(token)
        if kind == "newline":
            self._at_line_start = True
            self.indent = 0
        elif kind == "space":
            if self._at_line_start and token.text[0] == " ":
                self.indent += len(token.text)
        elif kind in ("explicit-key", "map-value", "seq-item"):
            if self._at_line_start:
                self.indent += 1
        elif kind not in ("plain", "doc-mode", "flow-error-end"):
            self._at_line_start = False

    def _step(self, token: Token) -> None:
        again = True
        while again:
            top = self.stack[-1] if self.stack else None
            if token.kind == "doc-end" and not isinstance(top, DocumentEnd):
                while self.stack:
                    self.close()
                self.stack.append(DocumentEnd(token.at, Lead()))
                return
            if top is None:
                self._start_document(token)
                return
            again = self._offer[type(top)](self, token, top)

    def _start_document(self, token: Token) -> None:
        if token.kind == "directive":
            self.out.append(token)
        elif token.kind in ("doc-mode", "doc-start"):
            start = Lead((token,)) if token.kind == "doc-start" else Lead()
            self.stack.append(Document(token.at, start))
        elif token.kind not in ("byte-order-mark", "space", "comment", "newline"):
            raise Fault(f"Unexpected {token.kind} outside a document", token.at)

    def open(self, part: Part) -> None:
        """Make a part the innermost open one."""
        depth = len(self.stack)
        if depth > _IMPOSSIBLE_DEPTH:
            raise Fault("The text nests too deeply", part.at)
        self.stack.append(part)

    def at_scalar_lines(self) -> None:
        """A block scalar has taken whole lines, so the next token starts one."""
        self._at_line_start = True
        self.indent = 0

    # -- closing ---------------------------------------------------------------------------------

    def close(self, garbage: Garbage | None = None) -> None:
        """Move the innermost part, or a piece of garbage, into the part around it."""
        part = garbage or self.stack.pop()
        if not self.stack:
            if isinstance(part, Document | DocumentEnd):
                self.out.append(part)
                return
            raise Fault(garbage.message if garbage else "Unexpected text", part.at)
        parent = self.stack[-1]
        if isinstance(part, BlockScalar):
            # The header's own place does not count; the lines are measured from the parent.
            part.indent = 0 if isinstance(parent, Document) else getattr(parent, "indent", 0)
        elif isinstance(part, Flow):
            if isinstance(parent, Document):
                part.indent = 0
            _settle_entries(part)
        if isinstance(part, Document | DocumentEnd):
            raise Fault("Unexpected document", part.at)
        if self._put(part, parent):
            _lift_blank_tail(part, parent)

    def _put(self, part: Part, parent: Open) -> bool:
        """Put a part where its parent expects one; tell whether it became a value of a block."""
        match parent:
            case Document():
                parent.value = part
            case BlockScalar():
                if isinstance(part, Garbage):
                    parent.props.append(part)
                return False
            case BlockMap():
                return self._put_in_map(part, parent)
            case BlockSeq():
                item = parent.items[-1]
                if item.value is not None:
                    parent.items.append(Item(Lead(), value=part))
                else:
                    item.value = part
            case Flow():
                put_in_flow(part, parent)
                return False
            case _:
                self.close()
                if isinstance(part, Garbage):
                    self.close(part)
                return False
        return True

    def _put_in_map(self, part: Part, parent: BlockMap) -> bool:
        item = parent.items[-1]
        if item.value is not None:
            parent.items.append(Item(Lead(), key=part, sep=Lead()))
            self.on_key_line = True
            return False
        if item.sep is None:
            item.key = part
            item.sep = Lead()
            self.on_key_line = not item.explicit
            return False
        item.value = part
        return True


def put_in_flow(part: Part, flow: Flow) -> None:
    """Put a part into a flow collection: as a key first, as a value after a colon."""
    item = flow.items[-1] if flow.items else None
    if item is None or item.value is not None:
        flow.items.append(Item(Lead(), key=part, sep=Lead()))
    elif item.sep is not None:
        item.value = part
    else:
        item.key = part
        item.sep = Lead()


def _settle_entries(flow: Flow) -> None:
    """Make values of the keys of a flow sequence that no colon followed."""
    if flow.open.text != "[":
        return
    for item in flow.items:
        if item.sep is None or item.value is not None or item.start.has("explicit-key"):
            continue
        if item.sep.has("map-value"):
            continue
        item.value, item.key = item.key or item.value, None
        if isinstance(item.value, FlowScalar):
            if item.value.end is None:
                item.value.end = item.sep
            else:
                item.value.end.extend(item.sep)
        elif isinstance(item.value, Flow):
            item.value.end.extend(item.sep)
        else:
            item.start.extend(item.sep)
        item.sep = None


def _lift_blank_tail(part: Part, parent: Open) -> None:
    """Give blank lines and comments at the end of a block to the block around it."""
    if not isinstance(part, BlockMap | BlockSeq) or not part.items:
        return
    last = part.items[-1]
    if (
        last.sep is not None
        or last.value is not None
        or not last.start
        or not last.start.is_blank()
    ):
        return
    if part.indent != 0 and last.start.comment_indent() >= part.indent:
        return
    part.items.pop()
    if isinstance(parent, Document):
        parent.end = last.start
    elif isinstance(parent, BlockMap | BlockSeq):
        parent.items.append(Item(last.start))


# -- what each open part does with a token: True leaves the token to the part then innermost -------


def _offer_to_document(builder: Builder, token: Token, document: Document) -> bool:
    if document.value is not None:
        return trail(builder, token, document)
    if token.kind == "doc-start":
        if not document.start.is_blank():
            builder.close()
            return True
        document.start.append(token)
    elif token.kind in ("anchor", "tag", "space", "comment", "newline"):
        document.start.append(token)
    else:
        part = start_part(builder, token, document)
        if part is None:
            raise Fault(f"Unexpected {token.kind} in the document", token.at)
        builder.open(part)
    return False


def _offer_to_document_end(builder: Builder, token: Token, end: DocumentEnd) -> bool:
    if token.kind != "doc-mode":
        end.end.append(token)
        if token.kind == "newline":
            builder.close()
    return False


def _offer_to_scalar(builder: Builder, token: Token, scalar: FlowScalar) -> bool:
    if token.kind != "map-value":
        return trail(builder, token, scalar)
    start = key_start(last_lead(builder.stack[-2]))
    sep = scalar.end if scalar.end is not None else Lead()
    sep.append(token)
    scalar.end = None
    builder.on_key_line = True
    builder.stack[-1] = BlockMap(scalar.at, scalar.indent, [Item(start, key=scalar, sep=sep)])
    return False


def _offer_to_block_scalar(builder: Builder, token: Token, scalar: BlockScalar) -> bool:
    if token.kind in ("space", "comment", "newline"):
        scalar.props.append(token)
        return False
    if token.kind == "plain":
        scalar.text = token.text
        builder.at_scalar_lines()
        builder.close()
        return False
    builder.close()
    return True


def _offer_to_seq(builder: Builder, token: Token, seq: BlockSeq) -> bool:
    item = seq.items[-1]
    kind = token.kind
    if kind == "newline":
        if item.value is not None:
            if not joins_trailing_comment(item.value, token):
                seq.items.append(Item(Lead((token,))))
        else:
            item.start.append(token)
        return False
    if kind in ("space", "comment"):
        if item.value is not None:
            seq.items.append(Item(Lead((token,))))
        elif not joins_comment_before(builder, token, seq):
            item.start.append(token)
        return False
    if kind in ("anchor", "tag") and item.value is None and builder.indent > seq.indent:
        item.start.append(token)
        return False
    if kind == "seq-item" and builder.indent == seq.indent:
        if item.value is not None or item.start.has("seq-item"):
            seq.items.append(Item(Lead((token,))))
        else:
            item.start.append(token)
        return False
    if builder.indent > seq.indent:
        part = start_part(builder, token, seq)
        if part is not None:
            builder.open(part)
            return False
    builder.close()
    return True


def _offer_to_flow(builder: Builder, token: Token, flow: Flow) -> bool:
    kind = token.kind
    if kind == "flow-error-end":
        builder.close()
        while builder.stack and isinstance(builder.stack[-1], Flow):
            builder.close()
        return False
    if flow.end:
        return _after_flow(builder, token, flow)
    if kind == "flow-end":
        flow.end.append(token)
    elif kind in _AROUND_FLOW_NODES:
        _take_around(token, flow)
    elif kind in SCALARS:
        _take_flow_scalar(builder, token, flow)
    else:
        part = start_part(builder, token, flow)
        if part is None:
            builder.close()
            return True
        builder.open(part)
    return False


def _take_around(token: Token, flow: Flow) -> None:
    """Take an indicator, a property or a blank of a flow collection."""
    item = flow.items[-1] if flow.items else None
    if token.kind in ("comma", "explicit-key"):
        if item is None or item.sep is not None:
            flow.items.append(Item(Lead((token,))))
        else:
            item.start.append(token)
    elif item is None or item.value is not None:
        is_colon = token.kind == "map-value"
        flow.items.append(Item(Lead(), sep=Lead((token,))) if is_colon else Item(Lead((token,))))
    elif item.sep is not None:
        item.sep.append(token)
    elif token.kind == "map-value":
        item.sep = Lead((token,))
    else:
        item.start.append(token)


def _take_flow_scalar(builder: Builder, token: Token, flow: Flow) -> None:
    item = flow.items[-1] if flow.items else None
    scalar = flow_scalar(builder, token)
    if item is not None and item.sep is not None and item.value is None:
        builder.open(scalar)
    else:
        put_in_flow(scalar, flow)


def _after_flow(builder: Builder, token: Token, flow: Flow) -> bool:
    parent = builder.stack[-2]
    if isinstance(parent, BlockMap) and (
        (token.kind == "map-value" and parent.indent == flow.indent)
        or (token.kind == "newline" and parent.items[-1].sep is None)
    ):
        builder.close()
        return True
    if token.kind != "map-value" or isinstance(parent, Flow):
        return trail(builder, token, flow)
    start = key_start(last_lead(parent))
    _settle_entries(flow)
    sep = Lead((*flow.end[1:], token))
    del flow.end[1:]
    builder.on_key_line = True
    builder.stack[-1] = BlockMap(flow.at, flow.indent, [Item(start, key=flow, sep=sep)])
    return False
