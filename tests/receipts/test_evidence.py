"""Units, grade and lines of evidence, from receipts as they come."""

import itertools
import json
import math
from typing import Any

import pytest

from receipts import evidence, stats, units
from receipts.evidence import Evidence, equal_arms, evidence_of, grade, grade_of, least_strong
from receipts.receipt import Receipt
from receipts.units import CannotCluster, Units, units_of
from tests.receipts.samples import document, receipt

BASELINE = "candidate-vs-baseline"
INCUMBENT = "candidate-vs-incumbent"


def comparison(wins: int, losses: int, ties: int, **changes: Any) -> dict[str, Any]:
    counts = wins, losses, ties
    numbers = {"net_lift": stats.net_lift(*counts), "sign_p": stats.sign_test(*counts)}
    return {"win": wins, "loss": losses, "tie": ties, **numbers, **changes}


def row(case: str, rep: int, outcome: str, passed: bool | None = True) -> dict[str, Any]:
    arms: dict[str, Any] = {
        arm: {"passed": passed, "checks": []} for arm in ("candidate", "baseline")
    }
    return {"case": case, "rep": rep, "arms": arms, "outcomes": {BASELINE: outcome}}


def run(
    counts: tuple[int, int, int], k: int, rows: list[dict[str, Any]], **changes: Any
) -> Receipt:
    provenance = document()["provenance"] | {"k": k, "cases": ["a", "b", "c"]}
    provenance |= changes.pop("provenance", {})
    return receipt(
        comparisons={BASELINE: comparison(*counts, **changes)}, per_case=rows, provenance=provenance
    )


THREE = {
    "a": ["win", "win", "loss"],
    "b": ["win", "loss", "tie"],
    "c": ["loss", "tie", "tie"],
}
ROWS = [row(case, rep, word) for case, words in THREE.items() for rep, word in enumerate(words)]


class TestUnits:
    def test_where_every_case_ran_once_a_row_is_one(self) -> None:
        assert units_of(run((5, 1, 3), 1, []), BASELINE) == Units("row", 5, 1, 3, {1: 6})
        assert units_of(run((0, 0, 2), 1, []), BASELINE) == Units("row", 0, 0, 2, {})

    def test_repetitions_of_a_case_are_one_by_the_sign_of_their_lead(self) -> None:
        found = units_of(run((3, 3, 3), 3, ROWS), BASELINE)
        assert found == Units("case", 1, 1, 1, {1: 2})
        assert found.total == 3
        three = [row(case, rep, "win") for case in "ab" for rep in range(3)]
        assert units_of(run((6, 0, 0), 3, three), BASELINE) == Units("case", 2, 0, 0, {3: 2})

    @pytest.mark.parametrize("rows", [[], ROWS[:-1], ROWS[1:], [*ROWS, row("d", 0, "win")]])
    def test_rows_that_are_not_listed_cannot_be_clustered(self, rows: list[Any]) -> None:
        with pytest.raises(CannotCluster, match=r"k=3 .* does not list exactly the 9"):
            units_of(run((3, 3, 3), 3, rows), BASELINE)

    def test_unscored_rows_listed_as_ties_are_no_ties(self) -> None:
        dead = [row("d", rep, "tie", passed=None) for rep in range(3)]
        assert units_of(run((3, 3, 3), 3, [*ROWS, *dead]), BASELINE).total == 3
        with pytest.raises(CannotCluster):
            units_of(run((3, 3, 4), 3, [*ROWS, *dead]), BASELINE)
        judged = [row("d", rep, "tie", passed=None) for rep in range(3)]
        assert units_of(run((3, 3, 6), 3, [*ROWS, *judged]), BASELINE).total == 4

    def test_all_of_a_suite_is_one_unit(self) -> None:
        rows = [row(case, 0, "win") for case in ("a", "b", "s1", "s2", "s3")]
        cases = {"provenance": {"cases": ["a", "b", "suite"]}}
        with_suite = run((5, 0, 0), 1, rows, sign_p=1.0, **cases)
        assert units_of(with_suite, BASELINE) == Units("case", 3, 0, 0, {1: 2, 3: 1})
        with pytest.raises(CannotCluster, match="rows of a suite"):
            units_of(run((5, 0, 0), 1, [], sign_p=1.0, **cases), BASELINE)

    def test_rows_that_share_sessions_unnamed_cannot_be_clustered(self) -> None:
        with pytest.raises(CannotCluster, match="does not say which"):
            units_of(run((5, 0, 0), 1, [], sign_p=1.0), BASELINE)


