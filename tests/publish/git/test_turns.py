"""One user's writers in a line: who came first goes first, and nobody is held up by the dead."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from publish.git import Remote
from publish.git.turns import turn

ROOT = Path(__file__).parents[3]
REMOTE = Remote.parse("https://example.invalid/team.git")
HOLD = f"""
import sys
from publish.git import Remote
from publish.git.turns import turn
print("comes", flush=True)
with turn(Remote.parse({REMOTE.url!r}), limit=60, waiting=None):
    print("goes", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the line is kept."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path / f"receipts-{os.getuid()}"


def _last(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.glob("*.last"))


def _wait_for_another(folder: Path, before: str) -> None:
    deadline = time.monotonic() + 60
    while _last(folder) in ("", before):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_who_came_first_goes_first(folder: Path) -> None:
    served: list[int] = []

    def take(number: int) -> None:
        with turn(REMOTE, limit=60, waiting=None):
            served.append(number)

    for _ in range(3):  # more often, together, than there are places
        threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
        with turn(REMOTE, limit=60, waiting=None):
            for thread in threads:
                before = _last(folder)
                thread.start()
                _wait_for_another(folder, before)
            assert served == []
        for thread in threads:
            thread.join()
        assert served == list(range(8))
        served.clear()


def test_the_dead_hold_nobody_up(folder: Path) -> None:
    """One dies while it has its turn, one in the middle of the line."""
    command = [sys.executable, "-c", HOLD]
    holders = []
    for said in (b"comes\ngoes\n", b"comes\n"):
        before = _last(folder)
        holder = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        holders.append(holder)
        assert holder.stdout is not None
        assert b"".join(holder.stdout.readline() for _ in said.splitlines()) == said
        _wait_for_another(folder, before)
    for holder in holders:
        holder.kill()
        holder.communicate()
    waited: list[float] = []
    with turn(REMOTE, limit=60, waiting=waited.append):
        assert waited == []


def test_when_the_limit_is_over_it_goes_on_without() -> None:
    with turn(REMOTE, limit=0, waiting=None), turn(REMOTE, limit=0, waiting=None):
        pass


def test_a_line_that_cannot_be_kept_is_no_failure(folder: Path) -> None:
    folder.write_text("no folder\n")
    with turn(REMOTE, limit=60, waiting=None):
        pass


@pytest.mark.parametrize("text", ["", "no number", "-7", "999999999999", "ö"])
def test_whatever_the_last_place_says(folder: Path, text: str) -> None:
    with turn(REMOTE, limit=60, waiting=None):
        pass
    [last] = folder.glob("*.last")
    last.write_text(text)
    with turn(REMOTE, limit=60, waiting=None):
        pass
    assert 0 <= int(last.read_text()) < 16
