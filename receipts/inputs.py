"""A document that a person hands over: a file, a pipe such as `<(command)`, or `-` for stdin.

A pipe gives what its writer gives, when it gives it, so both the size and the time are bounded.
"""

import os
import stat
import sys
import threading
from collections.abc import Callable

from receipts.errors import StoreError
from receipts.files import StrPath, read_limited

STDIN = "-"
_SECONDS = 60.0
_CHUNK = 64 * 1024


def is_stream(path: StrPath) -> bool:
    """Say whether a path names a pipe or stdin, which can be read once and have no place."""
    try:
        return os.fspath(path) == STDIN or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def name_of(path: StrPath) -> str:
    """Return what to call a path in a sentence."""
    return "standard input" if os.fspath(path) == STDIN else os.fspath(path)


def read(path: StrPath, limit: int) -> bytes:
    """Return all bytes of a file, which may be a link to one, of a pipe or of stdin.

    Args:
        path: The file; `-` is stdin.
        limit: The most bytes that it may have.

    Raises:
        FileNotFoundError: There is nothing of that name.
        StoreError: It is no file and no pipe, too large, unreadable, or does not end in a minute.
    """
    if not is_stream(path):
        return read_limited(path, limit, follow_links=True)
    if os.fspath(path) != STDIN:
        return _drained(lambda: os.open(path, os.O_RDONLY), name_of(path), limit)
    if sys.stdin is None:
        raise StoreError("There is no standard input to read.", "Name a file.")
    return _drained(lambda: os.dup(sys.stdin.fileno()), name_of(path), limit)


def _drained(opened: Callable[[], int], name: str, limit: int) -> bytes:
    """Read to the end, in a thread: no system lets a read of just any pipe time out."""
    data = bytearray()
    failures: list[OSError] = []

    def drain() -> None:
        try:
            with os.fdopen(opened(), "rb", buffering=0) as stream:  # blocks until somebody writes
                while len(data) <= limit and (chunk := stream.read(_CHUNK)):
                    data.extend(chunk)
        except OSError as error:
            failures.append(error)

    reader = threading.Thread(target=drain, daemon=True)  # one that hangs ends with the process
    reader.start()
    reader.join(_SECONDS)
    if reader.is_alive():
        raise StoreError(
            f"{name} did not end within {_SECONDS:g} seconds.",
            "Write its content into a file, and name that.",
        )
    if failures:
        raise StoreError(f"{name} cannot be read: {failures[0].strerror or failures[0]}.")
    if len(data) > limit:
        raise StoreError(f"{name} has more than the {limit:,} bytes that are read.")
    return bytes(data)
