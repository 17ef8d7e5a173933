import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts.golden import grade
from receipts.golden.grading import concept, exact
from receipts.golden.words import normalised
from tests.parts import examples
from tests.receipts.golden.cases import rows, shared_rows, split

SAMPLE = rows("grading.jsonl")


def answer_of(subject: dict[str, Any]) -> object:
    """Return what the subject of a row said; None when it gave no answer."""
    if "raises" in subject or subject.get("exit"):
        return None
    return next(subject[key] for key in ("answer", "returns", "stdout") if key in subject)


def check(row: dict[str, Any]) -> None:
    """Hold one row to what is wanted."""
    got = grade(row["case"], answer_of(row["subject"]))
    assert got.outcome == row["want"]["outcome"], row["why"]
    assert got.forgiven is row["want"]["acceptable_failure_applied"]
    assert bool(got.reason) is (got.forgiven or got.outcome == "error")


@pytest.mark.parametrize("row", split(SAMPLE, contested=False))
def test_a_case_is_graded(row: dict[str, Any]) -> None:
    check(row)


@pytest.mark.parametrize("row", split(SAMPLE, contested=True))
def test_a_case_that_another_reading_grades_otherwise(row: dict[str, Any]) -> None:
    check(row)


def test_every_shared_case() -> None:
    wrong = []
    for row in shared_rows("grading.jsonl"):
        try:
            check(row)
        except AssertionError as error:
            wrong.append((row["id"], str(error).splitlines()[:2]))
    assert wrong == []


@pytest.mark.parametrize(
    ("expected", "answer", "is_right"),
    [
        ("0", "0,123", True),
        ("123", "0,123", False),
        ("1234", "1,234 or so", True),
        ("1234", "1'234", True),
        ("1234567", "1\u202f234\u202f567", True),
        ("1", "1,234,56", True),
        ("1", "1,234\u00a0567", True),
        ("1234567", "１，２３４，５６７", True),
        ("2.5", "２．５", True),
        ("-5", "-$5", True),
        ("5", "US-5", True),
        ("5", "No.5", True),
        ("5", "well...5", True),
        ("0.001", "1e\u22123", True),
        ("5", "5e", True),
        ("3", "1e99999999999999999999999999 3", False),
        ("12", "१२", True),
        ("-5", "－5", True),
        ("5", "+5", True),
    ],
)
def test_numbers_as_people_write_them(expected: str, answer: str, is_right: bool) -> None:
    case = {"expected": expected, "grade_rule": "numeric-tolerance:0"}
    assert (grade(case, answer).outcome == "passed") is is_right


@pytest.mark.parametrize(
    ("label", "answer", "outcome"),
    [
        ("label:total", "subtotal 40, total 42", "passed"),
        ("label:total", "subtotal 42", "failed"),
        ("label:grand total", "Grand\nTotal: 42", "passed"),
        ("label:total", "total-42", "passed"),
        ("label:", "42", "error"),
        ("total", "42", "error"),
        (7, "42", "error"),
        (None, "42", "passed"),
    ],
)
def test_the_number_behind_a_label(label: object, answer: str, outcome: str) -> None:
    case = {"expected": 42, "grade_rule": "numeric-tolerance:0", "parse": label}
    assert grade(case, answer).outcome == outcome


@pytest.mark.parametrize(
    "rule",
    [
        *("inf", "nan", "-1", "2%%", "1_0", "", "1e9999999999999999", "\t1", "1 0", "٥"),
        *(" exact", "exact ", "rubric", "", -5, True, ["exact"]),
    ],
)
def test_a_rule_that_cannot_be_read_is_an_error_of_its_case(rule: object) -> None:
    for spelled in (rule, f"numeric-tolerance:{rule}"):
        assert grade({"expected": "5", "grade_rule": spelled}, "5").outcome == "error"


@pytest.mark.parametrize("rule", [".5", "0.5", " 5e-1 ", "10%", "10 %", "1e1%", "0.", "00.50"])
def test_tolerances_that_can_be_read(rule: str) -> None:
    case = {"expected": "5", "grade_rule": f"numeric-tolerance:{rule}"}
    assert grade(case, "5").outcome == "passed"


def test_a_width_is_exact_however_far_apart_the_digits_are() -> None:
    case = {"expected": "1e400", "grade_rule": "numeric-tolerance:0.1"}
    assert grade(case, "1" + "0" * 400 + ".1").outcome == "passed"
    assert grade(case, "1" + "0" * 400 + ".1000000001").outcome == "failed"


def test_an_integer_beyond_what_python_writes() -> None:
    digits = "7" * 5000
    case = {"expected": digits, "grade_rule": "exact"}
    assert grade(case, int("7" * 4000) * 10**1000 + int("7" * 1000)).outcome == "passed"


def test_normalising_twice_changes_nothing_for_any_character() -> None:
    for number in range(0x110000):
        character = chr(number)
        if unicodedata.category(character) != "Cn":
            once = normalised(f"a{character}\u0301b")
            assert normalised(once) == once, hex(number)


texts = st.text(max_size=40)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
rules = st.sampled_from(
    ["exact", "concept", "rubric:tone", "numeric-tolerance:1", "numeric-tolerance:5%"]
)
cases = st.dictionaries(
    st.sampled_from(
        ["expected", "status", "acceptable_failure", "reason", "case_sensitive", "parse"]
    ),
    anything,
)
numberish = st.text(alphabet="0123456789.,-+eE%$ '\u00a0\u202f\u2212\u2013½²４label:total")


@settings(max_examples=examples(500))
@given(texts, texts)
def test_grading_is_symmetric_under_normalisation(expected: str, answer: str) -> None:
    assert exact(expected, answer) == exact(answer, expected)
    assert exact(expected, answer) == exact(normalised(expected), normalised(answer))
    assert exact(expected, normalised(expected))
    if "," not in expected + normalised(expected):
        assert concept(expected, answer) == concept(normalised(expected), normalised(answer))


@settings(max_examples=examples(500))
@given(cases, rules | anything, anything | numberish)
def test_no_input_crashes_the_grader(case: dict[str, object], rule: object, answer: object) -> None:
    got = grade({**case, "grade_rule": rule}, answer)
    assert got.outcome in {"passed", "failed", "needs-review", "error", "skipped", "excluded"}
    assert not got.forgiven or got.outcome == "failed"


@settings(max_examples=examples(500))
@given(numberish, numberish, st.sampled_from(["0", "1", "2.5%", "1e-3"]))
def test_numbers_compare_alike_from_both_sides(one: str, other: str, width: str) -> None:
    rule = f"numeric-tolerance:{width}"
    there = grade({"expected": one, "grade_rule": rule}, other).outcome
    back = grade({"expected": other, "grade_rule": rule}, one).outcome
    assert there == back or width.endswith("%")


def test_no_depth_crashes_the_grader() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    assert grade({"expected": "x", "grade_rule": "exact"}, deep).outcome == "error"
    assert grade({"expected": deep, "grade_rule": "concept"}, "x").outcome == "error"
