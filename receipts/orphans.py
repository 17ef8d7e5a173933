"""Processes whose parents ended, taken in while we run programs, so that none gets away.

A daemon leaves its group and its parent, and may clear its environment: nothing then says where it
came from. On Linux it can be made a child of ours (`prctl(2)`, PR_SET_CHILD_SUBREAPER) and not of
the system's first process, and is ended once no program runs. Elsewhere nothing takes it in.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

_SET_SUBREAPER = 36
_PATIENCE = 30.0  # seconds that what forks all the time is run after

_lock = threading.Lock()
_programs = 0
_before: set[int] = set()
_ours: set[int] = set()


@contextlib.contextmanager
def sparing() -> Iterator[set[int]]:
    """Give the set to add the process to that is started in here, in a session of its own."""
    with _lock:  # nothing is killed between its start and its being known
        yield _ours


def take_in() -> None:
    """Take in what is orphaned from now on, until `let_go` was called as often as this."""
    global _programs, _before
    if sys.platform != "linux":
        return
    with _lock:
        if _programs == 0:
            _before = _children()
            _set_subreaper(on=True)
        _programs += 1


def let_go() -> None:
    """Kill what was taken in, once no program runs that it may belong to."""
    global _programs
    if sys.platform != "linux":
        return
    with _lock:
        _programs -= 1
        if _programs:
            return
        deadline = time.monotonic() + _PATIENCE
        while _kill_adopted() and time.monotonic() < deadline:
            time.sleep(0.001)
        _set_subreaper(on=False)


def _kill_adopted() -> bool:
    """Kill and reap every orphan; return whether there was one, which may have left another."""
    own = os.getsid(0)
    found = False
    for pid in _children() - _before - _ours:
        with contextlib.suppress(OSError):
            # What we start ourselves is in our session, or in `_ours`; no orphan can get into it.
            if os.getsid(pid) == own:
                continue
            found = True
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, os.WNOHANG)
    return found


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # the thread ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


def _set_subreaper(*, on: bool) -> None:
    with contextlib.suppress(OSError, AttributeError):  # a libc without it
        ctypes.CDLL(None, use_errno=True).prctl(_SET_SUBREAPER, int(on), 0, 0, 0)
