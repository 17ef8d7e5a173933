from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receipts.golden import grade
from receipts.golden.headline import BELOW, MEETS, NO_SCORE, Headline, Share, count, points_below
from receipts.golden.records import encoded, read, record_of
from tests.parts import examples
from tests.receipts.golden.cases import rows, shared_rows, split

SAMPLE = rows("headline.jsonl")
_CASE_OF: dict[str, tuple[dict[str, Any], str | None]] = {
    "P": ({}, "x"),
    "F": ({}, "y"),
    "A": ({"acceptable_failure": {"reason": "known"}}, "y"),
    "E": ({}, None),
    "S": ({"status": "needs-data"}, None),
    "R": ({"grade_rule": "rubric:tone"}, "y"),
    "C": ({"grade_rule": "rubric:tone"}, None),
}


def records(letters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a record for each letter: what the cases of these kinds come to."""
    number = 0
    for category, listed in letters.items():
        pairs = [(letter, 1) for letter in listed] if isinstance(listed, str) else listed
        for letter, times in pairs:
            for _ in range(times if letter != "X" else 0):
                number += 1
                more, answer = _CASE_OF[letter]
                case = {"id": f"c-{number}", "category": category, "expected": "x", **more}
                yield record_of(case, grade(case, answer), answer, model="m-1")


def through_the_file(letters: dict[str, Any]) -> Headline:
    """Return the numbers of what was written and read back."""
    return count(read(encoded(record).decode() for record in records(letters)))


def check(row: dict[str, Any]) -> None:
    """Hold one row to what is wanted."""
    got, want = through_the_file(row["cases_by_category"]), row["want"]
    share = got.overall.share
    assert (share.ok, share.of, got.is_score) == (want["ok"], want["of"], want["kind"] == "score")
    assert not got.is_score or share.percent == want["percent"]
    for category, numbers in want["categories"].items():
        counts = got.categories[category]
        assert (*counts.share, counts.forgiven) == (
            numbers["ok"], numbers["of"], numbers["forgiven"],
        )  # fmt: skip
        assert not got.is_score or counts.share.percent == numbers["percent"]
    overall = got.overall
    assert (overall.graded, overall.errors, overall.skipped, overall.review) == tuple(
        want[name] for name in ("graded", "errored", "skipped", "needs_review")
    )
    assert got.exit_code == want["exit"]


@pytest.mark.parametrize("row", split(SAMPLE, contested=False))
def test_a_run_is_counted(row: dict[str, Any]) -> None:
    check(row)


@pytest.mark.parametrize("row", split(SAMPLE, contested=True))
def test_a_run_that_another_reading_counts_otherwise(row: dict[str, Any]) -> None:
    check(row)


def test_every_shared_run() -> None:
    shared = shared_rows("headline.jsonl")
    assert len(shared) >= 13
    for row in shared:
        check(row)


@pytest.mark.parametrize(
    ("letters", "exit_code", "verdict"),
    [
        ("P", 0, MEETS),
        ("PF", 0, BELOW),
        ("", 2, NO_SCORE),
        ("SSRX", 2, NO_SCORE),
        ("EE", 2, NO_SCORE),
        ("PE", 2, BELOW),
        ("PC", 2, MEETS),
        ("C", 2, NO_SCORE),
        ("FF", 0, BELOW),
        ("PA", 0, MEETS),
    ],
)
def test_exit_code_and_verdict(letters: str, exit_code: int, verdict: str) -> None:
    got = through_the_file({"edge": letters})
    assert (got.exit_code, got.verdict(Fraction(100))) == (exit_code, verdict)


def test_targets_are_compared_exactly_and_missed_by_something() -> None:
    assert Share(3, 4).meets(Fraction(75))
    assert not Share(1, 3).meets(Fraction("33.4"))
    assert points_below(Share(1, 3), Fraction("33.334")) == "0.1"
    assert points_below(Share(5, 9), Fraction(60)) == "4.4"
    assert Share(0, 0).percent is None


letters = st.text(alphabet="PFAESRC", max_size=30)


@settings(max_examples=examples(500))
@given(letters, letters)
def test_adding_a_passing_case_never_lowers_a_rate(first: str, second: str) -> None:
    before = through_the_file({"edge": first, "refusal": second})
    after = through_the_file({"edge": first + "P", "refusal": second})
    for one, other in [
        (before.overall.share, after.overall.share),
        (before.categories.get("edge", before.overall).share, after.categories["edge"].share),
    ]:
        assert not one.of or Fraction(*other) >= Fraction(*one)
    assert not before.is_score or after.is_score
