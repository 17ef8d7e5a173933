"""Git objects on this machine's disk: read with their hash checked, written durably."""

import contextlib
import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, ObjectFormatException
from dulwich.object_store import DiskObjectStore
from dulwich.objects import ObjectID
from dulwich.pack import PackFileDisappeared, UnresolvedDeltas

from publish.git import loose, packentry
from publish.git.failures import MirrorDamaged, TooLarge
from publish.git.packed import Packs

COMMIT, TREE, BLOB = 1, 2, 3
EMPTY_TREE = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_TYPE_NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", 4: b"tag"}
_KINDS = {name: kind for kind, name in _TYPE_NAMES.items()}
# Blobs before the trees that name them, trees before commits: what is present is then complete.
_WRITE_ORDER = {BLOB: 0, TREE: 1, COMMIT: 2}
_T = TypeVar("_T")
LARGEST_OBJECT = 64 << 20
"""The most bytes of an object that is read; it is in memory three times then."""
# Everything that dulwich raises over a garbled object or pack. MemoryError is among them because a
# garbled length asks for any amount.
GARBLED = (
    ApplyDeltaError,
    AssertionError,
    ChecksumMismatch,
    EOFError,
    IndexError,
    MemoryError,
    ObjectFormatException,
    PackFileDisappeared,
    TypeError,
    UnresolvedDeltas,
    ValueError,
    struct.error,
    zlib.error,
)


class NewObject(NamedTuple):
    """An object to be written or sent.

    `base` is an object that the receiver has and that this one differs little from: its id and
    content, or None.
    """

    kind: int
    id: bytes
    data: bytes
    base: tuple[bytes, bytes] | None = None


def new_object(kind: int, data: bytes, base: tuple[bytes, bytes] | None = None) -> NewObject:
    """Return an object with its id worked out."""
    return NewObject(kind, object_id(kind, data), data, base)


def object_id(kind: int, data: bytes) -> bytes:
    """Return the 40 hex digits that name an object."""
    found = hashlib.sha1(_header(kind, data), usedforsecurity=False)
    found.update(data)  # apart: joined to its header, a large file would be in memory once more
    return found.hexdigest().encode()


def _header(kind: int, data: bytes) -> bytes:
    return b"%s %d\0" % (_TYPE_NAMES[kind], len(data))


def is_object_id(text: bytes) -> bool:
    """Say whether text is the id of an object: 40 lower-case hex digits."""
    return len(text) == 40 and all(byte in b"0123456789abcdef" for byte in text)


class ObjectStore:
    """The objects below one `objects` folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._disk = DiskObjectStore(folder, fsync_object_files=True)
        self._packs = Packs()

    def close(self) -> None:
        """Close every pack; a store left open complains when the interpreter ends."""
        self._disk.close()
        self._packs.close()

    def __contains__(self, identifier: bytes) -> bool:
        # Not by asking dulwich, which reads a loose object whole to say that it is there.
        return self._guarded(identifier, lambda: self._is_present(identifier))

    def read(self, identifier: bytes, most: int = LARGEST_OBJECT) -> tuple[int, bytes]:
        """Return an object's kind and content.

        Args:
            identifier: Its id.
            most: The most bytes that it may have; a larger one is refused before it is decoded.

        Raises:
            TooLarge: It is larger, or is stored as the difference from one that is never read.
            MirrorDamaged: It is missing, cannot be decoded, or is not what its id says.
        """
        try:
            kind, data = self._guarded(identifier, lambda: self._read(identifier, most))
        except KeyError:
            raise MirrorDamaged(f"object {_shown(identifier)} is missing") from None
        except packentry.Oversized:
            raise TooLarge(f"Object {_shown(identifier)} of the team repository") from None
        if kind not in _TYPE_NAMES or object_id(kind, data) != identifier:
            raise MirrorDamaged(f"object {_shown(identifier)} is not what its name says")
        return kind, data

    def read_kind(self, identifier: bytes, kind: int, most: int = LARGEST_OBJECT) -> bytes:
        """Return the content of an object that must be of one kind.

        Raises:
            TooLarge: As `read`.
            MirrorDamaged: As `read`, or it is of another kind.
        """
        found, data = self.read(identifier, most)
        if found != kind:
            raise MirrorDamaged(f"object {_shown(identifier)} is no {_TYPE_NAMES[kind].decode()}")
        return data

    def size(self, identifier: bytes) -> int:
        """Return an object's size in bytes, without decoding all of it.

        Raises:
            MirrorDamaged: It is missing or cannot be decoded.
        """
        try:
            return self._guarded(identifier, lambda: self._size(identifier))
        except KeyError:
            raise MirrorDamaged(f"object {_shown(identifier)} is missing") from None

    def add(self, objects: Iterable[NewObject]) -> None:
        """Write objects, each durably and whole, those that others name first.

        Raises:
            OSError: The disk is full, or the folder cannot be written.
        """
        for new in sorted(objects, key=lambda new: _WRITE_ORDER[new.kind]):
            loose.write(self._folder, new.id, _header(new.kind, new.data) + new.data)

    @property
    def disk(self) -> DiskObjectStore:
        """The dulwich store, for those who speak git's protocol."""
        return self._disk

    def _is_present(self, identifier: bytes) -> bool:
        if self._disk.contains_packed(ObjectID(identifier)):
            return True
        try:
            loose.size(self._folder, identifier)
        except KeyError:
            return False
        return True

    def _read(self, identifier: bytes, most: int) -> tuple[int, bytes]:
        with contextlib.suppress(KeyError):
            return self._packs.read(identifier, most)
        try:
            name, data = loose.read(self._folder, identifier, most)
        except KeyError:
            self._packs.look_at(self._disk.packs)  # another process may have packed it meanwhile
            return self._packs.read(identifier, most)
        if name not in _KINDS:
            raise ValueError("an object of no kind")
        return _KINDS[name], data

    def _size(self, identifier: bytes) -> int:
        with contextlib.suppress(KeyError):
            return self._packs.size(identifier)
        try:
            return loose.size(self._folder, identifier)
        except KeyError:
            self._packs.look_at(self._disk.packs)  # as above
            return self._packs.size(identifier)

    def _guarded(self, identifier: bytes, work: Callable[[], _T]) -> _T:
        try:
            return self._retried(work)
        except GARBLED:
            pass
        # Raised out here because the first error's traceback would keep the pack's memory in use,
        # and a pack in use cannot be closed.
        raise MirrorDamaged(f"object {_shown(identifier)} cannot be read")

    def _retried(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except PackFileDisappeared:
            # Another process put its objects into a new pack meanwhile.
            self.close()
            self._disk = DiskObjectStore(self._folder, fsync_object_files=True)
            return work()


def _shown(identifier: bytes) -> str:
    return identifier[:40].decode("ascii", "replace")