class TestGrade:
    @pytest.mark.parametrize(
        ("won", "lost", "word"),
        [
            (0, 0, "none"), (3, 0, "none"), (3, 1, "none"), (4, 0, "weak"), (5, 0, "weak"),
            (5, 1, "none"), (6, 1, "weak"), (6, 0, "strong"), (0, 6, "strong"), (8, 1, "strong"),
            (1, 8, "strong"), (7, 1, "weak"), (2**53, 0, "strong"), (2**53, 2**53, "none"),
        ],
    )  # fmt: skip
    def test_it_is_the_sign_test_at_5_and_20_percent(self, won: int, lost: int, word: str) -> None:
        assert grade(won, lost) == word

    def test_of_a_receipt_it_is_that_against_the_baseline(self) -> None:
        assert grade_of(run((9, 0, 0), 1, [])) == "strong"
        assert grade_of(run((3, 3, 3), 3, ROWS)) == "none"
        assert grade_of(run((9, 0, 0), 3, [])) is None
        assert grade_of(receipt(comparisons={})) is None
        assert grade_of(run((0, 0, 0), 1, [])) is None

    def test_it_is_the_one_that_all_the_evidence_has(self) -> None:
        for won, lost, tied in itertools.product(range(9), range(3), range(3)):
            if won + lost + tied:
                one = run((won, lost, tied), 1, [])
                assert evidence_of(one)[BASELINE].grade == grade_of(one)


def tossed(leads: list[int], rows: int, verdict: str) -> float:
    """Return the share of all tosses of signs that give a verdict."""
    found = 0
    for signs in itertools.product((1, -1), repeat=len(leads)):
        lead = sum(sign * step for sign, step in zip(signs, leads, strict=True))
        found += stats.verdict(max(lead, 0), max(-lead, 0), rows - abs(lead)) == verdict
    return float(found / 2 ** len(leads))


class TestEqualArms:
    @pytest.mark.parametrize("verdict", ["PASS", "NEUTRAL", "FAIL"])
    @pytest.mark.parametrize(
        ("leads", "rows"),
        [([1] * 3, 3), ([1] * 6, 9), ([3, 3, 1], 9), ([2, 1, 1], 30), ([], 4), ([3, 2, 1, 1], 12)],
    )
    def test_it_is_the_share_of_all_tosses(self, leads: list[int], rows: int, verdict: str) -> None:
        counted = {lead: leads.count(lead) for lead in leads}
        found = equal_arms(Units("case", 0, 0, 0, counted), rows, verdict)
        assert found == pytest.approx(tossed(leads, rows, verdict))

    def test_three_rows_that_all_won(self) -> None:
        assert evidence_of(run((3, 0, 0), 1, []))[BASELINE].equal_arms == 0.5**3 + 3 * 0.5**3

    @pytest.mark.parametrize("verdict", ["PASS", "NEUTRAL"])
    def test_very_many_rows_meet_the_exact_ones(self, verdict: str) -> None:
        def share(decided: int) -> float:
            return equal_arms(Units("row", 0, 0, 0, {1: decided}), 60, verdict)

        assert share(1001) == pytest.approx(share(1000), abs=0.02)
        assert equal_arms(Units("row", 0, 0, 0, {1: 2**53}), 2**53, "PASS") == 0


def test_six_units_at_least_can_be_strong() -> None:
    assert [least_strong(count) for count in (1, 5, 6, 9, 30)] == [None, None, 1, 6 / 9, 0.2]
    for count in (6, 9, 13):
        strong = [
            (won - lost) / count
            for won in range(count + 1)
            for lost in range(count - won + 1)
            if won > lost and grade(won, lost) == "strong"
        ]
        assert min(strong) == least_strong(count)


