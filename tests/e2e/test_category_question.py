"""Publishing a category into a skill that was measured without one, and categories that are new."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from receipts.digest import content_digest
from tests.e2e.repositories import committed, git, receipts_in
from tests.members import Member

FIRST, SECOND, THIRD = "20260916T042108Z", "20260917T042108Z", "20260918T042108Z"
PASSED, FAILED = (4, 0, 1), (0, 4, 1)
WRITES = "Publishing writes metadata.terum-category: misc into SKILL.md, which changes the digest: "


@pytest.fixture
def strict(ada: Member) -> Path:
    """A team of ada's that requires a category; the path of its repository."""
    ada.ok("team", "create", "acme", "--require-category")
    return ada.state / "repositories" / "acme.git"


def declare(skill: Path, category: str = "misc") -> None:
    """Write a category into a skill, as a person would."""
    path = skill / "SKILL.md"
    field = f"\nmetadata:\n  terum-category: {category}\n---\n\n#"
    path.write_text(path.read_text().replace("\n---\n\n#", field))


def undeclare(skill: Path) -> None:
    skill.joinpath("SKILL.md").write_text(
        f"---\nname: {skill.name}\ndescription: Does {skill.name}.\n---\n\n# {skill.name}\n"
    )


@pytest.mark.parametrize(("newest", "verdict"), [(PASSED, "PASS"), (FAILED, "FAIL")])
def test_runs_that_a_category_orphans_are_asked_about_before_anything_changes(
    ada: Member, strict: Path, newest: tuple[int, int, int], verdict: str
) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill, record=(1, 1, 1), run_id=FIRST)
    ada.evaluate(skill, record=newest, run_id=SECOND)
    before, tip = (skill / "SKILL.md").read_bytes(), git(strict, "rev-parse", "main")
    question = (
        f"{WRITES}2 eval run(s) of the bytes as they are will not be attached (newest verdict: "
        f"{verdict}). Publish anyway?"
    )
    assert f"Would ask: {question}" in ada.ok("publish", skill, "--dry-run").splitlines()
    assert ada.json("publish", skill, "--dry-run")["question"] == question
    asked = ada.run("publish", skill)
    assert (asked.code, asked.out) == (1, "")
    assert f"error: {question} There is no terminal to ask on." in asked.err
    assert "--yes or --no" in asked.err
    refused = ada.run("publish", skill, "--no")
    assert (refused.code, refused.out) == (1, "")
    assert "Publish was cancelled." in refused.err
    assert (skill / "SKILL.md").read_bytes() == before
    assert git(strict, "rev-parse", "main") == tip
    said = ada.ok("publish", skill, "--yes")
    assert "Published tdd as Version 1 to the acme marketplace. Attached 0 eval run(s)." in said
    assert b"terum-category: misc" in committed(strict, "skills/tdd/v1/SKILL.md")
    assert receipts_in(strict) == []
    assert "Nothing to publish" in ada.ok("publish", skill)  # it is declared now


