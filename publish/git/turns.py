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
from collections.abc import Iterator

from publish.git import locks
from publish.git.remote import Remote
from receipts.errors import StoreError

_LONGEST_SECONDS = 60.0


@contextlib.contextmanager
def turn(remote: Remote, *, limit: float, waiting: locks.Waiting | None) -> Iterator[None]:
    """Wait for the other writers of this user to a remote, then hold off those who come.

    Args:
        remote: The remote.
        limit: The most seconds to wait; a minute is the most in any case.
        waiting: Called with the seconds waited.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, StoreError):
            name = hashlib.sha256(repr(remote.key()).encode("utf-8", "replace")).hexdigest()
            path = os.path.join(_folder(), f"{name[:24]}.lock")
            limit = min(limit, _LONGEST_SECONDS)
            stack.enter_context(locks.held(path, limit=limit, waiting=waiting))
        yield


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
