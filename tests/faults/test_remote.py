"""Team repositories that vanish, lose history or refuse, met by commands that a user runs."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.mortal import Mortal
from tests.faults.scenarios import SCENARIOS, World
from tests.faults.stage import Stage
from tests.publish.git.samples import git

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")

_BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
_READING = ["sync", "sync through git"]
_WRITING = ["publish, second", "publish through git", "unpublish"]


class Mishap(NamedTuple):
    """What happens to the repository, what is said then, and which commands meet it."""

    happen: Callable[[World], None]
    said: str
    commands: list[str]


def _vanish(world: World) -> None:
    world.repository.rename(world.folder.with_name("gone.git"))


def _empty(world: World) -> None:
    git(world.repository, "update-ref", "-d", "refs/heads/main")


def _roll_back(world: World) -> None:
    root = git(world.repository, "rev-list", "--max-parents=0", "main").decode().strip()
    git(world.repository, "update-ref", "refs/heads/main", root)


def _force(world: World) -> None:
    tree = git(world.repository, "rev-parse", "main^{tree}").decode().strip()
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    other = git(world.repository, *who, "commit-tree", "-m", "all new", tree).decode().strip()
    git(world.repository, "update-ref", "refs/heads/main", other)


def _hook(world: World, text: str) -> None:
    hook = world.repository / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{text}\n")
    hook.chmod(0o755)


def _protect(world: World) -> None:
    _hook(world, "printf 'GH006: \\033[31mProtected branch\\033[0m update failed\\n' >&2; exit 1")


def _hang_up(world: World) -> None:
    _hook(world, "kill -9 $PPID")


MISHAPS = {
    "gone": Mishap(_vanish, r"[Nn]o (git )?repository at", [*_READING, *_WRITING]),
    "emptied": Mishap(_empty, r"has no branch main any more", [*_READING, *_WRITING]),
    "rolled back": Mishap(_roll_back, r"went back from commit", [*_READING, *_WRITING]),
    "forced": Mishap(_force, r"was rewritten", [*_READING, *_WRITING]),
    "protected": Mishap(
        _protect, r"refused the push: [\s\S]*GH006: .*Protected branch.* update failed", _WRITING
    ),
    "hangs up": Mishap(_hang_up, r"may have been published|hung up|connection", _WRITING),
}


@pytest.mark.parametrize(
    ("mishap", "command"),
    [
        pytest.param(mishap, command, id=f"{name}-{command}")
        for name, mishap in MISHAPS.items()
        for command in mishap.commands
    ],
)
def test_a_repository_in_trouble(
    mishap: Mishap, command: str, tmp_path: Path, mortal: Mortal
) -> None:
    stage = Stage(_BY_NAME[command], tmp_path, mortal)
    assert stage.run().code == 0
    end = stage.end()
    stage.restore()
    files, _ = stage.end()
    cards = stage.read("cards", "--json").out
    mishap.happen(stage.world)
    failed = stage.run()
    assert failed.code == 1, failed
    assert re.search(mishap.said, failed.err), failed
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]|unexpected \w+Error", failed.err), failed
    assert stage.read("cards", "--json").out == cards
    assert stage.end()[0] == files
    stage.restore_repository()
    stage.assert_finished(stage.run(), end, "afterwards")
