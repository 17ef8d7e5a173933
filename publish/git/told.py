"""What the user has been told of: a commit of the team's, or one and their own work beside it."""

from publish.git import bare, tree
from publish.git.commits import new_commit, read_commit
from publish.git.edit import serialised
from publish.git.identity import Identity
from publish.git.mirror import Mirror
from publish.git.objects import EMPTY_TREE, TREE, NewObject, ObjectStore, new_object
from publish.git.tree import Entry

_MESSAGE = "What was told; part of no team's history"
_DIRECTORY = 0o040000


def count_as_told(mirror: Mirror, commit: bytes, author: Identity) -> None:
    """Take one's own commit for told, and nothing that others did before it.

    Where the user was told all that it is built on, that is the commit itself. Otherwise it is a
    commit that only this mirror has: what they were told of, changed as their own commit changed
    the team. Its trees are all that is new in it.

    Args:
        mirror: The mirror, whose lock the caller does not hold.
        commit: A commit of the remote's `main`.
        author: Who the mirror's own commit names.

    Raises:
        MirrorDamaged: An object is missing or garbled.
        MirrorBusy: Another process held the lock all the time.
        OSError, StoreError: The mirror cannot be written.
    """
    store = mirror.store
    with mirror.locked():
        own = read_commit(store, commit)
        base = own.parents[0] if own.parents else None
        synced = mirror.synced
        if synced != base:
            objects: list[NewObject] = []
            root = _changed_alike(
                store,
                read_commit(store, synced).tree if synced else None,
                read_commit(store, base).tree if base else None,
                own.tree,
                objects,
            )
            told = new_commit(
                store, tree=root or EMPTY_TREE, parent=None, author=author, message=_MESSAGE
            )
            store.add([*objects, told])
            commit = told.id
        bare.write_ref(mirror.path, bare.SYNCED, commit)


def _changed_alike(
    store: ObjectStore,
    told: bytes | None,
    before: bytes | None,
    after: bytes,
    objects: list[NewObject],
) -> bytes | None:
    """Return a tree changed as another was; None when nothing is left in it.

    What the other got or lost whole, this one gets or loses whole: a version that is published
    under a name that was free again replaces what stood there.
    """
    kept, old, new = (_entries(store, identifier) for identifier in (told, before, after))
    for name in sorted({*old, *new}):
        was, now, mine = old.get(name), new.get(name), kept.get(name)
        if was == now:
            continue
        if was and now and was.is_tree and now.is_tree:
            inside = mine.id if mine and mine.is_tree else None
            changed = _changed_alike(store, inside, was.id, now.id, objects)
            now = Entry(_DIRECTORY, changed) if changed else None
        if now:
            kept[name] = now
        else:
            kept.pop(name, None)
    if not kept:
        return None
    changed_tree = new_object(TREE, serialised(kept))
    objects.append(changed_tree)
    return changed_tree.id


def _entries(store: ObjectStore, identifier: bytes | None) -> dict[bytes, Entry]:
    found: dict[bytes, Entry] = {}
    for name, entry in tree.tree_entries(store, identifier) if identifier else []:
        found.setdefault(name, entry)  # of two of one name the first counts, as in a view
    return found
