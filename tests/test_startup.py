"""Starting is fast because nothing heavy is imported that the command at hand does not need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.members import ROOT

HEAVY = ["pydantic", "dulwich", "cryptography", "rich", "filelock"]
_RUN = """
import json, sys
from receipts import cli
code = cli.run(sys.argv[1:])
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


def imported(*arguments: str | Path, home: Path) -> set[str]:
    """Run a command that must succeed in a process of its own, and return what it imported."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)],
        env={"PYTHONPATH": str(ROOT), "HOME": str(home), "PYTHONWARNINGS": "error"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done
    assert done.stdout
    return set(modules)


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
    [["--version"], ["--help"], ["digest", "--help"], ["completion", "bash"]],
    ids=" ".join,
)
def test_what_asks_for_words_only_loads_nothing(arguments: list[str], tmp_path: Path) -> None:
    modules = imported(*arguments, home=tmp_path)
    assert not modules & set(HEAVY)
    assert not modules & {"publish", "store", "hooks"}
    assert "click" in modules


@pytest.mark.parametrize("options", [[], ["--json"], ["--explain"]], ids=str)
def test_a_digest_needs_neither_models_nor_git(
    options: list[str], skill: Path, tmp_path: Path
) -> None:
    modules = imported("digest", skill, *options, home=tmp_path)
    assert not modules & set(HEAVY)
    assert not modules & {"publish", "store", "hooks"}


def test_two_folders_are_compared_without_them_too(skill: Path, tmp_path: Path) -> None:
    assert not imported("digest", skill, skill, home=tmp_path) & set(HEAVY)


def test_importing_a_package_loads_none_of_its_modules(tmp_path: Path) -> None:
    code = "import json, sys, receipts, publish, store; print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    modules = json.loads(done.stdout)
    ours = {name for name in modules if name.partition(".")[0] in {"receipts", "publish", "store"}}
    assert ours == {"receipts", "publish", "store"}
