"""The rules by which an answer is graded, read from their text. Case and blanks matter."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from receipts.golden import numerals

_RUBRIC = "rubric:"
_NUMERIC = "numeric-tolerance:"


class Exact(NamedTuple):
    """The answer equals what is expected."""


class Concept(NamedTuple):
    """Every expected keyword is in the answer."""


class Numeric(NamedTuple):
    """The answer's number is no further than `width` from the expected one."""

    width: Decimal
    in_percent: bool


class Rubric(NamedTuple):
    """A person or a judge scores the answer by the dimensions of a rubric."""

    name: str


Rule = Exact | Concept | Numeric | Rubric


def rule_of(case: Mapping[str, object]) -> Rule:
    """Return the rule of a case; without one it is `exact`.

    Raises:
        ValueError: There is no such rule, or its tolerance cannot be read.
    """
    text = case.get("grade_rule")
    if text is None or text == "exact":
        return Exact()
    if text == "concept":
        return Concept()
    if isinstance(text, str) and text.startswith(_RUBRIC):
        return Rubric(text.removeprefix(_RUBRIC).strip())
    if isinstance(text, str) and text.startswith(_NUMERIC):
        return Numeric(*numerals.tolerance(text.removeprefix(_NUMERIC)))
    raise ValueError(f"there is no grade rule {text!r}")
