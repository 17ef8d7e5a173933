"""`receipts compare` as a person types it: what the reference made of the same files, and ours."""

import json
import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from receipts.attempts import saving
from receipts.attempts.runfile import RunFile
from tests import reference
from tests.e2e.conftest import Typed
from tests.members import Member, Ran
from tests.parts import examples
from tests.receipts.attempts import cases, samples
from tests.store import samples as receipts


def document(done: Ran) -> dict[str, Any]:
    """Return what was printed by a command that did its work."""
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)  # type: ignore[no-any-return]


def saved(root: Path, *tasks: Any, minutes: int = 0, **fields: Any) -> Path:
    """Save a run that ended so many minutes after the first."""
    ended = samples.ENDED + timedelta(minutes=minutes)
    return Path(saving.save(samples.run(*tasks, timestamp=ended, **fields), root))


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_the_document_of_a_pair_is_the_recorded_one(name: str, typed: Typed) -> None:
    folder = cases.folder() / "pairs" / name
    done = typed("compare", folder / "a.json", folder / "b.json", "--json")
    if not (folder / "compare.json").exists():
        assert done.code == 1
        assert (done.out, len(done.err.splitlines())) == ("", 2)
        assert "do not compare" in done.err
        return
    cases.assert_as_recorded(document(done), cases.load(folder / "compare.json"))


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_every_pair_is_printed(name: str, typed: Typed) -> None:
    folder = cases.folder() / "pairs" / name
    done = typed("compare", folder / "a.json", folder / "b.json", "--verbose")
    refused = not (folder / "compare.json").exists()
    assert (done.code, bool(done.err), bool(done.out)) == (refused, refused, not refused)


@pytest.mark.parametrize("name", cases.names("refused"))
def test_what_cannot_be_is_refused_on_either_side(name: str, typed: Typed) -> None:
    good, bad = cases.folder() / "good.json", cases.folder() / "refused" / f"{name}.json"
    for words in ((good, bad), (bad, good)):
        done = typed("compare", *words, "--json")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("error: ")
        assert bad.name in done.err
        assert len(done.err.splitlines()) in (1, 2)


@pytest.mark.parametrize("name", cases.names("accepted"))
def test_what_only_looks_odd_is_compared(name: str, typed: Typed) -> None:
    folder = cases.folder()
    done = typed("compare", folder / "good.json", folder / "accepted" / f"{name}.json", "--json")
    recorded = folder / "accepted" / f"{name}.compare.json"
    if not recorded.exists():
        assert (done.code, done.out) == (1, "")
        return
    cases.assert_as_recorded(document(done), cases.load(recorded))


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in cases.names("cli")
        if cases.load(cases.folder() / "cli" / name / "meta.json")["argv"][0] == "compare"
    ],
)
def test_references_are_taken_as_recorded(name: str, typed: Typed, home: Path) -> None:
    folder = cases.folder() / "cli" / name
    shutil.copytree(folder, home, symlinks=True, dirs_exist_ok=True)
    if name == "directory-named-json":
        (home / "d.json").mkdir()
    if name == "symlink-to-the-same-run" and not (home / "link.json").is_symlink():
        (home / "link.json").unlink(missing_ok=True)
        (home / "link.json").symlink_to("a.json")
    meta = cases.load(folder / "meta.json")
    words = [*meta["argv"]]
    if "--format" in words:
        words[words.index("--format") :] = ["--json"]
    done = typed(*words)
    assert done.code == meta["exit"], done
    if (folder / "stdout.json").exists():
        cases.assert_as_recorded(document(done), cases.load(folder / "stdout.json"))


