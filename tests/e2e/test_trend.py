"""`receipts trend` as a person types it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from receipts.attempts import saving
from tests.members import Member
from tests.receipts.attempts import samples


def save(root: Path, minutes: int, *outcomes: str, **fields: Any) -> None:
    ended = samples.ENDED + timedelta(minutes=minutes)
    saving.save(samples.run(samples.task("a", *outcomes), timestamp=ended, **fields), root)


@pytest.fixture
def project(ada: Member) -> Member:
    """Return a member whose home holds five runs of a spec, one of them of fewer skills."""
    save(ada.home, 0, *["task_fail"] * 6, k=6)
    save(ada.home, 1, *["pass"] * 6, k=6, model="large")
    save(ada.home, 2, *["task_fail"] * 6, k=6, ablated=["triage"])
    save(ada.home, 3, "timeout", k=6, model="large", interrupted=True)
    save(ada.home, 4, *["pass"] * 6, k=6, model="large")
    return ada


def test_each_run_is_a_line_and_held_against_its_like(project: Member) -> None:
    heading, *lines = project.ok("trend", "demo").splitlines()
    assert heading.startswith("run\tsuccess\t95 %\tΔ\t")
    rows = [line.split("\t") for line in lines]
    assert [(row[1], row[3]) for row in rows] == [
        ("0%", ""),
        ("100%", "+100 pp"),
        ("0%", ""),
        ("—", "—"),
        ("100%", "—"),
    ]
    assert [row[-1] for row in rows] == [
        "",
        "moved beyond chance, other than before: model",
        "without triage",
        "⊘ interrupted, nothing measured",
        "",
    ]


def test_the_document_says_what_each_run_is_held_against(project: Member) -> None:
    found = project.json("trend", "evals/demo.eval.yaml")
    assert found["spec"] == "demo"
    runs = found["runs"]
    assert [run["against"] for run in runs] == [
        None,
        "2026-07-01T10-00-00Z",
        None,
        "2026-07-01T10-01-00Z",
        "2026-07-01T10-03-00Z",
    ]
    assert [run["delta"] for run in runs] == [None, 1.0, None, None, None]
    assert [run["is_change"] for run in runs] == [None, True, None, None, None]
    assert [notice["kind"] for notice in runs[1]["notices"]] == ["model"]
    assert runs[3]["warning_kinds"] == ["interrupted"]
    assert runs[2]["run"]["ablated"] == ["triage"]
    compared = project.json("compare", *(run["run_id"] for run in runs[:2]))
    assert runs[1]["delta"] == compared["aggregate_delta"]
    assert runs[1]["delta_interval"] == compared["extra"]["aggregate"]["delta_interval"]


def test_a_file_that_cannot_be_read_hides_no_other(project: Member) -> None:
    (project.home / ".caliper/results/demo/2026-07-01T10-02-30Z.json").write_text("{")
    done = project.run("trend", "demo", "--json")
    assert done.code == 0
    assert done.err.startswith("unreadable: ")
    assert len(project.ok("trend", "demo").splitlines()) == 6


def test_a_spec_without_runs_is_said(project: Member) -> None:
    done = project.run("trend", "dmeo")
    assert (done.code, done.out) == (1, "")
    assert "Did you mean demo?" in done.err
    (project.home / "empty" / ".git").mkdir(parents=True)
    done = project.run("trend", "demo", cwd=project.home / "empty")
    assert done.code == 1
    assert "There are no saved runs" in done.err
