"""Runs in a line each: at a glance, which never says other than the schema would."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from pydantic import BaseModel

from receipts.attempts import forms, results, runfile, saving
from receipts.attempts.glance import Glance, glance
from receipts.attempts.runfile import Beyond, RunFile
from receipts.attempts.scores import average
from receipts.attempts.summaries import summaries
from receipts.errors import ResultsError
from tests.receipts.attempts import cases, samples


def whole(run: RunFile) -> Glance:
    """Return what a list says of a run that was read by the schema."""
    meta = run.run
    score = average(task.score for task in run.task_results)
    what = (meta.timestamp, meta.k, meta.backend, meta.model, meta.ablated, meta.interrupted)
    return Glance(*what, len(run.task_results), score)


def assert_no_other(path: Path) -> bool:
    """Assert that a file is at a glance what it is by the schema; say whether it is seen at all."""
    seen = glance(path.read_bytes())
    if seen is not None:
        assert seen == whole(runfile.read(path, "skipped"))
    return seen is not None


@given(samples.runs())
def test_any_run_is_at_a_glance_what_it_is_whole(run: RunFile) -> None:
    seen = glance(saving.content(run))
    assert seen is None or seen == whole(run)


def test_a_run_as_it_is_saved_is_seen_at_a_glance() -> None:
    turn = {"role": "assistant", "content": "working"}
    attempts = [samples.attempt(1, transcript=[turn], usage={"input_tokens": 3})]
    task = samples.task("a", attempts=attempts, activation_expected=["x"], prompt="do")
    run = samples.run(task, ablated=["mcp:mail"], interrupted=True)
    ours = run.model_copy(update={"receipts": Beyond(version="1", timeout_seconds=90, bar=0.5)})
    assert glance(saving.content(ours)) == whole(run)


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("name", cases.names("pairs"))
def test_recorded_runs_are_at_a_glance_what_they_are_whole(name: str, side: str) -> None:
    assert_no_other(cases.folder() / "pairs" / name / f"{side}.json")


@pytest.mark.parametrize("name", cases.names("accepted"))
def test_odd_runs_are_at_a_glance_what_they_are_whole(name: str) -> None:
    assert_no_other(cases.folder() / "accepted" / f"{name}.json")


def test_the_run_that_the_others_differ_from_is_seen_at_a_glance() -> None:
    assert assert_no_other(cases.folder() / "good.json")


@pytest.mark.parametrize("name", cases.names("refused"))
def test_what_the_schema_refuses_is_never_seen(name: str) -> None:
    path = cases.folder() / "refused" / f"{name}.json"
    if name.startswith("turn-"):  # transcripts are not looked at
        return
    assert glance(path.read_bytes()) is None
    with pytest.raises(ResultsError):
        runfile.read(path, "skipped")


_ODD: list[Any] = [
    None, True, -1, 0, 1.5, 2**70, 1e999, -0.0, "text", "2026-13-01T00:00:00Z", "pass", [], [0],
    ["a"], [None], {}, {"a": 1},
]  # fmt: skip


def _places(value: Any) -> list[list[Any]]:
    """Return the path to every value of a document."""
    found: list[list[Any]] = []
    items = value.items() if isinstance(value, dict) else []
    for key, inner in items or (enumerate(value) if isinstance(value, list) else []):
        found += [[key], *([key, *path] for path in _places(inner))]
    return found


def _document() -> dict[str, Any]:
    skill = {"path": "p", "files": {"SKILL.md": {"hash": "sha256:0", "content": "text"}}}
    attempts = [samples.attempt(1, usage={"input_tokens": 3}, judge_seconds=1, activated=["x"])]
    task = samples.task("a", attempts=attempts, activation_expected=["x"])
    run = samples.run(task, snapshots=(runfile.Snapshot.model_validate(skill),))
    ours = run.model_copy(update={"receipts": Beyond(version="1", bar=0.5)})
    return json.loads(saving.content(ours))  # type: ignore[no-any-return]


@pytest.mark.parametrize("odd", _ODD, ids=repr)
def test_no_odd_value_is_seen_that_the_schema_refuses(odd: Any) -> None:
    for path in _places(_document()):
        document = _document()
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = odd
        data = json.dumps(document).encode()
        seen = glance(data)
        assert seen is None or seen == whole(RunFile.model_validate_json(data)), path


def test_no_missing_field_is_passed_over_that_the_schema_asks_for() -> None:
    for path in _places(_document()):
        document = _document()
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        data = json.dumps(document).encode()
        seen = glance(data)
        assert seen is None or seen == whole(RunFile.model_validate_json(data)), path


@pytest.mark.parametrize(
    ("form", "model"),
    [
        (forms.FILE, runfile.RunFile),
        (forms.RUN, runfile.Run),
        (forms.SNAPSHOT, runfile.Snapshot),
        (forms.SNAPSHOT_FILE, runfile.SnapshotFile),
        (forms.USAGE, runfile.Usage),
        (forms.ATTEMPT, runfile.Attempt),
        (forms.TASK, runfile.TaskResult),
        (forms.PER_TASK, runfile.PerTask),
        (forms.PER_SKILL, runfile.PerSkill),
        (forms.AGGREGATE, runfile.Aggregate),
        (forms.BEYOND, runfile.Beyond),
    ],
)
def test_forms_have_the_fields_of_the_schema(form: forms.Form, model: type[BaseModel]) -> None:
    assert form.fields.keys() == model.model_fields.keys()
    fields = model.model_fields.items()
    assert form.required == {name for name, field in fields if field.is_required()}


def test_a_line_for_each_run_and_one_bad_file_hides_none(tmp_path: Path) -> None:
    saving.save(samples.run(samples.task("a", "pass")), tmp_path)
    folder = tmp_path / ".caliper/results/demo"
    (folder / "2026-07-01T09-00-00Z.json").write_text("{")
    (folder / "zzz.json").mkdir()
    first, second = summaries(results.runs(tmp_path, "demo"))
    assert "no JSON" in first.problem
    assert first.run is None
    assert second.problem == ""
    assert second.run is not None
    assert (second.run.tasks, second.run.score) == (1, 1.0)


def test_a_line_reads_no_transcript(tmp_path: Path) -> None:
    turn = {"role": "assistant", "content": "working"}
    attempts = [samples.attempt(1, "task_fail", transcript=[turn])]
    path = Path(saving.save(samples.run(samples.task("a", attempts=attempts)), tmp_path))
    path.write_text(path.read_text().replace('"working"', "null"))
    (line,) = summaries(results.runs(tmp_path, "demo"))
    assert line.run is not None
    assert (line.run.score, line.problem) == (0.0, "")


def test_the_schema_is_not_loaded_for_runs_in_the_usual_form(tmp_path: Path) -> None:
    saving.save(samples.run(samples.task("a", "pass")), tmp_path)
    script = (
        "import sys; from receipts import cli; code = cli.run(['list', 'demo']); "
        "sys.exit(code or 'pydantic' in sys.modules)"
    )
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr
