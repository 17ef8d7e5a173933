"""The numbers of whole runs, against those that the reference saved with what it ran."""

import json
from typing import Any

import pytest

from receipts.attempts.activation import per_skill
from receipts.attempts.aggregate import aggregate, finished
from receipts.attempts.runfile import RunFile
from tests.receipts.attempts import cases, samples


def _saved(name: str) -> list[dict[str, Any]]:
    steps = cases.load(cases.folder() / "runs" / f"{name}.json")["steps"]
    return [step["result"] for step in steps if step.get("result")]


@pytest.mark.parametrize("name", cases.names("runs"))
def test_the_numbers_of_a_run_are_the_saved_ones(name: str) -> None:
    for document in _saved(name):
        run = RunFile.model_validate_json(json.dumps(document))
        ours = aggregate(run.task_results, run.run.k, run.skills)
        cases.assert_same(json.loads(ours.model_dump_json()), document["aggregate"])


def test_tasks_and_attempts_are_put_in_order() -> None:
    mixed = [samples.attempt(2), samples.attempt(1, "task_fail")]
    tasks = [samples.task("b", attempts=mixed), samples.task("a", "pass")]
    run = finished(samples.run().run, (), tasks)
    assert [task.task_id for task in run.task_results] == ["task-a", "task-b"]
    assert [one.attempt for one in run.task_results[1].attempts] == [1, 2]
    assert (run.aggregate.avg_score, run.aggregate.scored_tasks) == (0.75, 2)


def test_skills_that_fired_unasked_stand_behind_the_installed_ones() -> None:
    fired: list[Any] = [["triage"], ["other", "triage"], []]
    attempts = [
        samples.attempt(number, activated=activated, activation_passed=activated == ["triage"])
        for number, activated in enumerate(fired, 1)
    ]
    task = samples.task("a", attempts=attempts, activation_expected=["triage"])
    triage, quiet, other = per_skill([task], ["triage", "quiet"])
    assert (triage.skill, triage.total, triage.expected, triage.fired) == ("triage", 3, 3, 2)
    assert (triage.recall, triage.precision, triage.unwanted_rate) == (2 / 3, 1.0, None)
    assert (quiet.skill, quiet.recall, quiet.precision) == ("quiet", None, None)
    assert (other.skill, other.unwanted, other.unwanted_rate) == ("other", 1, 1 / 3)
