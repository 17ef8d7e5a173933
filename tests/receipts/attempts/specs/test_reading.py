"""Specs as their authors write and mistype them."""

import os
from pathlib import Path

import pytest

from receipts.attempts.specs.model import Bar, Check, GitSource, PathSource
from receipts.attempts.specs.reading import name_of, read
from receipts.errors import SpecError
from tests.receipts.attempts.specs.conftest import TASKS, Written


def problems(project: Written, spec: str | bytes, **files: str) -> list[str]:
    """Return what is wrong with a spec."""
    path = project({"demo.eval.yaml": spec, **files})
    with pytest.raises(SpecError) as caught:
        read(path)
    return list(caught.value.problems)


def test_every_field(project: Written) -> None:
    path = project(
        {
            "demo.eval.yaml": """\
skills:
  - ./build/SKILL.md
  - {repo: acme/skills, ref: v1, path: ./tidy/SKILL.md}
sandbox:
  forbidden_files: ['^answers/']
  extra_path: [tools]
mcp: {}
user_customizations: 'Off'
bar: {success: 0.8, activation: 1}
tasks:
  - name: first
    prompt: Build it.
    expect: It is built.
    assert: check.py
    activates: [build, build]
    setup: make clean
    cleanup: make clean
    history: planted.yaml
    timeout: 90.5
    k: 5
  - name: second
    prompt: ''
    activates: []
""",
            "check.py": "assert True\n",
            "planted.yaml": "- user: hello\n",
        }
    )
    spec = read(path)
    assert spec.name == "demo"
    assert spec.skills == (
        PathSource("./build/SKILL.md", 2),
        GitSource("acme/skills", "v1", "tidy/SKILL.md", 3),
    )
    assert spec.forbidden_files == ("^answers/",)
    assert spec.extra_path == (Path("tools"),)
    assert spec.mcp == ()
    assert spec.user_customizations is False
    assert spec.bar == Bar(0.8, 1.0)
    first, second = spec.tasks
    assert (first.id, first.name, first.prompt, first.line) == (
        "task-001", "first", "Build it.", 11,
    )  # fmt: skip
    assert first.expect == "It is built."
    assert first.check == Check("assert True\n", Path("check.py"))
    assert first.activates == frozenset({"build"})
    assert (first.setup, first.cleanup) == ("make clean", "make clean")
    assert [turn.text for turn in first.history] == ["hello"]
    assert (first.timeout, first.k) == (90.5, 5)
    assert not first.is_probe
    assert spec.needs_judge
    assert (second.id, second.activates, second.is_probe) == ("task-002", frozenset(), True)
    assert (second.check, second.history, second.timeout, second.k) == (None, (), None, None)


def test_what_is_left_out_has_its_default(project: Written) -> None:
    spec = read(project({"demo.eval.yaml": TASKS}))
    assert (spec.skills, spec.mcp, spec.servers, spec.bar) == ((), None, (), None)
    assert spec.user_customizations is None
    assert spec.tasks[0].check == Check("x", None)
    assert not spec.needs_judge


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("demo.eval.yaml", "demo"),
        ("a/demo.yaml", "demo"),
        ("demo.json", "demo"),
        ("x.eval.eval.yaml", "x.eval"),
        ("my demo.eval.yml", "my demo"),
        ("demo", "demo"),
    ],
)
def test_the_name_of_a_spec(file: str, name: str) -> None:
    assert name_of(file) == name


@pytest.mark.parametrize("file", [".eval.yaml", "...yaml", "..eval.yaml", "a\\b.yaml"])
def test_a_file_name_that_gives_no_name(file: str) -> None:
    with pytest.raises(SpecError, match="no name"):
        name_of(file)


def test_every_problem_is_named_with_its_line(project: Written) -> None:
    spec = """\
skils: []
sandbox:
  forbiden_files: []
  extra_path: x
mcp:
  db: {comand: x}
bar: 80
tasks:
  - name: a
    promt: p
    expect: ' '
    timeout: 0
    k: 1.5
  - name: a
    prompt: yes
"""
    assert problems(project, spec) == [
        "demo.eval.yaml:1: unknown key 'skils' in the spec. Did you mean 'skills'?",
        "demo.eval.yaml:3: unknown key 'forbiden_files' in 'sandbox'."
        " Did you mean 'forbidden_files'?",
        "demo.eval.yaml:4: 'extra_path' must be a list, and is the text x.",
        "demo.eval.yaml:10: unknown key 'promt' in task 1. Did you mean 'prompt'?",
        "demo.eval.yaml:9: task 'a' has no 'prompt'.",
        "demo.eval.yaml:11: 'expect' of task 'a' is blank; fill it in or remove it.",
        "demo.eval.yaml:12: 'timeout' of task 'a' is a number of seconds, at least 1.",
        "demo.eval.yaml:13: 'k' of task 'a' is a number of attempts, a whole number from 1.",
        "demo.eval.yaml:14: task 'a' has the name of the one in line 9.",
        "demo.eval.yaml:14: task 'a' needs one of 'expect', 'assert' and 'activates'.",
        "demo.eval.yaml:15: 'prompt' of task 'a' must be text, and is the boolean yes;"
        " put it in quotes.",
        "demo.eval.yaml:6: unknown key 'comand' in MCP server 'db'. Did you mean 'command'?",
        "demo.eval.yaml:6: MCP server 'db' needs a 'command'.",
        "demo.eval.yaml:7: 'bar' is a share from 0 to 1, such as 0.8.",
    ]


