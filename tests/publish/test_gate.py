"""The question before a failed run is published: when it comes, and what it says."""

import json
from typing import Any

import pytest

from publish.gate import failed_against, question
from receipts.report import recorded_line
from store.runs import LocalRun
from tests.publish.samples import run_of
from tests.store import samples

ASKS = "Your latest eval of these exact bytes failed against "


def run(verdict: str = "FAIL", day: int = 1, **fields: Any) -> LocalRun:
    return run_of(samples.receipt(run_id=f"202609{day:02}T042108Z", verdict=verdict, **fields))


def compared(win: int, loss: int, tie: int, p: float = 1.0) -> dict[str, Any]:
    total = win + loss + tie
    lift = (win - loss) / total if total else 0
    return {"win": win, "loss": loss, "tie": tie, "net_lift": lift, "sign_p": p}


def newer(day: int) -> LocalRun:
    found = run("SUPERB", day)
    assert found.file.newer
    return found


@pytest.mark.parametrize(
    ("runs", "asks"),
    [
        ([], False),
        ([run("FAIL")], True),
        ([run("PASS")], False),
        ([run("NEUTRAL")], False),
        ([run("FAIL", 1), run("PASS", 2)], False),
        ([run("FAIL", 1), run("NEUTRAL", 2)], False),
        ([run("PASS", 1), run("FAIL", 2)], True),
        ([run("FAIL", 1), run("PASS", 2), run("FAIL", 3)], True),
        ([newer(1)], False),
        ([run("FAIL", 1), newer(2)], True),
        ([run("FAIL", 1), run("NEUTRAL", 2, comparisons={})], True),  # of trigger prompts alone
        ([run("PASS", 1), newer(2)], False),
    ],
)
def test_only_the_newest_usable_run_decides(runs: list[LocalRun], asks: bool) -> None:
    assert (question(runs) is not None) == asks


@pytest.mark.parametrize("claimed", ["PASS", "NEUTRAL"])
def test_a_failure_that_calls_itself_something_else_is_asked_about(claimed: str) -> None:
    lost = {"candidate-vs-baseline": compared(0, 9, 0, 0.00390625)}
    asked = question([run(claimed, comparisons=lost)])
    assert asked is not None
    assert "0W / 9L / 0T" in asked
    behind_the_incumbent = {
        "candidate-vs-baseline": compared(9, 0, 0, 0.00390625),
        "candidate-vs-incumbent": compared(0, 9, 0, 0.00390625),
    }
    assert question([run("PASS", comparisons=behind_the_incumbent)]) is None


def test_it_says_that_the_arm_without_the_skill_was_better_and_by_how_much() -> None:
    both = {
        "candidate-vs-incumbent": compared(4, 0, 0),
        "candidate-vs-baseline": compared(1, 5, 3, 0.21875),
    }
    assert question([run(comparisons=both)]) == (
        f"{ASKS}an agent without the skill (candidate-vs-baseline: -44% net lift "
        "(1W / 5L / 3T over 9 comparisons, sign test p=0.219)). Publish anyway?"
    )


def test_the_printed_numbers_are_those_of_the_receipt() -> None:
    failed = run(comparisons={"candidate-vs-baseline": compared(0, 4, 1, 1.0)}).file.receipt
    assert failed
    assert recorded_line("candidate-vs-baseline", failed.comparisons["candidate-vs-baseline"]) in (
        failed_against(failed)
    )
    assert "p=1.000" in failed_against(failed)


@pytest.mark.parametrize(
    ("method", "against"),
    [
        ("attempts", "its bar"),
        ("golden", "its target"),
        ("arms", "its evaluation"),
        ("another", "its evaluation"),
    ],
)
def test_without_a_baseline_it_names_what_the_method_measures_against(
    method: str, against: str
) -> None:
    for comparisons in ({}, {"candidate-vs-incumbent": compared(0, 4, 0)}):
        failed = run(method=method, comparisons=comparisons)
        assert question([failed]) == f"{ASKS}{against}. Publish anyway?"


def test_an_ablated_run_of_attempts_names_the_agent_without_the_skill() -> None:
    paired = {"candidate-vs-baseline": compared(0, 4, 1, 0.125)}
    asked = question([run(method="attempts", comparisons=paired, attempts={})])
    assert asked
    assert asked.startswith(f"{ASKS}an agent without the skill (candidate-vs-baseline: -80%")


def test_hostile_text_of_a_receipt_is_not_in_the_question() -> None:
    data = json.loads(samples.receipt(verdict="FAIL", comparisons={}, method="\x1b[2J"))
    data["attribution"] = "\x1b]0;title\x07"
    asked = question([run_of(json.dumps(data).encode())])
    assert asked == f"{ASKS}its evaluation. Publish anyway?"
