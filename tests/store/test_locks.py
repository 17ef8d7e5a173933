import os
import subprocess
import sys
from pathlib import Path

import pytest

from receipts.errors import StoreError
from store import locks

ROOT = Path(__file__).parents[2]
HOLD = (
    "import sys, time\n"
    "from store import locks\n"
    "with locks.held('x'):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.readline()\n"
)


def test_a_holder_is_waited_for_and_the_wait_is_said(
    capsys: pytest.CaptureFixture[str], state: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        holder.stdout.readline()
        with subprocess.Popen(
            [sys.executable, "-c", HOLD],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as waiter:
            assert waiter.stderr is not None
            assert b"Waiting for another receipts command" in waiter.stderr.readline()
            holder.stdin.write(b"\n")
            holder.stdin.flush()
            stdout, _ = waiter.communicate(timeout=60)
            assert stdout == b"held\n"
    assert (state / "locks" / "x.lock").exists()


def test_a_killed_holder_leaves_no_lock(capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
    with locks.held("x"):
        pass
    assert capsys.readouterr().err == ""


def test_a_lock_that_cannot_be_made_is_said(state: Path) -> None:
    os.makedirs(state / "locks" / "x.lock")
    with pytest.raises(StoreError, match=r"Cannot lock .*x.lock"), locks.held("x"):
        pass
