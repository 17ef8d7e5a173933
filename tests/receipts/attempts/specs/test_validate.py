"""`receipts validate SPEC`, as a person types it."""

import json
from pathlib import Path

import pytest

from tests.members import Member
from tests.receipts.attempts.specs.conftest import SKILL, TASKS, Written

SPEC = """\
skills:
- ./build/SKILL.md
- {repo: acme/none, path: skills/x/SKILL.md}
sandbox: {extra_path: [tools]}
mcp: {db: {command: serve, env: {TOKEN: '${TOKEN}'}}}
user_customizations: yes
bar: {success: 0.8, activation: 1}
tasks:
- {name: a, prompt: p, activates: [build, x], timeout: 90, k: 5}
- {name: b, prompt: p, expect: e, assert: 'assert ('}
"""
UNCACHED = (
    "acme/none:skills/x/SKILL.md is not on this machine yet, so which skills activate is checked"
    " when the spec is run."
)
SYNTAX = "Task 'b' has an 'assert' that is no Python here: line 1: '(' was never closed."
FOLDER = "tools of 'extra_path' is no folder."


@pytest.fixture
def ada(tmp_path: Path) -> Member:
    return Member(tmp_path, "ada")


def test_a_spec_that_can_be_run(ada: Member, project: Written, tmp_path: Path) -> None:
    project({"demo.eval.yaml": SPEC, "build/SKILL.md": SKILL})
    done = ada.run("validate", "demo.eval.yaml", cwd=tmp_path / "project")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "demo: the spec can be run.",
        "skills: build, 1 not on this machine yet",
        "tasks: 2, 1 of them on which skills activate",
        "mcp: db",
        "setup: loads the customizations of whoever runs it",
        "bar: success 0.8, activation 1",
        f"warning: {UNCACHED}",
        f"warning: {SYNTAX}",
        f"warning: {FOLDER}",
    ]


def test_the_document_of_a_spec(ada: Member, project: Written, tmp_path: Path) -> None:
    project({"demo.eval.yaml": SPEC, "build/SKILL.md": SKILL})
    done = ada.run("validate", "demo.eval.yaml", "--json", cwd=tmp_path / "project")
    assert done.code == 0
    assert json.loads(done.out) == {
        "ok": True,
        "name": "demo",
        "path": "demo.eval.yaml",
        "skills": ["build"],
        "uncached": ["acme/none:skills/x/SKILL.md"],
        "mcp_servers": ["db"],
        "user_customizations": True,
        "bar": {"success": 0.8, "activation": 1.0},
        "tasks": [
            {
                "id": "task-001",
                "name": "a",
                "judged": False,
                "asserted": False,
                "activates": ["build", "x"],
                "timeout": 90,
                "k": 5,
            },
            {
                "id": "task-002",
                "name": "b",
                "judged": True,
                "asserted": True,
                "activates": None,
                "timeout": None,
                "k": None,
            },
        ],
        "warnings": [UNCACHED, SYNTAX, FOLDER],
    }


def test_a_small_spec(ada: Member, project: Written) -> None:
    path = project({"demo.yml": TASKS}).with_name("demo.yml").absolute()
    assert ada.ok("validate", path).splitlines() == [
        "demo: the spec can be run.",
        "skills: none, the agent alone",
        "tasks: 1, 0 of them on which skills activate",
    ]


def test_what_is_wrong_with_a_spec(ada: Member, project: Written, tmp_path: Path) -> None:
    project({"demo.eval.yaml": f"extra: 1\nbar: 2\n{TASKS}"})
    folder = tmp_path / "project"
    done = ada.run("validate", "demo.eval.yaml", cwd=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines() == [
        "error: 2 things must be put right in demo.eval.yaml:",
        "  demo.eval.yaml:1: unknown key 'extra' in the spec. Known are skills, sandbox, mcp,"
        " user_customizations, bar, tasks.",
        "  demo.eval.yaml:2: 'bar' is a share from 0 to 1, such as 0.8.",
    ]
    done = ada.run("validate", "demo.eval.yaml", "--json", cwd=folder)
    assert done.code == 1
    found = json.loads(done.out)
    assert (found["ok"], found["path"], len(found["problems"])) == (False, "demo.eval.yaml", 2)


def test_a_spec_that_is_not_there(ada: Member) -> None:
    done = ada.run("validate", "gone.eval.yaml")
    assert (done.code, done.err) == (1, "error: There is no spec gone.eval.yaml.\n")


def test_a_skill_file_is_no_spec(ada: Member, project: Written) -> None:
    project({"build/SKILL.md": SKILL})
    done = ada.run("validate", Path("build/SKILL.md").absolute())
    assert done.code == 1
    assert "is not a folder" in done.err


def test_a_folder_that_ends_like_a_spec_is_a_skill(ada: Member, tmp_path: Path) -> None:
    folder = tmp_path / "build.yaml"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL.replace("build", "build.yaml"))
    assert "hygiene" in ada.run("validate", folder).out
