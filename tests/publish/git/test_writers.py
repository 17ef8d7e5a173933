"""Writers that share a mirror, and writers that die: nothing lost, nothing twice or to repair.

Those with mirrors of their own race in `tests/races`.
"""

import contextlib
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from publish.git import Mirror, Remote, fetch
from tests.publish.git.samples import add, git, paths
from tests.servers.fixtures import TeamServer

pytestmark = pytest.mark.usefixtures("home")

ROOT = Path(__file__).parents[3]
WRITERS, MIRRORS, COMMITS = 4, 2, 5


def _start(module: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.publish.git.{module}", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _check(server: TeamServer, expected: int) -> None:
    """Check that every file and line is there once, in a line of sound commits."""
    assert server.git("rev-list", "--merges", "main") == ""
    assert server.git("rev-list", "--count", "main") == f"{expected}\n"
    lines = server.git("show", "main:counter").split()
    assert len(lines) == len(set(lines)) == expected
    files = set(server.git("ls-tree", "-r", "--name-only", "main").split()) - {"counter"}
    assert files == set(lines)
    server.git("fsck", "--strict", "--full")


def test_writers_of_two_mirrors_at_once(team_server: TeamServer, tmp_path: Path) -> None:
    places = [tmp_path / "mirrors" / f"{number}.git" for number in range(MIRRORS)]
    running = [
        _start("writer", team_server.url, str(places[n % MIRRORS]), f"w{n}", str(COMMITS))
        for n in range(WRITERS)
    ]
    printed: list[str] = []
    for process in running:
        output, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
        printed += output.split()
    assert len(set(printed)) == WRITERS * COMMITS
    assert set(printed) == set(team_server.git("rev-list", "main").split())
    _check(team_server, WRITERS * COMMITS)
    for place in places:
        git(place, "fsck", "--full")


def test_writers_that_are_killed_at_any_moment(team_server: TeamServer, tmp_path: Path) -> None:
    place = tmp_path / "mirrors" / "team.git"
    chance = random.Random(7)
    promised: list[str] = []
    for number in range(6):
        process = _start("writer", team_server.url, str(place), f"k{number}", "20")
        assert process.stdout is not None
        promised.append(process.stdout.readline().strip())
        time.sleep(chance.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        with contextlib.closing(process.stdout):
            promised += process.stdout.read().split()
        process.communicate()
    with Mirror.open(place, Remote.parse(team_server.url)) as mirror:
        tip = add(mirror, "counter-less").commit
        assert tip == fetch(mirror)
    history = team_server.git("rev-list", "main").split()
    # A push that was under way when its writer died may still have landed.
    assert set(promised) <= set(history)
    assert len(promised) == len(set(promised))
    team_server.git("fsck", "--strict", "--full")
    assert team_server.git("rev-list", "--merges", "main") == ""
    git(place, "fsck", "--full")


@pytest.mark.parametrize("first", range(1, 5))
def test_a_writer_killed_at_every_step(repository: Path, tmp_path: Path, first: int) -> None:
    """Every fourth step of a write that first fetches a few commits, each on a team of its own."""
    with Mirror.open(tmp_path / "seed.git", Remote.parse(str(repository))) as seed:
        for number in range(3):
            add(seed, f"skills/{number}/v1/SKILL.md")
    for step in range(first, 200, 4):
        server = shutil.copytree(repository, tmp_path / f"server-{step}.git")
        place = tmp_path / "mirrors" / f"{step}.git"
        process = _start("killed_writer", str(step), str(server), str(place), "dies")
        _, errors = process.communicate()
        if process.returncode == 0:
            break
        assert (process.returncode, errors) == (-signal.SIGKILL, "")
        with Mirror.open(place, Remote.parse(str(server))) as mirror:
            add(mirror, "after")
            assert {"after", "skills/0/v1/SKILL.md"} <= set(paths(mirror))
        git(place, "fsck", "--full")
        git(server, "fsck", "--full", "--strict")
        assert [path.name for path in place.parent.iterdir() if path.name.startswith(".")] == []
    else:
        pytest.fail("the writer has more steps than were tried")
