"""Noise or change: which attempts pair, and what a comparison says besides the reference."""

import random
from typing import Any

import pytest
from hypothesis import given

from receipts.attempts import saving
from receipts.attempts.comparing import certainty
from receipts.attempts.comparing.certainty import PAIRED, UNPAIRED
from receipts.attempts.runfile import Beyond, RunFile, TaskResult
from receipts.compare import compare
from receipts.intervals import net_lift
from tests.receipts.attempts import samples

ALL = ("pass",) * 6
NONE = ("task_fail",) * 6


def document(a: list[TaskResult], b: list[TaskResult]) -> dict[str, Any]:
    return compare(samples.run(*a), samples.run(*b)).document()["extra"]  # type: ignore[no-any-return]


@given(samples.runs())
def test_any_run_beside_its_copy_shows_nothing(run: RunFile) -> None:
    copy = RunFile.model_validate_json(saving.content(run))
    comparison = compare(run, copy)
    found = comparison.document()
    assert all(row.delta in (0, None) for row in comparison.rows)
    assert all(row.activation_delta in (0, None) for row in comparison.rows)
    assert len(comparison.rows) == len(run.task_results)
    for key in ("regressions", "activation_regressions", "warnings", "skill_drift"):
        assert found[key] == []
    assert found["unmatched_a"] == found["unmatched_b"] == []
    assert found["aggregate_delta"] == found["token_delta"] == 0
    assert found["wall_delta"] == 0
    assert found["aggregate_activation_delta"] in (0, None)
    assert found["a_label"] is found["b_label"] is None
    assert found["extra"]["notices"] == []
    for task in [found["extra"]["aggregate"], *found["extra"]["tasks"]]:
        assert not task["is_change"]
        assert task["needed_attempts"] is None
        if task["delta_interval"]:
            low, high = task["delta_interval"]
            assert low <= 0 <= high


def test_attempts_of_one_number_pair() -> None:
    (task,) = document([samples.task("a", *NONE)], [samples.task("a", *ALL)])["tasks"]
    assert task["method"] == PAIRED
    assert task["delta_interval"] == list(net_lift(6, 0, 0))
    assert task["is_change"] is True
    assert task["needed_attempts"] == 6


def test_fewer_than_six_pairs_tell_nothing() -> None:
    a, b = samples.task("a", *NONE[:5]), samples.task("a", *ALL[:5])
    (task,) = document([a], [b])["tasks"]
    assert task["is_change"] is False
    assert task["needed_attempts"] == 6


def test_an_attempt_without_a_partner_makes_them_unpaired() -> None:
    a, b = samples.task("a", *NONE), samples.task("a", "timeout", *ALL[:5])
    (task,) = document([a], [b])["tasks"]
    assert task["method"] == UNPAIRED
    assert task["a_interval"] == [0.0, 0.3903]
    assert task["b_interval"] == [0.5655, 1.0]
    assert task["is_change"] is True


def test_repeated_numbers_do_not_pair() -> None:
    twice = samples.task("a", attempts=[samples.attempt(1), samples.attempt(1)])
    (task,) = document([twice], [twice])["tasks"]
    assert task["method"] == UNPAIRED


def test_all_pairs_count_together_where_tasks_have_equally_many() -> None:
    a = [samples.task(name, *NONE[:3]) for name in "ab"]
    b = [samples.task(name, *ALL[:3]) for name in "ab"]
    found = document(a, b)
    assert [task["is_change"] for task in found["tasks"]] == [False, False]
    assert found["aggregate"]["delta_interval"] == list(net_lift(6, 0, 0))
    assert found["aggregate"]["is_change"] is True
    more = document([*a, samples.task("c", "pass")], [*b, samples.task("c", "pass")])
    assert more["aggregate"]["method"] == UNPAIRED


def test_what_was_not_measured_has_no_interval() -> None:
    found = document([samples.task("a", "timeout")], [samples.task("a", *ALL)])
    (task,) = found["tasks"]
    nothing = ("a_interval", "delta_interval", "method", "is_change", "needed_attempts")
    assert {task[key] for key in nothing} == {None}
    assert task["b_interval"] is not None
    assert found["aggregate"]["b_interval"] is None


