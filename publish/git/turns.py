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

from publish.git.remote import Remote

_LONGEST_SECONDS = 15.0
_POLL_SECONDS = 0.01


@contextlib.contextmanager
def turn(remote: Remote) -> Iterator[None]:
    """Wait a while for the other writers of this user to a remote, and hold off those who come."""
    from filelock import FileLock, Timeout

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, Timeout):
            name = hashlib.sha256(repr(remote.key()).encode("utf-8", "replace")).hexdigest()
            lock = FileLock(os.path.join(_folder(), f"{name[:24]}.lock"), mode=0o600)
            lock.acquire(timeout=_LONGEST_SECONDS, poll_interval=_POLL_SECONDS)
            stack.callback(lock.release)
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
