"""What a skill names of the repository around it."""

import subprocess
from pathlib import Path

import pytest

from receipts.arms import dependencies
from receipts.arms.dependencies import find
from receipts.errors import SkillError


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.fixture
def skill(repository: Path) -> Path:
    folder = repository / "skills" / "build"
    folder.mkdir(parents=True)
    return folder


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def named_in(skill: Path, body: str) -> dependencies.Dependencies:
    (skill / "SKILL.md").write_text(
        f"---\nname: build\ndescription: see docs/none.md\n---\n{body}\n"
    )
    return find(skill)


def test_files_of_the_repository_are_staged_and_others_said(repository: Path, skill: Path) -> None:
    write(repository, {"docs/style.md": "x", "config/a/b.json": "{}"})
    write(skill, {"reference/api.md": "x", "evals/cases/a.yaml": "task: x"})
    found = named_in(
        skill,
        "Read docs/style.md, `config/a/b.json` and reference/api.md (see evals/cases/a.yaml).\n"
        "Then ./docs/style.md again, docs/gone.md, and/or skills/build/reference/api.md.",
    )
    assert found.staged == {
        "config/a/b.json": repository / "config" / "a" / "b.json",
        "docs/style.md": repository / "docs" / "style.md",
    }
    assert found.named == ("config/a/b.json", "docs/style.md")
    assert found.missing == ("docs/gone.md",)
    assert found.lines == (
        "Staging dependency config/a/b.json",
        "SKILL.md references docs/gone.md, which is not present here; the skill may not run",
        "Staging dependency docs/style.md",
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/docs/a.md",
        "http://x/docs/a.md?docs=1",
        "/docs/a.md",
        "~/docs/a.md",
        "$HOME/docs/a.md",
        "../docs/a.md",
        "docs/../docs/a.md",
        "a.md",
        "docs / a.md",
    ],
)
def test_what_is_no_path_of_the_repository(repository: Path, skill: Path, text: str) -> None:
    write(repository, {"docs/a.md": "x", "a.md": "x"})
    assert named_in(skill, f"Look at {text} now") == ({}, (), (), ())


@pytest.mark.parametrize(
    "text", ["docs/a.md.", "(docs/a.md)", "«docs/a.md»", "docs/a.md:12", "é docs/a.md"]
)
def test_paths_among_signs(repository: Path, skill: Path, text: str) -> None:
    write(repository, {"docs/a.md": "x"})
    assert list(named_in(skill, text).staged) == ["docs/a.md"]


def test_a_script_takes_what_lies_beside_it_along(repository: Path, skill: Path) -> None:
    write(
        repository,
        {
            "tools/run.py": "import lib",
            "tools/lib/__init__.py": "",
            "tools/data.txt": "",
            "tools/node_modules/x/index.js": "",
            "tools/__tests__/a.py": "",
            "tools/.git/config": "",
            "other/b.txt": "",
        },
    )
    (repository / "tools" / "link").symlink_to("/etc/passwd")
    found = named_in(skill, "Run tools/run.py.")
    assert list(found.staged) == ["tools/data.txt", "tools/run.py", "tools/lib/__init__.py"]
    assert list(named_in(skill, "Read tools/data.txt.").staged) == ["tools/data.txt"]
    assert list(named_in(skill, "All of other/ and tools/lib").staged) == ["tools/lib/__init__.py"]


def test_the_skill_and_what_it_is_checked_for_are_not_taken_along(
    repository: Path, skill: Path
) -> None:
    write(repository, {"skills/shared.sh": "", "skills/other/SKILL.md": ""})
    write(skill, {"evals/cases/a.yaml": "task: x"})
    found = named_in(skill, "Run skills/shared.sh.")
    assert list(found.staged) == ["skills/shared.sh", "skills/other/SKILL.md"]


@pytest.mark.parametrize(
    "path", [".claude/skills/other/SKILL.md", "node_modules/x/a.js", "pkg/__tests__/a.py"]
)
def test_what_is_never_staged(repository: Path, skill: Path, path: str) -> None:
    write(repository, {path: "x"})
    found = named_in(skill, f"Run {path} first")
    assert found.staged == {}
    assert found.named == (path,)
    assert found.lines == (f"{path} is of a kind that is never staged; the skill may not run",)


def test_links_are_not_followed(repository: Path, skill: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/a.md": "x"})
    (repository / "docs").symlink_to(tmp_path / "outside")
    write(repository, {"real/a.md": "x"})
    (repository / "real" / "b.md").symlink_to("a.md")
    found = named_in(skill, "Read docs/a.md and real/b.md")
    assert found.staged == {}
    assert found.missing == ("docs/a.md", "real/b.md")


def test_no_more_is_staged_than_the_cap(
    repository: Path, skill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "CAP", 3 << 20)
    for name, size in [("a/1.bin", 1 << 20), ("b/2.bin", (5 << 20) // 2), ("c/3.bin", 2 << 20)]:
        write(repository, {name: ""})
        with (repository / name).open("wb") as stream:
            stream.truncate(size)
    found = named_in(skill, "Take c/3.bin, b/2.bin and a/1.bin.")
    assert list(found.staged) == ["a/1.bin", "c/3.bin"]
    assert found.lines == (
        "Staging dependency a/1.bin",
        "b/2.bin is 2.5 MB; staging it would exceed the 3 MB cap; not staged",
        "Staging dependency c/3.bin",
    )


def test_without_a_repository_all_is_missing(tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    write(tmp_path, {"docs/a.md": "x"})
    found = named_in(skill, "Read docs/a.md, then build/it")
    assert (found.staged, found.named, found.missing) == ({}, (), ("docs/a.md",))


def test_a_body_without_frontmatter_and_none_at_all(repository: Path, skill: Path) -> None:
    write(repository, {"docs/a.md": "x"})
    (skill / "SKILL.md").write_bytes(b"docs/a.md \xff")
    assert list(find(skill).staged) == ["docs/a.md"]
    (skill / "SKILL.md").unlink()
    with pytest.raises(SkillError, match=r"has no SKILL\.md"):
        find(skill)


def test_a_hostile_body_takes_little_time(repository: Path, skill: Path) -> None:
    found = named_in(skill, "a" * 500_000 + "/" * 500_000 + "a/" * 200_000 + ". a/b.c" * 20_000)
    assert found.missing == ("a/b.c",)
