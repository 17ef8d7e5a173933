"""`receipts show` and `receipts list` of saved runs, as a person types them."""

import json
import math
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from receipts.attempts import saving
from tests import reference
from tests.e2e.conftest import Typed
from tests.members import Member
from tests.receipts.attempts import cases, samples


def save(root: Path, minutes: int, *outcomes: str, **fields: Any) -> Path:
    ended = samples.ENDED + timedelta(minutes=minutes)
    task = samples.task("a", *outcomes)
    return Path(saving.save(samples.run(task, timestamp=ended, **fields), root))


def without_infinity(report: dict[str, Any]) -> dict[str, Any]:
    """Return what the reference reported with null for infinity, for which JSON has no word."""
    totals = {
        key: None if isinstance(value, float) and math.isinf(value) else value
        for key, value in report["usage_totals"].items()
    }
    return {**report, "usage_totals": totals}


RECORDED = [
    *(f"pairs/{name}/{side}" for name in cases.names("pairs") for side in "ab"),
    *(f"accepted/{name}" for name in cases.names("accepted")),
]


@pytest.mark.parametrize("name", RECORDED)
def test_the_report_of_a_run_is_the_recorded_one(name: str, typed: Typed) -> None:
    path = cases.folder() / name
    done = typed("show", f"{path}.json", "--json")
    assert done.code == 0, done.err
    ours = json.loads(done.out)
    extra = ours.pop("extra")
    assert len(done.err.splitlines()) == len(extra["contradictions"])
    cases.assert_same(ours, without_infinity(cases.load(Path(f"{path}.report.json"))))


@pytest.mark.parametrize("name", RECORDED)
def test_every_report_is_printed(name: str, typed: Typed) -> None:
    for option in ([], ["--verbose"]):
        done = typed("show", f"{cases.folder() / name}.json", *option)
        assert (done.code, done.err) == (0, "")
        assert "overall\t" in done.out


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_report_and_comparison_say_the_same_of_one_file(name: str, typed: Typed) -> None:
    folder = cases.folder() / "pairs" / name
    paths = folder / "a.json", folder / "b.json"
    compared = typed("compare", *paths, "--json")
    if compared.code:
        return
    comparison = json.loads(compared.out)
    for side, path in zip("ab", paths, strict=True):
        report = json.loads(typed("show", path, "--json").out)
        assert comparison[f"{side}_usage"] == report["usage_totals"]
        scores = {task["task_name"]: task["score"] for task in report["task_results"]}
        if len(scores) == len(report["task_results"]):
            for row in comparison["matched"]:
                assert row[f"{side}_score"] == scores[row["task_name"]]


@pytest.mark.parametrize("name", cases.names("refused"))
def test_what_cannot_be_is_refused(name: str, typed: Typed) -> None:
    done = typed("show", cases.folder() / "refused" / f"{name}.json", "--json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) in (1, 2)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in cases.names("cli")
        if cases.load(cases.folder() / "cli" / name / "meta.json")["argv"][0] != "compare"
        and name != "report-format-unknown"  # there is no such option here
    ],
)
def test_references_are_taken_as_recorded(name: str, typed: Typed, home: Path) -> None:
    folder = cases.folder() / "cli" / name
    shutil.copytree(folder, home, symlinks=True, dirs_exist_ok=True)
    meta = cases.load(folder / "meta.json")
    words = [*meta["argv"]]
    words[0] = {"report": "show", "list": "list"}[words[0]]
    if "--format" in words:
        words[words.index("--format") :] = ["--json"]
    done = typed(*words)
    assert done.code == meta["exit"], done
    if (folder / "stdout.json").exists():
        ours = json.loads(done.out)
        del ours["extra"]
        cases.assert_same(ours, without_infinity(cases.load(folder / "stdout.json")))
    elif words[0] == "list":
        assert "2026-07-01T10-00-00Z\t1\t3\t66.7%\t" in done.out.splitlines()


@pytest.fixture
def project(home: Path) -> Path:
    """Return a project with three runs of one spec, and one of another."""
    save(home, 0, "pass", "pass", "task_fail", ablated=["triage"])
    save(home, 1, "pass", interrupted=True)
    save(home, 2, "timeout")
    save(home, 3, "pass", "pass", "pass", spec="tidy")
    return home


def test_without_a_name_every_spec_is_a_line(typed: Typed, project: Path) -> None:
    done = typed("list")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "spec\truns\tlatest\tsuccess",
        "demo\t3\t2026-07-01T10-02-00Z\t—",
        "tidy\t1\t2026-07-01T10-03-00Z\t100.0%",
    ]
    (project / "below").mkdir()
    found = json.loads(typed("list", "--json").out)
    assert [(item["spec"], item["runs"]) for item in found["specs"]] == [("demo", 3), ("tidy", 1)]
    assert found["specs"][1]["latest"]["success"] == 1
    assert found["saved_runs"] == []


@pytest.mark.parametrize("name", ["demo", "demo.eval.yaml", "evals/demo.eval.yaml"])
def test_of_a_spec_every_run_is_a_line(name: str, typed: Typed, project: Path) -> None:
    done = typed("list", name)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "saved run\tk\ttasks\tsuccess\twithout",
        "2026-07-01T10-02-00Z\t3\t1\t—\t",
        "2026-07-01T10-01-00Z\t3\t1\t100.0% ⊘\t",
        "2026-07-01T10-00-00Z\t3\t1\t66.7%\ttriage",
    ]
    runs = json.loads(typed("list", name, "--json").out)["saved_runs"]
    assert [run["interrupted"] for run in runs] == [False, True, False]
    assert runs[2]["ablated"] == ["triage"]
    assert runs[2]["path"].startswith(str(project))


