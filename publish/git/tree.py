"""A read-only view of one commit's files, straight from the objects; nothing is checked out."""

import stat
from collections.abc import Iterator
from typing import NamedTuple

from dulwich.errors import ObjectFormatException
from dulwich.objects import parse_tree

from publish.git import names
from publish.git.commits import read_commit
from publish.git.failures import MirrorDamaged
from publish.git.objects import BLOB, TREE, ObjectStore
from publish.git.words import clean
from receipts.errors import TeamError

READ_LIMIT = 16 << 20
# Trees that name each other over and over hold more files than any disk; a walk stops here.
MAX_ENTRIES = 1_000_000


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
    entries of one name are left out, and listed in `unsafe` once their directory has been read.

    Attributes:
        commit: The commit's id, or None for the empty repository.
        unsafe: Paths of entries that were left out so far.
    """

    def __init__(self, store: ObjectStore, commit: bytes | None) -> None:
        self.commit = commit
        self.unsafe: list[bytes] = []
        self._store = store
        self._root = Entry(stat.S_IFDIR, read_commit(store, commit).tree) if commit else None
        self._trees: dict[bytes, dict[bytes, Entry]] = {}  # by id
        self._folders: dict[bytes, dict[bytes, Entry]] = {}  # by path

    def entries(self, path: bytes = b"") -> dict[bytes, Entry]:
        """Return a directory's entries by name; none when there is no such directory.

        Raises:
            MirrorDamaged: An object is missing or garbled.
        """
        if path not in self._folders:
            entry = self.entry(path)
            inside = self._tree(entry.id, path) if entry and entry.is_tree else {}
            self._folders[path] = inside
        return self._folders[path]

    def entry(self, path: bytes) -> Entry | None:
        """Return what stands at a path, or None.

        Raises:
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
            self._folders[where] = self._tree(found.id, where)
            found = self._folders[where].get(step)
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
            MirrorDamaged: An object is missing or garbled.
        """
        entry = self.entry(what) if isinstance(what, bytes) else what
        name = clean(what.decode("utf-8", "replace")) if isinstance(what, bytes) else "The file"
        if entry is None:
            raise TeamError(f"{name} is not in the team repository.")
        if not entry.is_file:
            raise TeamError(f"{name} in the team repository is not a regular file.")
        size = self._store.size(entry.id)
        if size > limit:
            raise TeamError(
                f"{name} in the team repository has {size:,} bytes, more than the {limit:,} "
                "that are read."
            )
        return self._store.read_kind(entry.id, BLOB)

    def walk(self, prefix: bytes = b"") -> Iterator[tuple[bytes, Entry]]:
        """Yield every entry below a path that is no directory, in the order of git's trees.

        Raises:
            TeamError: Directories nest too deeply, or there are too many entries.
            MirrorDamaged: An object is missing or garbled.
        """
        start = self.entry(prefix)
        if start is None:
            return
        if not start.is_tree:
            yield prefix, start
            return
        count = 0
        pending = [(prefix, start)]
        while pending:
            path, entry = pending.pop()
            count += 1
            if count > MAX_ENTRIES:
                raise TeamError(f"The team repository has more than {MAX_ENTRIES:,} files.")
            if not entry.is_tree:
                yield path, entry
                continue
            if path.count(b"/") >= names.MAX_DEPTH:
                shown = clean(path[:80].decode("utf-8", "replace"))
                raise TeamError(f"The team repository nests folders too deeply, at {shown}….")
            inside = self._tree(entry.id, path)
            below = path + b"/" if path else b""
            pending += [(below + name, child) for name, child in reversed(inside.items())]

    def _tree(self, identifier: bytes, path: bytes) -> dict[bytes, Entry]:
        if identifier in self._trees:
            return self._trees[identifier]
        entries: dict[bytes, Entry] = {}
        for name, entry in tree_entries(self._store, identifier):
            if names.is_usable(name) and name not in entries:
                entries[name] = entry
            else:
                self.unsafe.append(path + b"/" + name if path else name)
        self._trees[identifier] = entries
        return entries


def tree_entries(store: ObjectStore, identifier: bytes) -> list[tuple[bytes, Entry]]:
    """Return a tree's entries as they stand in it, whatever their names.

    Raises:
        MirrorDamaged: The tree is missing, garbled or malformed.
    """
    return parse(store.read_kind(identifier, TREE), identifier)


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
