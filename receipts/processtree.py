"""A program and everything that it started, so that it can be ended whole.

Its process group catches what it forked; a marker in the environment what left the group and its
parent, as a daemon does; the tree of parents what cleared its environment; what did both is an
orphan, and taken in (`receipts.orphans`).
"""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from receipts import orphans

if TYPE_CHECKING:
    import psutil

MARKER = "RECEIPTS_SESSION"
"""The environment variable by which the processes of one program are known, wherever they went."""

_PATIENCE = 30.0  # seconds that what forks all the time is run after
_PAUSE = 0.001
_LOOKS = 20  # at a process without an environment, before it is taken for one of the system's


class ProcessTree:
    """Everything that one program will have started. Make it before the program is started."""

    def __init__(self) -> None:
        self._marker = secrets.token_hex(16)
        # Reading every process's environment costs 20 ms; only younger ones can be ours.
        self._others = _pids()
        # Killed, and not gone yet: the system ends a process when its turn comes.
        self._dying: dict[int, psutil.Process] = {}
        self._bare = Counter[int]()
        self._takes_in = False

    def marked(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment to start the program with."""
        if not self._takes_in:
            self._takes_in = True
            orphans.take_in()
        # An evaluation inside an evaluation: what the inner one starts is found by both.
        outer = os.environ.get(MARKER)
        return {**environment, MARKER: f"{outer}:{self._marker}" if outer else self._marker}

    def end(self, program: subprocess.Popen[bytes], *, is_running: bool) -> None:
        """Kill it all, go on until nothing of it is left, and reap the program.

        Args:
            program: What was started with `marked`; it leads a group of its own (POSIX).
            is_running: Whether it did not exit by itself.
        """
        deadline = time.monotonic() + _PATIENCE
        descendants = _below(program.pid) if is_running else []
        _kill_group(program)
        for process in descendants:
            self._end(process)
        while self._kill_strays(program.pid) and time.monotonic() < deadline:
            _kill_group(program)  # what forks faster than it is found
            time.sleep(_PAUSE)
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(_PATIENCE)
        self.let_go()

    def sweep(self) -> None:
        """Kill what programs that came to their ends left running, until nothing of it is left."""
        deadline = time.monotonic() + _PATIENCE
        while self._kill_strays(0) and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        self.let_go()

    def let_go(self) -> None:
        """Say that nothing of it runs any more, or that it was not started."""
        if self._takes_in:
            self._takes_in = False
            orphans.let_go()

    def _kill_strays(self, program: int) -> bool:
        """Kill every marked process but the program; return whether to look another time.

        A look is the last one only when nothing that was killed still runs, and nothing ended while
        it was looked at: that may have left a child which was not there yet.
        """
        import psutil

        ended = False
        for pid in _pids() - self._others - {program}:
            try:
                process = psutil.Process(pid)  # knows a number that is another process's by now
                environment = _environment(pid)
                is_zombie = not environment and process.status() == psutil.STATUS_ZOMBIE
            except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
                ended = True
                if psutil.pid_exists(pid):  # a zombie, which has nothing left to read
                    self._others.add(pid)
                continue
            except (psutil.Error, OSError):  # another user's
                self._others.add(pid)
                continue
            if self._marker in environment:
                self._end(process)
            elif environment or is_zombie:
                self._others.add(pid)
                ended = ended or is_zombie
            else:
                # One that is being started, or is ending, has none; the system's own never have.
                self._bare[pid] += 1
                ended = ended or self._bare[pid] <= _LOOKS
        self._dying = {pid: one for pid, one in self._dying.items() if _is_alive(one)}
        return ended or bool(self._dying)

    def _end(self, process: "psutil.Process") -> None:
        self._dying[process.pid] = process
        _kill(process)


def _environment(pid: int) -> str:
    """Return a process's marker, or whatever else shows that it has an environment."""
    if sys.platform == "linux":
        # Four times as fast as through psutil; what forks all the time has to be overtaken.
        with open(f"/proc/{pid}/environ", "rb") as stream:
            return stream.read().decode("ascii", "replace")
    import psutil

    variables = psutil.Process(pid).environ()
    return variables.get(MARKER) or " ".join(variables)


def _below(pid: int) -> "list[psutil.Process]":
    import psutil

    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _kill_group(program: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        # PermissionError: macOS says so of a group of which only the ended leader is left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)
    else:
        program.kill()


def _is_alive(process: "psutil.Process") -> bool:
    import psutil

    try:
        ended = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
        return process.is_running() and process.status() not in ended
    except psutil.Error:
        return False


def _kill(process: "psutil.Process") -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        process.kill()


def _pids() -> set[int]:
    if sys.platform == "linux":
        return {int(name) for name in os.listdir("/proc") if name.isdecimal()}
    import psutil

    return set(psutil.pids())
