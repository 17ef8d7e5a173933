import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.members import Member, Ran
from tests.servers.fixtures import MEMORY
from tests.transports.world import Run, World


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is such a thing: what a disk does is tested elsewhere."""
    if not MEMORY.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="receipts-", dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def world(request: pytest.FixtureRequest, repository: Path, tmp_path: Path) -> Iterator[World]:
    """Two members, and servers that end with the test."""
    with contextlib.ExitStack() as stack:
        yield World(request, repository, tmp_path, stack)


@pytest.fixture
def in_processes(world: World) -> Run:
    """Return a function that runs a member's command as a process of its own."""

    def run(member: Member, *arguments: str | Path) -> Ran:
        return member.run(*arguments, cwd=world.work[member.handle])

    return run


@pytest.fixture
def in_here(world: World, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a member's command in this process."""

    def run(member: Member, *arguments: str | Path) -> Ran:
        monkeypatch.chdir(world.work[member.handle])
        done = member.called(*arguments, monkeypatch=monkeypatch)
        assert "Traceback" not in done.err, done.err
        return done

    return run