def test_many_problems_are_one_message(project: Written) -> None:
    spec = "tasks:\n" + "- {prompt: p, assert: x}\n" * 30
    path = project({"demo.eval.yaml": spec})
    with pytest.raises(SpecError) as caught:
        read(path)
    lines = caught.value.message.splitlines()
    assert lines[0] == "30 things must be put right in demo.eval.yaml:"
    assert lines[1] == "  demo.eval.yaml:2: task 1 has no 'name'."
    assert (len(lines), lines[-1]) == (22, "  and 10 more")
    assert len(caught.value.problems) == 30


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("", ": it is empty; a spec needs at least 'tasks'"),
        ("- a\n", ":1: a spec must be a mapping with 'tasks'"),
        ("skills: []\n", ":1: the spec has no 'tasks'"),
        ("tasks: []\n", ":1: 'tasks' is empty; a spec needs at least one task"),
        ("tasks:\n  a: 1\n", ":1: 'tasks' must be a list, and is a mapping"),
        (f"{TASKS}{TASKS}", ":3: the key 'tasks' stands in line 1 already"),
        (f"{TASKS}---\n{TASKS}",
         ":3: this is no YAML that can be read: but found another document"),
        (f"a: [\n{TASKS}",
         ":3: this is no YAML that can be read: expected the node content, but found '-'"),
        ("tasks: [{name: '\x01'}]\n", ":1: this is no YAML that can be read: the character U+0001"
         " is not allowed"),
        (b"tasks:\n- name: \xff\n", ":2: byte 0xff is not UTF-8; save the file as UTF-8"),
        (f"judge: x\n{TASKS}",
         ":1: 'judge' is no key any more: --judge-model chooses the judge of a run; remove it"),
        (f"skill: x\n{TASKS}", ":1: 'skill' is no key any more: list each SKILL.md under 'skills',"
         " and choose the agent of a run with --model"),
        (f"1: x\n{TASKS}", ":1: a key of the spec is no text; put it in quotes"),
        ("tasks: [{name: !!python/object:os.system x}]\n",
         ":1: there is no type tag:yaml.org,2002:python/object:os.system"),
        ("tasks: [{name: =, prompt: p, assert: x}]\n",
         ":1: there is no type `=` alone; put it in quotes"),
        ('tasks: [{name: "\\ud800", prompt: p, assert: x}]\n',
         ":1: 'name' of task 1 holds half a character, which no file can hold"),
        (f"sandbox: {{forbidden_files: ['(']}}\n{TASKS}",
         ":1: '(' is no regular expression: missing ), unterminated subpattern at position 0"),
        (f"bar: {{success: yes}}\n{TASKS}",
         ":1: 'success' of 'bar' must be a number, and is the boolean yes"),
        (f"bar: {{score: 0.8}}\n{TASKS}",
         ":1: unknown key 'score' in 'bar'. Known are success, activation"),
        (f"bar: {{}}\n{TASKS}", ":1: 'bar' holds none of success and activation"),
        (f"bar: .nan\n{TASKS}", ":1: 'bar' is a share from 0 to 1, such as 0.8"),
        (f"bar:\n{TASKS}", ":1: 'bar' must be a number, and is empty"),
        ("tasks: [{name: a, prompt: p, assert: x, k: 0}]\n",
         ":1: 'k' of task 'a' is a number of attempts, a whole number from 1"),
        ("tasks: [{name: a, prompt: p, assert: x, timeout: .inf}]\n",
         ":1: 'timeout' of task 'a' is a number of seconds, at least 1"),
        ("tasks: [{name: a, prompt: p, assert: gone.py}]\n",
         ":1: 'assert' of task 'a' names the file gone.py, which does not exist"),
        ('tasks: [{name: a, prompt: p, assert: "a\\0.py"}]\n',
         ":1: 'assert' of task 'a' names the file 'a\\x00.py', which does not exist"),
        ("tasks: [{name: a, prompt: p, assert: x, assert_script: y}]\n",
         ":1: task 'a' has both assert and assert_script, which are one thing"),
        ("tasks: [{name: a, prompt: p, assert: x, history: gone.yaml}]\n",
         ":1: 'history' of task 'a' names the file gone.yaml, which does not exist"),
        ("tasks:\n- {<<: 5, name: a, prompt: p, assert: x}\n",
         ":2: `<<` in task 1 merges mappings, and this is none"),
    ],
)  # fmt: skip
def test_one_problem(spec: str | bytes, problem: str, project: Written) -> None:
    found = problems(project, spec)
    assert [line.rstrip(".") for line in found] == [f"demo.eval.yaml{problem}"]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("5", "a skill is the path of its SKILL.md, or a mapping with 'repo'"),
        ("{path: SKILL.md}", "a git source has no 'repo'"),
        ("{repo: ' '}", "'repo' is blank"),
        ("{repo: --upload-pack=evil}", "'repo' is '--upload-pack=evil', which is no address that"
         " git is given"),
        ("{repo: 'ext::sh -c evil'}", "'repo' is 'ext::sh -c evil', which is no address that git is"
         " given"),
        ("{repo: 'https://me:hunter2@example.com/a'}",
         "'repo' holds a password; leave it to git's credential helper"),
        ("{repo: a/b, ref: --evil}", "'ref' is '--evil', which names no branch, tag or commit"),
        ("{repo: a/b, ref: 'a..b'}", "'ref' is 'a..b', which names no branch, tag or commit"),
        ("{repo: a/b, path: ../SKILL.md}",
         "'path' is '../SKILL.md'; it must lead into the repository, with `/`"),
        ("{repo: a/b, path: .git/SKILL.md}",
         "'path' is '.git/SKILL.md'; it must lead into the repository, with `/`"),
        ("{repo: a/b, path: skill.md}", "'path' is 'skill.md'; it must lead to a SKILL.md"),
    ],
)  # fmt: skip
def test_a_source_that_cannot_be_one(source: str, problem: str, project: Written) -> None:
    assert problems(project, f"skills:\n- {source}\n{TASKS}") == [f"demo.eval.yaml:2: {problem}."]


