"""`receipts demo`: what it leaves behind, and what it does when a step is not as claimed."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.repositories import git, receipts_in
from tests.members import Member

REFUSES_PUSHES = '[ "$1" = receive-pack ]'


@pytest.fixture
def temporary(ada: Member, tmp_path: Path) -> Path:
    """Give ada a temporary folder of her own, which is empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    ada.environment["TMPDIR"] = str(folder)
    return folder


def break_git(member: Member, condition: str) -> None:
    """Put a git before the real one on the path that fails where a condition of the shell holds."""
    folder = member.home / "programs"
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\n{condition} && exit 9\nexec {shutil.which("git")} "$@"\n')
    script.chmod(0o755)
    member.environment["PATH"] = f"{folder}:{member.environment['PATH']}"


def test_it_leaves_nothing_behind(ada: Member, temporary: Path) -> None:
    before = sorted(ada.home.rglob("*"))
    said = ada.ok("demo")
    assert said.endswith("\n15 commands ran, and each did what was claimed.\n")
    assert list(temporary.iterdir()) == []
    assert sorted(ada.home.rglob("*")) == before


def test_keep_leaves_the_team_and_both_members_to_look_at(ada: Member, temporary: Path) -> None:
    place = ada.home / "new" / "place"
    document = ada.json("demo", "--keep", place)
    assert document["ok"]
    assert [step["difference"] for step in document["steps"]] == [None] * 15
    assert {step["exit_code"] for step in document["steps"]} == {0, 1}  # the refused publishes
    repository = place / "ada" / "state" / "repositories" / "acme.git"
    assert len(receipts_in(repository)) == 1
    git(repository, "fsck", "--strict")
    assert (place / "bob" / ".claude" / "skills" / "changelog" / "SKILL.md").is_file()
    assert list(temporary.iterdir()) == []
    again = ada.run("demo", "--keep", place)
    assert (again.code, again.out) == (2, "")
    assert "is not an empty folder." in again.err
    assert len(receipts_in(repository)) == 1


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_a_step_that_is_not_as_claimed_ends_it_with_an_error(
    ada: Member, temporary: Path, as_json: bool
) -> None:
    break_git(ada, REFUSES_PUSHES)
    done = ada.run("demo", *(["--json"] if as_json else []))
    assert done.code == 1
    assert done.err.startswith(
        "error: The demo differs from what it claims: receipts team create acme: exit code 1 "
        "instead of 0."
    )
    assert "each did what was claimed" not in done.out
    assert (done.out == "") is as_json
    assert list(temporary.iterdir()) == []


def test_what_went_wrong_is_kept_to_look_at(ada: Member, temporary: Path) -> None:
    break_git(ada, REFUSES_PUSHES)
    place = ada.home / "place"
    assert ada.run("demo", "--keep", place).code == 1
    assert (place / "ada" / "gitconfig").is_file()
    assert list(temporary.iterdir()) == []


def test_a_later_step_is_held_against_its_claim_too(ada: Member, temporary: Path) -> None:
    break_git(ada, '[ "${HOME##*/}" = bob ]')
    done = ada.run("demo")
    assert done.code == 1
    assert "ada$ receipts publish skills/changelog\n" in done.out
    assert "bob$ receipts team join" in done.out
    assert "The demo differs from what it claims: receipts team join " in done.err
    assert list(temporary.iterdir()) == []
