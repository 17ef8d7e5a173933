"""The files of a version as they stand in the repository, read one at a time.

All of them together may be more than fits into memory, and whoever wrote them may have meant it so.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from publish.git import LARGEST_FILE, Entry, TreeView
from publish.names import unsafe_git_path
from receipts import digest, filenames
from receipts.errors import TeamError

_MOST_FILES = 10_000
_MOST_BYTES = 256 << 20


class Stored(NamedTuple):
    """A file, whose content is read when it is asked for and is not kept.

    `name` is what a sentence calls it.
    """

    view: TreeView
    entry: Entry
    name: str

    @property
    def data(self) -> bytes:
        """Its content.

        Raises:
            TeamError: It is stored as the difference from a file that is too large to be read.
        """
        return self.view.content(self.entry, self.name)

    @property
    def executable(self) -> bool:
        """Whether it may be run."""
        return self.entry.executable


class _Contents(Mapping[str, bytes]):
    """The contents of files by path."""

    def __init__(self, files: Mapping[str, Stored]) -> None:
        self._files = files

    def __getitem__(self, path: str) -> bytes:
        return self._files[path].data

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def files_below(view: TreeView, folder: str) -> dict[str, Stored]:
    """Return the files below a folder by their paths relative to it; none where nothing stands.

    Raises:
        TeamError: It holds something that must not be copied: a link, a submodule, an unsafe path,
            or more than can be handled.
    """
    files: dict[str, Stored] = {}
    total = 0
    prefix = folder.encode() + b"/"
    there = view.entry(folder.encode())
    if there is not None and not there.is_tree:
        raise TeamError(f"{folder} is not a folder.")
    for raw, entry in view.walk(folder.encode()):
        path = _safe_path(folder, raw.removeprefix(prefix), entry)
        size = view.size(entry)
        if size > LARGEST_FILE:
            raise TeamError(
                f"{folder}/{path} has {size:,} bytes, more than the {LARGEST_FILE:,} that are read."
            )
        total += size
        if len(files) >= _MOST_FILES or total > _MOST_BYTES:
            raise TeamError(
                f"{folder} holds more than {_MOST_FILES:,} files or {_MOST_BYTES >> 20} MB; "
                "it is not read."
            )
        files[path] = Stored(view, entry, filenames.shortened(f"{folder}/{path}"))
    return files


def measured(files: Mapping[str, Stored]) -> digest.Measured:
    """Measure files.

    Raises:
        SkillError: As `receipts.digest.measure_of`.
    """
    runnable = [path for path, file in files.items() if file.executable]
    return digest.measure_of(_Contents(files), executable=runnable)


def _safe_path(folder: str, relative: bytes, entry: Entry) -> str:
    if problem := unsafe_git_path(relative):
        raise TeamError(f"{folder} holds an unsafe path: {problem}.")
    path = relative.decode()
    if not entry.is_file:
        raise TeamError(f"{folder}/{path} is a symbolic link or a submodule; refused.")
    return path
