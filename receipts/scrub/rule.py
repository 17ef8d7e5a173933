"""What a rule is, and how one rule finds its secrets in a text."""

import functools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

Span = tuple[int, int]


class Rule(NamedTuple):
    """One kind of secret.

    Attributes:
        name: What the user reads: `github-token`.
        what: What it is, in a few words.
        keywords: The rule runs only where one of these occurs; of a rule that ignores case, all
            are lower case. A text without them costs one search each.
        pattern: Finds it; the group `secret` is what is hidden, the whole match without one.
            It must be linear on any text: repetitions are possessive or bounded, and none starts
            over inside its own run. One that ignores case starts with a keyword.
        accept: Judges what was found.
        ignores_case: Whether keywords and pattern ignore case.
        finder: Finds it where a pattern cannot; used instead of `pattern`.
    """

    name: str
    what: str
    keywords: tuple[str, ...]
    pattern: str = ""
    accept: Callable[[str], bool] | None = None
    ignores_case: bool = False
    finder: Callable[[str], Iterator[Span]] | None = None

    def spans(self, text: str) -> Iterator[Span]:
        """Yield start and end of every secret of this kind; the keywords have been seen."""
        if self.finder is not None:
            yield from self.finder(text)
            return
        pattern = compiled(self.pattern, ignores_case=self.ignores_case)
        group = "secret" if "secret" in pattern.groupindex else 0
        found = (
            matches_at(self.keywords, pattern, text)
            if self.ignores_case
            else pattern.finditer(text)
        )
        for match in found:
            if self.accept is None or self.accept(match[group]):
                yield match.span(group)


@functools.cache
def compiled(pattern: str, *, ignores_case: bool = False) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: few texts need more than a handful of rules."""
    return re.compile(pattern, re.ASCII | (re.IGNORECASE if ignores_case else 0))


def matches_at(
    words: tuple[str, ...], pattern: re.Pattern[str], text: str
) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that ignores case and starts with one of some words.

    Ten times faster than a search that ignores case: the words (patterns of lower case) are found
    in lower-case text, and the pattern is tried there.
    """
    done = 0
    for word in compiled("|".join(words)).finditer(lowered(text)):
        if word.start() >= done and (match := pattern.match(text, word.start())):
            done = match.end()
            yield match


def lowered(text: str) -> str:
    """Return a text in lower case and of the same length; of `İ` two characters would become."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.replace("\u0130", "i").lower()


# What ends before a token although its last character is a letter or a digit: an escape (`\n`,
# `\x1b`, `\u0022`, `%3D`, `=3D` in quoted-printable), or a colour code, however that is written.
_ESCAPES = (
    r"\\[bfnrt]|[\d;\[]m|\[K",
    r"%[0-9A-Fa-f]{2}|=3D",
    r"\\x[0-9A-Fa-f]{2}",
    r"\\u[0-9A-Fa-f]{4}",
)
WORD = "A-Za-z0-9_"
"""The class of the characters of names."""


def standing_alone(prefix: str, word: str = WORD) -> str:
    r"""Return a pattern for a prefix that is not the tail of a longer word.

    The letter of an escape (`\n`, `\u0022`, `%20`) or of a colour code is not part of the word, and
    no match starts with such a letter, so that the escape stays whole. Nor are the underscores
    that open Markdown's emphasis.
    The prefix comes first and what stands before it is checked afterwards, because a search for
    fixed text is many times faster than one for a place.

    Args:
        prefix: A pattern of fixed width.
        word: The class of the characters that it may be the tail of.
    """
    if word == WORD and prefix.endswith(("-", r"\.")):
        word = (
            "A-Za-z0-9"  # no name goes on behind these, so the underscore of `MY_glpat-` ends one
        )
    alone = [rf"(?<![\\{word}]{prefix})"]
    if prefix.startswith("["):  # then the first character could be within `%3D`
        alone[0] += rf"(?<!%{prefix})"
    alone += [rf"(?<=(?:{escapes}){prefix})" for escapes in _ESCAPES]
    if "_" in word:
        alone += [rf"(?<={marks}{prefix})(?<![{word}]{marks}{prefix})" for marks in ("_", "__")]
    return rf"{prefix}(?:{'|'.join(alone)})"
