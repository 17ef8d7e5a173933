"""The one way to run somebody else's program: bounded, watched, and ended with all that it started.

A program may fork, leave its process group, become a daemon, ignore signals, write without end or
fill the disk. Whatever it does, nothing of it is left when `run` returns.
"""

import contextlib
import errno
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from receipts.errors import EvalError
from receipts.processtree import ProcessTree

OUTPUT_LIMIT = 2 << 30
LOWEST_FREE = 256 << 20
"""Free bytes below which a disk counts as running full; a tenth of it, when that is less."""

_STDERR_CHARACTERS = 4000
_CHUNK = 1 << 16
_TICK = 0.2
_DISK_SECONDS = 1.0
_PATIENCE = 5.0  # seconds that killed processes and their pipes are waited for
_FULL = {errno.ENOSPC, errno.EDQUOT}


class Ended(NamedTuple):
    """How a program ended.

    Attributes:
        exit_code: Its exit code, negative for a signal; None when it was ended here or not started.
        how: `exited`, `timeout`, `stopped`, `disk-full`, `too-much-output` or `not-started`.
        stderr: The end of what it wrote there, at most 4,000 characters; for `not-started`, why.
        seconds: How long it ran.
    """

    exit_code: int | None
    how: str
    stderr: str
    seconds: float


def run(
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    timeout: float,
    stop: threading.Event | None = None,
    stdin: bytes | IO[bytes] | None = None,
    output: Path | None = None,
    on_output: Callable[[bytes], None] | None = None,
    limit: int = OUTPUT_LIMIT,
    tree: ProcessTree | None = None,
) -> Ended:
    """Run a program to its end and end every process that it started.

    Args:
        arguments: The program and its arguments.
        folder: The folder to run in; the free space of its volume is watched.
        environment: Its whole environment, to which `RECEIPTS_SESSION` is added.
        timeout: The most seconds that it may take.
        stop: Ends it as soon as it is set.
        stdin: What it reads, or the reading end of a pipe, which is closed here; without it, stdin
            is at its end.
        output: The file that its stdout is written to, as it comes.
        on_output: Gets each chunk of stdout after it was written, in a thread of its own. What it
            raises ends the program and is raised here.
        limit: The most bytes of stdout.
        tree: Who ends what a program that came to its end left running, by `ProcessTree.sweep`;
            without, nothing is left. What stays must not hold stdout or stderr.
    """
    began = time.monotonic()
    if stop is not None and stop.is_set():
        return Ended(None, "stopped", "", 0.0)
    if _is_full(folder):
        return Ended(None, "disk-full", "", 0.0)
    started = tree or ProcessTree()
    with contextlib.ExitStack() as stack:
        try:
            source = _source(stack, stdin)
            target = stack.enter_context(_created(output)) if output else None
            process = _start(arguments, folder, started.marked(environment), source)
        except (OSError, ValueError) as error:  # ValueError: a NUL or half a character in a text
            full = isinstance(error, OSError) and error.errno in _FULL
            why = "disk-full" if full else "not-started"
            if tree is None:
                started.let_go()
            return Ended(None, why, str(error), time.monotonic() - began)
        if not isinstance(stdin, bytes | None):
            stdin.close()  # the program has it: whoever writes to it is to notice when that ends
        watch = _Watch(process, target, on_output, limit)
        try:
            watch.start()
            how = watch.until(began + timeout, stop, folder)
        finally:
            if tree is None or not watch.has_exited:
                started.end(process, is_running=not watch.has_exited)
            else:
                process.wait()
            watch.finish()
        code = process.returncode
        seconds = time.monotonic() - began
    if watch.error is not None:
        raise watch.error
    if how == "exited" and watch.problem is None:
        # A program that found the disk full says so in its own words; this is the common one.
        how = "disk-full" if code != 0 and _is_full(folder) else "exited"
    how = watch.problem or how
    return Ended(code if how == "exited" else None, how, watch.stderr(), seconds)


def shell(script: str) -> list[str]:
    """Return the command that runs a script in a POSIX shell, ending at the first failure.

    Raises:
        EvalError: There is no such shell (Windows without Git).
    """
    if os.name == "posix":
        return ["/bin/sh", "-ce", script]
    git = shutil.which("git")
    beside = Path(git).parent.parent / "bin" / "sh.exe" if git else None
    found = str(beside) if beside and beside.is_file() else shutil.which("sh")
    if found is None:
        raise EvalError(
            "There is no POSIX shell on this machine, and the case needs one.",
            "Install Git for Windows, which brings it.",
        )
    return [found, "-ce", script]


