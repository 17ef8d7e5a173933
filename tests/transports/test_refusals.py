"""No terminal, no question: a clear refusal, in time, and nothing left behind."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.members import Member, Ran
from tests.parts import require_part
from tests.transports import page
from tests.transports.refusals import REFUSALS, Refusal
from tests.transports.tables import REFUSALS_TITLE
from tests.transports.world import PASSWORD, WITH, WITHOUT, World

SILENCE = 3.0
LONGEST = 20.0
# Takes the terminal over as its own, so that whatever asks there could be seen to.
IN_TERMINAL = """
import fcntl, os, runpy, sys, termios
os.setsid()
fcntl.ioctl(int(sys.argv.pop(1)), termios.TIOCSCTTY, 0)
runpy.run_module("tests.transports.impatient", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("has_git", [True, False], ids=["git", "no-git"])
@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.set_up.__name__)
def test_refusal(row: Refusal, world: World, has_git: bool) -> None:
    url = row.set_up(world)
    if not has_git:
        world.hide_git()
    verb = ["create", "acme", "--remote"] if row.create else ["join"]
    began = time.monotonic()
    done, seen = _run_beside_a_terminal(world.ada, "--debug", "team", *verb, url)
    assert time.monotonic() - began < LONGEST
    assert seen == b""
    outcome = world.refusal(done, url)
    says = "credentials" if row.git_only and not has_git else row.says
    assert re.search(says, done.err.partition("Traceback")[0] + done.err.rpartition("error: ")[2])
    assert PASSWORD not in done.err + done.out
    assert not (world.ada.state / "config.json").exists()
    for check in world.checks:
        check()
    page.record(REFUSALS_TITLE, row.name, WITH if has_git else WITHOUT, outcome)


def _run_beside_a_terminal(member: Member, *arguments: str) -> tuple[Ran, bytes]:
    """Run a command that has a terminal, but neither on stdin nor on stderr; see what is on it."""
    require_part(hasattr(os, "openpty"), "pseudo-terminals")
    with _terminal() as (screen, terminal):
        done = subprocess.run(
            [sys.executable, "-c", IN_TERMINAL, str(terminal), str(SILENCE), *arguments],
            pass_fds=[terminal],
            cwd=member.home,
            env=member.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        os.set_blocking(screen, False)
        seen = b""
        with contextlib.suppress(BlockingIOError):
            seen = os.read(screen, 1 << 16)
    return Ran(done.returncode, done.stdout, done.stderr), seen


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[int, int]]:
    screen, terminal = os.openpty()
    try:
        yield screen, terminal
    finally:
        os.close(screen)
        os.close(terminal)