@given(run=samples.runs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
def test_any_run_beside_its_copy_shows_nothing(run: RunFile, typed: Typed, home: Path) -> None:
    for name in ("a.json", "b.json"):
        (home / name).write_bytes(saving.content(run))
    words = ("compare", "a.json", "b.json", "--fail-on-regression", "0")
    done = typed(*words, "--json")
    if done.code == 2:
        assert "No task was measured in both" in done.err
        done = typed("compare", "a.json", "b.json", "--json")
    found = document(done)
    for key in ("regressions", "activation_regressions", "warnings", "skill_drift"):
        assert found[key] == []
    assert not found["has_regression"]
    assert found["aggregate_delta"] == found["token_delta"] == found["wall_delta"] == 0
    assert all(row["delta"] in (0, None) for row in found["matched"])
    assert found["extra"]["notices"] == []
    assert not found["extra"]["aggregate"]["is_change"]


@pytest.fixture
def project(home: Path) -> Path:
    """Return a project with two runs of one spec, and a later one of another."""
    saved(home, samples.task("a", "pass", "pass", "task_fail"))
    saved(home, samples.task("a", "pass", "task_fail", "task_fail"), minutes=1)
    saved(home, samples.task("a", "pass", "pass", "pass"), minutes=2, spec="tidy")
    return home


@pytest.mark.parametrize(
    ("words", "scores"),
    [
        (["2026-07-01T10-00-00Z", "demo"], [2 / 3, 1 / 3]),
        (["demo.eval.yaml", "tidy"], [1 / 3, 1]),
        ([".caliper/results/demo/2026-07-01T10-00-00Z.json", "evals/demo.yaml"], [2 / 3, 1 / 3]),
        (["demo/2026-07-01T10-00-00Z", "latest"], [2 / 3, 1]),
    ],
)
def test_runs_are_named_in_every_way(
    words: list[str], scores: list[float], typed: Typed, project: Path
) -> None:
    (project / "below").mkdir()
    os.chdir(project / "below" if words[0][0] != "." else project)
    (row,) = document(typed("compare", *words, "--json"))["matched"]
    assert [row["a_score"], row["b_score"]] == pytest.approx(scores)


def test_previous_and_latest_are_of_one_spec(typed: Typed, project: Path) -> None:
    saved(project, samples.task("a", "pass"), minutes=3)
    found = document(typed("compare", "previous", "latest", "--json"))
    assert [found[side]["timestamp"][11:16] for side in "ab"] == ["10:01", "10:03"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["demo"], 2, "Name two runs."),
        (["demo", "demo.eval.yaml"], 1, "demo and demo.eval.yaml are one run."),
        (["demo", "tidy", "latest"], 1, "tidy and latest are one run."),
        (["dmeo", "tidy"], 1, "Did you mean demo?"),
        (["demo", "20260701T100000Z"], 1, "No usable run 20260701T100000Z"),
    ],
)
def test_what_cannot_be_meant_is_said(
    words: list[str], code: int, said: str, typed: Typed, project: Path
) -> None:
    del project
    done = typed("compare", *words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) in (1, 2)


def test_a_file_in_the_place_of_the_results_is_said(typed: Typed, home: Path) -> None:
    (home / ".git").mkdir()
    (home / ".caliper").touch()
    done = typed("compare", "demo", "tidy")
    assert done.code == 2
    assert "is a file" in done.err


@pytest.mark.parametrize(("points", "code"), [("33", 3), ("33.4", 0), ("0", 3), ("101", 2)])
def test_a_regression_fails_only_where_that_was_asked_for(
    points: str, code: int, typed: Typed, project: Path
) -> None:
    del project
    words = ("compare", "2026-07-01T10-00-00Z", "demo")
    assert typed(*words).code == 0
    done = typed(*words, "--fail-on-regression", points)
    assert done.code == code
    if code == 3:
        assert done.err == f"B fell by more than {points} percentage points in 1 task(s): a\n"
        assert "regressions: 1 (a)" in done.out
        found = json.loads(typed(*words, "--fail-on-regression", points, "--json").out)
        assert found["extra"]["fail_on_regression"]["fell"] == {"B": ["a"]}
    assert typed("compare", *words[:0:-1], "--fail-on-regression", "0").code == 0


def test_a_gate_without_a_measurement_does_not_open(typed: Typed, home: Path) -> None:
    saved(home, samples.task("a", "pass"))
    saved(home, samples.task("a", "timeout"), minutes=1)
    done = typed("compare", "previous", "latest", "--fail-on-regression", "50", "--json")
    assert (done.code, done.out) == (2, "")
    assert "cannot tell" in done.err
    assert typed("compare", "previous", "latest").code == 0


def test_many_runs_stand_in_one_table(typed: Typed, project: Path) -> None:
    saved(project, samples.task("a", "task_fail"), samples.task("b", "pass"), minutes=3)
    words = ("compare", "2026-07-01T10-00-00Z", "2026-07-01T10-01-00Z", "tidy", "latest")
    lines = typed(*words, "--verbose").out.splitlines()
    assert "task\tA\tB\tC\tD" in lines
    assert "a\t66.7% ✓ ✓ ✗\t33.3% ✓ ✗ ✗\t100% ✓ ✓ ✓\t0% ✗ · ·" in lines
    assert "success, 1 of 2 task(s)\t66.7%\t33.3%\t100%\t0%" in lines
    assert "Δ to A\t\t-33.3 pp\t+33.3 pp\t-66.7 pp" in lines
    assert "D beside A:" in lines
    assert "  warning: A is a run of demo, C of tidy: make sure that they ask the same" in lines
    assert "b\t—\t—\t—\t100%\t—\t—\t—\t100%" in lines
    found = document(typed(*words, "--json"))
    assert [run["success"] for run in found["runs"]] == pytest.approx([2 / 3, 1 / 3, 1, 0])
    assert [row["scores"] for row in found["tasks"]][1] == [None, None, None, 1.0]
    assert [item["b"] for item in found["comparisons"]] == ["B", "C", "D"]
    for run, comparison in zip(found["runs"][1:], found["comparisons"], strict=True):
        assert run["delta"] == pytest.approx(comparison["aggregate_delta"])
        assert run["certainty"] == comparison["extra"]["aggregate"]
    gate = typed(*words, "--fail-on-regression", "40")
    assert gate.code == 3
    assert gate.err == "D fell by more than 40 percentage points in 1 task(s): a\n"


