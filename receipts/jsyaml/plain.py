"""Turns nodes into plain data, as npm `yaml`'s `toJS` does."""

from typing import TypeAlias

from receipts.jsyaml.aliases import Aliases, Anchored
from receipts.jsyaml.compose import Composed
from receipts.jsyaml.errors import AliasError, Fault, Unsupported
from receipts.jsyaml.foreign import Data, Foreign, JsBytes, JsDate, JsMap, JsSet
from receipts.jsyaml.jsnumber import number_text
from receipts.jsyaml.nodes import Alias, AnyNode, Map, MergeKey, Pair, Scalar, Seq
from receipts.jsyaml.trampoline import Steps, run
from receipts.jsyaml.units import from_units

# Merged maps are built anew for every merge, so a few lines can ask for any amount of work.
_MERGE_LIMIT = 100_000
_MERGE_DEPTH = 600
_NAME_DEPTH = 50
_CLASS_NAMES = {dict: "Object", JsMap: "Map", JsSet: "Set"}
_DATE_AS_KEY = "The text of a date as a key depends on the time zone"


def plain_data(composed: Composed) -> Data:
    """Return a document's data.

    Raises:
        Fault: An alias has no anchor, or too many are expanded.
    """
    if composed.root is None:
        return None
    builder = _Plain(composed, composed.root)
    data = run(builder.data(composed.root))
    if builder.has_symbol and _holds_symbol(data):
        raise Fault("A merge key as a value cannot be written", 0, Unsupported)
    return data


class _Keyed:
    """A `Map` in the making. A set is one without values."""

    def __init__(self) -> None:
        self._entries: dict[object, tuple[Data, Data]] = {}

    def set(self, key: Data, value: Data) -> None:
        mark = _mark(key)
        known = self._entries.get(mark)
        # Zero has no sign as a key.
        own = known[0] if known else key + 0.0 if isinstance(key, float) else key
        self._entries[mark] = (own, value)

    def has(self, key: Data) -> bool:
        return _mark(key) in self._entries

    def entries(self) -> list[tuple[Data, Data]]:
        return list(self._entries.values())


def _mark(key: Data) -> object:
    """Return what tells keys of a `Map` apart: NaN equals itself, objects only themselves."""
    if key is None or isinstance(key, str | float | bool):
        return type(key), "NaN" if key != key else key
    return id(key)


_Target: TypeAlias = dict[str, Data] | _Keyed


