"""Which skills start agents of their own."""

from pathlib import Path

import pytest

from receipts.arms import heaviness


def skill(folder: Path, front: str = "", body: str = "", **files: str) -> Path:
    place = folder / "tdd"
    place.mkdir()
    (place / "SKILL.md").write_text(f"---\nname: tdd\ndescription: d\n{front}---\n{body}\n")
    for name, text in files.items():
        (place / name.replace("_", ".")).write_text(text)
    return place


@pytest.mark.parametrize(
    ("body", "evidence"),
    [
        ("Start each with the Task tool.", "SKILL.md:5 names Task tool"),
        ("Use `Agent` for it.", "SKILL.md:5 names Agent"),
        ("Call Workflow(name).", "SKILL.md:5 names Workflow"),
        ("Run codex  exec there.", "SKILL.md:5 names codex  exec"),
        ("x\nRun `claude -p` there.", "SKILL.md:6 names claude -p"),
        ("Task: write a test. Agent skills are fun; the workflow is simple.", ""),
        ("The MyTask( and claude -x and subtasks tools.", ""),
    ],
)
def test_what_names_an_agent_as_a_tool_is_heavy(tmp_path: Path, body: str, evidence: str) -> None:
    found = heaviness.find(skill(tmp_path, body=body))
    assert found == (bool(evidence), evidence)


def test_what_a_skill_declares_comes_first(tmp_path: Path) -> None:
    light = "metadata:\n  eval:\n    heavy: false\nallowed-tools: Task\n"
    found = heaviness.find(skill(tmp_path, front=light, body="Run claude -p."))
    assert found == (False, "SKILL.md declares metadata.eval.heavy: false")


@pytest.mark.parametrize(
    ("front", "evidence"),
    [
        ("metadata:\n  eval:\n    heavy: true\n", "SKILL.md declares metadata.eval.heavy: true"),
        ("allowed-tools: [Read, Task]\n", "SKILL.md allows the tool Task"),
        ("allowed-tools: Read, Agent(x)\n", "SKILL.md allows the tool Agent"),
        ("metadata:\n  eval:\n    heavy: 'yes'\n", ""),
        ("metadata: [heavy]\nallowed-tools: Tasks\n", ""),
        ("metadata: {\n", ""),
    ],
)
def test_the_frontmatter_tells(tmp_path: Path, front: str, evidence: str) -> None:
    assert heaviness.find(skill(tmp_path, front=front)) == (bool(evidence), evidence)


def test_the_other_files_are_looked_at_in_order_without_the_cases(tmp_path: Path) -> None:
    place = skill(tmp_path, b_sh="\n\ncodex exec x\n", a_bin="\0 claude -p", c_md="claude -p")
    (place / "evals").mkdir()
    (place / "evals" / "a.md").write_text("claude -p")
    assert heaviness.find(place) == (True, "b.sh:3 names codex exec")
