"""What is known of a team repository, kept on this machine between two commands.

It lies in several files, so that a command reads and writes no more than what it asks about. A
lost or damaged one costs a slower reading and nothing else.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from publish.known import Judged, KnownFolder, KnownReceipt, KnownVersion
from receipts import files
from receipts._version import __version__
from receipts.errors import StoreError
from store import paths

# What a receipt or a version is found to be depends on the rules, and so on the release.
_FORMAT = f"4 of {__version__}"
_LIMIT = 256 << 20
_PARTS = 128  # of the receipts: few enough to read all of them, so many that one is soon read
_T = TypeVar("_T")


class Knowledge:
    """All that is known of one team repository.

    Args:
        folder: Where it is kept; None for what is forgotten at the end.

    Attributes:
        versions: What was found in `skills/<name>`, by name.
        receipts: What was found in `evals/<skill id>`, by the id as it is spelled there.
        consistent: By skill, the id of a receipt's blob in which nothing contradicts itself.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.versions: Shelf[KnownFolder[KnownVersion]] = Shelf(
            folder, lambda _: "versions", _folder_of(_version), _plain
        )
        self.receipts: Shelf[KnownFolder[tuple[Judged, ...]]] = Shelf(
            folder, _part_of, _folder_of(_receipts), _plain
        )
        self.consistent: Shelf[str] = Shelf(folder, lambda _: "consistent", str, str)
        self._shelves = self.versions, self.receipts, self.consistent

    @property
    def has_grown(self) -> bool:
        """Whether there is something to be kept."""
        return any(shelf.changed for shelf in self._shelves)

    def save(self) -> None:
        """Keep what is known for the next command, if anything new is.

        Raises:
            StoreError: It cannot be written.
        """
        for shelf in self._shelves:
            shelf.save()


class Shelf(Generic[_T]):
    """Things that are known by name, in one file or several, each read when it is asked for.

    Args:
        folder: Where the files are; None for none.
        file_of: Which file a name is in.
        decode: Makes the thing of the JSON that stands for it.
        encode: Makes JSON of the thing.

    Attributes:
        changed: The names by which more is known than is kept.
    """

    def __init__(
        self,
        folder: Path | None,
        file_of: Callable[[str], str],
        decode: Callable[[Any], _T],
        encode: Callable[[_T], Any],
    ) -> None:
        self._folder = folder
        self._file_of, self._decode, self._encode = file_of, decode, encode
        self._kept: dict[str, dict[str, Any]] = {}  # by file, as read
        self._things: dict[str, _T] = {}
        self.changed: set[str] = set()

    def get(self, name: str) -> _T | None:
        """Return what is known by a name, or None."""
        if name not in self._things:
            file = self._file_of(name)
            if file not in self._kept:
                self._kept[file] = self._read(file)
            if (row := self._kept[file].get(name)) is None:
                return None
            try:
                self._things[name] = self._decode(row)
            except (TypeError, ValueError):
                return None  # whoever sealed it meant something else
        return self._things[name]

    def put(self, name: str, thing: _T) -> None:
        """Know something by a name from now on."""
        self._things[name] = thing
        self.touch(name)

    def touch(self, name: str) -> None:
        """Note that what is known by a name has grown."""
        self.changed.add(name)

    def save(self) -> None:
        """Write the files in which something changed.

        Raises:
            StoreError: One of them cannot be written.
        """
        if self._folder is None or not self.changed:
            return
        files.make_private_dir(self._folder)
        changed: dict[str, list[str]] = {}
        for name in self.changed:
            changed.setdefault(self._file_of(name), []).append(name)
        for file, names in changed.items():
            # Read if it was not: others are known by names that nobody asked for.
            rows = self._kept[file] if file in self._kept else self._read(file)
            rows |= {name: self._encode(self._things[name]) for name in names}
            body = json.dumps(rows, separators=(",", ":")).encode()
            files.write_atomic(self._folder / file, _seal_of(body) + b"\n" + body, durable=False)
        self.changed.clear()

    def _read(self, file: str) -> dict[str, Any]:
        """Return what was kept, or nothing unless this release wrote it and all of it is there."""
        if self._folder is None:
            return {}
        try:
            data = files.read_limited(self._folder / file, _LIMIT, follow_links=False)
        except (FileNotFoundError, StoreError):
            return {}
        seal, _, body = data.partition(b"\n")
        try:
            rows = json.loads(body) if seal == _seal_of(body) else {}
        except (ValueError, RecursionError):
            rows = {}
        return rows if isinstance(rows, dict) else {}


def folder_of(team: str) -> Path:
    """Return where what is known of a team is kept."""
    return paths.cache() / "known" / team


def _part_of(skill_id: str) -> str:
    digits = hashlib.sha256(skill_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"receipts-{int(digits[:2], 16) % _PARTS:02x}"


def _plain(folder: KnownFolder[_T]) -> list[Any]:
    rows = [(number, tree, folder.found.get(number)) for number, tree in folder.numbers.items()]
    return [folder.tree, rows]


def _folder_of(decode: Callable[[Any], _T]) -> Callable[[Any], KnownFolder[_T]]:
    def folder(row: Any) -> KnownFolder[_T]:  # noqa: ANN401 - JSON that this release wrote
        tree, numbers = row
        known: KnownFolder[_T] = KnownFolder(tree, {number: below for number, below, _ in numbers})
        known.found = {number: decode(found) for number, _, found in numbers if found is not None}
        return known

    return folder


def _version(row: Any) -> KnownVersion:  # noqa: ANN401 - as above
    digest, skill_id, problem, doubts = row
    return KnownVersion(digest, skill_id, problem, tuple(doubts))


def _receipts(rows: Any) -> tuple[Judged, ...]:  # noqa: ANN401 - as above
    return tuple(Judged(run_id, blob, KnownReceipt(*known)) for run_id, blob, known in rows)


def _seal_of(body: bytes) -> bytes:
    """Return what stands before a body that this release wrote, and before no other."""
    return hashlib.sha256(_FORMAT.encode() + body).hexdigest().encode()
