"""The text of a collection that is a map's key: npm `yaml` writes it as a flow collection.

Unlike plain data this shows the source: tags, anchors, comments, quotes and notations of numbers.
"""

import re
from dataclasses import dataclass

from receipts.jsyaml.directives import Directives
from receipts.jsyaml.emitter import starts_with_properties
from receipts.jsyaml.errors import AliasError, Fault
from receipts.jsyaml.jsnumber import JS_BLANK
from receipts.jsyaml.nodes import Alias, AnyNode, Map, Pair, Scalar, Seq
from receipts.jsyaml.scalarstyle import scalar_text, tagged_collection_text
from receipts.jsyaml.schema import Schema
from receipts.jsyaml.strings import Place
from receipts.jsyaml.trampoline import Steps, run

_LINE_WIDTH = 80
_STEP = "  "
_NO_ANCHOR = re.compile(f"[\0-\x19{JS_BLANK},\\[\\]{{}}]")
_LEADING_BLANKS = re.compile(f"\\A[{JS_BLANK}]+")
_COMMENT_LINE = re.compile("(?:\\A|(?<=[\n\r\u2028\u2029]))(?![\n\r\u2028\u2029]|\\Z)")
_LONE_BLANK = re.compile("(?:\\A|(?<=[\n\r\u2028\u2029])) (?=[\n\r\u2028\u2029]|\\Z)")
_INDENTED_LINE = re.compile("(?:\\A|(?<=[\n\r\u2028\u2029]))(?! *(?:[\n\r\u2028\u2029]|\\Z))")


@dataclass(slots=True, eq=False, repr=False)
class _Context:
    """Where a node is written; `at` is changed by the properties of the nodes before."""

    indent: str
    at: int | None = None
    implicit_key: bool = False

    def place(self) -> Place:
        return Place(self.indent, self.at, self.implicit_key, in_flow=True)


class KeyText:
    """Writes the collection keys of one document."""

    def __init__(self, schema: Schema, directives: Directives) -> None:
        self.schema = schema
        self.directives = directives
        self._anchors: set[str] = set()

    def of(self, node: AnyNode, anchors: set[str]) -> str:
        """Return the text of a key; `anchors` are the names that aliases may use.

        Raises:
            Fault: An anchor's name cannot be written.
        """
        self._anchors = anchors
        context = _Context("")
        if isinstance(node, Alias):
            return self._alias(node, context)
        text: str = run(self._collection(node, context))
        return text

    def _alias(self, node: Alias, context: _Context) -> str:
        _check_anchor(node.name, node.at)
        if node.name not in self._anchors:
            raise Fault(f"Unresolved alias: {node.name}", node.at, AliasError)
        return f"*{node.name}{' ' if context.implicit_key else ''}"

    def _node(self, node: AnyNode, context: _Context) -> Steps[str]:
        if isinstance(node, Alias):
            return self._alias(node, context)
        properties = []
        if node.anchor:
            _check_anchor(node.anchor, node.end)
            self._anchors.add(node.anchor)
            properties.append(f"&{node.anchor}")
        if node.tag:
            properties.append(self.directives.tag_text(node.tag))
        before = " ".join(properties)
        if before:
            context.at = (context.at or 0) + len(before) + 1
        if isinstance(node, Scalar):
            text = scalar_text(node, self.schema, context.place())
            return f"{before} {text}" if before else text
        of_nothing = tagged_collection_text(node.tag, self.schema)
        if of_nothing is None:
            text = yield self._collection(node, context)
        else:
            text = of_nothing
        if not before:
            return text
        return f"{before} {text}" if text[:1] in ("{", "[") else f"{before}\n{context.indent}{text}"

    def _collection(self, node: AnyNode, context: _Context) -> Steps[str]:
        if not isinstance(node, Map | Seq):
            return ""
        is_map = isinstance(node, Map)
        start, end = "{}" if is_map else "[]"
        no_values = isinstance(node, Map) and (
            node.kind == "set" or all(pair.value is None for pair in node.items)
        )
        indent = context.indent + (_STEP if is_map else _STEP * 2)
        inner = _Context(indent, context.at)
        lines: list[str] = []
        breaks = False
        for number, item in enumerate(node.items):
            before, comment, comment_breaks = _comments(item)
            _add_lead(lines, before, context.indent)
            breaks = breaks or comment_breaks or bool(comment)
            if isinstance(item, Pair):
                text = yield from self._pair(item, inner, no_values=no_values)
            else:
                text = yield self._node(item, inner)
            breaks = breaks or _had_lead(before) or "\n" in text
            text += "," if number < len(node.items) - 1 else ""
            if comment:
                text += _line_comment(text, indent, comment)
            lines.append(text)
        if not lines:
            return start + end
        if not breaks and sum(len(line) + 2 for line in lines) + 2 <= _LINE_WIDTH:
            return f"{start} {' '.join(lines)} {end}"
        own = f"\n{_STEP}{context.indent}"
        body = "".join(f"{own}{line}" if line else "\n" for line in lines)
        return f"{start}{body}\n{context.indent}{end}"

    def _pair(self, pair: Pair, around: _Context, *, no_values: bool) -> Steps[str]:
        key, value = pair.key, pair.value
        explicit = not isinstance(key, Scalar) or key.style in ("literal", "folded")
        context = _Context(
            around.indent + _STEP, around.at, implicit_key=not explicit and not no_values
        )
        text = yield self._node(key, context)
        if no_values or value is None:
            return f"? {text}" if explicit and text else text or "?"
        comment = _line_comment(text, context.indent, key.comment) if key.comment else ""
        if explicit:
            text = f"? {text}{comment}\n{around.indent}:"
        else:
            comment = _line_comment(f"{text}:", context.indent, key.comment) if comment else ""
            text = f"{text}:{comment}"
        context.implicit_key = False
        if not explicit and not key.comment and isinstance(value, Scalar):
            context.at = len(text) + 1
        written: str = yield self._node(value, context)
        return text + _between(key, value, written, context.indent, explicit=explicit) + written