def test_a_bad_file_is_named_and_hides_no_other(typed: Typed, project: Path) -> None:
    (project / ".caliper/results/demo/zzz.json").write_text("{")
    done = typed("list", "demo")
    assert done.code == 0
    assert done.out.splitlines()[1] == "zzz\t?\t?\t?\t?"
    assert len(done.out.splitlines()) == 5
    assert done.err.startswith("unreadable: ")
    assert typed("list").out.splitlines()[1] == "demo\t4\tzzz\t?"


def test_receipts_of_skills_and_saved_runs_stand_below_each_other(ada: Member) -> None:
    ada.evaluate(ada.skill("demo"))
    save(ada.home, 0, "pass")
    lines = ada.ok("list", "demo").splitlines()
    assert lines[0].startswith("20260916T042108Z\tdemo\tPASS")
    assert lines[1:] == ["", "saved run\tk\ttasks\tsuccess\twithout", lines[3]]
    assert lines[3].startswith("2026-07-01T10-00-00Z")
    assert len(ada.ok("list", "demo.eval.yaml").splitlines()) == 2
    assert ada.json("list", "demo")["runs"][0]["run_id"] == "20260916T042108Z"


@pytest.mark.parametrize("words", [["list"], ["show", "demo"], ["trend", "demo"]], ids=" ".join)
def test_a_file_in_the_place_of_the_results_is_said(
    words: list[str], typed: Typed, home: Path
) -> None:
    (home / ".git").mkdir()
    (home / ".caliper").touch()
    done = typed(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0].endswith(
        "and the saved runs belong into a folder of that name."
    )


def test_such_a_file_is_in_the_way_of_no_receipt(ada: Member) -> None:
    ada.evaluate(ada.skill("tdd"))
    (ada.home / ".caliper").touch()
    assert "verdict: PASS" in ada.ok("show", ada.home / "skills" / "tdd")
    assert "verdict: PASS" in ada.ok("show", "20260916T042108Z")


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        (["demo"], "10:02"),
        (["demo.eval.yaml", "--run", "2026-07-01T10-01-00Z"], "10:01"),
        (["2026-07-01T10-00-00Z"], "10:00"),
        (["demo/2026-07-01T10-01-00Z"], "10:01"),
        (["latest"], "10:03"),
        ([".caliper/results/demo/2026-07-01T10-01-00Z.json", "--run", "whatever"], "10:01"),
    ],
)
def test_a_run_is_shown_however_it_is_named(
    words: list[str], ended: str, typed: Typed, project: Path
) -> None:
    del project
    found = json.loads(typed("show", *words, "--json").out)
    assert found["run"]["timestamp"][11:16] == ended


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["previous"], "tidy has one saved run"),
        (["demo", "--run", "nothing"], "demo has no saved run nothing."),
        (["2027-01-01T00-00-00Z"], "There is no saved run of 2027-01-01T00-00-00Z"),
        (["nowhere.eval.yaml"], "There is no saved run of nowhere.eval.yaml"),
        (["nowhere"], "No skill called nowhere"),
    ],
)
def test_a_run_that_is_not_there_is_said(
    words: list[str], said: str, typed: Typed, project: Path
) -> None:
    del project
    done = typed("show", *words)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_what_is_about_receipts_is_not_asked_of_a_run(typed: Typed, project: Path) -> None:
    del project
    for words in (["--explain"], ["--against", "tidy"]):
        done = typed("show", "demo", *words)
        assert done.code == 2
        assert "demo is a saved run" in done.err


def test_a_name_that_means_a_skill_and_a_spec_is_refused(ada: Member) -> None:
    skill = ada.skill("demo")
    ada.evaluate(skill)
    save(ada.home, 0, "pass")
    assert ada.json("show", "demo")["run"]["spec"] == "demo"
    ada.ok("library", "add", "skills")
    done = ada.run("show", "demo")
    assert (done.code, done.out) == (2, "")
    assert "Name the run by demo.eval.yaml, or the skill by its folder." in done.err
    assert ada.json("show", "demo.eval.yaml")["run"]["spec"] == "demo"
    assert ada.json("show", "skills/demo")["skill_name"] == "demo"


def test_a_stored_number_that_contradicts_the_attempts_is_named(
    typed: Typed, project: Path
) -> None:
    path = project / ".caliper/results/tidy/2026-07-01T10-03-00Z.json"
    document = json.loads(path.read_text())
    document["aggregate"]["avg_score"] = 0.25
    path.write_text(json.dumps(document))
    said = "warning: avg_score is stored as 0.25, and the attempts give 1"
    assert said in typed("show", "tidy").out.splitlines()
    assert typed("show", "tidy", "--json").err.splitlines() == [said]
    assert "tidy\t1\t2026-07-01T10-03-00Z\t100.0%" in typed("list").out.splitlines()


def test_the_reference_lists_the_runs_that_we_list(typed: Typed, project: Path) -> None:
    theirs = subprocess.run(
        [reference.command(), "list", "demo"],
        cwd=project,
        env=reference.environment(project),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for line in typed("list", "demo").out.splitlines()[1:]:
        run_id, k, tasks, success, without = line.split("\t")
        (row,) = [row for row in theirs.splitlines() if run_id in row]
        cells = [cell.strip() for cell in row.strip("│").split("│")]
        assert cells == [k, tasks, success, without, run_id]
