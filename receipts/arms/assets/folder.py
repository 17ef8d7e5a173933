"""The folder `evals/`: what lies in it, and the digest of it all."""

import hashlib
import os
import stat
from pathlib import Path

from receipts.arms.assets.report import Report
from receipts.digest import framed, utf16_order
from receipts.errors import EvalError, SkillError, StoreError
from receipts.filenames import shown
from receipts.files import read_limited
from receipts.folder import LEFT_OUT_ANYWHERE, Found, hash_file

LIMIT = 1 << 20
"""Bytes that a YAML file may have."""

_FOLDER, _FILE, _NOTHING = "a folder", "a file", "nothing"


class EvalFolder:
    """The files and folders below `evals/`, by their paths relative to it, with `/`.

    Attributes:
        path: Where it is.
        name: What messages call it.
        files: Where each regular file is.
        names: What each folder holds; the top one is not among them.
    """

    def __init__(self, path: Path, report: Report) -> None:
        self.path = path
        self.name = path.name
        self.files: dict[str, str] = {}
        self.names: dict[str, list[str]] = {}
        self._report = report
        self._hashes: dict[str, str] = {}
        self._walk()

    def place(self, path: str) -> str:
        """Return what messages call a path in it."""
        return shown(f"{self.name}/{path}")

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a YAML file, or None when they cannot be read or are too many."""
        try:
            data = read_limited(self.files[path], LIMIT, follow_links=False)
        except (StoreError, FileNotFoundError) as error:
            why = str(error).replace(self.files[path], "it").rstrip(".")
            self._report.refuse(self.place(path), why)
            self._hashes[path] = ""  # so that it is not refused a second time
            return None
        self._hashes[path] = hashlib.sha256(data).hexdigest()
        return data

    def digest(self) -> str:
        """Return `sha256:` and the hash over every path and its bytes, as the content digest is.

        What was read is hashed as it was read.
        """
        for path, location in self.files.items():
            if path not in self._hashes:
                try:
                    self._hashes[path], _, _ = hash_file(Found(path, location))
                except SkillError as error:
                    self._report.refuse(self.place(path), error.message.rstrip("."))
        return framed((path, self._hashes[path]) for path in sorted(self._hashes, key=utf16_order))

    def _walk(self) -> None:
        kind = _kind(self.path)
        if kind == _NOTHING:
            return
        if kind != _FOLDER:
            raise EvalError(
                f"{self.path} is {kind}.", "Make it a folder, with the folder cases in it."
            )
        pending = self._below("")
        while pending:
            path = pending.pop()
            location = os.path.join(self.path, path)
            kind = _kind(location) if _is_utf8(path) else "called what is not valid UTF-8"
            if kind == _FOLDER:
                pending += self._below(f"{path}/")
            elif kind == _FILE:
                self.files[path] = location
            else:
                why = f"it is {kind}; every machine must find the same files there"
                self._report.refuse(self.place(path), why)

    def _below(self, prefix: str) -> list[str]:
        """Note what a folder holds, and return the paths of that."""
        names: list[str] = []
        try:
            names = sorted(os.listdir(os.path.join(self.path, prefix)))
        except OSError as error:
            self._report.refuse(self.place(prefix), f"the folder cannot be read: {error.strerror}")
        kept = [name for name in names if name not in LEFT_OUT_ANYWHERE]
        if prefix:
            self.names[prefix.rstrip("/")] = kept
        return [prefix + name for name in kept]


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(path: os.PathLike[str] | str) -> str:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return _NOTHING
    except OSError:
        return "unreadable"
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return _FOLDER
    return _FILE if stat.S_ISREG(mode) else "neither a file nor a folder"
