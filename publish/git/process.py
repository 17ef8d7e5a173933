"""Runs git and ssh: argument lists, no input, limits on time and on silence, nothing left."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO, NamedTuple

from publish.git import environment
from receipts import terminal

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 60.0
STEP_SECONDS = 120.0
# The first fetch carries the whole history, perhaps over a slow line; silence still ends it early.
FIRST_FETCH_SECONDS = 1800.0
LOCAL_SECONDS = 30.0
# What follows `git` in the folder of a mirror.
IN_MIRROR = ("--git-dir=.",)
_TICK = 0.25
_GRACE = 2.0
_STDERR_LIMIT = 1 << 16


class Finished(NamedTuple):
    """How a command ended: its exit code and what it wrote."""

    code: int
    stdout: bytes
    stderr: str


class TimedOut(Exception):  # noqa: N818 - a signal to the caller, who knows what was attempted
    """A command was ended because it took too long or said nothing for too long."""

    def __init__(self, seconds: float, stderr: str) -> None:
        super().__init__(f"no answer within {seconds:.0f} s")
        self.seconds = seconds
        self.stderr = stderr


def start(
    command: Sequence[str],
    *,
    env: dict[str, str],
    stdin: int | IO[bytes],
    stderr: IO[bytes],
    cwd: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command whose output is read from a pipe.

    Without a terminal it leads a session of its own, so that it can be ended with all its children
    and has no terminal to ask on. With one it stays in ours, so that ssh can ask for a passphrase.
    """
    return subprocess.Popen(
        command,
        bufsize=0,
        cwd=cwd,
        env=env,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=os.name == "posix" and not terminal.is_interactive(),
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a running command and every process that it started."""
    if process.poll() is not None:
        return
    if os.name != "posix":
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
    elif os.getpgid(process.pid) == process.pid:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        for pid in (process.pid, *_descendants(process.pid)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


def _descendants(parent: int) -> list[int]:
    """Return the processes below one that shares our group, where a signal cannot find them."""
    with contextlib.suppress(OSError, subprocess.SubprocessError, ValueError):
        command = ["ps", "-A", "-o", "ppid=,pid="]
        listed = subprocess.run(command, capture_output=True, check=True, timeout=_GRACE).stdout
        pairs = [(int(above), int(pid)) for above, pid in map(bytes.split, listed.splitlines())]
        found = [parent]
        for pid in found:
            found += [below for above, below in pairs if above == pid]
        return found[1:]
    return []


def run(
    command: Sequence[str],
    *,
    env: dict[str, str],
    limit: float,
    silence: float,
    stdin: IO[bytes] | None = None,
    cwd: str | None = None,
) -> Finished:
    """Run a command to its end.

    Args:
        command: The program and its arguments.
        env: Its whole environment.
        limit: The most seconds that it may take.
        silence: The most seconds that it may go without writing anything.
        stdin: A file to read from; nothing by default.
        cwd: The folder to run in.

    Raises:
        TimedOut: A limit was reached; the command and its children were ended.
        OSError: The command could not be started.
    """
    # A file, not a pipe: ssh leaves a connection master behind that would keep a pipe open.
    with tempfile.TemporaryFile() as stderr:
        process = start(command, env=env, stdin=stdin or subprocess.DEVNULL, stderr=stderr, cwd=cwd)
        try:
            stdout = _collect(process, stderr, limit=limit, silence=silence)
        except BaseException:
            end(process)
            raise
        return Finished(process.wait(), stdout, tail(stderr))


def _collect(
    process: subprocess.Popen[bytes], stderr: IO[bytes], *, limit: float, silence: float
) -> bytes:
    chunks: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(process, chunks), daemon=True)
    reader.start()
    began = heard = time.monotonic()
    seen = (0, 0)
    while True:
        reader.join(_TICK)
        if not reader.is_alive() and process.poll() is not None:
            return b"".join(chunks)
        now = time.monotonic()
        if not reader.is_alive():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TICK)
        elif process.poll() is not None:
            # Something it started holds the pipe open; what it wrote itself has arrived by now.
            reader.join(_TICK)
            return b"".join(chunks)
        size = (len(chunks), os.fstat(stderr.fileno()).st_size)
        if size != seen:
            seen, heard = size, now
        if now - began > limit or now - heard > silence:
            raise TimedOut(limit if now - began > limit else silence, tail(stderr))


def _read_all(process: subprocess.Popen[bytes], chunks: list[bytes]) -> None:
    # Nobody else may close the pipe: its number would go to the next command's pipe, and a read
    # that still waits here would take that command's output (seen).
    if process.stdout is not None:
        with process.stdout as stream:
            while chunk := stream.read(1 << 16):
                chunks.append(chunk)


def tail(stream: IO[bytes]) -> str:
    """Return the end of what was written to a temporary file, as text."""
    size = os.fstat(stream.fileno()).st_size
    stream.seek(max(0, size - _STDERR_LIMIT))
    return stream.read().decode("utf-8", "replace")


def local_git(
    arguments: Sequence[str],
    *,
    cwd: str | None = None,
    stdin: IO[bytes] | None = None,
    env: dict[str, str] | None = None,
) -> Finished | None:
    """Run a git command that stays on this machine; None when git is not installed or never ended.

    Args:
        arguments: What follows `git`.
        cwd: The folder to run in.
        stdin: A file to read from; nothing by default.
        env: Its whole environment, when not that of any git command.
    """
    git = environment.git_path()
    if git is None:
        return None
    try:
        return run(
            [git, *arguments],
            env=environment.base_environment() if env is None else env,
            limit=LOCAL_SECONDS,
            silence=LOCAL_SECONDS,
            stdin=stdin,
            cwd=cwd,
        )
    except (TimedOut, OSError):
        return None
