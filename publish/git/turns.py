"""Writers of one user on one machine take turns at a remote, whichever mirrors they use.

The swap on the server alone is safe. But of eight that race, seven do their work in vain, and now
and then one of them loses for half a minute (measured, over smart HTTP). This is a courtesy: where
the lock cannot be had, the write goes on without it.
"""

import contextlib
import getpass
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator

from publish.git import locks
from publish.git.remote import Remote
from receipts.errors import StoreError

_LONGEST_SECONDS = 60.0
_PLACES = 16


@contextlib.contextmanager
def turn(remote: Remote, *, limit: float, waiting: locks.Waiting | None) -> Iterator[None]:
    """Wait for the writers of this user to a remote that came before, and hold off those after.

    Each takes the next place in a line, whose lock it holds until it is done, and waits for the
    lock of the place before: a lock alone would go to whoever happens to ask first when it is free.

    Args:
        remote: The remote.
        limit: The most seconds to wait; a minute is the most in any case.
        waiting: Called with the seconds waited.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, StoreError):
            name = hashlib.sha256(repr(remote.key()).encode("utf-8", "replace")).hexdigest()
            line = os.path.join(_folder(), name[:24])
            deadline = time.monotonic() + min(limit, _LONGEST_SECONDS)

            def held(name: str) -> contextlib.AbstractContextManager[bool]:
                left = max(0.0, deadline - time.monotonic())
                return locks.held(f"{line}.{name}lock", limit=left, waiting=waiting)

            with held(""):
                before = _last_place(line)
                place = (before + 1) % _PLACES
                stack.enter_context(held(f"{place}."))
                _remember(line, place)
            with held(f"{before}."):
                pass
        yield


def _last_place(line: str) -> int:
    """Return the place that was taken last; any will do where that is not known."""
    try:
        with open(f"{line}.last", encoding="ascii") as file:
            return int(file.read(8)) % _PLACES
    except (OSError, ValueError):
        return 0


def _remember(line: str, place: int) -> None:
    with open(f"{line}.last", "w", encoding="ascii") as file:
        file.write(str(place))


def _folder() -> str:
    """Return a folder of this user's own below the system's temporary folder, which all share."""
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    folder = os.path.join(tempfile.gettempdir(), f"receipts-{user}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or (os.name == "posix" and status.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is not ours")
    return folder
