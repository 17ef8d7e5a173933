"""Writes plain data as `YAML.stringify(value)` does without options."""

import re
from typing import TYPE_CHECKING

from receipts.jsyaml.foreign import Data, Foreign, JsBytes, JsDate, JsMap, JsSet
from receipts.jsyaml.jsnumber import number_text
from receipts.jsyaml.schema import core_schema
from receipts.jsyaml.strings import Place, string_text
from receipts.jsyaml.trampoline import Steps, run
from receipts.jsyaml.units import from_units, to_units

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_LAST_ARRAY_INDEX = 2**32 - 2
_KEY_LIMIT = 1024
_READS_AS_OTHER = core_schema().reads_as_other


def emit(value: Data) -> str:
    """Return the YAML text of plain data; it ends in a line feed.

    Raises:
        TypeError: The data holds something that is not plain data.
    """
    emitter = _Emitter(_repeated(value))
    return from_units(run(emitter.text(value, _Context("")))) + "\n"


def scalar_number(value: float) -> str:
    """Return a number as YAML writes it."""
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    return "-0" if str(value) == "-0.0" else number_text(value)


def entries(value: Data) -> list[tuple[Data, Data]]:
    """Return the pairs of anything that is written as a map, in JavaScript's order of keys."""
    if isinstance(value, JsMap):
        return value.entries
    if isinstance(value, JsBytes):
        return [("type", "Buffer"), ("data", [float(byte) for byte in value.data])]
    indexes = [key for key in value if _is_array_index(key)]
    if not indexes:
        return list(value.items())
    indexes.sort(key=int)
    others = [key for key in value if not _is_array_index(key)]
    return [(key, value[key]) for key in (*indexes, *others)]


def _is_array_index(key: str) -> bool:
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) <= _LAST_ARRAY_INDEX


def _is_map(value: Data) -> bool:
    return isinstance(value, dict | JsMap | JsBytes)


def _is_collection(value: Data) -> bool:
    return isinstance(value, list | dict | JsMap | JsBytes | JsSet)


def _is_empty(value: Data) -> bool:
    return not (entries(value) if _is_map(value) else _items(value))


def _items(value: Data) -> list[Data]:
    items: list[Data] = value.items if isinstance(value, JsSet) else value
    return items


def _repeated(root: Data) -> dict[int, str]:
    """Return the anchor names of objects met more than once, numbered as the repeats are met."""
    names: dict[int, str] = {}
    seen: set[int] = set()
    stack: list[Iterator[Data]] = [iter((root,))]
    while stack:
        value = next(stack[-1], stack)
        if value is stack:
            stack.pop()
        elif isinstance(value, dict | list | Foreign):
            if id(value) in seen:
                names.setdefault(id(value), f"a{len(names) + 1}")
                continue
            seen.add(id(value))
            if isinstance(value, JsBytes | JsDate):
                continue
            if _is_map(value):
                stack.append(part for pair in entries(value) for part in pair)
            else:
                stack.append(iter(_items(value)))
    return names


class _Context:
    """Where a node is written. `at` grows by anchors that its siblings before it carried."""

    __slots__ = ("at", "implicit_key", "indent")

    def __init__(self, indent: str, at: int | None = None, *, implicit_key: bool = False) -> None:
        self.indent = indent
        self.at = at
        self.implicit_key = implicit_key


class _Emitter:
    def __init__(self, anchors: dict[int, str]) -> None:
        self.anchors = anchors
        self._written: set[int] = set()

    def text(self, value: Data, context: _Context) -> Steps[str]:
        """Write any value."""
        if self._is_alias(value):
            return f"*{self.anchors[id(value)]}"
        anchor = self.anchors.get(id(value)) if isinstance(value, dict | list | Foreign) else None
        if anchor is None:
            if not _is_collection(value):
                return self._scalar(value, context)
            return (yield from self._collection(value, context))
        self._written.add(id(value))
        properties = f"&{anchor}"
        context.at = (context.at or 0) + len(properties) + 1
        if isinstance(value, JsDate):
            return f"{properties} {self._scalar(value, context)}"
        text = yield from self._collection(value, context)
        if text[0] in "{[":
            return f"{properties} {text}"
        return f"{properties}\n{context.indent}{text}"

    def _is_alias(self, value: Data) -> bool:
        return id(value) in self._written and isinstance(value, dict | list | Foreign)

    def _scalar(self, value: Data, context: _Context) -> str:
        if isinstance(value, JsDate):
            value = value.iso
        if isinstance(value, str):
            place = Place(context.indent, context.at, context.implicit_key)
            return string_text(to_units(value), place, _READS_AS_OTHER)
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float):
            return scalar_number(value)
        if isinstance(value, int):
            return scalar_number(_as_double(value))
        raise TypeError(f"{type(value).__name__} is not plain data")

    def _collection(self, value: Data, context: _Context) -> Steps[str]:
        lines = []
        if _is_map(value):
            pairs = entries(value)
            inner = _Context(context.indent, context.at)
            for key, data in pairs:
                lines.append((yield from self._pair(key, data, inner)))
            if not lines:
                return "{}"
        else:
            inner = _Context(context.indent + "  ", context.at)
            for item in _items(value):
                if isinstance(item, str | float) or item is None:
                    lines.append(f"- {self._scalar(item, inner)}")
                else:
                    lines.append(f"- {yield self.text(item, inner)}")
            if not lines:
                return "[]"
        return f"\n{context.indent}".join(lines)

    def _pair(self, key: Data, value: Data, around: _Context) -> Steps[str]:
        explicit = _is_collection(key) or self._is_alias(key)
        context = _Context(around.indent + "  ", around.at, implicit_key=not explicit)
        if isinstance(key, str):
            text = self._scalar(key, context)
        else:
            text = yield self.text(key, context)
        explicit = explicit or len(text) > _KEY_LIMIT
        text = f"? {text}\n{around.indent}:" if explicit else f"{text}:"
        context.implicit_key = False
        alias = self._is_alias(value)
        collection = not alias and _is_collection(value)
        if not explicit and not collection and not alias:
            context.at = len(text) + 1
        if isinstance(value, str):
            written = self._scalar(value, context)
        else:
            written = yield self.text(value, context)
        if collection and not explicit:
            own_line = not _is_empty(value) and not starts_with_properties(written)
            return f"{text}\n{context.indent}{written}" if own_line else f"{text} {written}"
        return text + written if written.startswith("\n") else f"{text} {written}"


def starts_with_properties(text: str) -> bool:
    """Tell whether a collection's text starts with a line that holds only an anchor and a tag."""
    newline = text.find("\n")
    if newline == -1 or text[0] not in "&!":
        return False
    space = text.find(" ")
    if text[0] == "&" and -1 < space < newline and text[space + 1 : space + 2] == "!":
        space = text.find(" ", space + 1)
    return space == -1 or newline < space


def _as_double(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
