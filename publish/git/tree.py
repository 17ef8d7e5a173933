"""A read-only view of one commit's files, straight from the objects; nothing is checked out."""

import stat
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dulwich.errors import ObjectFormatException
from dulwich.objects import parse_tree

from publish.git import names
from publish.git.commits import read_commit
from publish.git.failures import FolderTooLarge, MirrorDamaged, TooLarge
from publish.git.objects import BLOB, LARGEST_OBJECT, TREE, ObjectStore
from publish.git.words import clean
from receipts.errors import TeamError

READ_LIMIT = 16 << 20
LARGEST_FILE = LARGEST_OBJECT
"""The most bytes that a file may have whose content is read."""
# Taken apart, a tree needs twelve times its own bytes: these are a hundred thousand short names.
LARGEST_TREE = 4 << 20
# Trees that name each other over and over hold more files than any disk; a walk stops here.
MAX_ENTRIES = 200_000
_MOST_KEPT = 200_000


class Entry(NamedTuple):
    """One entry of a tree: git's mode, and the id of the blob, tree or submodule commit."""

    mode: int
    id: bytes

    @property
    def is_tree(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file: no link, no submodule, no directory."""
        return stat.S_ISREG(self.mode)

    @property
    def executable(self) -> bool:
        """Whether it is a file that its owner may run."""
        return self.is_file and bool(self.mode & stat.S_IXUSR)


class TreeView:
    """The files of one commit. Paths are bytes with `/`; the root is `b""`.

    Entries whose name cannot be a step of a path (`..`, `.git`, a slash) and the second of two
    entries of one name are unsafe: a directory that is looked into does not show them.

    Attributes:
        commit: The commit's id, or None for the empty repository.
    """

    def __init__(self, store: ObjectStore, commit: bytes | None) -> None:
        self.commit = commit
        self._store = store
        self._root = Entry(stat.S_IFDIR, read_commit(store, commit).tree) if commit else None
        self._folders: dict[bytes, dict[bytes, Entry]] = {}
        self._kept = 0  # entries of all of these
        self._unsafe: dict[bytes, bytes] = {}

    @property
    def unsafe(self) -> Mapping[bytes, bytes]:
        """Paths of unsafe entries in the directories looked into so far, and these directories."""
        return self._unsafe

    def entries(self, path: bytes = b"") -> dict[bytes, Entry]:
        """Return a directory's entries by name; none when there is no such directory.

        Raises:
            FolderTooLarge: It, or one above it, holds more names than are read.
            MirrorDamaged: An object is missing or garbled.
        """
        if path in self._folders:
            return self._folders[path]
        entry = self.entry(path)
        return self._look_into(path, entry.id) if entry and entry.is_tree else {}

    def entry(self, path: bytes) -> Entry | None:
        """Return what stands at a path, or None.

        Raises:
            FolderTooLarge: A directory above it holds more names than are read.
            MirrorDamaged: An object is missing or garbled.
        """
        folder, slash, name = path.rpartition(b"/")
        if name and folder in self._folders and bool(folder) == bool(slash):
            return self._folders[folder].get(name)
        found = self._root
        steps = path.split(b"/") if path else []
        for depth, step in enumerate(steps):
            if found is None or not found.is_tree:
                return None
            where = b"/".join(steps[:depth])
            inside = self._folders.get(where) or self._look_into(where, found.id)
            found = inside.get(step)
        return found

    def tree_id(self, path: bytes = b"") -> bytes | None:
        """Return the id of the tree at a path, equal only for equal content, or None."""
        entry = self.entry(path)
        return entry.id if entry and entry.is_tree else None

    def read(self, what: bytes | Entry, limit: int = READ_LIMIT) -> bytes:
        """Return the content of a regular file.

        Args:
            what: Its path, or its entry.
            limit: The most bytes that it may have; a larger file is refused before it is decoded.

        Raises:
            TeamError: There is no such file, it is no regular file, or it is larger.
            TooLarge: It is stored as the difference from a file that is too large to be read.
            MirrorDamaged: An object is missing or garbled.
        """
        entry = self.entry(what) if isinstance(what, bytes) else what
        name = clean(what.decode("utf-8", "replace")) if isinstance(what, bytes) else "The file"
        if entry is None:
            raise TeamError(f"{name} is not in the team repository.")
        if not entry.is_file:
            raise TeamError(f"{name} in the team repository is not a regular file.")
        size = self.size(entry)
        if size > limit:
            raise TeamError(
                f"{name} in the team repository has {size:,} bytes, more than the {limit:,} "
                "that are read."
            )
        return self.content(entry, name)

    def size(self, entry: Entry) -> int:
        """Return how many bytes a regular file has.

        Raises:
            MirrorDamaged: The object is missing or garbled.
        """
        return self._store.size(entry.id)

    def content(self, entry: Entry, name: str) -> bytes:
        """Return the content of a regular file, whose size the caller has looked at.

        Args:
            entry: Its entry.
            name: What to call it in a sentence.

        Raises:
            TooLarge: It is stored as the difference from a file that is too large to be read.
            MirrorDamaged: As `size`.
        """
        try:
            return self._store.read_kind(entry.id, BLOB)
        except TooLarge:
            what = "is stored as a change of a file that is too large to be read"
            raise TooLarge(f"{name} in the team repository", what) from None

    def walk(self, prefix: bytes = b"") -> Iterator[tuple[bytes, Entry]]:
        """Yield every entry below a path that is no directory, in the order of git's trees.

        Raises:
            TeamError: A name is unsafe, directories nest too deeply, or there are too many entries.
            MirrorDamaged: An object is missing or garbled.
        """
        start = self.entry(prefix)
        if start is None:
            return
        if not start.is_tree:
            yield prefix, start
            return
        count = 0
        trees: dict[bytes, tuple[dict[bytes, Entry], list[bytes]]] = {}
        levels = [(prefix, iter([(b"", start)]))]
        while levels:
            folder, entries = levels[-1]
            name, entry = next(entries, (b"", None))
            path = b"/".join(filter(None, (folder, name)))
            if entry is None:
                levels.pop()
            elif not entry.is_tree:
                yield path, entry
            else:
                if path.count(b"/") >= names.MAX_DEPTH:
                    shown = _shown(path[:80])
                    raise TeamError(f"The team repository nests folders too deeply, at {shown}….")
                if entry.id not in trees:
                    trees[entry.id] = self._tree(entry.id, path)
                inside, unsafe = trees[entry.id]
                if unsafe:
                    shown = _shown(path + b"/" + unsafe[0])
                    raise TeamError(f"{_shown(prefix)} holds an unsafe path: {shown}.")
                count += len(inside)
                if count > MAX_ENTRIES:
                    raise TeamError(f"{_shown(prefix)} holds more than {MAX_ENTRIES:,} files.")
                levels.append((path, iter(inside.items())))

    def _look_into(self, path: bytes, identifier: bytes) -> dict[bytes, Entry]:
        entries, unsafe = self._tree(identifier, path)
        self._unsafe |= {path + b"/" + name if path else name: path for name in unsafe}
        if self._kept > _MOST_KEPT:
            self._folders.clear()
            self._kept = 0
        self._folders[path] = entries
        self._kept += len(entries)
        return entries

    def _tree(self, identifier: bytes, path: bytes) -> tuple[dict[bytes, Entry], list[bytes]]:
        """Return the entries of a tree by name, and the names of the unsafe ones."""
        try:
            listed = tree_entries(self._store, identifier)
        except FolderTooLarge:
            raise FolderTooLarge(_shown(path)) from None
        entries: dict[bytes, Entry] = {}
        unsafe = []
        for name, entry in listed:
            if names.is_usable(name) and name not in entries:
                entries[name] = entry
            else:
                unsafe.append(name)
        return entries, unsafe


def tree_entries(store: ObjectStore, identifier: bytes) -> list[tuple[bytes, Entry]]:
    """Return a tree's entries as they stand in it, whatever their names.

    Raises:
        FolderTooLarge: It holds more names than are read.
        MirrorDamaged: The tree is missing, garbled or malformed.
    """
    try:
        data = store.read_kind(identifier, TREE, LARGEST_TREE)
    except TooLarge:
        raise FolderTooLarge(f"Tree {identifier.decode()}") from None
    return parse(data, identifier)


def read_entries(store: ObjectStore, identifier: bytes) -> list[tuple[bytes, Entry]]:
    """As `tree_entries`; none where it holds more names than are read."""
    try:
        return tree_entries(store, identifier)
    except FolderTooLarge:
        return []


def parse(data: bytes, identifier: bytes) -> list[tuple[bytes, Entry]]:
    """Return the entries in a tree's content.

    Raises:
        MirrorDamaged: The content is malformed.
    """
    try:
        return [
            (bytes(name), Entry(mode, bytes(child)))
            for name, mode, child in parse_tree(data, sha_len=20)
        ]
    except (ObjectFormatException, ValueError, IndexError, OverflowError) as error:
        raise MirrorDamaged(f"tree {identifier.decode()} is malformed") from error


def _shown(path: bytes) -> str:
    return clean(path.decode("utf-8", "replace")) or "The team repository"
