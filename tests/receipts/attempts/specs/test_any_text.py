"""Whatever a file holds: it is read as a spec, or refused in sentences."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from receipts.attempts.specs import validating
from receipts.attempts.specs.frontmatter import name_in
from receipts.attempts.specs.problems import Problems
from receipts.attempts.specs.yamlnodes import document
from receipts.errors import SpecError
from tests.parts import examples

KEYS = [
    "skills", "sandbox", "mcp", "user_customizations", "bar", "tasks", "skill", "judge", "name",
    "prompt", "expect", "assert", "assert_script", "activates", "setup", "cleanup", "history",
    "timeout", "k", "id", "repo", "ref", "path", "forbidden_files", "extra_path", "command", "args",
    "env", "url", "headers", "type", "success", "activation", "user", "assistant", "shell", "run",
    "output", "<<", "x",
]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.dates(),
    st.binary(max_size=3),
    st.sampled_from(["p", "", " ", "x.py", "demo.eval.yaml", "SKILL.md", "a/b", "(", "stdio"]),
    st.text(max_size=8),
)
DATA = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), SCALARS), below, max_size=5),
    ),
    max_leaves=25,
)
TASK = st.fixed_dictionaries(
    {"name": SCALARS, "prompt": SCALARS},
    optional=dict.fromkeys(KEYS[10:20], DATA),
)
SPECS = st.one_of(
    DATA,
    st.fixed_dictionaries(
        {"tasks": st.lists(TASK, max_size=3)}, optional=dict.fromkeys(KEYS[:5], DATA)
    ),
)
SOUND = b"""\
skills: [./SKILL.md]
sandbox: {forbidden_files: ['^x'], extra_path: [bin]}
mcp: {db: {command: x, args: [y], env: {A: '${B}'}}}
bar: {success: 0.8}
tasks:
- &a {name: a, prompt: p, expect: e, assert: x, activates: [], history: h.yaml, k: 2}
- {<<: *a, name: b, timeout: 60.5}
"""


@contextlib.contextmanager
def project() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def look_at(data: bytes) -> bool:
    """Say whether a text is a spec; assert that what is none is refused in sentences."""
    with project():
        Path("demo.eval.yaml").write_bytes(data)
        Path("h.yaml").write_text("- user: hello\n")
        Path("SKILL.md").write_text("---\nname: build\n---\n")
        try:
            found = validating.validate("demo.eval.yaml")
        except SpecError as error:
            assert error.problems
            assert all(line.isprintable() and line[-1] in ".?" for line in error.problems)
            return False
        for task in found.spec.tasks:
            f"{task.name}{task.prompt}".encode()
        return True


def test_the_sound_spec_is_one() -> None:
    assert look_at(SOUND)


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"&a [*a]")
@example(b"tasks: &t [*t]")
@example(b"tasks: &t {<<: *t}")
@example(b"? [a]\n: b")
@example(b"tasks: [!!int x]")
@example(b"bar: !!float x\ntasks: []")
@example(b"bar: 0b_\ntasks: []")
@example(b"bar: " + b"9" * 5000)
@example(b"%YAML 9.9\n---\ntasks: []")
@settings(max_examples=examples(200))
def test_any_bytes(data: bytes) -> None:
    look_at(data)


@given(SPECS)
@settings(max_examples=examples(300))
def test_any_data(data: object) -> None:
    look_at(yaml.safe_dump(data, allow_unicode=True).encode("utf-8", "surrogatepass"))


@given(st.data())
@settings(max_examples=examples(300))
def test_a_spec_with_a_slip_in_it(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(SOUND)))
    end = data.draw(st.integers(start, min(len(SOUND), start + 12)))
    slip = data.draw(
        st.one_of(st.binary(max_size=4), st.sampled_from([b":", b"[", b"'", b"\t", b"*a"]))
    )
    look_at(SOUND[:start] + slip + SOUND[end:])


@given(st.text(alphabet=" -:#'\"[]{},abnme&*!|>%\n", max_size=60))
@settings(max_examples=examples(200))
def test_any_document_and_front_matter(text: str) -> None:
    problems = Problems("f")
    found = document(text.encode(), "f", problems)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        root = None
    assert found is None or root is not None
    assert root is None or found is not None or problems
    name = name_in(f"---\n{text}\n---\n")
    assert name is None or name