def _start(
    arguments: Sequence[str], folder: Path, environment: dict[str, str], stdin: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        arguments,
        bufsize=0,
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=os.name == "posix",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _source(stack: contextlib.ExitStack, stdin: bytes | IO[bytes] | None) -> int | IO[bytes]:
    """Return what to read from; for bytes a file, as a pipe would have to be written meanwhile."""
    if stdin is None:
        return subprocess.DEVNULL
    if not isinstance(stdin, bytes):
        return stack.enter_context(stdin)
    stream = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    stream.write(stdin)
    stream.seek(0)
    return stream


def _created(path: Path) -> IO[bytes]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    return open(os.open(path, flags, 0o600), "wb")


def _is_full(folder: Path) -> bool:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return False
    return usage.free < min(LOWEST_FREE, usage.total // 10)


class _Watch:
    """Reads what a program writes, and waits for its end or for a reason to end it.

    Attributes:
        has_exited: Whether the program came to its end by itself.
        problem: Why its output ends the program: `disk-full` or `too-much-output`; else None.
        error: What `on_output` raised.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        target: IO[bytes] | None,
        on_output: Callable[[bytes], None] | None,
        limit: int,
    ) -> None:
        self.has_exited = False
        self.problem: str | None = None
        self.error: BaseException | None = None
        self._process = process
        self._target = target
        self._on_output = on_output
        self._left = limit
        self._tail = b""
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._is_finished = False
        self._threads = [
            threading.Thread(target=self._wait, daemon=True),
            threading.Thread(target=self._read, args=(process.stdout, self._take), daemon=True),
            threading.Thread(target=self._read, args=(process.stderr, self._keep), daemon=True),
        ]

    def start(self) -> None:
        """Begin to read."""
        for thread in self._threads:
            thread.start()

    def until(self, deadline: float, stop: threading.Event | None, folder: Path) -> str:
        """Wait, and return how it ended or why it must."""
        disk = time.monotonic() + _DISK_SECONDS
        while True:
            now = time.monotonic()
            if self._wake.wait(max(0.0, min(_TICK, deadline - now))):
                return "exited"
            if stop is not None and stop.is_set():
                return "stopped"
            now = time.monotonic()
            if now >= deadline:
                return "timeout"
            if now >= disk:
                disk = now + _DISK_SECONDS
                if _is_full(folder):
                    return "disk-full"

    def finish(self) -> None:
        """Take what is still in the pipes, once every process is ended."""
        deadline = time.monotonic() + _PATIENCE
        for thread in self._threads:
            if thread.ident is not None:  # started
                thread.join(max(0.0, deadline - time.monotonic()))
        # A process that could not be ended may hold a pipe open: its reader stays and drops it all.
        with self._lock:
            self._is_finished = True

    def stderr(self) -> str:
        """Return the end of stderr as text."""
        return self._tail.decode("utf-8", "replace")[-_STDERR_CHARACTERS:]

    def _wait(self) -> None:
        # Not reaped before the whole tree is ended: until then its number is no other process's.
        if hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        self.has_exited = True
        self._wake.set()

    def _read(self, stream: IO[bytes] | None, take: Callable[[bytes], None]) -> None:
        if stream is None:  # never: both are pipes
            return
        with stream:
            while chunk := stream.read(_CHUNK):
                with self._lock:
                    if not self._is_finished:
                        take(chunk)

    def _take(self, chunk: bytes) -> None:
        if self.problem or self.error:
            return
        kept = chunk[: self._left]
        self._left -= len(kept)
        try:
            if self._target is not None:
                self._target.write(kept)
                self._target.flush()
        except OSError as error:
            self.problem = "too-much-output" if error.errno == errno.EFBIG else "disk-full"
        else:
            try:
                if self._on_output is not None:
                    self._on_output(kept)
            except BaseException as error:  # noqa: BLE001 - raised where the program is waited for
                self.error = error
        if len(kept) < len(chunk):
            self.problem = self.problem or "too-much-output"
        if self.problem or self.error:
            self._wake.set()

    def _keep(self, chunk: bytes) -> None:
        self._tail = (self._tail + chunk)[-4 * _STDERR_CHARACTERS :]
