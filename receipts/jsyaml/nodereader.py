"""Composes nodes: scalars, aliases and the collections around them."""

from receipts.jsyaml.cst import (
    BlockMap,
    BlockScalar,
    BlockSeq,
    Flow,
    FlowScalar,
    Garbage,
    Item,
    Lead,
    Part,
    Token,
)
from receipts.jsyaml.directives import Directives
from receipts.jsyaml.errors import Fault, Unsupported
from receipts.jsyaml.flowreader import FlowReader
from receipts.jsyaml.foreign import JsBytes
from receipts.jsyaml.keys import KEY_LIMIT, UniqueKeys
from receipts.jsyaml.nodes import Alias, AnyNode, Map, Node, Pair, Scalar, Seq, joined_comments
from receipts.jsyaml.props import Props, contains_newline, read_end, read_props
from receipts.jsyaml.scalartext import (
    block_text,
    double_quoted_text,
    plain_text,
    single_quoted_text,
)
from receipts.jsyaml.schema import STRING, TAG, Schema, UncertainValue
from receipts.jsyaml.trampoline import Steps

# npm `yaml` recurses. An ordinary process reads and writes 600 levels; where it fails depends on
# its stack, so deeper texts that are otherwise fine get no answer.
_CERTAIN_DEPTH = 600
_SAME_COLUMN = "All mapping items must start at the same column"
_STYLES = {"plain": plain_text, "single": single_quoted_text, "double": double_quoted_text}


