"""Starting is fast because nothing heavy is imported that the command at hand does not need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.members import ROOT

HEAVY = {"pydantic", "dulwich", "cryptography", "rich", "filelock", "psutil"}
LATER = {"publish", "store", "hooks"}
# The verb lives with the libraries, whose names it takes; for a path it needs nothing of them.
DIGEST = {"store", "store.commands", "store.commands.digest", "store.completing"}
_RUN = """
import json, sys
from receipts import cli
code = cli.run(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def imported(*arguments: str | Path, home: Path, **environment: str) -> set[str]:
    """Run a command that must succeed in a process of its own, and return what it imported."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)],
        env={
            "PYTHONPATH": str(ROOT),
            "HOME": str(home),
            "PYTHONWARNINGS": "error",
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done
    assert done.stdout
    return set(modules)


def packages(modules: set[str]) -> set[str]:
    """Return the packages that modules belong to."""
    return {name.partition(".")[0] for name in modules}


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """Return a skill that is read as a whole: its frontmatter, and files in folders."""
    folder = tmp_path / "tdd"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "a.sh").write_text("true\n")
    frontmatter = "name: tdd\ndescription: >-\n  d\nmetadata: {id: x, tags: [a, 1.0, ~]}\n"
    (folder / "SKILL.md").write_text(f"---\n{frontmatter}---\n# tdd\n")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["completion", "bash"]],
    ids=" ".join,
)
def test_what_asks_for_words_only_loads_nothing(arguments: list[str], tmp_path: Path) -> None:
    modules = imported(*arguments, home=tmp_path)
    assert not packages(modules) & (HEAVY | LATER)
    assert "click" in modules


@pytest.mark.parametrize("options", [[], ["--json"], ["--explain"], ["--help"]], ids=str)
def test_a_digest_needs_neither_models_nor_git_nor_libraries(
    options: list[str], skill: Path, tmp_path: Path
) -> None:
    modules = imported("digest", skill, *options, home=tmp_path)
    assert not packages(modules) & HEAVY
    assert {name for name in modules if packages({name}) & LATER} == DIGEST


def test_two_folders_are_compared_without_them_too(skill: Path, tmp_path: Path) -> None:
    assert not packages(imported("digest", skill, skill, home=tmp_path)) & HEAVY


def test_a_name_is_looked_up_without_models_and_git(skill: Path, tmp_path: Path) -> None:
    library = tmp_path / ".claude" / "skills"
    library.mkdir(parents=True)
    skill.rename(library / "tdd")
    modules = imported("digest", "tdd", home=tmp_path)
    assert not packages(modules) & (HEAVY | {"publish"})
    assert "store.library" in modules


def test_importing_a_package_loads_none_of_its_modules(tmp_path: Path) -> None:
    code = "import json, sys, receipts, publish, store; print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    modules = json.loads(done.stdout)
    ours = {name for name in modules if name.partition(".")[0] in {"receipts", "publish", "store"}}
    assert ours == {"receipts", "publish", "store"}
