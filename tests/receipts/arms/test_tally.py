"""The numbers of a run, from rows and samples made by hand."""

from typing import Any

import pytest

from receipts.arms import mulberry, rows, tally
from receipts.arms.samples import CheckOutcome, Ran, Row, Sample, Trigger


def ran(arm: str, *, rep: int = 0, dead: bool = False, **fields: Any) -> Ran:
    values: dict[str, Any] = {
        "case": "c", "rep": rep, "arm": arm, "reason": "it died" if dead else None,
        "kind": "crashed" if dead else None, "retried": False, "checks": {}, "skills": None,
        "turns": None, "duration_ms": None, "cost_usd": None,
        "tokens": None, "model_id": None,
        "spawned_agents": False, "oddities": (), "transcript": "t", "sandbox": "s", **fields,
    }  # fmt: skip
    return Ran(**values)


def sample(
    arm: str, *passed: bool, case: str = "c", rep: int = 0, dead: bool = False, **fields: Any
) -> Sample:
    checks = tuple(CheckOutcome(f"check {i}", ok) for i, ok in enumerate(passed))
    return Sample(case, rep, arm, ran(arm, rep=rep, dead=dead, **fields), checks)


@pytest.mark.parametrize(
    ("candidate", "opponent", "rubric", "outcome", "decided_by"),
    [
        (sample("candidate", dead=True), sample("baseline", dead=True), "r", "tie",
         "both-arms-failed"),
        (sample("candidate", dead=True), sample("baseline"), "r", "tie", "candidate-run-failed"),
        (sample("candidate", True), sample("baseline", dead=True), "r", "tie",
         "opponent-run-failed"),
        (sample("candidate", True, True), sample("baseline", True, False), None, "win", "checks"),
        (sample("candidate", False), sample("baseline", True), "r", "loss", "checks"),
        (sample("candidate", True, False), sample("baseline", False, False), None, "tie",
         "checks-equal-no-judge"),
        (sample("candidate"), sample("baseline"), None, "tie", "checks-equal-no-judge"),
        (sample("candidate", True), sample("baseline", True), "r", "tie", "judge"),
    ],
)  # fmt: skip
def test_the_first_rule_that_applies_decides_a_row(
    candidate: Sample, opponent: Sample, rubric: str | None, outcome: str, decided_by: str
) -> None:
    row = rows.decide(candidate, opponent, rubric)
    assert (row.outcome, row.decided_by, row.opponent) == (outcome, decided_by, "baseline")


def test_a_hole_is_never_a_zero() -> None:
    samples = [
        sample("candidate", True, False, cost_usd=2.0),
        sample("candidate", rep=1, dead=True, cost_usd=50.0),
        sample("candidate", True, True, rep=2, cost_usd=4.0),
    ]
    decided = [
        Row("c", 0, "baseline", "win", "checks"),
        Row("c", 1, "baseline", "tie", "candidate-run-failed"),
        Row("c", 2, "baseline", "tie", "opponent-run-failed"),
    ]
    counted = tally.counted(samples, decided)
    assert counted == samples[:1]
    assert tally.arm_score(counted) == 0.5
    assert tally.case_runs(counted) == {"passed": 0, "total": 1}
    assert tally.efficiency(counted)["cost_usd"] == 2.0
    assert tally.efficiency(counted)["turns"] is None
    record = tally.comparison(decided, pinned=False)
    assert record == {"win": 1, "loss": 0, "tie": 0, "net_lift": 1.0, "sign_p": 1.0}


def test_samples_without_checks_are_in_no_score() -> None:
    samples = [sample("candidate"), sample("candidate", True, False, rep=1)]
    assert tally.arm_score(samples) == 0.5
    assert tally.case_runs(samples) == {"passed": 0, "total": 1}
    assert tally.arm_score([]) is None


def test_a_suite_pins_the_sign_test() -> None:
    decided = [Row("c", rep, "baseline", "win", "checks") for rep in range(9)]
    assert tally.comparison(decided, pinned=True)["sign_p"] == 1.0
    assert tally.comparison(decided, pinned=False)["sign_p"] == 2 / 2**9


def test_a_failed_selection_call_is_in_no_count() -> None:
    triggers = [
        Trigger("a", True, True, ("s",)),
        Trigger("b", True, None, (), "timed out"),
        Trigger("c", False, None, (), "timed out"),
        Trigger("d", False, True, ("s",)),
    ]
    assert tally.trigger_counts(triggers) == {
        "recall": 1.0, "precision": 0.5, "tp": 1, "fn": 0, "fp": 1, "tn": 0,
    }  # fmt: skip
    empty = tally.trigger_counts(triggers[1:3])
    assert (empty["recall"], empty["precision"]) == (None, None)


def test_checks_that_came_out_the_same_everywhere_are_named() -> None:
    samples = [
        sample("baseline", True, False, True),
        sample("candidate", True, False, False),
        sample("candidate", True, False, True, case="other"),
    ]
    assert tally.uninformative(samples) == [
        {"case": "c", "check": "check 0", "result": "passed"},
        {"case": "c", "check": "check 1", "result": "failed"},
    ]


def test_unscored_rows_are_no_outcomes() -> None:
    samples = [sample("baseline", True), sample("candidate", dead=True)]
    decided = [Row("c", 0, "baseline", "tie", "candidate-run-failed")]
    assert tally.per_case(samples, decided, {"baseline": "candidate-vs-baseline"}) == [
        {
            "case": "c",
            "rep": 0,
            "arms": {
                "baseline": {"passed": True, "checks": [["check 0", True]]},
                "candidate": {"passed": None, "checks": []},
            },
            "outcomes": {},
        }
    ]


@pytest.mark.parametrize(
    ("expected", "scored", "status"),
    [(0, 0, "complete"), (9, 9, "complete"), (9, 1, "partial"), (9, 0, "failed")],
)
def test_the_status_is_of_scored_rows(expected: int, scored: int, status: str) -> None:
    assert tally.status(expected, scored) == status


def test_draws_are_those_of_the_other_client() -> None:
    draws = mulberry.draws()
    first = [f"{next(draws):.3f}" for _ in range(9)]
    assert first == [
        "0.266",
        "0.000",
        "0.223",
        "0.146",
        "0.467",
        "0.545",
        "0.615",
        "0.649",
        "0.456",
    ]