class _Plain:
    def __init__(self, composed: Composed, root: AnyNode) -> None:
        self.schema = composed.schema
        self.directives = composed.directives
        self.aliases = Aliases(root)
        self.has_symbol = False
        self._merges = 0
        self._merge_depth = 0

    def data(self, node: AnyNode | None) -> Steps[Data]:
        """Build the data of any node."""
        match node:
            case None:
                return None
            case Scalar():
                return self._scalar(node)
            case Alias():
                return (yield from self._alias(node))
            case Map():
                return (yield from self._map(node))
            case Seq():
                return (yield from self._seq(node))

    def _scalar(self, node: Scalar) -> Data:
        value: Data = node.value
        if isinstance(value, MergeKey):
            self.has_symbol = True
        elif isinstance(value, str):
            value = from_units(value)
        self._created(node, value)
        return value

    def _created(self, node: AnyNode, result: Data) -> None:
        """Let aliases find a node's data, for a collection before it is filled."""
        if node.anchor:
            anchored = self.aliases.anchored[node] = Anchored()
            anchored.result = result

    def _alias(self, alias: Alias) -> Steps[Data]:
        source = self.aliases.target(alias)
        if source is None:
            raise Fault(f"Unresolved alias: {alias.name}", alias.at, AliasError)
        if source not in self.aliases.anchored:
            yield self.data(source)
        self.aliases.count(alias, source)
        return self.aliases.anchored[source].result

    def _seq(self, node: Seq) -> Steps[Data]:
        if node.kind == "omap":
            return (yield from self._ordered_map(node))
        out: list[Data] = []
        self._created(node, out)
        for item in node.items:
            if isinstance(item, Pair):
                single: dict[str, Data] = {}
                yield self._add(single, item)
                out.append(single)
            elif isinstance(item, Scalar):
                out.append(self._scalar(item))
            else:
                out.append((yield self.data(item)))
        return out

    def _ordered_map(self, node: Seq) -> Steps[JsMap]:
        out = JsMap([])
        self._created(node, out)
        keyed = _Keyed()
        for pair in node.items:
            if not isinstance(pair, Pair):
                continue
            key = yield self.data(pair.key)
            value = yield self.data(pair.value)
            if keyed.has(key):
                raise Fault("Ordered maps must not include duplicate keys", node.end, AliasError)
            keyed.set(key, value)
        out.entries.extend(keyed.entries())
        return out

    def _map(self, node: Map) -> Steps[Data]:
        if node.kind == "set":
            items = JsSet([])
            self._created(node, items)
            keyed = _Keyed()
            for pair in node.items:
                yield self._add(keyed, pair, as_set=True)
            items.items.extend(key for key, _ in keyed.entries())
            return items
        out: dict[str, Data] = {}
        self._created(node, out)
        for pair in node.items:
            key, value = pair.key, pair.value
            if not isinstance(key, Scalar) or self._merges_into(key):
                yield self._add(out, pair)
                continue
            # The common case, without a step of its own.
            name = self._key_string(key, self._scalar(key))
            if isinstance(value, Scalar):
                out[name] = self._scalar(value)
            else:
                out[name] = yield self.data(value)
        return out

    def _add(self, target: _Target, pair: Pair, *, as_set: bool = False) -> Steps[None]:
        """Add one pair to an object, a `Map` or a `Set`."""
        if self._merges_into(pair.key):
            yield self._merge(target, pair.value)
            return
        key = yield self.data(pair.key)
        if isinstance(target, _Keyed):
            target.set(key, None if as_set else (yield self.data(pair.value)))
            return
        name = self._key_string(pair.key, key)
        target[name] = yield self.data(pair.value)

    def _key_string(self, node: AnyNode, key: Data) -> str:
        """Return the text of a key, as JavaScript objects need it."""
        if not isinstance(key, dict | list | Foreign):
            return "" if key is None else primitive_text(key)
        if isinstance(node, Scalar):
            if isinstance(key, JsBytes):
                return key.data.decode("utf-8", "replace")
            raise Fault(_DATE_AS_KEY, node.end, Unsupported)
        from receipts.jsyaml.keytext import KeyText

        key_text = KeyText(self.schema, self.directives)
        return from_units(key_text.of(node, self.aliases.names()))

    # -- merging ---------------------------------------------------------------------------------

    def _merges_into(self, key: AnyNode) -> bool:
        if not isinstance(key, Scalar):
            return False
        if isinstance(key.value, MergeKey):
            return True
        return key.value == "<<" and key.style == "plain" and self.schema.merges_plain_keys()

    def _merge(self, target: _Target, value: AnyNode | None) -> Steps[None]:
        source = self._resolved(value)
        sources = source.items if isinstance(source, Seq) else [source]
        for item in sources:
            yield self._merge_one(target, None if isinstance(item, Pair) else item)

    def _merge_one(self, target: _Target, value: AnyNode | None) -> Steps[None]:
        source = self._resolved(value)
        if not isinstance(source, Map):
            raise Fault("Merge sources must be maps or map aliases", 0, AliasError)
        if source.kind == "set":
            raise Fault("A set as a merge source", source.end, Unsupported)
        self._merges += 1 + len(source.items)
        if self._merges > _MERGE_LIMIT:
            raise Fault("Too many merges", source.end, Unsupported)
        self._merge_depth += 1
        if self._merge_depth > _MERGE_DEPTH:
            raise Fault("A map merges itself", source.end, AliasError)
        built = _Keyed()
        for pair in source.items:
            yield self._add(built, pair)
        self._merge_depth -= 1
        for key, data in built.entries():
            if isinstance(target, _Keyed):
                if not target.has(key):
                    target.set(key, data)
            elif not isinstance(key, MergeKey):
                # A symbol as a property's name is not among an object's keys.
                target.setdefault(_property_name(key), data)

    def _resolved(self, value: AnyNode | None) -> AnyNode | None:
        return self.aliases.target(value) if isinstance(value, Alias) else value


def primitive_text(value: str | float | MergeKey) -> str:
    """Return `String(value)` of a primitive."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, MergeKey):
        return "Symbol(<<)"
    return value if isinstance(value, str) else number_text(value)


def _property_name(key: Data, depth: int = 0) -> str:
    """Return what JavaScript makes of any value that becomes a property's name."""
    match key:
        case None:
            return "null"
        case list():
            if depth > _NAME_DEPTH:
                raise Fault("Nested lists as a merged key", 0, Unsupported)
            items = ("" if item is None else _property_name(item, depth + 1) for item in key)
            return ",".join(items)
        case dict() | JsMap() | JsSet():
            return f"[object {_CLASS_NAMES[type(key)]}]"
        case JsBytes():
            return key.data.decode("utf-8", "replace")
        case JsDate():
            raise Fault(_DATE_AS_KEY, 0, Unsupported)
        case MergeKey() if depth:
            raise Fault("A merge key inside a merged key", 0, AliasError)
        case _:
            return primitive_text(key)


def _holds_symbol(data: Data) -> bool:
    """Tell whether a merge key is anywhere in the data."""
    seen: set[int] = set()
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, MergeKey):
            return True
        if not isinstance(value, dict | list | JsMap | JsSet) or id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case dict():
                stack.extend(value.values())
            case JsMap():
                stack.extend(part for entry in value.entries for part in entry)
            case JsSet():
                stack.extend(value.items)
            case _:
                stack.extend(value)
    return False
