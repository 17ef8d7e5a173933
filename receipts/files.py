"""Files written so that a reader, or the next run, never meets half of one.

What is written appears under its name complete and on the disk, or not at all: temporary file in
the same folder, fsync, replace, fsync of the folder. What is read comes from people and
repositories: regular files only, up to a size, with links followed only where the caller says so.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator

from receipts.errors import StoreError

StrPath = str | os.PathLike[str]

# Another program holds the file for a moment (virus scanner, indexer): the only errors worth
# waiting for, and only on Windows. Anything else is an answer.
_HELD_BY_ANOTHER = {5, 32, 33}
_WAITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.5)
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
# Non-blocking, because opening a pipe that nobody writes to would wait for ever.
_READ = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_CHUNK = 1 << 20
_CAUSES = {
    errno.ENOSPC: ("the disk is full", "Free some space, then run the command again."),
    errno.EDQUOT: ("your disk quota is used up", "Free some space, then run the command again."),
    errno.EFBIG: (
        "the file would be larger than is allowed here",
        "Raise the limit of file sizes.",
    ),
    errno.EACCES: ("permission denied", "Give your user the right to write there."),
    errno.EPERM: ("permission denied", "Give your user the right to write there."),
    errno.EROFS: ("the file system is read-only", "Name a folder that can be written."),
}


def write_atomic(
    path: StrPath,
    data: bytes,
    mode: int = 0o600,
    *,
    through: StrPath | None = None,
    durable: bool = True,
) -> None:
    """Write a file whole: afterwards it holds the new bytes, or the old ones if this raised.

    Args:
        path: The file; its folder exists. A symbolic link there is replaced, not followed.
        data: Its new content.
        mode: Its permissions, whatever the umask (POSIX only).
        through: The new, temporary file's path, on the same file system; None means an unused name
            in the same folder, where a killed process leaves it.
        durable: Whether it must outlive a power failure once this returned. False is for what can
            be made again and shows that it is damaged.

    Raises:
        StoreError: It could not be written: disk full, no permission, a folder in its place.
    """
    target = os.fspath(path)
    folder = os.path.dirname(target) or "."
    temporary = os.fspath(through or os.path.join(folder, f".{os.urandom(8).hex()}.tmp"))
    with _explained(target):
        try:
            _write_new(temporary, data, mode, durable=durable)
            _retrying(lambda: os.replace(temporary, target))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if durable:
            sync_folder(folder)


def make_private_dir(path: StrPath) -> None:
    """Make a folder, and those above it that are missing, each for its owner alone (0700).

    Raises:
        StoreError: It cannot be made, for instance because a file stands in its place.
    """
    missing = []
    folder = os.path.abspath(path)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for folder in reversed(missing):
        with _explained(folder, "make the folder"):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                if not os.path.isdir(folder):  # otherwise another process was first, which is fine
                    raise
            sync_folder(os.path.dirname(folder))


def rename_new(source: StrPath, target: StrPath) -> bool:
    """Give a finished folder its name in one step, unless something has that name already.

    Concurrent calls are safe as long as every folder that appears at `target` appears by a rename
    and holds something: the kernel never replaces a folder that is not empty.

    Args:
        source: A folder that is complete and not empty, on the same file system.
        target: Its name to be.

    Returns:
        False, with nothing changed, when the name is taken.

    Raises:
        StoreError: The rename failed for another reason.
    """
    if os.path.lexists(target):
        return False
    with _explained(os.fspath(target)):
        try:
            _retrying(lambda: os.rename(source, target))
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                return False
            raise
        sync_folder(os.path.dirname(os.path.abspath(target)))
    return True


def read_limited(path: StrPath, limit: int, *, follow_links: bool) -> bytes:
    """Return the bytes of a regular file.

    Args:
        path: The file.
        limit: The most bytes that it may have.
        follow_links: Whether `path` itself may be a symbolic link.

    Raises:
        FileNotFoundError: There is nothing of that name.
        StoreError: It is no regular file, is a link where none may be, is too large or unreadable.
    """
    if not follow_links and os.path.islink(path):
        raise StoreError(f"{path} is a symbolic link.", "Put the file itself there.")
    try:
        descriptor = os.open(path, _READ | (0 if follow_links else getattr(os, "O_NOFOLLOW", 0)))
        try:
            # Not through a file object, which takes as long to make as a small file to read.
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise StoreError(f"{path} is a folder.")
            if not stat.S_ISREG(status.st_mode):
                raise StoreError(f"{path} is not a regular file.", "Name a file.")
            # Python sets aside as much as it is asked for: that is the size, and more only for a
            # file that grew since, that has no true size, or that a system gives in parts.
            data = os.read(descriptor, min(limit, status.st_size) + 1)
            while len(data) not in (status.st_size, limit + 1):
                more = os.read(descriptor, min(limit + 1 - len(data), _CHUNK))
                if not more:
                    break
                data += more
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise
    except OSError as error:
        # Windows answers "permission denied" when asked to open a folder.
        what = "is a folder" if os.path.isdir(path) else f"cannot be read: {_strerror(error)}"
        raise StoreError(f"{path} {what}.") from error
    if len(data) > limit:
        raise StoreError(f"{path} has more than the {limit:,} bytes that are read.")
    return data


def sync_folder(path: StrPath) -> None:
    """Put a folder's entries on the disk, where the system can (POSIX)."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(descriptor)


def _write_new(path: str, data: bytes, mode: int, *, durable: bool) -> None:
    descriptor = os.open(path, _CREATE, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        if os.name == "posix":
            os.fchmod(descriptor, mode)
        if durable:
            os.fsync(descriptor)


def _retrying(operation: Callable[[], None]) -> None:
    """Run a rename, waiting about five seconds in all for another program on Windows to let go."""
    for wait in _WAITS:
        try:
            return operation()
        except OSError as error:
            if getattr(error, "winerror", None) not in _HELD_BY_ANOTHER:
                raise
        time.sleep(wait)
    return operation()


@contextlib.contextmanager
def _explained(path: str, verb: str = "write") -> Iterator[None]:
    """Turn the system's error into a sentence that names the path."""
    try:
        yield
    except OSError as error:
        cause, hint = _CAUSES.get(error.errno or 0, (_strerror(error), ""))
        raise StoreError(f"Cannot {verb} {path}: {cause}.", hint) from error


def _strerror(error: OSError) -> str:
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
