"""The files of a skill folder: which count, which are left out, and how they are read.

Only regular files count. A symbolic link, a device or an unreadable file is refused by name,
because two machines would not see the same bytes behind it.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from receipts.errors import SkillError

# Left out of the digest when they are the first segment of a path.
LEFT_OUT_AT_TOP = {
    "evals": "evaluation assets do not count",
    ".git": "the version control folder does not count",
    ".skillhub": "the registry folder does not count",
}
# Left out wherever they stand.
LEFT_OUT_ANYWHERE = {
    ".DS_Store": "a file that macOS leaves behind does not count",
    "Thumbs.db": "a file that Windows leaves behind does not count",
}
_CHUNK = 1 << 18
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Found(NamedTuple):
    """One regular file: its path relative to the skill with `/`, and where it is."""

    path: str
    location: str


class LeftOut(NamedTuple):
    """A file or folder that does not count, and why."""

    path: str
    why: str


def reason_left_out(path: str) -> str | None:
    """Return why a relative path does not count, or None when it does.

    Matching is exact and case-sensitive: `Evals/` and `thumbs.db` count.
    """
    first, _, _ = path.partition("/")
    _, _, last = path.rpartition("/")
    return LEFT_OUT_AT_TOP.get(first) or LEFT_OUT_ANYWHERE.get(last)


def walk(root: str | os.PathLike[str], *, with_evals: bool = False) -> Iterator[Found | LeftOut]:
    """Yield every file below a skill folder, and what was left out, in no particular order.

    Args:
        root: The folder. It may itself be reached through a symbolic link.
        with_evals: Yield the files below `evals/` too, as a publish needs them.

    Raises:
        SkillError: The folder, or something in it, is not what a skill may hold.
    """
    top = os.fspath(root)
    _check_folder(top)
    pending = [("", top)]
    while pending:
        prefix, folder = pending.pop()
        for entry in _entries(prefix, folder):
            path = prefix + _checked_name(entry.name, prefix)
            why = reason_left_out(path)
            if why and not (with_evals and _is_eval_asset(path)):
                yield LeftOut(path + "/" * entry.is_dir(follow_symlinks=False), why)
            elif entry.is_symlink():
                raise SkillError(
                    f"Skill folder contains symlink {path}.",
                    "Replace it with a copy of the file that it points at.",
                )
            elif entry.is_dir(follow_symlinks=False):
                pending.append((path + "/", entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield Found(path, entry.path)
            else:
                raise SkillError(
                    f"Skill folder contains {path}, which is not a regular file.",
                    "Remove the device, pipe or socket.",
                )


def _check_folder(top: str) -> None:
    try:
        what = "" if stat.S_ISDIR(os.stat(top).st_mode) else "is not a folder"
    except FileNotFoundError:
        what = "does not exist"
    except OSError as error:
        raise SkillError(f"Cannot read folder {top}: {error.strerror}.") from error
    if what:
        raise SkillError(f"{top} {what}.", "Name the folder that holds SKILL.md.")


def _is_eval_asset(path: str) -> bool:
    _, _, last = path.rpartition("/")
    return path.partition("/")[0] == "evals" and last not in LEFT_OUT_ANYWHERE


def _entries(prefix: str, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise SkillError(f"Cannot read folder {prefix or folder}: {error.strerror}.") from error


def _checked_name(name: str, prefix: str) -> str:
    raw = os.fsencode(name)
    try:
        return raw.decode()  # whatever this user's locale: the digest is over UTF-8
    except UnicodeDecodeError:
        shown = prefix.encode() + raw
        raise SkillError(
            f"The file name {shown!r} is not valid UTF-8.", "Rename the file."
        ) from None


def locate(root: str | os.PathLike[str], path: str) -> str:
    """Return where a relative path with `/` lies below a folder, as this system spells it."""
    return os.path.join(root, *os.fsdecode(path.encode()).split("/"))


def size(found: Found) -> int:
    """Return a file's size in bytes.

    Raises:
        SkillError: The file is gone.
    """
    try:
        return os.stat(found.location, follow_symlinks=False).st_size
    except OSError as error:
        raise _unreadable(found, error) from error


def read(found: Found) -> tuple[bytes, bool]:
    """Return a file's bytes and whether its owner may execute it.

    Raises:
        SkillError: The file cannot be read, or is no longer a regular file.
    """
    descriptor, status = _open(found)
    try:
        chunks = [os.read(descriptor, status.st_size + 1)]
        while chunks[-1]:
            chunks.append(os.read(descriptor, _CHUNK))
    except OSError as error:
        raise _unreadable(found, error) from error
    finally:
        os.close(descriptor)
    return b"".join(chunks), _is_executable(status)


def hash_file(found: Found) -> tuple[str, int, bool]:
    """Return a file's SHA-256 in hex, its size in bytes and whether it is executable.

    A file of any size is hashed in little memory.

    Raises:
        SkillError: The file cannot be read, or is no longer a regular file.
    """
    descriptor, status = _open(found)
    try:
        if status.st_size < _CHUNK:
            data = os.read(descriptor, _CHUNK)
            digest, size = hashlib.sha256(data), len(data)
            if size < _CHUNK and not os.read(descriptor, 1):
                return digest.hexdigest(), size, _is_executable(status)
            os.lseek(descriptor, 0, os.SEEK_SET)
        digest, size = hashlib.sha256(), 0
        buffer = memoryview(bytearray(_CHUNK))
        with open(descriptor, "rb", buffering=0, closefd=False) as stream:
            while count := stream.readinto(buffer):
                digest.update(buffer[:count])
                size += count
        return digest.hexdigest(), size, _is_executable(status)
    except OSError as error:
        raise _unreadable(found, error) from error
    finally:
        os.close(descriptor)


def _open(found: Found) -> tuple[int, os.stat_result]:
    try:
        descriptor = os.open(found.location, _OPEN_FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP:  # became a link after it was listed
            raise SkillError(f"Skill folder contains symlink {found.path}.") from error
        raise _unreadable(found, error) from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise SkillError(f"Skill folder contains {found.path}, which is not a regular file.")
    return descriptor, status


def _is_executable(status: os.stat_result) -> bool:
    # Windows derives the bit from the file name, which says nothing about what the author set.
    return os.name == "posix" and bool(status.st_mode & stat.S_IXUSR)


def _unreadable(found: Found, error: OSError) -> SkillError:
    return SkillError(
        f"Cannot read {found.path}: {error.strerror}.",
        "Every file of a skill is part of its digest.",
    )
