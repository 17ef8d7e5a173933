import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from receipts.errors import CannotCompare
from receipts.golden import committed, gate
from tests.receipts.golden.cases import rows, shared_rows, split

pytestmark = pytest.mark.usefixtures("home")  # git and dulwich read the configuration there

SAMPLE = rows("baseline_lookup.jsonl")
RECORD = {"id": "a", "category": "edge", "status": "scored", "pass": True}
FIRST = "eval/results/20260101T000000.000000Z.jsonl"
SECOND = "eval/results/20260202T000000.000000Z.jsonl"
CURRENT = "eval/results/20260301T000000.000000Z.jsonl"


def git(folder: Path, *arguments: str) -> None:
    identity = {
        f"GIT_{who}_{what}": "a@b.c"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    command = ["git", "-c", "init.defaultBranch=main", *arguments]
    subprocess.run(
        command, cwd=folder, env={**os.environ, **identity}, check=True, capture_output=True
    )


def write(root: Path, name: str, *records: dict[str, Any]) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records or [RECORD]), "utf-8")
    return path


def commit(root: Path, *names: str) -> None:
    git(root, "add", "-f", "--", *names)
    git(root, "commit", "-q", "-m", "x")


def laid_out(root: Path, row: dict[str, Any]) -> None:
    """Make the folder that a row describes."""
    if row["git"] != "none":
        git(root, "init", "-q")
    if row["gitignored"]:
        (root / ".gitignore").write_text("".join(f"{line}\n" for line in row["gitignored"]))
    for names in row["commits"]:
        for name in names:
            write(root, name)
        commit(root, *names)
    if row["deleted_in_last_commit"]:
        git(root, "rm", "-q", "--", *row["deleted_in_last_commit"])
        git(root, "commit", "-q", "-m", "x")
    for name in row["modified_after_commit"]:
        write(root, name, {**RECORD, "pass": False})
    for name in row["staged_only"]:
        write(root, name)
        git(root, "add", "-f", "--", name)
    for name in (*row["untracked"], row["current"]):
        write(root, name)


def check(row: dict[str, Any], root: Path) -> None:
    """Hold one row to what is wanted."""
    root.mkdir()
    laid_out(root, row)
    current = root / row["current"]
    found = committed.last_committed(current.parent, current)
    assert found.path == row["want"], row["why"]
    assert (found.tallies is None) is (row["want"] is None)
    if found.tallies is not None:  # the committed content, not the edited copy
        assert found.tallies["edge"].passed == 1
    assert bool(found.notes) is (bool(row["gitignored"]) or row["git"] != "repo")


@pytest.mark.parametrize("row", split(SAMPLE, contested=False))
def test_a_baseline_is_looked_up(row: dict[str, Any], tmp_path: Path) -> None:
    check(row, tmp_path / "p")


@pytest.mark.parametrize("row", split(SAMPLE, contested=True))
def test_a_baseline_that_another_reading_looks_up_otherwise(
    row: dict[str, Any], tmp_path: Path
) -> None:
    check(row, tmp_path / "p")


def test_every_shared_look_up(tmp_path: Path) -> None:
    shared = shared_rows("baseline_lookup.jsonl")
    assert len(shared) >= 8
    for row in shared:
        check(row, tmp_path / row["id"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with one committed run in which something was scored."""
    git(tmp_path, "init", "-q")
    write(tmp_path, FIRST)
    commit(tmp_path, FIRST)
    return tmp_path


def found(root: Path) -> committed.Baseline:
    return committed.last_committed(root / "eval" / "results", root / CURRENT)


def test_a_committed_run_without_any_score_is_no_floor(root: Path) -> None:
    write(root, SECOND, {**RECORD, "status": "error", "pass": False})
    commit(root, SECOND)
    assert (found(root).path, found(root).passed_over) == (FIRST, [SECOND])


def test_when_no_run_has_a_score_the_newest_is_compared_with_and_says_so(root: Path) -> None:
    for name in (FIRST, SECOND):
        write(root, name, {**RECORD, "status": "error", "pass": False})
    commit(root, FIRST, SECOND)
    baseline = found(root)
    assert (baseline.path, baseline.passed_over) == (SECOND, [FIRST])
    kind = gate.compare({"edge": gate.Tally(1, 1)}, baseline.tallies).kind
    assert kind == gate.NOTHING_COMPARABLE


def test_a_deleted_run_is_found_in_the_history(root: Path) -> None:
    git(root, "rm", "-q", "--", FIRST)
    git(root, "commit", "-q", "-m", "x")
    assert (found(root).path, found(root).deleted) == (FIRST, True)


def test_times_are_compared_as_times(root: Path) -> None:
    half = "eval/results/20260101T000000.5Z.jsonl"
    whole = "eval/results/20260101T000000Z.jsonl"
    write(root, half)
    write(root, whole)
    write(root, "eval/results/notes.jsonl")
    write(root, "eval/results/20269901T000000Z.jsonl")
    commit(root, "eval")
    git(root, "rm", "-q", "--", FIRST)
    git(root, "commit", "-q", "-m", "x")
    assert found(root).path == half


def test_a_torn_committed_run_is_named(root: Path) -> None:
    (root / SECOND).write_text('{"id": "a", "stat')
    commit(root, SECOND)
    with pytest.raises(CannotCompare, match=rf"{SECOND} \(committed\) cannot be compared: line 1"):
        found(root)


def test_a_linked_work_tree_and_a_folder_below(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "-b", "other", str(root / "linked"))
    assert found(root / "linked").path == FIRST


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert found(tmp_path).notes == ["Nothing is committed yet."]
    write(tmp_path, FIRST)
    assert found(tmp_path).path is None
