"""YAML as the reference tool reads it, with the line of everything in it.

That is PyYAML's reading, YAML 1.1: an unquoted `yes` is no text. Documents are looked at as nodes,
before they become data: a node knows its line, and whether a key was repeated. Only types that the
asker names are accepted, nothing is made of tags that the author of a file chose.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from receipts.attempts.specs.problems import Place, Problems
from receipts.filenames import shown
from receipts.nearest import did_you_mean

LIMIT = 4 << 20
"""Bytes that a spec, or a file that it names, may have."""

_TAG = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset(
    _TAG + kind
    for kind in ("str", "null", "bool", "int", "float", "timestamp", "map", "seq", "merge")
)
_WORDS = {
    **dict.fromkeys(("yes", "y", "on", "true", "t", "1"), True),
    **dict.fromkeys(("no", "n", "off", "false", "f", "0"), False),
}
"""Texts that count as booleans, whatever their case."""


class Value:
    """Something in a YAML file.

    Attributes:
        place: The file and the line.
        is_null: Whether it is there and empty.
    """

    def __init__(self, node: Node, file: str, problems: Problems, line: int | None = None) -> None:
        self._node = node
        self._file = file
        self._problems = problems
        self.place = Place(file, _line(node) if line is None else line)
        self.is_null = node.tag == f"{_TAG}null"

    def refuse(self, sentence: str) -> None:
        """Say that it cannot be used; the sentence comes without its full stop."""
        self._problems.add(self.place, sentence)

    def is_text(self) -> bool:
        """Say whether it is text."""
        return _is_text(self._node)

    def is_empty(self) -> bool:
        """Say whether it is a list or a mapping of nothing."""
        return not isinstance(self._node, ScalarNode) and not self._node.value

    def is_fields(self) -> bool:
        """Say whether it is a mapping."""
        return _is_mapping(self._node)

    def text(self, who: str) -> str | None:
        """Return it as text, or None after refusing it."""
        if _is_text(self._node):
            return self._whole(str(self._node.value), who)
        is_word = isinstance(self._node, ScalarNode) and not self.is_null
        hint = "; put it in quotes" if is_word else ""
        self.refuse(f"{who} must be text, and is {self._what()}{hint}")
        return None

    def boolean(self, who: str) -> bool | None:
        """Return it as a boolean, words such as `yes` in quotes included, or None."""
        if isinstance(self._node, ScalarNode):
            word = str(self._node.value).lower()
            if self._node.tag == f"{_TAG}float":
                word = {"1.0": "1", "0.0": "0"}.get(word, word)
            if word in _WORDS:
                return _WORDS[word]
        self.refuse(f"{who} must be true or false, and is {self._what()}")
        return None

    def number(self, who: str) -> float | int | None:
        """Return it as a number, or None after refusing it."""
        if self._node.tag in (f"{_TAG}int", f"{_TAG}float"):
            try:
                value = yaml.SafeLoader("").construct_object(self._node)
            except (ValueError, yaml.YAMLError, OverflowError):
                value = None
            if isinstance(value, (int, float)):
                return value
        self.refuse(f"{who} must be a number, and is {self._what()}")
        return None

    def items(self, who: str) -> "list[Value] | None":
        """Return it as a list, or None after refusing it."""
        if isinstance(self._node, SequenceNode) and self._node.tag == f"{_TAG}seq":
            return [self._value(node) for node in self._node.value]
        self.refuse(f"{who} must be a list, and is {self._what()}")
        return None

    def texts(self, who: str) -> tuple[str, ...]:
        """Return it as a list of texts, without those that were refused."""
        found = (
            item.text(f"item {number} of {who}")
            for number, item in enumerate(self.items(who) or (), 1)
        )
        return tuple(text for text in found if text is not None)

    def pairs(self, who: str) -> "list[tuple[str, Value]]":
        """Return it as a mapping whose keys are the author's, without those that were refused."""
        if not _is_mapping(self._node):
            self.refuse(f"{who} must be a mapping, and is {self._what()}")
            return []
        return [(key.value, self._value(node, _line(key))) for key, node in self._flattened(who)]

    def fields(
        self, who: str, known: Iterable[str], retired: Mapping[str, str] | None = None
    ) -> "Fields | None":
        """Return it as a mapping of known keys, or None after refusing what is none.

        An unknown key is refused, with the one that may have been meant, and a retired one with
        what became of it.
        """
        if not _is_mapping(self._node):
            self.refuse(f"{who} must be a mapping, and is {self._what()}")
            return None
        names = tuple(known)
        found = dict(self.pairs(who))
        for key, value in found.items():
            if key not in names:
                value.refuse((retired or {}).get(key) or _unknown(key, who, names))
        return Fields(self, found)

    def _whole(self, text: str, who: str) -> str | None:
        try:
            text.encode()
        except UnicodeEncodeError:  # an escape such as `\ud800`
            self.refuse(f"{who} holds half a character, which no file can hold")
            return None
        return text

    def _value(self, node: Node, line: int | None = None) -> "Value":
        return Value(node, self._file, self._problems, line)

    def _what(self) -> str:
        if _is_mapping(self._node):
            return "a mapping"
        if isinstance(self._node, SequenceNode):
            return "a list"
        if not isinstance(self._node, ScalarNode):
            return f"of the type {shown(self._node.tag)}"
        if self.is_null:
            return "empty"
        kind = self._node.tag.removeprefix(_TAG)
        name = {"bool": "the boolean", "timestamp": "the date", "str": "the text"}.get(kind)
        return f"{name or 'the number'} {shown(self._node.value)}"

    def _flattened(self, who: str) -> Iterator[tuple[Node, Node]]:
        """Yield the pairs of a mapping; its own come before those that it merges.

        Of merged mappings the first counts, and one that was looked at is not looked at again.
        """
        taken: set[str] = set()
        seen: set[int] = set()
        pending = [self._node]
        while pending:
            node = pending.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            merged: list[Node] = []
            for key, value in node.value:
                if key.tag == f"{_TAG}merge":
                    merged += self._merged(value, who)
                elif not _is_text(key):
                    self._value(key).refuse(f"a key of {who} is no text; put it in quotes")
                elif key.value not in taken:
                    taken.add(key.value)
                    yield key, value
            pending = [*merged, *pending]

    def _merged(self, value: Node, who: str) -> list[Node]:
        nodes = value.value if isinstance(value, SequenceNode) else [value]
        if not all(map(_is_mapping, nodes)):
            self._value(value).refuse(f"`<<` in {who} merges mappings, and this is none")
            return []
        return list(nodes)


