"""Searching the patterns of checks, within a time.

A pattern can be written so that a search takes longer than anybody waits, and Python cannot end a
search of its own. So every search is done by a process beside this one, which is ended when the
time is up. Processes are kept for the next search, as starting one costs more than most searches.
"""

import atexit
import contextlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from receipts import orphans
from receipts.arms.jsregex import Pattern
from receipts.arms.matchserver import FOUND, NOT_FOUND, SIZES
from receipts.jsyaml.units import to_units

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 10.0
_SERVER = Path(__file__).with_name("matchserver.py")
_TO_LEAVE = 2.0  # seconds that a process has to end once nothing more is asked of it

_idle: "list[_Server]" = []


class MatchError(Exception):
    """A search came to no end; says why."""


def found_in(pattern: Pattern, text: str, seconds: float = SECONDS) -> bool:
    """Say whether a pattern matches anywhere in a text. Threads may search at once.

    Raises:
        MatchError: It took longer than the time given, or more memory than there is.
    """
    with _borrowed() as server:
        return server.ask(pattern.python, to_units(text), seconds)


@contextlib.contextmanager
def _borrowed() -> "Iterator[_Server]":
    """Lend a process that nobody else uses; one that fails is not lent again."""
    try:
        server = _idle.pop()  # one step, so that no other thread gets the same
    except IndexError:
        server = _Server()
    try:
        yield server
    except BaseException:
        server.end()
        raise
    _idle.append(server)


@atexit.register
def end_idle() -> None:
    """End the processes that wait for a search."""
    while _idle:
        _idle.pop().end()


class _Server:
    def __init__(self) -> None:
        try:
            with orphans.sparing() as ours:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_SERVER)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # a Ctrl-C is for us, and then we end it
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                ours.add(self._process.pid)
        except OSError as error:
            raise MatchError(f"no process could be started for it: {error.strerror}") from error
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)

    def ask(self, python: str, text: str, seconds: float) -> bool:
        """Search one text in this process.

        Raises:
            MatchError: The process ended before it answered.
        """
        parts = [python.encode("ascii"), text.encode("utf-8", "surrogatepass")]
        is_late = threading.Event()
        timer = threading.Timer(seconds, self._stop, [is_late])
        timer.start()
        try:
            self._requests.write(b"".join([SIZES.pack(*map(len, parts)), *parts]))
            self._requests.flush()
            answer = self._answers.read(1)
        except OSError:  # it ended while it was asked
            answer = b""
        finally:
            timer.cancel()
        if answer not in (FOUND, NOT_FOUND):
            timer.join()
            raise MatchError(
                f"it took longer than {seconds:g} seconds"
                if is_late.is_set()
                else "it could not be searched in the memory there is"
            )
        return answer == FOUND

    def _stop(self, is_late: threading.Event) -> None:
        is_late.set()
        self._process.kill()

    def end(self) -> None:
        """End the process, and wait until it has."""
        with contextlib.suppress(OSError):  # what is written to a process that is gone
            self._requests.close()
        try:
            self._process.wait(_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()