def test_a_category_of_the_command_line_is_asked_about_too(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    asked = ada.run("publish", skill, "--category", "docs")
    assert asked.code == 1
    assert "writes metadata.terum-category: docs into SKILL.md" in asked.err
    assert "1 eval run(s) of the bytes as they are" in asked.err
    assert "Attached 1 eval run(s)." in ada.ok("publish", skill)  # without it nothing is orphaned


def test_a_metadata_that_is_replaced_orphans_runs_as_well(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    path = skill / "SKILL.md"
    path.write_text(path.read_text().replace("\n---\n\n#", "\nmetadata: none\n---\n\n#"))
    ada.evaluate(skill)
    asked = ada.run("publish", skill)
    assert asked.code == 1
    assert "Publishing replaces the metadata of SKILL.md, which is no map, which changes" in (
        asked.err
    )


def test_what_was_measured_with_its_category_is_published_unasked(
    ada: Member, strict: Path
) -> None:
    skill = ada.skill("tdd")
    declare(skill)
    ada.evaluate(skill)
    assert "Attached 1 eval run(s)." in ada.ok("publish", skill)
    assert len(receipts_in(strict)) == 1
    assert "Published ship as Version 1" in ada.ok("publish", ada.skill("ship"))  # never measured


def test_a_failure_of_the_changed_bytes_is_part_of_the_same_question(
    ada: Member, strict: Path
) -> None:
    skill = ada.skill("tdd")
    declare(skill)
    ada.evaluate(skill, record=FAILED, run_id=SECOND)
    undeclare(skill)
    ada.evaluate(skill, record=PASSED, run_id=FIRST)
    asked = ada.run("publish", skill)
    assert asked.code == 1
    [line] = [line for line in asked.err.splitlines() if line.startswith("error:")]
    assert line.startswith(
        f"error: {WRITES}1 eval run(s) of the bytes as they are will not be attached (newest "
        "verdict: PASS). Your latest eval of the changed bytes failed against an agent without "
    )
    assert line.endswith(" Publish anyway? There is no terminal to ask on.")
    assert line.count("Publish anyway?") == 1
    assert "Attached 1 eval run(s)." in ada.ok("publish", skill, "--yes")


def test_the_teams_receipts_count_and_one_that_is_here_too_counts_once(
    ada: Member, bob: Member, acme: Path
) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill, run_id=FIRST)
    ada.ok("publish", skill)
    bob.ok("team", "join", acme)
    theirs = bob.skill("tdd")
    for run_id in (SECOND, THIRD):
        bob.evaluate(theirs, record=FAILED if run_id == THIRD else PASSED, run_id=run_id)
        bob.ok("publish", theirs, "--yes")
    undeclare(skill)
    done = ada.run("publish", skill, "--category", "docs", "--dry-run")
    assert "3 eval run(s) of the bytes as they are will not be attached (newest verdict: FAIL)" in (
        done.out
    )


def test_on_a_terminal_there_is_one_question_and_no_is_the_default(
    ada: Member, strict: Path
) -> None:
    skill = ada.skill("tdd")
    ada.evaluate(skill)
    tip = git(strict, "rev-parse", "main")
    for answer, published in (("\n", False), ("y\n", True)):
        said = on_terminal(ada, answer, "publish", str(skill))
        assert said.count("[y/N]") == 1
        assert said.index("Publish anyway?") < said.index("[y/N]")
        assert ("Publish was cancelled." in said) is not published
        assert ("Published tdd as Version 1" in said) is published
        assert (git(strict, "rev-parse", "main") != tip) is published


def on_terminal(member: Member, answer: str, *arguments: str) -> str:
    """Run `receipts` on a terminal on which somebody types, and return all that it shows."""
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    command = [sys.executable, "-m", "receipts", *arguments]
    with subprocess.Popen(
        command, cwd=member.home, env=member.environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        process.wait()
    os.close(ours)
    return " ".join(shown.decode().split())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other side closed it
        return b""


def test_a_category_that_is_new_to_the_team_is_a_note(ada: Member, acme: Path) -> None:
    note = (
        "note: The category nosuch is new to the team, which has debugging, testing, docs, "
        "workflow, research, infra, misc. Change metadata.terum-category in SKILL.md, or add it to "
        "team.json in git."
    )
    skill = ada.skill("tdd")
    done = ada.run("publish", skill, "--category", "nosuch", "--dry-run")
    assert (done.code, note in done.err.splitlines()) == (0, True)
    assert note in ada.run("publish", skill, "--category", "nosuch").err.splitlines()
    assert "new to the team" not in ada.run("publish", skill).err  # no version, so nothing new
    declared = ada.skill("ship")
    declare(declared, "nosuch")
    assert note in ada.run("publish", declared).err.splitlines()
    for name, category in (("one", "Docs"), ("two", " docs ")):
        done = ada.run("publish", ada.skill(name), "--category", category)
        assert (done.code, "note" in done.err) == (0, False)
        assert b"terum-category: docs" in committed(acme, f"skills/{name}/v1/SKILL.md")


@pytest.mark.parametrize("category", ["a\x01b", "a\nb", "a\u202eb", "x" * 65, "a  b", "  "])
def test_a_category_that_is_no_name_is_refused_before_anything_is_said(
    ada: Member, acme: Path, category: str
) -> None:
    skill = ada.skill("tdd")
    digest = content_digest(skill)
    done = ada.run("publish", skill, "--category", category)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --category must be a ")
    assert done.err.count("\n") == 1
    assert content_digest(skill) == digest


def test_a_team_without_categories_knows_none_to_be_new(
    ada: Member, tmp_path: Path, acme: Path
) -> None:
    work = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(acme), str(work)], check=True)
    team = json.loads((work / "team.json").read_text())
    (work / "team.json").write_text(json.dumps({**team, "categories": []}))
    for arguments in (["commit", "-qam", "none"], ["push", "-q", "origin", "HEAD:main"]):
        command = ["git", "-C", str(work), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=ada.environment)
    done = ada.run("publish", ada.skill("tdd"), "--category", "nosuch")
    assert (done.code, "note" in done.err) == (0, False)