def test_merged_keys_are_overridden_and_the_first_of_several_counts(project: Written) -> None:
    spec = read(
        project(
            {
                "demo.eval.yaml": """\
tasks:
  - &a {name: a, prompt: p, expect: x}
  - {<<: [{prompt: q}, *a], name: b}
"""
            }
        )
    )
    assert [(task.name, task.prompt, task.expect) for task in spec.tasks] == [
        ("a", "p", "x"),
        ("b", "q", "x"),
    ]


def test_maps_that_merge_each_other_again_and_again_end(project: Written) -> None:
    layers = "".join(f"- &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60))
    spec = f"tasks:\n- &a0 {{x: 1}}\n{layers}"
    found = problems(project, spec)
    assert len([line for line in found if "unknown key 'x'" in line]) == 60


def test_a_map_that_merges_itself_is_itself(project: Written) -> None:
    spec = "tasks:\n- &a {<<: *a, name: a, prompt: p, assert: x}\n"
    assert read(project({"demo.eval.yaml": spec})).tasks[0].name == "a"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening: str, project: Written) -> None:
    assert len(problems(project, f"tasks: {opening * 20_000}")) == 1


def test_a_spec_that_is_not_there_or_no_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="There is no spec"):
        read(tmp_path / "demo.eval.yaml")
    with pytest.raises(SpecError, match=r"is a folder|not a regular file"):
        read(tmp_path)


def test_a_spec_of_many_megabytes_is_not_read(project: Written) -> None:
    path = project({"demo.eval.yaml": TASKS + "#" * (5 << 20)})
    with pytest.raises(SpecError, match="more than the"):
        read(path)


def test_a_byte_order_mark_is_no_part_of_the_text(project: Written) -> None:
    assert read(project({"demo.eval.yaml": f"\ufeff{TASKS}"})).tasks[0].name == "a"


def test_files_are_looked_for_from_the_spec(project: Written, tmp_path: Path) -> None:
    task = "tasks: [{name: a, prompt: p, assert: check.py, history: h.yaml}]\n"
    project({"sub/demo.eval.yaml": task, "sub/check.py": "x", "sub/h.yaml": "- user: [1]\n"})
    with pytest.raises(SpecError) as caught:
        read(os.path.join("sub", "demo.eval.yaml"))
    assert caught.value.problems == (
        f"{os.path.join('sub', 'h.yaml')}:1: the text of turn 1 must be text, and is a list.",
    )
