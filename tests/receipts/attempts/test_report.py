"""The report of one run: its document, what it says besides, and how it is printed."""

import json
import math
from typing import Any

import pytest
from hypothesis import given

from receipts.attempts import printed, report, runfile
from receipts.attempts.runfile import RunFile
from receipts.compare import compare
from tests.receipts.attempts import cases, samples

SERVER_CALL = {"role": "tool_use", "content": "", "tool_name": "mcp__mail__send"}


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("name", cases.names("pairs"))
def test_a_report_is_the_recorded_one(name: str, side: str) -> None:
    folder = cases.folder() / "pairs" / name
    ours = report.document(runfile.read(folder / f"{side}.json"))
    del ours["extra"]
    theirs = cases.load(folder / f"{side}.report.json")
    for key, value in theirs["usage_totals"].items():
        if isinstance(value, float) and math.isinf(value):  # which JSON has no word for
            theirs["usage_totals"][key] = None
    cases.assert_same(ours, theirs)


@given(samples.runs())
def test_what_was_saved_with_a_run_contradicts_nothing(run: RunFile) -> None:
    assert report.contradictions(run) == []
    json.dumps(report.document(run), allow_nan=False)


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_report_and_comparison_say_the_same_of_one_file(name: str) -> None:
    folder = cases.folder() / "pairs" / name
    run = runfile.read(folder / "a.json")
    comparison = compare(run, run)
    extra = report.document(run)["extra"]
    assert extra["computed"]["avg_score"] == pytest.approx(comparison.averages[0])
    assert extra["interval"] == comparison.document()["extra"]["aggregate"]["a_interval"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"avg_score": 0.25}, "avg_score is stored as 0.25, and the attempts give 0.5"),
        ({"scored_tasks": 7}, "scored_tasks is stored as 7, and the attempts give 1"),
        ({"avg_activation_score": 1.0}, "avg_activation_score is stored as 1, and the attempts"),
        ({"activation_tasks": 1}, "activation_tasks is stored as 1"),
        ({"per_task": []}, "per_task does not list the tasks"),
    ],
)
def test_a_stored_number_that_contradicts_the_attempts_is_named(
    change: dict[str, Any], words: str
) -> None:
    run = samples.run(samples.task("a", "pass", "task_fail"))
    edited = run.model_copy(update={"aggregate": run.aggregate.model_copy(update=change)})
    (said,) = report.contradictions(edited)
    assert said.startswith(words)
    assert f"warning: {said}" in report.notes(edited)


def test_stored_rows_that_contradict_the_attempts_are_named() -> None:
    task = samples.task("a", "pass", "task_fail", activation_expected=["triage"])
    run = samples.run(task)
    per_task = run.aggregate.per_task[0].model_copy(update={"successes": 2, "score": 1.0})
    skill = runfile.PerSkill(skill="triage", expected=1, fired=0, hits=0)
    kept = run.aggregate.model_copy(
        update={"per_task": [per_task], "activation_per_skill": [skill]}
    )
    expecting = run.model_copy(update={"aggregate": kept})
    assert report.contradictions(expecting) == [
        "successes of a is stored as 2, and the attempts give 1",
        "score of a is stored as 1, and the attempts give 0.5",
    ]
    seen = task.model_copy(
        update={
            "attempts": [samples.attempt(1, activated=["triage"], activation_passed=True)],
        }
    )
    other = samples.run(seen)
    edited = other.aggregate.model_copy(update={"activation_per_skill": [skill]})
    found = report.contradictions(other.model_copy(update={"aggregate": edited}))
    assert "total of the skill triage is stored as 0, and the attempts give 1" in found


def test_the_document_says_what_we_add() -> None:
    run = samples.run(samples.task("a", "pass", "pass", "task_fail"), k=2)
    extra = report.document(run)["extra"]
    assert extra["tasks"] == [
        {"task_name": "a", "interval": [0.2077, 0.9385], "unbiased_pass_at_k": 1.0}
    ]
    assert extra["interval"] == [0.2077, 0.9385]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_into_a_pipe_go_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    attempts = [
        samples.attempt(1, "task_fail", assert_evidence="no\x1b[31m file", output="one\ntwo"),
        samples.attempt(2, "timeout", transcript=[SERVER_CALL, SERVER_CALL], retries=2),
        samples.attempt(3, builtin_activated=["docx"]),
    ]
    run = samples.run(
        samples.task("works", "pass", "pass", "pass"),
        samples.task("fails", attempts=attempts),
        samples.task("dead", "infra_error"),
        hook_failures=[{"task_id": "task-x", "attempt": 1, "phase": "cleanup", "exit_code": 3}],
    )
    printed.print_report(run)
    found = lines(capsys)
    assert "works\t100% ✓ ✓ ✓\t43.9 to 100%\t—\t—, 4.5s" in found
    assert "fails\t50% ✗ ⊘ ✓\t9.5 to 90.5%\t—\t—, 4.5s" in found
    assert "dead\t— ⊘ · ·\t—\t—\t—, 1.5s" in found
    assert "overall\t75% avg of 2\t33 to 94.8%\t—\t—, 10.5s" in found
    assert "mail\tsend\t2\t1 of 7" in found
    assert "unusable: 1 infra_error, 1 timeout; in no rate, spent 3.0s" in found
    assert "aborted: dead" in found
    assert "retries: 2 in 1 attempt(s)" in found
    assert "the agent's own skills that it loaded: docx 1 (in no rate)" in found
    assert "cleanup failed: task-x, attempt 1, exit 3" in found
    assert "    assert: no\\x1b[31m file" in found
    assert found[found.index("    output: one") + 1] == "      two"
    assert "fails: 50%" in found
    assert "works: 100%" not in found


def test_more_is_printed_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    printed.print_report(
        samples.run(samples.task("works", "pass", "task_fail", expect="it works")), verbose=True
    )
    found = lines(capsys)
    assert "works\t50% ✓ ✗ ·\t9.5 to 90.5%\t75%\t25%\t—\t—, 3.0s" in found
    assert "  expect: it works" in found


@pytest.mark.parametrize(
    "name",
    [f"pairs/{name}/a" for name in cases.names("pairs")]
    + [f"accepted/{name}" for name in cases.names("accepted")],
)
def test_every_run_can_be_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for verbose in (False, True):
        printed.print_report(runfile.read(cases.folder() / f"{name}.json"), verbose=verbose)
        found = lines(capsys)
        assert any(line.startswith("overall\t") for line in found)
        assert not any("nan" in line or "inf" in line.split() for line in found)