def _between(key: AnyNode, value: AnyNode, written: str, indent: str, *, explicit: bool) -> str:
    """Return what stands between a colon and its value."""
    if key.comment or value.space_before or value.comment_before:
        gap = "\n" if value.space_before else ""
        if value.comment_before:
            gap += "\n" + _indented(_marked(value.comment_before), indent)
        return f"{gap}\n{indent}"
    if not explicit and isinstance(value, Map | Seq):
        own_line = "\n" in written and not starts_with_properties(written)
        return f"\n{indent}" if own_line else " "
    return "" if written == "" or written.startswith("\n") else " "


def _check_anchor(name: str, at: int) -> None:
    if _NO_ANCHOR.search(name):
        raise Fault(f"The anchor {name!r} cannot be written", at, AliasError)


# -- comments --------------------------------------------------------------------------------------


def _comments(item: AnyNode | Pair) -> tuple[AnyNode, str, bool]:
    """Return the node whose lead comes first, the trailing comment, and whether to break lines."""
    if not isinstance(item, Pair):
        return item, item.comment, False
    key, value = item.key, item.value
    if value is None:
        return key, key.comment, bool(key.comment)
    return key, value.comment, bool(key.comment or value.comment_before)


def _had_lead(node: AnyNode) -> bool:
    return node.space_before or bool(node.comment_before)


def _add_lead(lines: list[str], node: AnyNode, indent: str) -> None:
    if node.space_before:
        lines.append("")
    if node.comment_before:
        comment = _indented(_marked(node.comment_before), indent)
        lines.append(_LEADING_BLANKS.sub("", comment))


def _marked(comment: str) -> str:
    """Put `#` before every line of a comment that is not empty; a lone blank becomes `#`."""
    return _COMMENT_LINE.sub("#", _LONE_BLANK.sub("", comment))


def _indented(comment: str, indent: str) -> str:
    if comment and not comment.strip("\n"):
        return comment[1:]
    return _INDENTED_LINE.sub(indent, comment)


def _line_comment(text: str, indent: str, comment: str) -> str:
    marked = _marked(comment)
    if text.endswith("\n"):
        return _indented(marked, indent)
    if "\n" in marked:
        return "\n" + _indented(marked, indent)
    return ("" if text.endswith(" ") else " ") + marked