class NodeReader:
    """Composes the nodes of one document."""

    def __init__(self, schema: Schema, directives: Directives) -> None:
        self.schema = schema
        self.directives = directives
        self.at_key = False
        self.at_root = True
        self._depth = 0
        # The first thing that is not certain. Errors are, so they come first wherever they stand.
        self.doubt: Fault | None = None

    def _doubt(self, message: str, at: int) -> None:
        self.doubt = self.doubt or Fault(message, at, Unsupported)

    def node(self, part: Part, props: Props) -> Steps[AnyNode]:
        """Compose any node.

        Raises:
            Fault: The node, or one inside it, has an error.
        """
        node = self.leaf(part, props)
        if node is not None:
            return node
        node = yield from self._collection(part, props)
        _set_anchor(node, props)
        node.space_before = props.space_before
        node.comment_before = props.comment
        return node

    def leaf(self, part: Part, props: Props) -> AnyNode | None:
        """Compose a node that has none inside; None for a collection, which `node` composes.

        Raises:
            Fault: The node has an error.
        """
        node: Scalar | Alias
        if isinstance(part, FlowScalar | BlockScalar):
            if isinstance(part, FlowScalar) and part.kind == "alias":
                node = self._alias(part, props)
            else:
                node = self._scalar(part, props.tag)
                _set_anchor(node, props)
        elif isinstance(part, Garbage):
            raise Fault(part.message, part.at)
        else:
            return None
        node.space_before = props.space_before
        if props.comment:
            if part.text or isinstance(part, BlockScalar) or part.kind != "plain":
                node.comment_before = props.comment
            else:
                node.comment = props.comment
        return node

    def empty(self, props: Props, before: Lead | None, offset: int) -> Scalar:
        """Compose the node that stands where nothing is written."""
        for at in range(len(before or ()) - 1, -1, -1):
            token = before[at]  # type: ignore[index] # an empty range otherwise
            if token.kind in ("space", "comment", "newline"):
                offset -= len(token.text)
                continue
            offset += _spaces_at(before, at + 1)  # type: ignore[arg-type]
            break
        node = self._scalar(FlowScalar("plain", offset, -1, ""), props.tag)
        _set_anchor(node, props)
        node.space_before = props.space_before
        if props.comment:
            node.comment = props.comment
            node.end = props.end
        return node

    # -- leaves ----------------------------------------------------------------------------------

    def _alias(self, part: FlowScalar, props: Props) -> Alias:
        if props.anchor or props.tag:
            raise Fault("An alias node must not specify any properties", part.at)
        name = part.text[1:]
        if not name:
            raise Fault("Alias cannot be an empty string", part.at)
        comment, end = read_end(part.end, part.at + len(part.text))
        return Alias(name=name, at=part.at, end=end, comment=comment)

    def _scalar(self, part: FlowScalar | BlockScalar, tag_token: Token | None) -> Scalar:
        if isinstance(part, BlockScalar):
            text, style, comment, end = block_text(part, at_root=self.at_root)
        else:
            text, style = _STYLES[part.kind](part.text, part.at), part.kind
            comment, end = read_end(part.end, part.at + len(part.text))
        name = self.directives.tag_name(tag_token) if tag_token else None
        if name:
            tag = self.schema.tagged(name, text)
        elif style == "plain":
            tag = self.schema.untagged(text, at_key=self.at_key)
        else:
            tag = STRING
        try:
            value = tag.resolve(text)
        except UncertainValue as error:
            self._doubt(str(error), part.at)
            value = JsBytes(b"")
        except ValueError as error:
            raise Fault(str(error), part.at) from None
        node = Scalar(at=part.at, value=value, source=text, style=style, form=tag.form, tag=name)
        node.comment, node.end = comment, end
        if tag.name == f"{TAG}float" and not tag.form:
            fraction = text.partition(".")[2].replace("_", "")
            node.fraction_digits = len(fraction) if fraction.endswith("0") else 0
        return node

    # -- collections -----------------------------------------------------------------------------

    def _collection(self, part: Part, props: Props) -> Steps[AnyNode]:
        self._depth += 1
        if self._depth > _CERTAIN_DEPTH:
            self._doubt("The text nests too deeply to be read with certainty", part.at)
        name = self.directives.tag_name(props.tag) if props.tag else None
        self.at_root = False
        node: Map | Seq
        match part:
            case BlockMap():
                node = yield from self._block_map(part)
            case BlockSeq():
                _check_own_line(props)
                node = yield from self._block_seq(part)
            case Flow():
                self.at_key = False
                node = yield from FlowReader(self, part).read()
            case _:
                raise Fault("Unexpected text", part.at)
        self._depth -= 1
        node.at = part.at
        kind = "map" if isinstance(node, Map) else "seq"
        if name:
            node.tag = TAG + kind if name == "!" else name
        if name and props.tag and self.schema.collections.get(name) == kind:
            self.schema.collection_tags.add(name)
            _become(node, name.removeprefix(TAG), props.tag.at)
        return node

    def _block_map(self, block: BlockMap) -> Steps[Map]:
        node = Map()
        offset = block.at
        comment_end: int | None = None
        keys = UniqueKeys()
        for item in block.items:
            key = item.key
            props = read_props(
                item.start, "explicit-key", first_of(item), offset, block.indent, at_newline=True
            )
            _check_column(block, item, props, offset)
            if props.found is None:
                if not props.anchor and not props.tag and item.sep is None:
                    comment_end = props.end
                    node.comment = joined_comments(node.comment, props.comment)
                    continue
                if props.newline_after_property or contains_newline(key):
                    raise Fault("Implicit keys need to be on a single line", props.end)
            self.at_key = True
            if key is None:
                key_node: AnyNode = self.empty(props, item.start, props.end)
            else:
                key_node = self.leaf(key, props) or (yield self.node(key, props))
            self.at_key = False
            keys.add(key_node, props.end)
            value_props = read_props(
                item.sep or Lead(),
                "map-value",
                item.value,
                key_node.end,
                block.indent,
                at_newline=key is None or isinstance(key, BlockScalar),
            )
            offset = value_props.end
            if value_props.found is None:
                if props.found is None:
                    raise Fault("Implicit map keys need to be followed by map values", offset)
                key_node.comment = joined_comments(key_node.comment, value_props.comment)
                node.items.append(Pair(key_node))
                continue
            if props.found is None:
                _check_implicit(item, props, value_props)
            if item.value is None:
                value_node: AnyNode = self.empty(value_props, item.sep, offset)
            else:
                value_node = self.leaf(item.value, value_props) or (
                    yield self.node(item.value, value_props)
                )
            offset = value_node.end
            node.items.append(Pair(key_node, value_node))
        # The original trips over a blank line between a value and a flow collection as next key.
        if comment_end and comment_end < offset:
            raise Fault("Map comment with trailing content", comment_end)
        node.end = offset if comment_end is None else comment_end
        return node

    def _block_seq(self, block: BlockSeq) -> Steps[Seq]:
        node = Seq()
        self.at_key = False
        offset = block.at
        comment_end: int | None = None
        for item in block.items:
            props = read_props(
                item.start, "seq-item", item.value, offset, block.indent, at_newline=True
            )
            if props.found is None:
                if props.anchor or props.tag or item.value is not None:
                    raise Fault("Sequence items must start with - at the same column", props.end)
                comment_end = props.end
                node.comment = props.comment or node.comment
                continue
            if item.value is None:
                child: AnyNode = self.empty(props, item.start, props.end)
            else:
                child = self.leaf(item.value, props) or (yield self.node(item.value, props))
            offset = child.end
            node.items.append(child)
        node.end = offset if comment_end is None else comment_end
        return node