class Fields:
    """A mapping of known keys.

    Attributes:
        value: The mapping itself, for its place.
    """

    def __init__(self, value: Value, found: dict[str, Value]) -> None:
        self.value = value
        self._found = found

    def get(self, key: str) -> Value | None:
        """Return what a key holds, perhaps nothing; None when it is not there."""
        return self._found.get(key)

    def given(self, key: str) -> Value | None:
        """Return what a key holds; None when it is not there or empty."""
        value = self._found.get(key)
        return None if value is None or value.is_null else value

    def needed(self, key: str, who: str) -> Value | None:
        """Return what a key holds, or None after refusing that it is not there."""
        value = self._found.get(key)
        if value is None:
            self.value.refuse(f"{who} has no '{key}'")
        return value


def document(data: bytes, file: str, problems: Problems) -> Value | None:
    """Return the only document of a file; None after refusing it, or when it is empty."""
    try:
        root = yaml.compose(data.decode(), Loader=yaml.SafeLoader)
        is_readable = root is None or _check(root, file, problems)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        problems.add(Place(file, line), f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8")
    except yaml.YAMLError as error:
        line, why = _explained(error, data)
        problems.add(Place(file, line), f"this is no YAML that can be read: {why}")
    except RecursionError:
        problems.add(Place(file, 0), "it is nested too deeply to be read")
    else:
        return Value(root, file, problems) if root is not None and is_readable else None
    return None


def _check(root: Node, file: str, problems: Problems) -> bool:
    """Refuse repeated keys and types of the author's own, wherever they stand.

    Returns:
        Whether all types are known, so that it is worth to look further.
    """
    is_readable = True
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.tag not in _KNOWN_TAGS:
            what = "`=` alone; put it in quotes" if node.value == "=" else shown(node.tag)
            problems.add(Place(file, _line(node)), f"there is no type {what}")
            is_readable = False
        if isinstance(node, SequenceNode):
            pending += node.value
        elif isinstance(node, MappingNode):
            _check_keys(node, file, problems)
            pending += [part for pair in node.value for part in pair]
    return is_readable


def _check_keys(node: MappingNode, file: str, problems: Problems) -> None:
    lines: dict[tuple[str, Any], int] = {}
    for key, _ in node.value:
        if not isinstance(key, ScalarNode) or key.tag == f"{_TAG}merge":
            continue
        first = lines.get((key.tag, key.value))
        if first is None:
            lines[key.tag, key.value] = _line(key)
        else:
            sentence = f"the key {shown(key.value)!r} stands in line {first} already"
            problems.add(Place(file, _line(key)), sentence)


def _unknown(key: str, who: str, names: tuple[str, ...]) -> str:
    hint = did_you_mean(key, names, "'{}'") or f"Known are {', '.join(names)}."
    return f"unknown key {shown(key)!r} in {who}. {hint}"


def _explained(error: yaml.YAMLError, data: bytes) -> tuple[int, str]:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if mark is not None:
        return mark.line + 1, str(why)
    position = getattr(error, "position", None)
    text = data.decode()
    line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
    character = getattr(error, "character", None)
    if isinstance(character, int):
        why = f"the character U+{character:04X} is not allowed"
    return line, str(why)


def _is_text(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == f"{_TAG}str"


def _is_mapping(node: Node) -> bool:
    return isinstance(node, MappingNode) and node.tag == f"{_TAG}map"


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
