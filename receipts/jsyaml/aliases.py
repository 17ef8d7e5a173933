"""Which anchor each alias means, and how many expansions npm `yaml` counts for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from receipts.jsyaml.errors import AliasError, Fault, Unsupported
from receipts.jsyaml.nodes import Alias, AnyNode, Map, Pair, Scalar, Seq

if TYPE_CHECKING:
    from receipts.jsyaml.foreign import Data

_MAX_EXPANSIONS = 100
# Steps of counting after which no answer is given: far beyond any text that a person writes.
_WORK_LIMIT = 5_000_000


class Anchored:
    """What an anchored node became, and how often it has been asked for."""

    __slots__ = ("aliases_inside", "count", "result")

    def __init__(self) -> None:
        self.result: Data = None
        self.count = 1
        self.aliases_inside = 0


class Aliases:
    """The anchors of one document while its data is built."""

    def __init__(self, root: AnyNode) -> None:
        self.anchored: dict[AnyNode, Anchored] = {}
        self._targets: dict[Alias, AnyNode | None] = {}
        self._shapes: dict[AnyNode, tuple[int, list[AnyNode]]] = {}
        self._work = 0
        latest: dict[str, AnyNode] = {}
        for node in _walk(root):
            if isinstance(node, Alias):
                self._targets[node] = latest.get(node.name)
            elif node is not None and node.anchor:
                latest[node.anchor] = node

    def target(self, alias: Alias) -> AnyNode | None:
        """Return the last node before the alias that carries its name."""
        return self._targets[alias]

    def names(self) -> set[str]:
        """Return the names of the anchors met so far."""
        return {node.anchor for node in self.anchored if node.anchor}

    def count(self, alias: Alias, source: AnyNode) -> None:
        """Count one expansion.

        Raises:
            Fault: There are too many.
        """
        anchored = self.anchored[source]
        anchored.count += 1
        if anchored.aliases_inside == 0:
            anchored.aliases_inside = self._inside(source)
        if anchored.count * anchored.aliases_inside > _MAX_EXPANSIONS:
            message = "Excessive alias count indicates a resource exhaustion attack"
            raise Fault(message, alias.at, AliasError)

    def _inside(self, source: AnyNode) -> int:
        if source not in self._shapes:
            self._shapes[source] = self._shape(source)
        count, targets = self._shapes[source]
        self._spend(len(targets))
        for target in targets:
            anchored = self.anchored.get(target)
            if anchored:
                count = max(count, anchored.count * anchored.aliases_inside)
        return count

    def _shape(self, source: AnyNode) -> tuple[int, list[AnyNode]]:
        """Return 1 when a leaf is inside, else 0, and the distinct targets of aliases inside."""
        leaf = 0
        targets: dict[AnyNode, None] = {}
        for node in _walk(source):
            self._spend(1)
            if isinstance(node, Alias):
                target = self._targets[node]
                if target is not None:
                    targets[target] = None
            elif node is None or isinstance(node, Scalar):
                leaf = 1
        return leaf, list(targets)

    def _spend(self, steps: int) -> None:
        self._work += steps
        if self._work > _WORK_LIMIT:
            raise Fault("Too many aliases to count", 0, Unsupported)


def _walk(root: AnyNode) -> Iterator[AnyNode | None]:
    """Yield every node in document order, None for a pair's missing value."""
    stack: list[Iterator[AnyNode | Pair | None]] = [iter((root,))]
    while stack:
        item = next(stack[-1], stack)
        if item is stack:
            stack.pop()
        elif isinstance(item, Pair):
            stack.append(iter((item.key, item.value)))
        elif item is None or isinstance(item, Scalar | Alias | Map | Seq):
            yield item
            if isinstance(item, Map | Seq):
                stack.append(iter(item.items))
