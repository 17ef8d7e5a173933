"""Skills on this machine: found, named, read, installed and recorded."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from receipts.attempts.specs import installing, reading, skills
from receipts.attempts.specs.frontmatter import name_in
from receipts.attempts.specs.skillfiles import LARGEST
from receipts.attempts.specs.skills import Neighbourhood
from receipts.errors import SkillError, SpecError
from tests.receipts.attempts.specs.conftest import SKILL, TASKS, Written


def resolved(path: Path) -> Neighbourhood:
    return skills.resolve(reading.read(path), fetch=True)


def refused(path: Path) -> tuple[str, ...]:
    with pytest.raises(SpecError) as caught:
        resolved(path)
    return caught.value.problems


ONE = f"skills: [./build/SKILL.md]\n{TASKS}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("---\nname: build\n---\n", "build"),
        ("---\r\nname: build\r\n---\r\nbody", "build"),
        ("---\nname: build\n---more", "build"),
        ("---\nname: build\nname: other\n---\n", "other"),
        ("---\nname: 'build'\ndescription: Use when: x\n---\n", "build"),
        ("---\nname: build # the one\ndescription: Use when: x\n---\n", "build"),
        ("---\nname: build\nname: b\ndescription: Use when: x\n---\n", "build"),
        ("---\n  name: build\ndescription: Use when: x\n---\n", None),
        ("---\ndescription: no name\n---\n", None),
        ("---\nname: 5\n---\n", None),
        ("---\nname: yes\n---\n", None),
        ("---\nname: [build]\n---\n", None),
        ("---\nname: ''\n---\n", None),
        ("---\n- name\n---\n", None),
        ("--- \nname: build\n---\n", None),
        ("\n---\nname: build\n---\n", None),
        ("\ufeff---\nname: build\n---\n", None),
        ("---\nname: build\n", None),
        ("---\n" + "[" * 20_000 + "\nname: build\n---\n", "build"),
        ("", None),
    ],
)
def test_the_name_in_front_matter(text: str, name: str | None) -> None:
    assert name_in(text) == name


@pytest.mark.parametrize(
    ("skill", "why"),
    [
        ("name: a b", "its name 'a b' may hold letters, digits, `.`, `_` and `-` only."),
        ("name: é", "its name 'é' may hold letters, digits, `.`, `_` and `-` only."),
        ("name: '..'", "its name '..' may hold letters, digits, `.`, `_` and `-` only."),
        ("x: y", "SKILL.md has no `name` in its front matter that is text. Its first line must be"
         " `---`, and a line `name: NAME` below it."),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_a_folder(skill: str, why: str, project: Written) -> None:
    path = project({"demo.eval.yaml": ONE, "build/SKILL.md": f"---\n{skill}\n---\n"})
    assert refused(path) == (f"demo.eval.yaml:1: skill ./build/SKILL.md: {why}",)


def test_all_that_is_wrong_with_skills_is_said_at_once(project: Written) -> None:
    spec = f"skills:\n- ./build\n- ./gone/SKILL.md\n- ./a/SKILL.md\n- ./b/SKILL.md\n{TASKS}"
    path = project(
        {
            "demo.eval.yaml": spec,
            "build/SKILL.md": SKILL,
            "a/SKILL.md": SKILL,
            "b/SKILL.md": SKILL.replace("build", "BUILD"),
        }
    )
    gone = Path("gone/SKILL.md").absolute()
    assert refused(path) == (
        "demo.eval.yaml:2: skill ./build: it is no SKILL.md. Name the SKILL.md in the skill's"
        " folder.",
        f"demo.eval.yaml:3: skill ./gone/SKILL.md: there is no file {gone}.",
        "demo.eval.yaml:5: skill ./b/SKILL.md is named 'BUILD', as ./a/SKILL.md is; both would be"
        " installed in one folder.",
    )


def test_what_tasks_say_of_skills_is_checked_against_all_that_are_declared(
    project: Written,
) -> None:
    spec = """\
