"""Saved runs: where they go, that none is lost, and that the reference reads them."""

import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given

from receipts.attempts import results, runfile, saving
from receipts.attempts.runfile import Beyond, RunFile, Turn
from receipts.errors import ResultsError
from tests import reference
from tests.receipts.attempts import cases, samples


@given(samples.runs())
def test_a_run_that_was_written_is_read_as_it_was(run: RunFile) -> None:
    assert RunFile.model_validate_json(saving.content(run)) == run


def test_a_run_lies_under_its_spec_and_the_second_it_ended_in(tmp_path: Path) -> None:
    ended = datetime(2026, 7, 1, 12, 0, 0, 900_000, tzinfo=timezone(timedelta(hours=2)))
    run = samples.run(samples.task("a", "pass"), timestamp=ended)
    path = Path(saving.save(run, tmp_path))
    assert path == tmp_path / ".caliper/results/demo/2026-07-01T10-00-00Z.json"
    assert runfile.read(path) == run
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_runs_of_one_second_get_a_number_and_none_is_written_over(tmp_path: Path) -> None:
    for number in range(11):
        saving.save(samples.run(samples.task(f"{number}", "pass")), tmp_path)
    saved = results.runs(tmp_path, "demo")
    assert [run.run_id.removeprefix("2026-07-01T10-00-00Z") for run in saved] == [
        "",
        *(f"-{number}" for number in range(2, 12)),
    ]
    names = [runfile.read(run.path).task_results[0].task_name for run in saved]
    assert names == [f"{number}" for number in range(11)]


def test_a_name_is_claimed_where_the_file_system_knows_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    first, second = (saving.save(samples.run(), tmp_path) for _ in range(2))
    assert first != second
    assert runfile.read(first) == runfile.read(second) == samples.run()
    assert len(list((tmp_path / ".caliper/results/demo").iterdir())) == 2


@pytest.mark.parametrize("spec", ["", ".", "..", "a/b", "a\\b", "a\0b"])
def test_a_spec_that_cannot_name_a_folder_is_refused(spec: str, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be saved"):
        saving.save(samples.run(spec=spec), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_that_a_tool_was_called_with_does_not_lose_the_run() -> None:
    turn = Turn(role="tool_use", content="", tool_input={"comm\udc80and": ["\ud800"]})
    run = samples.run(samples.task("a", attempts=[samples.attempt(1, transcript=[turn])]))
    read = RunFile.model_validate_json(saving.content(run))
    transcript = read.task_results[0].attempts[0].transcript
    assert transcript is not None
    assert transcript[0].tool_input == {"comm\ufffdand": ["\ufffd"]}


def test_a_run_without_a_place_is_kept_aside() -> None:
    run = samples.run(samples.task("a", "pass"), spec="de mo/x")
    path = Path(saving.save_aside(run))
    assert path.name.startswith("caliper-de_mo_x-")
    assert runfile.read(path) == run


def test_a_run_is_written_where_the_user_says_as_well(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "out.json"
    saving.write(samples.run(), place)
    saving.write(samples.run(k=4), place)
    assert runfile.read(place).run.k == 4


def test_the_reference_reads_what_we_wrote(caliper: Path, tmp_path: Path) -> None:
    (tmp_path / ".caliper").mkdir()
    run = samples.run(
        samples.task("works", "pass", "pass", "task_fail", expect="it ✓ works", prompt="do"),
        samples.task("probe", "not_checked", "timeout", activation_expected=["triage"]),
    )
    ours = run.model_copy(update={"receipts": Beyond(version="1", timeout_seconds=90)})
    path = saving.save(ours, tmp_path)

    def printed(*arguments: str) -> str:
        done = subprocess.run(
            [caliper, *arguments],
            cwd=tmp_path,
            env=reference.environment(tmp_path),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    theirs = json.loads(printed("report", "demo", "--format", "json"))
    del theirs["usage_totals"]
    cases.assert_same(json.loads(run.model_dump_json(exclude={"receipts"})), theirs)
    assert Path(path).stem in printed("list", "demo")
    saving.save(run.model_copy(update={"run": run.run.model_copy(update={"k": 2})}), tmp_path)
    compared = printed("compare", path, "demo", "--format", "json")
    assert json.loads(compared)["k_mismatch"] is True
