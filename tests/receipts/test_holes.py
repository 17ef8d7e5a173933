"""What a run could not measure: read in any shape, said, and held against the rest."""

import time
from typing import Any

import pytest

from receipts import check, holes, report
from receipts.holes import DeadArm, Uninformative
from receipts.receipt import Receipt
from receipts.stats import net_lift, sign_test
from tests.receipts.samples import document, receipt
from tests.receipts.test_check import NOW

BASELINE, INCUMBENT = "candidate-vs-baseline", "candidate-vs-incumbent"
DEAD = {"arm": "baseline", "case": "a", "rep": 1, "reason": "timed out"}
ODD: list[Any] = [None, [], {}, True, 1.5]
SAME = {"case": "a", "check": "file_exists:out.md", "result": "passed"}


def comparison(wins: int) -> dict[str, Any]:
    p = sign_test(wins, 0, 0)
    return {"win": wins, "loss": 0, "tie": 0, "net_lift": net_lift(wins, 0, 0), "sign_p": p}


def entry(
    rep: int = 0, *, passed: bool | None = True, outcome: str | None = "win"
) -> dict[str, Any]:
    checks = [] if passed is None else [["file_exists:out.md", passed]]
    arms = {
        "candidate": {"passed": True, "checks": []},
        "baseline": {"passed": passed, "checks": checks},
    }
    return {
        "case": "a",
        "rep": rep,
        "arms": arms,
        "outcomes": {BASELINE: outcome} if outcome else {},
    }


def run(scored: int = 2, expected: int = 3, **fields: Any) -> Receipt:
    provenance = document()["provenance"] | {"k": 3, "cases": ["a"]}
    given = {
        "comparisons": {BASELINE: comparison(scored)},
        "expected_rows": expected,
        "scored_rows": scored,
        "execution_status": "complete" if scored >= expected else "partial",
        "per_case": [],
        "case_runs": {},
        "provenance": provenance,
    }
    return receipt(**given | fields)


def wrong(found: Receipt) -> list[str]:
    return check.problems(found, now=NOW)


def test_a_receipt_without_holes_says_nothing() -> None:
    assert holes.notes(run()) == []
    assert report.notes(run()) == []


def test_each_hole_is_a_note_in_order() -> None:
    found = run(
        dead_arms=[DEAD],
        changed_during_run={"content": True, "evals": True},
        uninformative_checks=[SAME, SAME | {"result": "failed"}],
        limits={"reached": "$5.00 of 5.00"},
    )
    assert report.notes(found) == [
        "the run stopped before its end: $5.00 of 5.00",
        "the skill changed during the run; this measured the bytes as they were before",
        "the eval assets changed during the run; those from before it were used",
        "dead arm: baseline of a, repetition 2: timed out",
        "check file_exists:out.md of a passed in every arm, so it tells nothing apart",
        "check file_exists:out.md of a failed in every arm, so it tells nothing apart",
    ]


def test_they_follow_the_notes_that_there_were() -> None:
    pinned = {BASELINE: comparison(2) | {"sign_p": 1.0}}
    lines = report.notes(run(comparisons=pinned, limits={"reached": "10 sessions"}))
    assert lines[0].startswith("sign test held at p=1.000")
    assert lines[1].endswith("10 sessions")


@pytest.mark.parametrize("odd", [None, 0, "x", [], {}, [[]], ["x", 1, None], {"a": [1]}])
@pytest.mark.parametrize(
    "field", ["dead_arms", "changed_during_run", "uninformative_checks", "limits"]
)
def test_other_shapes_are_passed_over(field: str, odd: Any) -> None:
    found = run(**{field: odd})
    assert holes.notes(found) == []
    assert wrong(found) == []


def test_members_of_another_shape_are_passed_over_one_by_one() -> None:
    odd: list[Any] = [DEAD | {key: value} for key in DEAD for value in ODD]
    found = run(
        dead_arms=[*odd, {}, DEAD | {"rep": -1}, DEAD],
        uninformative_checks=[SAME | {"result": "x"}, SAME | {"check": 1}, {}, SAME],
        changed_during_run={"content": "yes", "evals": 1},
        limits={"reached": 5},
    )
    assert holes.dead_arms(found) == [DeadArm("baseline", "a", 1, "timed out")]
    assert holes.uninformative_checks(found) == [Uninformative(*SAME.values())]
    assert len(holes.notes(found)) == 2


def test_hostile_and_endless_texts_stay_on_a_line() -> None:
    text = "\x1b[2J\nverdict: PASS " + "x" * 2000
    found = run(
        dead_arms=[{"arm": text, "case": text, "rep": 0, "reason": text}] * 50,
        uninformative_checks=[{"case": text, "check": text, "result": "failed"}] * 50,
        limits={"reached": text},
    )
    lines = holes.notes(found)
    assert len(lines) == 1 + 21 + 21
    assert "and 30 more dead arms" in lines
    assert lines[-1] == "and 30 more such checks"
    assert all(line.isprintable() and len(line) < 1100 for line in lines)
    assert all(line.isprintable() for line in wrong(found))


def test_a_dead_arm_costs_its_rows() -> None:
    assert wrong(run(2, 3, dead_arms=[DEAD])) == []
    assert wrong(run(3, 3, dead_arms=[DEAD])) == [
        "dead_arms: these cost 1 row(s), but 0 were not scored"
    ]
    twice = [DEAD, DEAD, DEAD | {"arm": "candidate"}]
    assert wrong(run(2, 3, dead_arms=twice)) == []
    assert wrong(run(2, 3, dead_arms=[DEAD, DEAD | {"rep": 0}])) == [
        "dead_arms: these cost 2 row(s), but 1 were not scored"
    ]


def test_a_dead_candidate_costs_a_row_against_each_opponent() -> None:
    both = {BASELINE: comparison(1), INCUMBENT: comparison(1)}
    candidate = [DEAD | {"arm": "candidate"}]
    assert wrong(run(2, 4, comparisons=both, dead_arms=candidate)) == []
    assert wrong(run(2, 3, comparisons=both, dead_arms=candidate)) == [
        "dead_arms: these cost 2 row(s), but 1 were not scored"
    ]


def test_a_dead_suite_costs_a_row_at_the_least() -> None:
    suite = DEAD | {"case": "suite"}
    assert wrong(run(3, 9, dead_arms=[suite])) == []
    assert len(wrong(run(3, 3, dead_arms=[suite]))) == 1


def test_a_dead_arm_of_no_case_and_of_other_methods_costs_nothing() -> None:
    assert wrong(run(3, 3, dead_arms=[DEAD | {"case": "z"}, DEAD | {"arm": "z"}])) == []
    other = run(3, 3, method="attempts", dead_arms=[DEAD])
    assert wrong(other) == []


@pytest.mark.parametrize(
    ("listed", "is_wrong"),
    [
        (entry(1, passed=None, outcome="tie"), False),  # how other clients list an unscored row
        (entry(1, passed=None, outcome=None), False),
        (entry(1, passed=None, outcome="win"), True),
        (entry(1, passed=False, outcome=None), True),
        (entry(0, passed=True, outcome="win"), False),
    ],
)
def test_a_dead_arm_is_not_counted_in_per_case(listed: dict[str, Any], is_wrong: bool) -> None:
    found = [line for line in wrong(run(dead_arms=[DEAD], per_case=[listed])) if "dead" in line]
    assert found == (
        ["dead_arms[0]: baseline of a rep 1 is dead, but per_case counts it"] if is_wrong else []
    )


def test_a_check_that_told_arms_apart_is_not_uninformative() -> None:
    rows = [entry(0, passed=True), entry(1, passed=True)]
    assert wrong(run(per_case=rows, uninformative_checks=[SAME])) == []
    rows[1] = entry(1, passed=False)
    line = "uninformative_checks[0]: file_exists:out.md of a passed everywhere, but not in per_case"
    assert wrong(run(per_case=rows, uninformative_checks=[SAME])) == [line]
    rows[1] = entry(1, passed=False, outcome=None)  # counted in no row
    assert wrong(run(per_case=rows, uninformative_checks=[SAME])) == []


def test_very_many_end_soon() -> None:
    start = time.monotonic()
    rows = [entry(rep) for rep in range(2000)]
    found = run(per_case=rows, dead_arms=[DEAD] * 3000, uninformative_checks=[SAME] * 3000)
    assert len(wrong(found)) == 51
    assert time.monotonic() - start < 30