skills: [./build/SKILL.md]
tasks:
- {name: a, prompt: p, activates: [Build, build, ghost]}
"""
    path = project({"demo.eval.yaml": spec, "build/SKILL.md": SKILL})
    assert refused(path) == (
        "demo.eval.yaml:3: task 'a' expects 'Build' to activate, and the skills of the spec are"
        " build.",
        "demo.eval.yaml:3: task 'a' expects 'ghost' to activate, and the skills of the spec are"
        " build.",
    )


def test_a_turn_for_a_skill_that_is_not_declared_is_a_warning(project: Written) -> None:
    spec = "tasks: [{name: a, prompt: p, assert: x, history: h.yaml}]\n"
    history = "- user: /build x\n- user: /usr/bin\n- user: /ghost\n"
    files = {"h.yaml": history, "build/SKILL.md": SKILL}
    path = project({"demo.eval.yaml": f"skills: [./build/SKILL.md]\n{spec}", **files})
    assert resolved(path).warnings == (
        "Task 'a' plants a turn that starts with /ghost, and the skills of the spec are build; the"
        " turn stays plain text.",
    )


@pytest.fixture
def rich(project: Written) -> Path:
    """Make a skill of everything that is installed and everything that is not."""
    spec = f"sandbox: {{forbidden_files: ['^answers', '^\\./sub/ans']}}\n{ONE}"
    path = project(
        {
            "demo.eval.yaml": spec,
            "build/SKILL.md": SKILL,
            "build/.dot": "a",
            "build/.hidden/f": "a",
            "build/DEMO.EVAL.YAML": "",
            "build/demo.eval.yaml": "",
            "build/evals/e.eval.yml": "x",
            "build/binary": b"\xff",
            "build/run.sh": "#!/bin/sh\n",
            "build/answers.txt": "42",
            "build/sub/answers.txt": "42",
            "build/largest": bytes(LARGEST),
            "build/larger": bytes(LARGEST + 1),
            "build/sub/.git/config": "x",
            "build/deep/node_modules/x/y": "x",
            "build/__pycache__/a.pyc": "x",
            "build/__pycache__x": "x",
            "build/.caliper/results/x.json": "x",
            "build/sub/.venv": "x",
            "shared.md": "shared",
            "shared/f": "x",
            ".git/HEAD": "",
        }
    )
    (Path("build") / "run.sh").chmod(0o755)
    os.symlink("../shared.md", Path("build/link.md"))
    os.symlink("../shared", Path("build/folder"))
    os.symlink("nowhere", Path("build/dangling"))
    os.symlink("circle", Path("build/circle"))
    os.symlink("larger", Path("build/link-to-larger"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(Path("build/pipe"))
    return path


INSTALLED = [
    ".dot",
    ".hidden/f",
    "DEMO.EVAL.YAML",
    "SKILL.md",
    "__pycache__x",
    "binary",
    "evals/e.eval.yml",
    "largest",
    "link.md",
    "run.sh",
]


def test_which_files_are_installed(rich: Path, tmp_path: Path) -> None:
    found = resolved(rich)
    assert found.names == ("build",)
    assert found.skills[0].files.left_out == (
        "answers.txt is matched by 'forbidden_files'",
        "larger has more than 5 MiB",
        "link-to-larger has more than 5 MiB",
        "sub/answers.txt is matched by 'forbidden_files'",
    )
    root = tmp_path / "home" / "skills"
    installing.install(found.skills, root)
    written = sorted(
        str(path.relative_to(root / "build").as_posix()) for path in root.rglob("*")
        if not path.is_dir()
    )  # fmt: skip
    assert written == INSTALLED
    assert not any(path.is_symlink() for path in root.rglob("*"))
    assert (root / "build" / "link.md").read_text() == "shared"
    assert os.access(root / "build" / "run.sh", os.X_OK)
    assert not os.access(root / "build" / "SKILL.md", os.X_OK)


def test_the_record_of_what_was_installed(rich: Path) -> None:
    snapshot = installing.snapshot(resolved(rich).skills[0])
    assert (snapshot.name, snapshot.source_kind) == ("build", "path")
    assert snapshot.path == str(Path("build/SKILL.md").absolute())
    assert list(snapshot.files) == INSTALLED
    assert snapshot.files["SKILL.md"].content == SKILL
    assert snapshot.files["SKILL.md"].hash == f"sha256:{hashlib.sha256(SKILL.encode()).hexdigest()}"
    assert snapshot.files["binary"].content is None
    assert (snapshot.git_repo, snapshot.git_sha) == (None, None)


def test_the_record_names_the_repository_around_a_skill(project: Written, home: Path) -> None:
    del home
    path = project({"demo.eval.yaml": ONE, "build/SKILL.md": SKILL})
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *command], check=True)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
    snapshot = installing.snapshot(resolved(path).skills[0])
    assert (snapshot.git_repo, snapshot.git_sha) == (os.path.realpath("."), commit)


def test_every_attempt_gets_what_was_read_at_first(rich: Path, tmp_path: Path) -> None:
    found = resolved(rich)
    Path("build/SKILL.md").write_text("changed")
    installing.install(found.skills, tmp_path / "home")
    assert (tmp_path / "home" / "build" / "SKILL.md").read_text() == SKILL


def test_a_place_that_is_taken_is_not_written_to(rich: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / "build").mkdir(parents=True)
    outside = tmp_path / "outside"
    os.symlink(outside, tmp_path / "home" / "build" / "SKILL.md")
    with pytest.raises(SkillError, match="its place is taken"):
        installing.install(resolved(rich).skills, tmp_path / "home")
    assert not outside.exists()


@pytest.mark.parametrize("inside", [True, False])
def test_a_link_may_lead_anywhere_in_the_repository_but_not_out(
    inside: bool, project: Written, tmp_path: Path
) -> None:
    files = {"demo.eval.yaml": ONE, "build/SKILL.md": SKILL}
    path = project(files | ({".git/HEAD": ""} if inside else {}))
    Path("LICENSE").write_text("free")
    os.symlink("../LICENSE", "build/LICENSE")
    if inside:
        assert resolved(path).skills[0].files.kept["LICENSE"].data == b"free"
        (tmp_path / "secret").write_text("secret")
        os.symlink(tmp_path / "secret", "build/secret")
    name = "secret" if inside else "LICENSE"
    where = tmp_path / "project" if inside else tmp_path / "project" / "build"
    assert refused(path) == (
        f"demo.eval.yaml:1: skill ./build/SKILL.md: {name} is a link that leads out of {where}."
        " Replace it with a copy of what it leads to.",
    )


def test_a_skill_whose_own_file_would_be_left_out(project: Written) -> None:
    spec = f"sandbox: {{forbidden_files: [SKILL]}}\n{ONE}"
    path = project({"demo.eval.yaml": spec, "build/SKILL.md": SKILL})
    assert refused(path) == (
        "demo.eval.yaml:2: skill ./build/SKILL.md: its SKILL.md would not be installed, so no agent"
        " finds it: SKILL.md is matched by 'forbidden_files'.",
    )


def test_a_skill_of_too_many_files(project: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("receipts.attempts.specs.skillfiles.MOST_FILES", 1)
    path = project({"demo.eval.yaml": ONE, "build/SKILL.md": SKILL, "build/a": "x"})
    assert "it holds more than 1 files" in refused(path)[0]


def test_a_skill_below_home(project: Written, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "build").mkdir()
    (home / "build" / "SKILL.md").write_text(SKILL)
    path = project({"demo.eval.yaml": f"skills: [~/build/SKILL.md]\n{TASKS}"})
    assert resolved(path).skills[0].path == str(home / "build" / "SKILL.md")
