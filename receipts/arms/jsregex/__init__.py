"""JavaScript's regular expressions, searched by Python's.

Patterns of checks have the meaning that JavaScript gives them without flags: UTF-16 units, ASCII
digits and word characters, JavaScript's white space, and the leniency that browsers keep. `reader`
makes a tree of a pattern, refusing what JavaScript refuses; `writer` writes that tree for Python's
`re`, refusing what would mean something else there; `tree` knows widths and what can never match.
"""

import re
from dataclasses import dataclass

from receipts.arms.jsregex import reader, tree, writer
from receipts.arms.jsregex.errors import RegexError
from receipts.jsyaml.units import to_units

__all__ = ["Pattern", "RegexError", "compiled"]

_LONGEST = 10_000


@dataclass(frozen=True)
class Pattern:
    """A pattern that can be searched for.

    Attributes:
        source: As it was written.
        python: What `re` reads, with `re.ASCII`, to search a text of UTF-16 units.
        never_matches: Whether no text at all can match. False proves nothing.
    """

    source: str
    python: str
    never_matches: bool


def compiled(source: str) -> Pattern:
    """Read a pattern.

    Raises:
        RegexError: JavaScript refuses it, or Python cannot be made to give it the same meaning.
    """
    if len(source) > _LONGEST:
        raise RegexError(f"it has more than {_LONGEST:,} characters")
    found = reader.read(to_units(source))
    python = writer.write(found)
    try:
        re.compile(python, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise RegexError(f"Python's `re` cannot hold it ({error})") from error
    return Pattern(source, python, tree.never_matches(found))
