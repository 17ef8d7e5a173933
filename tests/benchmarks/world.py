"""What the rows share: sizes, servers of each kind, team repositories, a home of its own."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import samples
from tests.servers.daemons import git_daemon, sshd

ROOT = Path(__file__).parents[2]
KINDS = ("path", "git", "http", "ssh")


class Team(NamedTuple):
    """How large a team's repository is."""

    skills: int
    receipts_each: int


class Sizes(NamedTuple):
    """How much of everything, and how often."""

    few: Team
    some: Team
    many: Team
    small_files: int
    large_files: int
    large_bytes: int
    writes: int
    rounds: int

    def rounds_of(self, share: float) -> int:
        """Return a share of the rounds, for work that takes long; at least one."""
        return max(1, round(self.rounds * share))


FULL = Sizes(
    few=Team(100, 10),
    some=Team(1000, 10),
    many=Team(1000, 100),
    small_files=1000,
    large_files=4,
    large_bytes=128 << 20,
    writes=2000,
    rounds=15,
)
SMALL = Sizes(
    few=Team(2, 2),
    some=Team(3, 2),
    many=Team(3, 4),
    small_files=20,
    large_files=2,
    large_bytes=1 << 20,
    writes=3,
    rounds=1,
)


class World:
    """A folder to work in, and the servers that serve it."""

    def __init__(self, folder: Path, sizes: Sizes, bases: Mapping[str, str]) -> None:
        self.folder, self.sizes = folder, sizes
        self._bases = bases

    def address(self, kind: str, repository: Path) -> str:
        """Return the address of a repository below the folder, reached in one of the ways."""
        return f"{self._bases[kind]}{repository}"

    def team(self, size: Team, name: str) -> Path:
        """Return a team's repository of some size, for the caller to change."""
        pristine = self.folder / "teams" / f"{size.skills}x{size.receipts_each}.git"
        if not pristine.exists():
            pristine.parent.mkdir(exist_ok=True)
            samples.make_team(pristine, skills=size.skills, receipts=size.receipts_each)
        return Path(shutil.copytree(pristine, self.folder / "servers" / f"{name}.git"))

    def scratch(self, name: str) -> Path:
        """Return an empty folder."""
        place = self.folder / "scratch" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return place

    def machine(self, name: str, teams: Mapping[str, str]) -> Path:
        """Return the state of a member's machine that belongs to teams, name to address."""
        state = self.scratch(f"machine-{name}")
        entries = {team: {"remote": url, "handle": samples.HANDLE} for team, url in teams.items()}
        (state / "config.json").write_text(json.dumps({"teams": entries}))
        return state


@contextlib.contextmanager
def variables(**values: str) -> Iterator[None]:
    """Set environment variables for the length of a block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def using(state: Path) -> contextlib.AbstractContextManager[None]:
    """Be the machine of this state for the length of a block."""
    return variables(RECEIPTS_HOME=str(state))


@contextlib.contextmanager
def opened(folder: Path, sizes: Sizes) -> Iterator[World]:
    """Start a server of each kind; as long as the block runs, git knows nobody but a member."""
    home = folder / "home"
    home.mkdir()
    config = home / ".gitconfig"
    config.write_text(f"[user]\n\tname = {samples.WHO.name}\n\temail = {samples.WHO.email}\n")
    with contextlib.ExitStack() as stack:
        nobody = variables(
            HOME=str(home), GIT_CONFIG_GLOBAL=str(config), GIT_CONFIG_NOSYSTEM="1", LC_ALL="C"
        )
        stack.enter_context(nobody)
        ssh = stack.enter_context(sshd(folder / "sshd"))
        stack.enter_context(variables(GIT_SSH_COMMAND=ssh.command))
        bases = {
            "path": "",
            "file": "file://",
            "git": stack.enter_context(git_daemon(folder, folder / "daemon.log")),
            "http": stack.enter_context(_http()),
            "ssh": ssh.url,
        }
        yield World(folder, sizes, bases)


@contextlib.contextmanager
def _http() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.benchmarks.http_server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