def test_tasks_of_one_name_stand_beside_each_other_by_position(typed: Typed, home: Path) -> None:
    for minutes, verdict in enumerate(("pass", "task_fail", "timeout")):
        saved(home, samples.task("a", "pass"), samples.task("a", verdict), minutes=minutes)
    found = document(
        typed("compare", *(f"2026-07-01T10-0{number}-00Z" for number in range(3)), "--json")
    )
    assert [row["scores"] for row in found["tasks"]] == [[1, 1, 1], [1, 0, None]]
    assert found["shared_tasks"] == 1


def row(case: str, outcome: str, passed: bool | None, rep: int = 0) -> dict[str, Any]:
    arms: Any = {"candidate": {"passed": passed, "checks": []}}
    return {"case": case, "rep": rep, "arms": arms, "outcomes": {"candidate-vs-baseline": outcome}}


@pytest.fixture
def filed(home: Path) -> Path:
    """Return a folder with two receipts of arms, and one of another method."""
    ours = [row("add", "win", passed=True), row("sub", "tie", passed=True), row("mul", "win", None)]
    theirs = [
        row("add", "loss", passed=False),
        row("sub", "tie", passed=True),
        row("div", "win", None),
    ]
    (home / "a.json").write_bytes(receipts.receipt(per_case=ours))
    later = "20260917T000000Z"
    (home / "b.json").write_bytes(receipts.receipt(run_id=later, per_case=theirs, verdict="FAIL"))
    other = "20260918T000000Z"
    (home / "golden.json").write_bytes(receipts.receipt(run_id=other, method="golden"))
    return home


def test_receipts_of_arms_say_first_whether_they_compare(typed: Typed, filed: Path) -> None:
    lines = typed("compare", "a.json", "b.json").out.splitlines()
    assert lines[0] == "comparable: no difference is recorded"
    assert "rows that changed: 1 of 2 (0 better, 1 worse)" in lines
    changed = "  add rep 0: candidate-vs-baseline win -> loss, candidate passed -> failed"
    assert changed in lines
    assert "with rows in A alone: mul" in lines
    assert "with rows in B alone: div" in lines
    found = document(typed("compare", "a.json", "b.json", "--json"))
    assert (found["comparable"], found["differences"], found["better"]) == (True, [], 0)
    assert found["changed"] == [
        {
            "case": "add",
            "rep": 0,
            "outcomes": {"candidate-vs-baseline": ["win", "loss"]},
            "passed": {"candidate": [True, False]},
        }
    ]
    other = receipts.document()
    other["provenance"] |= {"model": "haiku", "k": 2}
    (filed / "c.json").write_text(json.dumps(other | {"run_id": "20260917T000001Z"}))
    lines = typed("compare", "a.json", "c.json").out.splitlines()
    assert lines[:3] == [
        "not comparable:",
        "  model: sonnet in A, haiku in B",
        "  k: 1 in A, 2 in B",
    ]
    assert "rows: none is listed in both" in lines


def test_receipts_are_named_by_the_ids_of_their_runs(ada: Member) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    ada.evaluate(skill, (0, 2, 1), "20260917T042108Z")
    done = ada.run("compare", receipts.RUN, "20260917T042108Z")
    assert (done.code, done.err) == (0, "")
    assert "  net lift moved by -133 pp" in done.out.splitlines()
    assert "are one run" in ada.run("compare", receipts.RUN, receipts.RUN).err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["a.json", "golden.json"], 1, "A is a receipt of the method arms and B of golden"),
        (["a.json", "run.json"], 1, "A saved run and a receipt do not compare."),
        (["a.json", "b.json", "golden.json"], 2, "Two receipts compare, and 3 are named."),
        (["a.json", "b.json", "--fail-on-regression", "5"], 2, "is for saved runs"),
        (["a.json", "newer.json"], 1, "is newer than this version of receipts"),
        (["golden.json", "gold.json"], 1, "Receipts of the method golden are not compared."),
        (["a.json", "bad.json"], 1, "is no valid receipt"),
    ],
)
def test_receipts_that_do_not_compare_are_refused(
    words: list[str], code: int, said: str, typed: Typed, filed: Path
) -> None:
    (filed / "run.json").write_bytes(saving.content(samples.run()))
    (filed / "newer.json").write_bytes(receipts.receipt(schema_version=3))
    (filed / "gold.json").write_bytes(receipts.receipt(method="golden"))
    (filed / "bad.json").write_text('{"schema_version": 2}')
    done = typed("compare", *words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) in (1, 2)


def test_the_reference_compares_our_files_to_the_same_numbers(typed: Typed, project: Path) -> None:
    caliper = reference.command()
    words = ["compare", "demo", "tidy"]
    theirs = subprocess.run(
        [caliper, *words, "--format", "json"],
        cwd=project,
        env=reference.environment(project),
        capture_output=True,
        check=True,
    )
    cases.assert_as_recorded(document(typed(*words, "--json")), json.loads(theirs.stdout))
