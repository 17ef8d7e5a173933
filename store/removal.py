"""Folder trees that sandboxed work left behind: how large they are, and removing them.

Such a tree may hold anything that its user may make: folders without permissions, sockets, pipes,
links to everywhere, folders so deep that no path reaches the bottom, millions of files. A link is
removed and never followed, and what lies on another file system is left alone.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from receipts.files import StrPath

Told = Callable[[int], None]
"""Told, again and again, how many files were looked at since the last time."""

_OFTEN = 500


class Size(NamedTuple):
    """What a tree takes up; `whole` is False when some of it could not be looked at."""

    bytes: int
    files: int
    whole: bool


class Failure(NamedTuple):
    """Something that could not be removed, and why."""

    path: str
    why: str


def size_of(top: StrPath, told: Told) -> Size:
    """Return what a folder takes up on the disk, links not followed."""
    total, files, whole = 0, 0, True
    waiting = [os.fspath(top)]
    while waiting:
        folder = waiting.pop()
        try:
            for entry in _entries(folder):
                files += 1
                if files % _OFTEN == 0:
                    told(_OFTEN)
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    whole = False
                    continue
                # On Windows there is no count of blocks.
                total += getattr(status, "st_blocks", -(-status.st_size // 512)) * 512
                if _is_folder(status):
                    waiting.append(entry.path)
        except OSError:  # no permission, or deeper than a path can say
            whole = False
    told(files % _OFTEN)
    return Size(total, files, whole)


def remove(top: StrPath, told: Told) -> list[Failure]:
    """Remove a folder with all that is in it, and return what could not be.

    Every folder within is moved to the top before it is emptied, so that no path grows long, and
    what a killed removal leaves is still inside and goes with the next.
    """
    place = os.fspath(top)
    try:
        status = os.lstat(place)
        if not _is_folder(status):
            os.unlink(place)
            return []
    except FileNotFoundError:
        return []
    except OSError as error:
        return [Failure(place, error.strerror or str(error))]
    return _Removal(place, status.st_dev, told).run()


class _Removal:
    def __init__(self, top: str, device: int, told: Told) -> None:
        self._top = top
        self._device = device
        self._told = told
        self._prefix = f".removing-{os.urandom(4).hex()}-"
        self._waiting = [top]
        self._moved = 0
        self._at_top: set[str] = set()  # folders that were there already, and keep their names
        self._failures: list[Failure] = []
        self._stuck: set[str] = set()  # folders in which something could not be removed

    def run(self) -> list[Failure]:
        while self._waiting:
            folder = self._waiting.pop()
            with suppress(OSError):
                os.chmod(folder, 0o700)
            # Some systems skip names in a folder that changes while it is listed.
            while self._take_all(folder):
                pass
            if folder != self._top:
                self._remove_folder(folder)
        self._remove_folder(self._top)
        return self._failures

    def _take_all(self, folder: str) -> bool:
        """Take what a folder holds out of it, and say whether that was anything."""
        taken = seen = 0
        try:
            for entry in _entries(folder):
                seen += 1
                if seen % _OFTEN == 0:
                    self._told(_OFTEN)
                if entry.path not in self._at_top and entry.path not in self._stuck:
                    taken += self._take(folder, entry)
        except OSError as error:
            self._fail(folder, error.strerror or str(error))
        self._told(seen % _OFTEN)
        return taken > 0

    def _take(self, folder: str, entry: "os.DirEntry[str]") -> bool:
        """Remove an entry, or move it to the top if it is a folder; say whether it is gone."""
        try:
            status = entry.stat(follow_symlinks=False)
            if not _is_folder(status):
                _unlink(entry.path)
                return True
            if status.st_dev != self._device:
                self._fail(entry.path, "is on another file system")
                return False
            place = entry.path
            if folder == self._top:
                self._at_top.add(place)
            else:
                self._moved += 1
                place = os.path.join(self._top, f"{self._prefix}{self._moved}")
                with suppress(OSError):
                    os.chmod(entry.path, 0o700)  # or it cannot be moved
                os.rename(entry.path, place)
        except FileNotFoundError:
            return False
        except OSError as error:
            self._fail(entry.path, error.strerror or str(error))
            return False
        self._waiting.append(place)
        return True

    def _remove_folder(self, folder: str) -> None:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            if folder in self._stuck:
                self._stuck.add(os.path.dirname(folder))
            else:
                self._fail(folder, error.strerror or str(error))

    def _fail(self, path: str, why: str) -> None:
        self._failures.append(Failure(path, why))
        self._stuck |= {path, os.path.dirname(path)}


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except PermissionError:
        if os.name != "nt":
            raise
        os.chmod(path, stat.S_IWRITE)  # a read-only file
        os.unlink(path)


def _entries(folder: str) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        yield from entries


def _is_folder(status: os.stat_result) -> bool:
    """Say whether it is a folder, and no link to one, as a junction on Windows is."""
    points = getattr(status, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_REPARSE_POINT
    return stat.S_ISDIR(status.st_mode) and not points