def test_activation_has_intervals_of_its_own() -> None:
    def task(passed: bool) -> TaskResult:
        attempts = [
            samples.attempt(number, activated=[], activation_passed=passed) for number in range(6)
        ]
        return samples.task("a", attempts=attempts, activation_expected=[])

    found = document([task(passed=True)], [task(passed=False)])
    assert found["tasks"][0]["is_change"] is False
    assert found["tasks"][0]["activation"]["is_change"] is True
    assert found["activation"]["delta_interval"] == list(net_lift(0, 6, 0))


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("model", {"model": "large"}),
        ("agent", {"backend": "codex", "cli_version": "9"}),
        ("agent-version", {"cli_version": "3"}),
        ("judge-prompt", {"judge_prompt_version": "bbb"}),
    ],
)
def test_what_changed_about_a_run_is_noticed(kind: str, changed: dict[str, str]) -> None:
    task = samples.task("a", "pass")
    before: dict[str, Any] = {"cli_version": "2", "judge_prompt_version": "aaa"}
    a, b = samples.run(task, **before), samples.run(task, **before | changed)
    assert [notice.kind for notice in compare(a, b).notices] == [kind]


def test_what_changed_about_a_task_is_noticed_by_name() -> None:
    a = samples.task("a", "pass", prompt="do", expect="done", activation_expected=["x", "y"])
    changed = {"prompt": "do it", "expect": "all done", "activation_expected": ["x"]}
    found = compare(samples.run(a), samples.run(a.model_copy(update=changed))).notices
    assert [(notice.kind, notice.tasks) for notice in found] == [
        ("prompt", ("a",)),
        ("expectation", ("a",)),
        ("activates", ("a",)),
    ]
    order = a.model_copy(update={"activation_expected": ["y", "x"], "prompt": None})
    assert compare(samples.run(a), samples.run(order)).notices == []


def test_another_time_limit_is_noticed() -> None:
    a, b = (
        samples.run().model_copy(update={"receipts": Beyond(version="1", timeout_seconds=limit)})
        for limit in (120, 300)
    )
    (notice,) = compare(a, b).notices
    assert notice.kind == "timeout"
    assert "120 s in A, 300 s in B" in notice.text
    assert compare(a, samples.run()).notices == []


def test_means_are_those_that_are_shown() -> None:
    a = [samples.task("a", "pass", "task_fail"), samples.task("b", "pass")]
    b = [samples.task("a", "pass", "pass"), samples.task("b", "task_fail", "timeout")]
    comparison = compare(samples.run(*a), samples.run(*b))
    both = certainty.of_all(comparison.certainties)
    assert both.before is not None
    assert both.after is not None
    assert (both.before.share, both.after.share) == comparison.averages


@pytest.mark.parametrize("noise", [0.0, 0.2], ids=["paired", "mostly unpaired"])
@pytest.mark.parametrize("is_equal", [True, False], ids=["equal", "moved"])
def test_simulated_runs_are_told_apart_as_often_as_is_promised(
    is_equal: bool, noise: float
) -> None:
    """The interval of a comparison holds the truth in 95 % of runs, and so equal runs seem moved
    in at most 5 %: give or take what chance leaves in so few."""
    chance = random.Random(20261203)
    runs, held, alarms = 400, 0, 0
    for _ in range(runs):
        before = [chance.random() for _ in range(5)]
        after = before if is_equal else [chance.random() for _ in range(5)]

        def simulated(truths: list[float]) -> list[TaskResult]:
            return [
                samples.task(
                    f"{number}",
                    *(
                        "timeout"
                        if chance.random() < noise
                        else "pass"
                        if chance.random() < truth
                        else "task_fail"
                        for _ in range(4)
                    ),
                )
                for number, truth in enumerate(truths)
            ]

        a, b = samples.run(*simulated(before)), samples.run(*simulated(after))
        comparison = compare(a, b)
        both = {
            row.name for row in comparison.rows if row.delta is not None
        }  # others are in no average
        shift = [
            late - early
            for number, (early, late) in enumerate(zip(before, after, strict=True))
            if f"{number}" in both
        ]
        sure = comparison.certainty
        assert sure.delta is not None
        held += sure.delta.holds(sum(shift) / len(shift))
        alarms += is_equal and sure.is_change is True
    assert held / runs > 0.93
    assert alarms / runs < 0.07
