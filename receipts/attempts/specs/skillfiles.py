"""The files of a skill that are installed: which are left out, and how they are read.

They are read once, before anything runs. So what a run's record says was installed is what was
installed in each of its attempts, whatever is edited meanwhile.
"""

import os
import re
import stat
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from receipts.errors import SkillError, StoreError
from receipts.filenames import shown
from receipts.files import read_limited

LARGEST = 5 << 20
"""Bytes of the largest file that is installed."""
MOST_FILES = 10_000
MOST_BYTES = 256 << 20

_LEFT_OUT = frozenset({".caliper", ".git", "__pycache__", "node_modules", ".venv"})
_SPEC_ENDING = ".eval.yaml"


@dataclass(frozen=True)
class SkillFile:
    """A file: its bytes, and whether it can be executed."""

    data: bytes
    executable: bool


@dataclass(frozen=True)
class Files:
    """What of a folder is installed.

    Attributes:
        kept: The files by their path relative to the folder, with `/`, sorted.
        left_out: What a person may miss among them, each with why.
    """

    kept: dict[str, SkillFile]
    left_out: tuple[str, ...]


class Rules:
    """Which files are left out.

    Args:
        forbidden: The regular expressions of `sandbox.forbidden_files`.
    """

    def __init__(self, forbidden: Iterable[str] = ()) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._forbidden = [re.compile(pattern) for pattern in forbidden]

    def is_passed_over(self, path: str) -> bool:
        """Say whether nobody would miss a file: a cache, a repository, a spec."""
        return path.endswith(_SPEC_ENDING) or not _LEFT_OUT.isdisjoint(path.split("/"))

    def why_left_out(self, path: str, size: int) -> str | None:
        """Say why a file is left out though somebody may miss it, or return None."""
        if size > LARGEST:
            return f"{shown(path)} has more than {LARGEST >> 20} MiB"
        if any(rule.search(path) or rule.search(f"./{path}") for rule in self._forbidden):
            return f"{shown(path)} is matched by 'forbidden_files'"
        return None


def check_amount(count: int, size: int) -> None:
    """Raise when a skill holds more than can be kept for each attempt.

    Raises:
        SkillError: It does.
    """
    if count > MOST_FILES or size > MOST_BYTES:
        raise SkillError(
            f"it holds more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MiB",
            "Name a skill in a folder of its own.",
        )


def read_folder(folder: Path, rules: Rules) -> Files:
    """Read the files of a skill on this machine.

    A link to a file is read as the file, as long as it stays in the repository around the skill,
    or in the skill's folder where there is none; a link to a folder is passed over.

    Raises:
        SkillError: A file cannot be read, or a link leads out.
    """
    top = os.path.realpath(folder)
    boundary = _boundary(top)
    kept: dict[str, SkillFile] = {}
    left_out: list[str] = []
    size = 0
    for path, location in sorted(_walk(top)):
        status = _status(location)
        if rules.is_passed_over(path) or status is None or not stat.S_ISREG(status.st_mode):
            continue
        if why := rules.why_left_out(path, status.st_size):
            left_out.append(why)
            continue
        if not _is_below(os.path.realpath(location), boundary):
            raise SkillError(
                f"{shown(path)} is a link that leads out of {shown(boundary)}",
                "Replace it with a copy of what it leads to.",
            )
        size += status.st_size
        check_amount(len(kept) + 1, size)
        kept[path] = SkillFile(_read(path, location), bool(status.st_mode & stat.S_IXUSR))
    return Files(kept, tuple(left_out))


def _walk(top: str) -> Iterator[tuple[str, str]]:
    pending = [("", top)]
    while pending:
        prefix, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError as error:
            raise SkillError(
                f"{shown(prefix or folder)} cannot be read: {error.strerror}"
            ) from error
        for entry in found:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _LEFT_OUT:
                    pending.append((f"{path}/", entry.path))
                continue
            try:
                path.encode()
            except UnicodeEncodeError:
                raise SkillError(f"{shown(path)} has a name that is not UTF-8") from None
            yield path, entry.path


def _status(location: str) -> os.stat_result | None:
    try:
        return os.stat(location)
    except OSError:  # a link to nothing, or in a circle
        return None


def _read(path: str, location: str) -> bytes:
    try:
        return read_limited(location, LARGEST, follow_links=True)
    except (StoreError, FileNotFoundError) as error:
        raise SkillError(f"{shown(path)} cannot be read: {error}") from error


def _boundary(top: str) -> str:
    """Return the root of the repository around a folder, or the folder itself."""
    folder = top
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return top
        folder = above
    return folder


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
