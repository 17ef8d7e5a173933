"""Which run is meant, and where runs lie; held against the reference where it has an answer."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from receipts.attempts import results, saving
from receipts.attempts.results import UnusableRoot
from receipts.errors import ResultsError
from tests import reference
from tests.receipts.attempts import cases, samples


def put(root: Path, name: str, text: str | None = None) -> Path:
    path = root / ".caliper" / "results" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    run = samples.run(samples.task(name, "pass"), spec=path.parent.name)
    path.write_bytes(saving.content(run) if text is None else text.encode())
    return path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("demo/2026-07-01T10-00-00Z", "demo/2026-07-01T10-00-00Z-2", "demo/baseline"):
        put(tmp_path, name)
    for number in (2, 10, 9):
        put(tmp_path, f"tidy/2026-08-01T10-00-00Z-{number}")
    put(tmp_path, "tidy/2026-08-01T10-00-00Z")
    return tmp_path


def test_the_nearest_root_counts_and_the_repository_is_not_left(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "pkg" / "evals"
    deep.mkdir(parents=True)
    (tmp_path / ".caliper").mkdir()
    assert results.root_of(deep) == str(tmp_path)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n")
    assert results.root_of(deep) == str(tmp_path / "repo")
    (tmp_path / "repo" / ".caliper").mkdir()
    assert results.root_of(deep) == str(tmp_path / "repo")
    (tmp_path / "repo" / "pkg" / ".caliper").mkdir()
    assert results.root_of(deep) == str(tmp_path / "repo" / "pkg")


def test_without_any_mark_the_folder_itself_is_the_root(tmp_path: Path) -> None:
    (tmp_path / ".caliper").write_text("a file is no mark")
    assert results.root_of(tmp_path) == str(tmp_path)


@pytest.mark.parametrize("name", [".caliper", ".caliper/results"])
def test_a_file_in_the_place_of_the_results_is_said(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("")
    for ask in (results.folder_of, results.specs, lambda root: results.resolve("demo", root)):
        with pytest.raises(UnusableRoot) as refused:
            ask(tmp_path)
        assert refused.value.exit_code == 2
        assert str(place) in refused.value.message


@pytest.mark.parametrize(
    ("reference", "run"),
    [
        ("demo", "demo/baseline"),
        ("demo/../demo", "demo/baseline"),
        ("demo.eval.yaml", "demo/baseline"),
        ("elsewhere/demo.eval.yaml", "demo/baseline"),
        ("evals/tidy.yaml", "tidy/2026-08-01T10-00-00Z-10"),
        ("tidy", "tidy/2026-08-01T10-00-00Z-10"),
        ("latest", "tidy/2026-08-01T10-00-00Z-10"),
        ("previous", "tidy/2026-08-01T10-00-00Z-9"),
        ("2026-07-01T10-00-00Z", "demo/2026-07-01T10-00-00Z"),
        ("tidy/2026-08-01T10-00-00Z-2", "tidy/2026-08-01T10-00-00Z-2"),
        (".caliper/results/demo/baseline.json", "demo/baseline"),
    ],
)
def test_a_reference_means_one_run(reference: str, run: str, project: Path) -> None:
    found = results.resolve(reference, project)
    assert os.path.realpath(found) == str(project / ".caliper" / "results" / f"{run}.json")


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("dmeo", "Did you mean demo?"),
        ("nothing.json", "There is no file nothing.json."),
        ("demo.JSON", "no saved run of demo.JSON"),
        ("README", "README is no saved run"),
        ("demo/2027-01-01T10-00-00Z", "no saved run of demo/2027"),
        ("../results", "no saved run of ../results"),
        ("", "no saved run"),
    ],
)
def test_what_is_not_there_is_said(reference: str, words: str, project: Path) -> None:
    (project / "README").write_text("no run")
    with pytest.raises(ResultsError) as refused:
        results.resolve(reference, project)
    assert words in str(refused.value)


def test_an_id_that_two_specs_have_is_asked_about(project: Path) -> None:
    put(project, "tidy/baseline")
    with pytest.raises(ResultsError, match="demo/baseline, tidy/baseline"):
        results.resolve("baseline", project)


def test_a_spec_called_like_a_word_of_ours_is_that_spec(project: Path) -> None:
    path = put(project, "latest/2026-01-01T10-00-00Z")
    assert results.resolve("latest", project) == str(path)


def test_a_single_run_has_no_previous_one(tmp_path: Path) -> None:
    put(tmp_path, "demo/2026-07-01T10-00-00Z")
    with pytest.raises(ResultsError, match="and none before it"):
        results.resolve("previous", tmp_path)


def test_without_runs_that_is_what_is_said(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="There are no saved runs under"):
        results.resolve("demo", tmp_path)


def test_a_run_is_picked_by_its_id(project: Path) -> None:
    path = results.pick("demo", "2026-07-01T10-00-00Z", project)
    assert Path(path).stem == "2026-07-01T10-00-00Z"
    good = cases.folder() / "good.json"
    assert results.pick(str(good), "whatever", project) == str(good)
    for run_id in ("2026-07-01T10-00-01Z", "../tidy/2026-08-01T10-00-00Z", ""):
        with pytest.raises(ResultsError, match="has no saved run"):
            results.pick("demo", run_id, project)


def test_runs_lead_nowhere_else(project: Path) -> None:
    for spec in ("..", "", "demo/..", "../../demo", "/etc"):
        with pytest.raises(ResultsError, match="is no name of a spec"):
            results.runs(project, spec)


def test_ids_are_in_utc() -> None:
    east = timezone(timedelta(hours=14))
    times = {
        "0026-01-02T03-04-05Z": datetime(26, 1, 2, 3, 4, 5, tzinfo=UTC),
        "2026-07-01T10-00-00Z": datetime(2026, 7, 2, 0, 0, 0, 999, tzinfo=east),
        "0001-01-01T00-00-00Z": datetime(1, 1, 1, tzinfo=east),
        "2026-07-01T11-00-00Z": datetime(2026, 7, 1, 11),  # noqa: DTZ001 - as some files have it
    }
    assert {results.id_of(time): time for time in times.values()} == times


def test_a_spec_is_named_after_its_file() -> None:
    names = {"demo.eval.yaml": "demo", "a/demo.yaml": "demo", "x.eval.eval.yaml": "x.eval"}
    assert {path: results.spec_name(path) for path in names} == names


def test_the_reference_means_the_same_runs(caliper: Path, project: Path) -> None:
    for number, path in enumerate(sorted((project / ".caliper").rglob("*.json"))):
        ended = samples.ENDED + timedelta(seconds=number)
        path.write_bytes(saving.content(samples.run(samples.task("a", "pass"), timestamp=ended)))
    for word in ("demo", "tidy", "demo/../demo", "elsewhere/demo.eval.yaml", "no", "demo.JSON"):
        done = subprocess.run(
            [caliper, "report", word, "--format", "json"],
            cwd=project,
            env=reference.environment(project),
            capture_output=True,
            text=True,
        )
        try:
            ours = results.resolve(word, project)
        except ResultsError:
            assert done.returncode == 1, word
        else:
            document = json.loads(Path(ours).read_text())
            assert json.loads(done.stdout)["run"] == document["run"], word
