"""A change to a tree, made object by object: no index, no checkout, nothing written yet."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from publish.git import names, tree
from publish.git.failures import EditConflict
from publish.git.objects import BLOB, TREE, NewObject, ObjectStore, new_object
from publish.git.tree import Entry
from publish.git.words import clean
from receipts.errors import GuardRefusal

_DIRECTORY, _PLAIN, _EXECUTABLE = 0o040000, 0o100644, 0o100755


class File(NamedTuple):
    """The content of a file to write, and whether it may be run."""

    data: bytes
    executable: bool = False


class Edited(NamedTuple):
    """The tree after a change, and the objects that are new in it, which may be none."""

    root: bytes
    objects: list[NewObject]


class _Cleared:
    """Stands for a directory that goes with all that is in it."""


class _Folder(dict[bytes, "_Folder | _Cleared | File | None"]):
    """The changes below one directory, by name: what to write, what to remove, what lies deeper."""


def edit(
    store: ObjectStore,
    root: bytes | None,
    changes: Mapping[bytes, File | None],
    cleared: Collection[bytes] = (),
) -> Edited:
    """Apply changes to a tree.

    Directories come and go with their files. Removing what is not there changes nothing.

    Args:
        store: Where the tree's objects are.
        root: The tree's id, or None for nothing at all.
        changes: Path to the file to write there, or None to remove the file.
        cleared: Directories to remove, whatever is in them and however it is called.

    Raises:
        GuardRefusal: A path is unsafe on some system.
        EditConflict: A path is or lies below something of another type, or below another change.
        MirrorDamaged: An object is missing or garbled.
    """
    objects: dict[bytes, NewObject] = {}
    new_root = _edit_tree(store, root, _nested(changes, cleared), b"", objects)
    if new_root is None:
        empty = new_object(TREE, b"")
        objects[empty.id] = empty
        new_root = empty.id
    return Edited(new_root, list(objects.values()) if new_root != root else [])


def _nested(changes: Mapping[bytes, File | None], cleared: Collection[bytes]) -> _Folder:
    top = _Folder()
    everything = [*changes.items(), *((folder, _Cleared()) for folder in cleared)]
    for path, change in sorted(everything, key=lambda item: item[0].split(b"/")):
        if not names.is_writable(path):
            raise GuardRefusal(f"Refusing to write unsafe path {_shown(path)!r}.")
        *folders, name = path.split(b"/")
        inside = top
        for step in folders:
            deeper = inside.setdefault(step, _Folder())
            if not isinstance(deeper, _Folder):
                raise EditConflict(f"{_shown(path)} lies below another path of the same change.")
            inside = deeper
        if name in inside:
            raise EditConflict(f"{_shown(path)} stands twice among the paths of the same change.")
        inside[name] = change
    return top


def _edit_tree(
    store: ObjectStore,
    identifier: bytes | None,
    changes: _Folder,
    where: bytes,
    objects: dict[bytes, NewObject],
) -> bytes | None:
    """Return the id of a changed tree, or None when nothing is left in it."""
    raw = store.read_kind(identifier, TREE) if identifier else b""
    before = tree.parse(raw, identifier or b"")
    entries: dict[bytes, Entry] = {}
    for name, entry in before:
        entries.setdefault(name, entry)
    kept = dict(entries)
    for name, change in changes.items():
        path = where + name
        if isinstance(change, _Folder):
            new = _edit_below(store, entries.get(name), change, path, objects)
        elif isinstance(change, _Cleared):
            new = None
        else:
            new = _replaced(entries.get(name), change, path, objects)
        if new is None:
            kept.pop(name, None)
        else:
            kept[name] = new
    if kept == entries:
        return identifier
    if not kept:
        return None
    changed = new_object(TREE, serialised(kept), (identifier, raw) if identifier else None)
    objects[changed.id] = changed
    return changed.id


def _edit_below(
    store: ObjectStore,
    old: Entry | None,
    changes: _Folder,
    path: bytes,
    objects: dict[bytes, NewObject],
) -> Entry | None:
    if old is not None and not old.is_tree:
        if all(change is None or isinstance(change, _Cleared) for change in changes.values()):
            return old
        raise EditConflict(f"{_shown(path)} in the team repository is not a folder.")
    identifier = _edit_tree(store, old.id if old else None, changes, path + b"/", objects)
    return Entry(_DIRECTORY, identifier) if identifier else None


def _replaced(
    old: Entry | None, change: File | None, path: bytes, objects: dict[bytes, NewObject]
) -> Entry | None:
    if old is not None and old.is_tree:
        raise EditConflict(f"{_shown(path)} in the team repository is a folder.")
    if change is None:
        return None
    blob = new_object(BLOB, change.data)
    if old is None or old.id != blob.id:
        objects[blob.id] = blob
    return Entry(_EXECUTABLE if change.executable else _PLAIN, blob.id)


def serialised(entries: Mapping[bytes, Entry]) -> bytes:
    """Return the content of a tree object with these entries."""
    # git sorts a directory as if its name ended in a slash.
    ordered = sorted(entries.items(), key=lambda item: item[0] + b"/" * item[1].is_tree)
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id.decode()))
        for name, entry in ordered
    )


def _shown(path: bytes) -> str:
    return clean(path.decode("utf-8", "replace"))