class TestEvidence:
    def test_every_comparison_has_its_own_the_baselines_first(self) -> None:
        both = {INCUMBENT: comparison(0, 6, 0), BASELINE: comparison(6, 0, 0)}
        provenance = document()["provenance"] | {"k": 1}
        found = evidence_of(receipt(comparisons=both, provenance=provenance))
        assert list(found) == [BASELINE, INCUMBENT]
        assert [item.verdict for item in found.values()] == ["PASS", "FAIL"]
        assert found[INCUMBENT].net_lift == (-1, -0.1667)

    def test_what_cannot_be_clustered_has_no_interval(self) -> None:
        found = evidence_of(run((5, 1, 3), 3, []))[BASELINE]
        assert found == Evidence(None, found.problem)
        assert "k=3" in found.problem

    def test_nothing_scored_shows_nothing(self) -> None:
        assert evidence_of(run((0, 0, 0), 1, []))[BASELINE].problem == "no row was scored"

    def test_the_lines(self) -> None:
        assert evidence.lines(run((5, 1, 3), 1, [])) == [
            "evidence, candidate-vs-baseline: none, from 9 rows (5 won / 1 lost / 3 tied)",
            "  net lift over rows: +44% (95% interval -9% to +75%; 80% interval +0% to +66%)",
            "  won of those decided: 5/6 (95% interval 0.36 to 1.00)",
            "  equal arms would get PASS with these rows in 10.9% of runs",
            "  9 rows could be strong evidence from +67% net lift on",
        ]

    def test_the_lines_of_few_cases(self) -> None:
        assert evidence.lines(run((3, 3, 3), 3, ROWS)) == [
            "evidence, candidate-vs-baseline: none, from 3 cases (1 won / 1 lost / 1 tied)",
            "  net lift over cases: +0% (95% interval -68% to +68%; 80% interval -45% to +45%)",
            "  won of those decided: 1/2 (95% interval 0.01 to 0.99)",
            "  equal arms would get NEUTRAL with these rows in 100.0% of runs",
            "  3 cases cannot be strong evidence, whatever they show",
        ]

    def test_the_lines_of_ties_of_one_and_of_nothing(self) -> None:
        assert evidence.lines(run((0, 0, 1), 1, []))[0].endswith(
            "from 1 row (0 won / 0 lost / 1 tied)"
        )
        assert not [line for line in evidence.lines(run((0, 0, 9), 1, [])) if "decided" in line]
        assert evidence.lines(receipt(comparisons={})) == ["evidence: nothing was compared"]
        (line,) = evidence.lines(run((5, 1, 3), 3, []))
        assert line.startswith("evidence, candidate-vs-baseline: not known, because with k=3 ")

    def test_hostile_names_stay_on_their_line(self) -> None:
        provenance = document()["provenance"] | {"k": 1}
        odd = receipt(
            comparisons={"\x1b[2J\nverdict: PASS": comparison(1, 0, 0)}, provenance=provenance
        )
        assert evidence.lines(odd)[0].startswith(
            "evidence, \\x1b[2J verdict: PASS: none, from 1 row"
        )

    def test_the_document(self) -> None:
        found = evidence.documents(run((5, 1, 3), 1, []))[BASELINE]
        assert json.loads(json.dumps(found)) == {
            "grade": "none", "problem": None, "unit": "row", "units": 9, "won": 5, "lost": 1,
            "tied": 3, "win_share": {"low": 0.3588, "high": 0.9958},
            "net_lift": {"low": -0.0926, "high": 0.7475},
            "net_lift_80": {"low": 0.0, "high": 0.659}, "verdict": "PASS", "equal_arms": 0.1094,
            "least_strong": 0.6667,
        }  # fmt: skip
        unknown = evidence.documents(run((5, 1, 3), 3, []))[BASELINE]
        assert unknown.keys() == found.keys()
        assert {value for key, value in unknown.items() if key != "problem"} == {None}

    def test_counts_of_any_size_end(self) -> None:
        found = evidence_of(run((2**52, 2**51, 2**50), 1, []))[BASELINE]
        assert found.grade == "strong"
        assert found.equal_arms is not None
        assert math.isfinite(found.equal_arms)
        many = [row(f"c{number}", 0, "win") for number in range(5000)]
        assert units.units_of(run((5000, 0, 0), 2, many), BASELINE).won == 5000
