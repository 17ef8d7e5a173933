"""What an open block map does with a token.

A map's last item is in one of three states: only a start (properties, perhaps `?`), a key with a
separator that may still lack its colon, or complete. Whether a token continues that item, begins
the next or opens a map inside depends on the indentation and on standing on the key's own line.
"""

from typing import TYPE_CHECKING

from receipts.jsyaml.cst import BlockMap, BlockSeq, Flow, FlowScalar, Garbage, Item, Lead, Token
from receipts.jsyaml.parts import (
    SCALARS,
    flow_scalar,
    joins_comment_before,
    joins_trailing_comment,
    key_start,
    start_part,
)

if TYPE_CHECKING:
    from receipts.jsyaml.builder import Builder


def offer_to_map(builder: "Builder", token: Token, block: BlockMap) -> bool:
    """Let a map take a token; True leaves it to the part around the map, now closed."""
    if token.kind in ("newline", "space", "comment"):
        _take_blank(builder, token, block)
        return False
    if builder.indent >= block.indent and _take(builder, token, block):
        return False
    builder.close()
    return True


def _take_blank(builder: "Builder", token: Token, block: BlockMap) -> None:
    item = block.items[-1]
    newline = token.kind == "newline"
    if newline:
        builder.on_key_line = False
    if item.value is not None:
        if not (newline and joins_trailing_comment(item.value, token)):
            block.items.append(Item(Lead((token,))))
    elif item.sep is not None:
        item.sep.append(token)
    elif newline or not joins_comment_before(builder, token, block):
        item.start.append(token)


def _take(builder: "Builder", token: Token, block: BlockMap) -> bool:
    item = block.items[-1]
    kind = token.kind
    at_indent = not builder.on_key_line and builder.indent == block.indent
    at_next = at_indent and (item.sep is not None or item.explicit) and kind != "seq-item"
    start = Lead()
    if at_next and item.sep is not None and item.value is None:
        start = _cut_next_start(item.sep, block.indent)
    if kind in ("anchor", "tag"):
        _take_property(builder, token, block, start, at_next=at_next)
        return True
    if kind == "explicit-key":
        _take_question_mark(builder, token, block, start, at_next=at_next)
        return True
    if kind == "map-value":
        if item.explicit:
            _take_colon_of_explicit(builder, token, block, start)
        else:
            _take_colon(builder, token, block, start, at_next=at_next)
        builder.on_key_line = True
        return True
    if kind in SCALARS:
        _take_scalar(builder, token, block, start, at_next=at_next)
        return True
    return _take_part(builder, token, block, start, at_indent=at_indent)


def _take_scalar(
    builder: "Builder", token: Token, block: BlockMap, start: Lead, *, at_next: bool
) -> None:
    item = block.items[-1]
    scalar = flow_scalar(builder, token)
    if at_next or item.value is not None:
        block.items.append(Item(start, key=scalar, sep=Lead()))
        builder.on_key_line = True
    elif item.sep is not None:
        builder.open(scalar)
    else:
        item.key, item.sep = scalar, Lead()
        builder.on_key_line = True


def _take_part(
    builder: "Builder", token: Token, block: BlockMap, start: Lead, *, at_indent: bool
) -> bool:
    item = block.items[-1]
    part = start_part(builder, token, block)
    if part is None:
        return False
    if isinstance(part, BlockSeq):
        if not item.explicit and item.sep is not None and not item.sep.has("newline"):
            message = "A block sequence cannot start on the line of its key"
            builder.close(Garbage(token.at, token.text, message))
            return True
    elif at_indent:
        block.items.append(Item(start))
    builder.open(part)
    return True


def _cut_next_start(sep: Lead, indent: int) -> Lead:
    """Cut off the lines behind a key without value that belong to the next key."""
    newlines: list[int] = []
    for at, token in enumerate(sep):
        if token.kind == "newline":
            newlines.append(at)
        elif token.kind != "space" and not (token.kind == "comment" and token.indent <= indent):
            newlines.clear()
    if len(newlines) < 2:
        return Lead()
    start = Lead(sep[newlines[1] :])
    del sep[newlines[1] :]
    return start


def _take_property(
    builder: "Builder", token: Token, block: BlockMap, start: Lead, *, at_next: bool
) -> None:
    item = block.items[-1]
    if at_next or item.value is not None:
        start.append(token)
        block.items.append(Item(start))
        builder.on_key_line = True
    elif item.sep is not None:
        item.sep.append(token)
    else:
        item.start.append(token)


def _take_question_mark(
    builder: "Builder", token: Token, block: BlockMap, start: Lead, *, at_next: bool
) -> None:
    item = block.items[-1]
    if item.sep is None and not item.explicit:
        item.start.append(token)
        item.explicit = True
    elif at_next or item.value is not None:
        start.append(token)
        block.items.append(Item(start, explicit=True))
    else:
        inner = Item(Lead((token,)), explicit=True)
        builder.open(BlockMap(token.at, builder.indent, [inner]))
    builder.on_key_line = True


def _take_colon_of_explicit(builder: "Builder", token: Token, block: BlockMap, start: Lead) -> None:
    item = block.items[-1]
    if item.sep is None:
        if item.start.has("newline"):
            item.sep = Lead((token,))
        else:
            _open_map(builder, token, Item(key_start(item.start), sep=Lead((token,))))
    elif item.value is not None:
        block.items.append(Item(Lead(), sep=Lead((token,))))
    elif item.sep.has("map-value"):
        _open_map(builder, token, Item(start, sep=Lead((token,))))
    elif isinstance(item.key, FlowScalar | Flow) and not item.sep.has("newline"):
        # `? a: b`: what looked like the explicit key is the first key of a map inside.
        key, sep = item.key, item.sep
        sep.append(token)
        item.key = item.sep = None
        _open_map(builder, token, Item(key_start(item.start), key=key, sep=sep))
    else:
        item.sep.extend((*start, token))


def _take_colon(
    builder: "Builder", token: Token, block: BlockMap, start: Lead, *, at_next: bool
) -> None:
    item = block.items[-1]
    if item.sep is None:
        item.key, item.sep = None, Lead((token,))
    elif item.value is not None or at_next:
        block.items.append(Item(start, sep=Lead((token,))))
    elif item.sep.has("map-value"):
        _open_map(builder, token, Item(Lead(), sep=Lead((token,))))
    else:
        item.sep.append(token)


def _open_map(builder: "Builder", token: Token, item: Item) -> None:
    builder.open(BlockMap(token.at, builder.indent, [item]))
