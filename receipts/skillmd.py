r"""SKILL.md: where its frontmatter is, and the canonical text that the digest measures.

The canonical text drops what a publish writes into the file (`license`, `metadata.id` and
`metadata.author`) and the presentation of the YAML, so that a receipt still fits the bytes after a
teammate has published them. Every rule, odd ones too, is that of the `terum-skills` digest.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

# What JavaScript's `\s` matches. Python's differs: it holds U+001C-001F and U+0085, not U+FEFF.
_SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_OPENING = re.compile(f"---[{_SPACE}]*\n")
_CLOSING = re.compile(r"\r?\n---(\r?\n|\Z)")
# Whoever may write to a team repository could otherwise keep every reader of it busy.
LONGEST_BLOCK = 256 << 10
_BAD_BYTES = "\ufffd"


class Split(NamedTuple):
    """A text cut at its frontmatter; `opening + block + closing + body` is the text again.

    Attributes:
        opening: The opening dashes with their line end and the blank lines it swallows.
        block: The YAML, without the line end before the closing dashes.
        closing: That line end, the dashes, and the line end after them if there is one.
        body: The rest of the text.
        line_end: What follows the closing dashes: LF, CRLF or nothing.
    """

    opening: str
    block: str
    closing: str
    body: str
    line_end: str

    @property
    def start(self) -> int:
        """The offset of the block's first character."""
        return len(self.opening)

    @property
    def end(self) -> int:
        """The offset behind the block's last character."""
        return len(self.opening) + len(self.block)

    @property
    def lines_before(self) -> int:
        """The number of lines before the block, to turn its line numbers into those of the file."""
        return self.opening.count("\n")


class Canonical(NamedTuple):
    """The text that the digest measures.

    `certain` is False when another file, or another reader, may give the same text for other
    reasons than the rules mean; `doubts` says why, one sentence each.
    """

    text: str
    certain: bool
    doubts: tuple[str, ...]


def split(text: str) -> Split | None:
    """Cut a text at its frontmatter, or return None when it has none.

    Takes time in proportion to the text.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSING.search(text, start)
    if closing is None:
        # The blank lines that the opening took may hold the line end that the closing needs. Only
        # the last of them stands before a dash, so one step back tells.
        start = text.rfind("\n", 0, start - 1) + 1
        closing = _CLOSING.search(text, start) if start else None
    if closing is None:
        return None
    return Split(
        text[:start],
        text[start : closing.start()],
        closing[0],
        text[closing.end() :],
        closing[1],
    )


def canonical(data: bytes) -> Canonical:
    """Return the canonical text of a SKILL.md given as bytes.

    Nothing is refused: a file that cannot be canonicalised is measured as its decoded text, and
    the doubts say what that means.
    """
    from receipts import jsyaml

    # Python replaces each maximal bad sequence by one U+FFFD, as the WHATWG decoder does.
    text = data.decode(errors="replace")
    doubts = [] if _BAD_BYTES not in text else _doubt_encoding(data)
    parts = split(text)
    if parts is not None:
        try:
            value = _load(parts.block)
            if isinstance(value, dict):
                emitted = jsyaml.dump(_without_managed(value))
                text = f"---\n{emitted}---{parts.line_end or chr(10)}{parts.body}"
        except jsyaml.YamlError as error:
            doubts.append(
                f"SKILL.md line {parts.lines_before + error.line}: {error.message}; the frontmatter"
                " is measured as raw text, so id, author and license count."
            )
    return Canonical(text, not doubts, tuple(doubts))


def fields(text: str) -> dict[str, Any] | None:
    """Return the data of a text's frontmatter, or None when it has no readable map there.

    The data may be shared with other callers, so they only look at it.
    """
    from receipts import jsyaml

    parts = split(text)
    if parts is None:
        return None
    try:
        value = _load(parts.block)
    except jsyaml.YamlError:
        return None
    return value if isinstance(value, dict) else None


@lru_cache(maxsize=1)  # whoever measures a file goes on to ask what it declares
def _load(block: str) -> Any:  # noqa: ANN401 - any YAML document
    from receipts import jsyaml

    if len(block) > LONGEST_BLOCK:
        raise jsyaml.Unsupported(
            f"the frontmatter has {len(block):,} characters, more than the {LONGEST_BLOCK:,} that "
            "are read"
        )
    return jsyaml.load(block)


def _doubt_encoding(data: bytes) -> list[str]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        return [f"SKILL.md line {line}: byte 0x{byte:02x} is not UTF-8; its digest is not certain."]
    return []  # the text holds a U+FFFD of its own


def _without_managed(value: dict[str, Any]) -> dict[str, Any]:
    kept = {key: item for key, item in value.items() if key != "license"}
    metadata = kept.get("metadata")
    if isinstance(metadata, dict):
        # A copy: what an alias elsewhere makes of the whole map keeps its id and author.
        kept["metadata"] = {
            key: item for key, item in metadata.items() if key not in {"id", "author"}
        }
    return kept
