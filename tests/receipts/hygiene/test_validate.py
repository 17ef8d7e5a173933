"""`receipts validate`, as a person types it."""

import json
from pathlib import Path

import pytest

from receipts.hygiene.skillfolder import SkillFolder
from tests.members import Member

ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
GOOD = "---\nname: build\ndescription: Builds.\n---\n"


@pytest.fixture
def ada(tmp_path: Path) -> Member:
    return Member(tmp_path, "ada")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "SKILL.md").write_text(GOOD)
    return folder


def refused(ada: Member, skill: Path | str) -> str:
    done = ada.run("validate", skill)
    assert (done.code, done.out) == (1, "")
    return done.err


def test_a_skill_that_was_never_published_passes_without_a_team(ada: Member, skill: Path) -> None:
    assert ada.ok("validate", skill) == "build: hygiene passed.\n"


def test_warnings_stop_nothing(ada: Member, skill: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("x")
    (skill / "SKILL.md").write_text(f"{GOOD}See docs/a.md\n")
    assert ada.ok("validate", skill).splitlines() == [
        "warning HYG8 SKILL.md: this skill references 1 repository paths outside its folder; it "
        "depends on files it does not carry",
        "build: hygiene passed (1 warning).",
    ]
    (skill / "SKILL.md").write_text(f"{GOOD}See docs/a.md\n{'x' * 20_000}")
    assert ada.ok("validate", skill).endswith("build: hygiene passed (2 warnings).\n")


def test_errors_fail(ada: Member, skill: Path) -> None:
    (skill / "evals" / "cases").mkdir(parents=True)
    (skill / "evals" / "cases" / "a.yaml").write_text("task: mail bob@real.dev\n")
    (skill / "run.sh").write_text("#!/bin/sh\n")
    (skill / "tool.sh").write_text("true\n")
    (skill / "tool.sh").chmod(0o755)
    done = ada.run("validate", skill)
    assert done.code == 1
    assert done.err == ""
    heading, *findings = done.out.splitlines()
    assert heading == "Hygiene failed for build:"
    assert [line.split(": ")[0] for line in findings] == [
        "HYG3 evals/cases/a.yaml:1",
        "HYG4 run.sh",
        "HYG4 tool.sh",
    ]


def test_json(ada: Member, skill: Path) -> None:
    (skill / "a.exe").write_text("")
    done = ada.run("validate", skill, "--json")
    assert done.code == 1
    assert json.loads(done.out) == {
        "ok": False,
        "name": "build",
        "path": str(skill),
        "findings": [
            {
                "code": "HYG4",
                "path": "a.exe",
                "line": 0,
                "message": "File extension .exe is not allowlisted.",
                "is_warning": False,
            }
        ],
    }


def test_a_skill_by_its_name_or_a_link(ada: Member, skill: Path, tmp_path: Path) -> None:
    library = ada.home / ".claude" / "skills"
    library.mkdir(parents=True)
    (library / "build").symlink_to(skill)
    assert ada.ok("validate", "build") == "build: hygiene passed.\n"
    (tmp_path / "other").symlink_to(skill)
    assert ada.ok("validate", tmp_path / "other") == "build: hygiene passed.\n"


def test_a_published_version_is_held_to_what_a_publish_writes(ada: Member, tmp_path: Path) -> None:
    version = tmp_path / "skills" / "build" / "v3"
    version.mkdir(parents=True)
    (version / "SKILL.md").write_text(GOOD)
    done = ada.run("validate", version)
    assert done.code == 1
    assert "HYG1 SKILL.md:2: SKILL.md field license is invalid: it is missing" in done.out
    (version / "SKILL.md").write_text(
        f"---\nname: build\ndescription: d\nlicense: MIT\nmetadata:\n  id: {ID}\n  author: A\n---\n"
    )
    assert ada.ok("validate", version) == "build: hygiene passed.\n"


def test_what_a_publish_wrote_passes(ada: Member, skill: Path) -> None:
    ada.ok("team", "create", "acme")
    ada.ok("publish", skill, "--category", "testing")
    assert ada.ok("validate", skill) == "build: hygiene passed.\n"


def test_what_is_no_skill(ada: Member, skill: Path) -> None:
    (skill / "link").symlink_to("/etc/passwd")
    assert "Skill folder contains symlink link." in refused(ada, skill)
    (skill / "link").unlink()
    (skill / "SKILL.md").unlink()
    assert "build has no SKILL.md." in refused(ada, skill)
    assert "No skill called nothing" in refused(ada, "nothing")


def test_findings_cannot_move_the_cursor(ada: Member, skill: Path) -> None:
    (skill / "a\x1b[2J\n.exe").write_text("")
    done = ada.run("validate", skill)
    assert "\x1b" not in done.out
    assert len(done.out.splitlines()) == 2


def test_a_file_system_without_executable_bits(skill: Path) -> None:
    (skill / "a.sh").write_text("")
    (skill / "a.sh").chmod(0o755)
    assert SkillFolder(skill).executable == {"a.sh"}
    (skill / "SKILL.md").chmod(0o755)
    assert SkillFolder(skill).executable == frozenset()


def test_a_file_that_is_too_large(ada: Member, skill: Path) -> None:
    with (skill / "a.png").open("wb") as stream:
        stream.truncate((50 << 20) + 1)
    assert "a.png is 50 MB, more than a skill should hold" in refused(ada, skill)
