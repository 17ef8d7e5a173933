"""One answer graded by its case's rule. Pure: no rule looks at anything but its arguments."""

from collections.abc import Mapping
from typing import NamedTuple

from receipts.golden import numerals
from receipts.golden.rules import Concept, Exact, Numeric, Rubric, Rule, rule_of
from receipts.golden.words import as_text, normalised

NEEDS_DATA = "needs-data"
SUPERSEDED = "superseded"


class Grade(NamedTuple):
    """What became of one case.

    Attributes:
        outcome: `passed`, `failed`, `needs-review` (a rubric), `error`, `skipped` (needs-data) or
            `excluded` (superseded).
        forgiven: Whether the failure is one that the case declares acceptable, with a reason.
        reason: Why it is forgiven, or what the error is; else empty.
    """

    outcome: str
    forgiven: bool = False
    reason: str = ""


_PASSED = Grade("passed")
_FAILED = Grade("failed")


def grade(case: Mapping[str, object], answer: object) -> Grade:
    """Grade an answer by the rule of its case.

    Args:
        case: A line of `golden.jsonl`.
        answer: What the subject said: a text, or what its function returned. None is no answer.
    """
    status = case.get("status")
    if status == SUPERSEDED:
        return Grade("excluded")
    if status == NEEDS_DATA:
        return Grade("skipped")
    try:
        rule = checked_rule(case)
        if answer is None:
            raise ValueError("the subject gave no answer")
        if isinstance(rule, Rubric):
            return Grade("needs-review")
        if _is_right(rule, case, answer):
            return _PASSED
    except ValueError as error:
        return Grade("error", reason=str(error))
    reason = forgiven_for(case)
    return Grade("failed", forgiven=True, reason=reason) if reason else _FAILED


def checked_rule(case: Mapping[str, object]) -> Rule:
    """Return the rule of a case that can be graded by it, whatever the answer will be.

    Raises:
        ValueError: The rule, its tolerance, `parse` or what is expected cannot be used.
    """
    rule = rule_of(case)
    if isinstance(rule, Rubric):
        return rule
    expected = case.get("expected")
    if expected is None or (isinstance(expected, list) and None in expected):
        # Never compared as the word: an answer of "None" would be right.
        raise ValueError("nothing is expected: `expected` is null or missing")
    if isinstance(rule, Numeric) and case.get("parse") is not None:
        numerals.label_of(case["parse"])
    as_text(expected)
    return rule


def exact(expected: object, answer: object, *, case_sensitive: bool = False) -> bool:
    """Say whether an answer equals what is expected, both normalised."""
    fold = not case_sensitive
    return normalised(as_text(expected), fold=fold) == normalised(as_text(answer), fold=fold)


def concept(expected: object, answer: object) -> bool:
    """Say whether every expected keyword is somewhere in the answer, both normalised.

    Keywords are separated by ASCII commas, or are the items of a list. Without any keyword nothing
    passes. Neither word borders nor negations are seen: this is a floor.
    """
    parts = expected if isinstance(expected, list) else as_text(expected).split(",")
    keywords = [keyword for part in parts if (keyword := normalised(as_text(part)))]
    text = normalised(as_text(answer))
    return bool(keywords) and all(keyword in text for keyword in keywords)


def numeric(expected: object, answer: object, rule: Numeric, label: str | None = None) -> bool:
    """Say whether the answer's number, behind a label if there is one, is within the tolerance."""
    right = numerals.first_number(expected)
    given = numerals.first_number(answer, label)
    if right is None or given is None:
        return False
    return numerals.is_within(given, right, rule.width, in_percent=rule.in_percent)


def forgiven_for(case: Mapping[str, object]) -> str:
    """Return the written reason for which a wrong answer is acceptable, or an empty text.

    Two shapes declare it: `true` with a `reason` beside it, and an object with a `reason` of its
    own. Only text that is not blank is a reason.
    """
    declared = case.get("acceptable_failure")
    if declared is True:
        reason = case.get("reason")
    else:
        reason = declared.get("reason") if isinstance(declared, dict) else None
    return reason if isinstance(reason, str) and reason.strip() else ""


def _is_right(rule: Rule, case: Mapping[str, object], answer: object) -> bool:
    expected = case["expected"]
    if isinstance(rule, Exact):
        # Only JSON's true: the text "false" would switch it on.
        return exact(expected, answer, case_sensitive=case.get("case_sensitive") is True)
    if isinstance(rule, Concept):
        return concept(expected, answer)
    if isinstance(rule, Numeric):
        parse = case.get("parse")
        label = None if parse is None else numerals.label_of(parse)
        return numeric(expected, answer, rule, label)
    raise AssertionError(f"{rule} is no rule of a machine")
