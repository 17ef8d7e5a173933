"""Composes flow collections: `{a: b}` and `[a, b: c]`."""

from typing import TYPE_CHECKING

from receipts.jsyaml.cst import BlockMap, BlockScalar, BlockSeq, Flow, FlowScalar, Item, Lead, Part
from receipts.jsyaml.errors import Fault
from receipts.jsyaml.keys import KEY_LIMIT, UniqueKeys
from receipts.jsyaml.nodes import AnyNode, Map, Pair, Seq, joined_comments
from receipts.jsyaml.props import Props, contains_newline, read_end, read_props
from receipts.jsyaml.trampoline import Steps

if TYPE_CHECKING:
    from receipts.jsyaml.nodereader import NodeReader

_ONE_LINE = "Implicit keys of flow sequence pairs need to be on a single line"


class FlowReader:
    """Composes one flow collection."""

    def __init__(self, reader: "NodeReader", flow: Flow) -> None:
        self.reader = reader
        self.flow = flow
        self.name = "flow map" if flow.open.text == "{" else "flow sequence"
        self.node: Map | Seq = Map(flow=True) if flow.open.text == "{" else Seq(flow=True)
        self.offset = flow.at + 1
        self.keys = UniqueKeys()

    def read(self) -> Steps[Map | Seq]:
        """Compose the collection.

        Raises:
            Fault: An item or the end is wrong.
        """
        flow, node = self.flow, self.node
        for number, item in enumerate(flow.items):
            props = read_props(
                item.start,
                "explicit-key",
                item.key or (item.sep[0] if item.sep else None),
                self.offset,
                flow.indent,
                in_flow=True,
            )
            if props.found is None and self._is_empty(item, props, number):
                continue
            self._check_comma(item, props, number)
            if isinstance(node, Seq) and item.sep is None and props.found is None:
                child = yield from self._value(item, props)
                node.items.append(child)
                self.offset = child.end
            else:
                yield from self._pair(item, props)
        self._read_end()
        return node

    def _is_empty(self, item: Item, props: Props, number: int) -> bool:
        if props.anchor or props.tag or item.sep is not None or item.value is not None:
            if isinstance(self.node, Seq) and contains_newline(item.key):
                raise Fault(_ONE_LINE, props.end)
            return False
        if number == 0 and props.comma:
            raise Fault(f"Unexpected , in {self.name}", props.comma.at)
        if number < len(self.flow.items) - 1:
            raise Fault(f"Unexpected empty item in {self.name}", props.start)
        self.node.comment = joined_comments(self.node.comment, props.comment)
        self.offset = props.end
        return True

    def _check_comma(self, item: Item, props: Props, number: int) -> None:
        if number == 0:
            if props.comma:
                raise Fault(f"Unexpected , in {self.name}", props.comma.at)
            return
        if not props.comma:
            raise Fault(f"Missing , between {self.name} items", props.start)
        if props.comment:
            self._give_comment_back(item, props)

    def _give_comment_back(self, item: Item, props: Props) -> None:
        """A comment directly behind the comma belongs to the item before it."""
        first = next((token for token in item.start if token.kind not in ("comma", "space")), None)
        own = first.text[1:] if first is not None and first.kind == "comment" else ""
        if not own:
            return
        before = self.node.items[-1]
        if isinstance(before, Pair):
            before = before.key if before.value is None else before.value
        before.comment = joined_comments(before.comment, own)
        props.comment = props.comment[len(own) + 1 :]

    def _value(self, item: Item, props: Props) -> Steps[AnyNode]:
        if item.value is None:
            return self.reader.empty(props, item.sep, props.end)
        _refuse_block(item.value)
        child = self.reader.leaf(item.value, props)
        if child is None:
            child = yield self.reader.node(item.value, props)
        return child

    def _pair(self, item: Item, props: Props) -> Steps[None]:
        reader = self.reader
        reader.at_key = True
        if item.key is None:
            key: AnyNode = reader.empty(props, item.start, props.end)
        else:
            _refuse_block(item.key)
            key = reader.leaf(item.key, props) or (yield reader.node(item.key, props))
        reader.at_key = False
        value_props = read_props(
            item.sep or Lead(),
            "map-value",
            item.value,
            key.end,
            self.flow.indent,
            in_flow=True,
        )
        if value_props.found:
            if isinstance(self.node, Seq) and props.found is None:
                self._check_implicit(item, props, value_props)
        elif item.value is not None:
            raise Fault(_missing(item.value, self.name), value_props.start)
        value: AnyNode | None = None
        if item.value is not None:
            _refuse_block(item.value)
            value = reader.leaf(item.value, value_props) or (
                yield reader.node(item.value, value_props)
            )
        elif value_props.found:
            value = reader.empty(value_props, item.sep, value_props.end)
        else:
            key.comment = joined_comments(key.comment, value_props.comment)
        if isinstance(self.node, Map):
            self.keys.add(key, props.end)
            self.node.items.append(Pair(key, value))
        else:
            end = key.end if value is None else value.end
            self.node.items.append(Map(at=key.at, flow=True, items=[Pair(key, value)], end=end))
        self.offset = value_props.end if value is None else value.end

    def _check_implicit(self, item: Item, props: Props, value_props: Props) -> None:
        for token in item.sep or ():
            if token is value_props.found:
                break
            if token.kind == "newline":
                raise Fault(_ONE_LINE, token.at)
        if value_props.found and props.start < value_props.found.at - KEY_LIMIT:
            raise Fault("The : must be at most 1024 characters after the key's start", props.start)

    def _read_end(self) -> None:
        flow, node = self.flow, self.node
        expected = "}" if isinstance(node, Map) else "]"
        if not flow.end or flow.end[0].text != expected:
            raise Fault(f"The {self.name} must be indented and end with a {expected}", self.offset)
        comment, node.end = read_end(flow.end[1:], flow.end[0].end)
        node.comment = joined_comments(node.comment, comment)


def _refuse_block(part: Part) -> None:
    if isinstance(part, BlockMap | BlockSeq):
        raise Fault("Block collections are not allowed within flow collections", part.at)


def _missing(value: Part, name: str) -> str:
    if isinstance(value, FlowScalar | BlockScalar) and value.text.startswith(":"):
        return f"Missing space after : in {name}"
    return f"Missing , or : between {name} items"
