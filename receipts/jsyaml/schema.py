"""Which value a scalar's text has: the core schema of YAML 1.2, and what every schema shares."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from receipts.jsyaml.foreign import JsBytes
from receipts.jsyaml.jsnumber import parse_digits, parse_float
from receipts.jsyaml.nodes import MergeKey, Value
from receipts.jsyaml.timestamp import TIMESTAMP, parse_timestamp

TAG = "tag:yaml.org,2002:"
STR = f"{TAG}str"
MERGE = f"{TAG}merge"
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


class UncertainValue(Exception):  # noqa: N818 - no answer rather than a wrong one
    """What the original makes of a text depends on more than the text."""


Resolve: TypeAlias = Callable[[str], Value]


class ScalarTag(NamedTuple):
    """A way to read a scalar.

    `by_text` says that untagged plain scalars matching `test` are read so (`key`: only as keys).
    `form` tells apart the notations of one tag.
    """

    name: str
    resolve: Resolve
    test: re.Pattern[str] | None = None
    by_text: bool | str = True
    form: str = ""

    def reads(self, text: str) -> bool:
        """Tell whether the text has this tag's notation."""
        return self.test is not None and self.test.fullmatch(text) is not None


@dataclass(slots=True, eq=False, repr=False)
class Schema:
    """The tags of one document.

    `known` are tags that join `tags` once the text uses them; `collections` maps the name of a tag
    to the kind of collection that it makes something else of. `collection_tags` are those in use.
    """

    tags: list[ScalarTag]
    known: dict[str, ScalarTag]
    collections: dict[str, str] = field(
        default_factory=lambda: {f"{TAG}set": "map", f"{TAG}omap": "seq", f"{TAG}pairs": "seq"}
    )
    collection_tags: set[str] = field(default_factory=lambda: {f"{TAG}map", f"{TAG}seq"})
    # With what a text that is not a string begins; most texts are told by this alone.
    first_characters: frozenset[str] = frozenset("-+.~0123456789nNtTfF")
    version: str = "1.2"

    def untagged(self, text: str, *, at_key: bool) -> ScalarTag:
        """Return the tag of a plain scalar without one."""
        if text and text[0] not in self.first_characters:
            return STRING
        for tag in self.tags:
            if (tag.by_text is True or (at_key and tag.by_text == "key")) and tag.reads(text):
                return tag
        return STRING

    def tagged(self, name: str, text: str) -> ScalarTag:
        """Return how a scalar with an explicit tag is read: as a string when nothing fits."""
        if name == "!":
            return STRING
        for tag in self.tags:
            if tag.name == name:
                if not (tag.by_text and tag.test):
                    return tag
                if tag.reads(text):
                    return tag
        known = self.known.get(name)
        if known is None:
            return STRING
        self.tags.append(ScalarTag(known.name, known.resolve, by_text=False))
        return known

    def reads_as_other(self, text: str) -> bool:
        """Tell whether the text, written plainly, would not read back as a string."""
        if text and text[0] not in self.first_characters:
            return False
        return any(tag.by_text and tag.name != STR and tag.reads(text) for tag in self.tags)

    def merges_plain_keys(self) -> bool:
        """Tell whether a plain `<<` key merges."""
        return any(tag.name == MERGE and tag.by_text for tag in self.tags)


def _nan_or_infinity(text: str) -> float:
    if text[-3:].lower() == "nan":
        return float("nan")
    return float("-inf" if text[0] == "-" else "inf")


def _binary(text: str) -> JsBytes:
    """Decode base64 as Node's `Buffer` does: up to the padding, odd characters skipped.

    Raises:
        UncertainValue: A character beyond Latin-1, which versions of Node read differently.
    """
    if any(char > "\xff" for char in text):
        raise UncertainValue("Base64 with characters beyond Latin-1")
    text = text.split("=", 1)[0].replace("-", "+").replace("_", "/")
    digits = _NOT_BASE64.sub("", text)
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    import base64

    return JsBytes(base64.b64decode(digits + "=" * (-len(digits) % 4)))


STRING = ScalarTag(STR, lambda text: text)
NULL = ScalarTag(f"{TAG}null", lambda _: None, re.compile(r"(?:~|[Nn]ull|NULL)?"))
NAN_OR_INFINITY = ScalarTag(
    f"{TAG}float", _nan_or_infinity, re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN")
)
BINARY = ScalarTag(f"{TAG}binary", _binary, by_text=False)
TIMESTAMP_TAG = ScalarTag(f"{TAG}timestamp", parse_timestamp, TIMESTAMP)
MERGE_TAG = ScalarTag(MERGE, lambda _: MergeKey(), re.compile(r"<<"), by_text="key")

_CORE = (
    STRING,
    NULL,
    ScalarTag(
        f"{TAG}bool",
        lambda text: text[0] in "tT",
        re.compile(r"[Tt]rue|TRUE|[Ff]alse|FALSE"),
    ),
    ScalarTag(
        f"{TAG}int", lambda text: parse_digits(text[2:], 8), re.compile(r"0o[0-7]+"), form="OCT"
    ),
    ScalarTag(f"{TAG}int", lambda text: parse_digits(text, 10), re.compile(r"[-+]?[0-9]+")),
    ScalarTag(
        f"{TAG}int",
        lambda text: parse_digits(text[2:], 16),
        re.compile(r"0x[0-9a-fA-F]+"),
        form="HEX",
    ),
    NAN_OR_INFINITY,
    ScalarTag(
        f"{TAG}float",
        parse_float,
        re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+"),
        form="EXP",
    ),
    ScalarTag(f"{TAG}float", parse_float, re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)")),
)


def core_schema() -> Schema:
    """Return a fresh core schema of YAML 1.2."""
    known = {tag.name: tag for tag in (BINARY, MERGE_TAG, TIMESTAMP_TAG)}
    return Schema(list(_CORE), known)
