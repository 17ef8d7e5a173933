"""Where the values of a document stand in its text."""

from bisect import bisect_right
from collections.abc import Iterator

from receipts.jsyaml.nodes import AnyNode, Map, Pair, Scalar, Seq
from receipts.jsyaml.plain import primitive_text
from receipts.jsyaml.units import from_units

Path = tuple[str | int, ...]
# What is deeper stands where that which holds it does: a path costs its length.
_DEPTH = 8


class Lines:
    """The line of each value, from 1: of its key in a map, of its first character in a list."""

    def __init__(self, root: AnyNode | None, units: str) -> None:
        self._starts = [0, *(at + 1 for at, unit in enumerate(units) if unit == "\n")]
        self._offsets = dict(_offsets(root)) if root else {}

    def at(self, path: Path) -> int:
        """Return the line of a value, or of the nearest one around it that is written here.

        Args:
            path: The keys and list positions that lead to it; what an alias reaches, a merge
                brought or a collection is the key of, stands where that does.
        """
        while path and path not in self._offsets:
            path = path[:-1]
        return bisect_right(self._starts, self._offsets.get(path, 0))


def _offsets(root: AnyNode) -> Iterator[tuple[Path, int]]:
    yield (), root.at
    stack: list[tuple[Path, AnyNode]] = [((), root)]
    while stack:
        path, node = stack.pop()
        if len(path) == _DEPTH:
            continue
        for step, at, value in _below(node):
            yield (*path, step), at
            if isinstance(value, Map | Seq):
                stack.append(((*path, step), value))


def _below(node: AnyNode) -> Iterator[tuple[str | int, int, AnyNode | None]]:
    if isinstance(node, Map):
        for pair in node.items:
            key = pair.key.value if isinstance(pair.key, Scalar) else None
            if isinstance(key, str | float | bool):
                yield from_units(primitive_text(key)), pair.key.at, pair.value
    elif isinstance(node, Seq):
        for position, item in enumerate(node.items):
            value = item.key if isinstance(item, Pair) else item
            yield position, value.at, None if isinstance(item, Pair) else value