def first_of(item: Item) -> Part | Token | None:
    """Return what follows an item's start."""
    return item.key or (item.sep[0] if item.sep else None)


def _set_anchor(node: Node, props: Props) -> None:
    if props.anchor:
        node.anchor = props.anchor.text[1:]
        if not node.anchor:
            raise Fault("Anchor cannot be an empty string", props.anchor.at)


def _spaces_at(lead: Lead, at: int) -> int:
    size = 0
    while at < len(lead) and lead[at].kind == "space":
        size += len(lead[at].text)
        at += 1
    return size


def _check_own_line(props: Props) -> None:
    """A block sequence must start on a line after its properties."""
    properties = [token for token in (props.anchor, props.tag) if token]
    if not properties:
        return
    last = max(properties, key=lambda token: token.at)
    newline = props.newline_after_property
    if newline is None or newline.at < last.at:
        raise Fault("Missing newline after block sequence properties", last.at)


def _check_column(block: BlockMap, item: Item, props: Props, offset: int) -> None:
    if props.found is None:
        if isinstance(item.key, BlockSeq):
            raise Fault("A block sequence may not be an implicit map key", offset)
        wrong = item.key is not None and getattr(item.key, "indent", block.indent) != block.indent
    else:
        wrong = props.found.indent != block.indent
    if wrong:
        raise Fault(_SAME_COLUMN, props.end)


def _check_implicit(item: Item, props: Props, value_props: Props) -> None:
    if isinstance(item.value, BlockMap) and not value_props.has_newline:
        raise Fault("Nested mappings are not allowed in compact mappings", value_props.end)
    if value_props.found and props.start < value_props.found.at - KEY_LIMIT:
        raise Fault("The : must be at most 1024 characters after the key's start", props.start)


def _become(node: Map | Seq, kind: str, at: int) -> None:
    """Make a set, an ordered map or a list of pairs of a collection that its tag calls so."""
    if isinstance(node, Map):
        if not all(_is_plain_null(pair.value) for pair in node.items):
            raise Fault("Set items must all have null values", at)
    else:
        node.items = [_single_pair(item, at) for item in node.items]
        if kind == "omap":
            _check_distinct(node, at)
    node.kind = kind


def _is_plain_null(node: AnyNode | None) -> bool:
    if node is None:
        return True
    is_null = isinstance(node, Scalar) and node.value is None
    return is_null and not (node.comment_before or node.comment or node.tag)


def _single_pair(item: AnyNode | Pair, at: int) -> Pair:
    if not isinstance(item, Map):
        return item if isinstance(item, Pair) else Pair(item)
    if len(item.items) > 1:
        raise Fault("Each pair must have its own sequence indicator", at)
    pair = item.items[0] if item.items else Pair(Scalar())
    pair.key.comment_before = joined_comments(item.comment_before, pair.key.comment_before)
    last = pair.key if pair.value is None else pair.value
    last.comment = joined_comments(item.comment, last.comment)
    return pair


def _check_distinct(node: Seq, at: int) -> None:
    seen: set[object] = set()
    for pair in node.items:
        key = pair.key if isinstance(pair, Pair) else None
        if isinstance(key, Scalar):
            value = key.value
            # NaN counts as equal to itself here, unlike for the keys of a map.
            mark = (type(value), "NaN" if value != value else value)
            if mark in seen:
                raise Fault("Ordered maps must not include duplicate keys", at)
            seen.add(mark)
