"""What only this machine's mirror has, taken over when the mirror is made again.

That is what the remote once lost (`refs/receipts/replaced/`) and what the user was told of. The
damage that the mirror is made again for may be among it; then that part is gone.
"""

import stat
from collections.abc import Iterator

from dulwich.pack import UnpackedObject

from publish.git import bare
from publish.git.commits import read_commit
from publish.git.failures import MirrorDamaged, TooLarge
from publish.git.mirror import Mirror
from publish.git.objects import COMMIT, TREE, ObjectStore
from publish.git.tree import parse

_SUBMODULE = 0o160000


def take_over(old: Mirror, new: Mirror, lost: bytes | None) -> list[str]:
    """Take over from a damaged mirror what the one that replaces it cannot have from the remote.

    Args:
        old: The damaged mirror.
        new: The new one, which holds all that the remote has.
        lost: The commit that was the remote's tip and is no longer in its history, if any; it is
            kept as well.

    Returns:
        A sentence for each part of the lost history that cannot be kept, and for what is kept
        for the first time.

    Raises:
        OSError, StoreError: The new mirror cannot be written.
    """
    if told := old.synced_id():
        _take(old, new, bare.SYNCED, told)
    said = []
    for name, commit in bare.refs_below(old.path, bare.REPLACED).items():
        if commit is None or not _take(old, new, name, commit):
            said.append(_gone(old, name))
    if lost is not None:
        name = bare.replaced_name(lost)
        said.append(kept(old, name) if _take(old, new, name, lost) else _gone(old, name))
    return said


def kept(mirror: Mirror, name: str) -> str:
    """Return the sentence about history that the remote lost and this machine keeps."""
    return f"What {mirror.remote} lost is kept as {name} in {mirror.path}."


def _gone(mirror: Mirror, name: str) -> str:
    return (
        f"What {mirror.remote} lost, up to commit {name.removeprefix(bare.REPLACED)}, was kept in "
        "the damaged copy alone and cannot be read any more: it is gone from this machine."
    )


def _take(old: Mirror, new: Mirror, name: str, commit: bytes) -> bool:
    """Copy a reference and all that it needs; False, and nothing copied, when some is damaged."""
    try:
        missing = list(_missing(old.store, new.store, commit))
    except (MirrorDamaged, TooLarge, OSError):
        return False
    packed = (_packed(old.store, identifier) for identifier in missing)
    new.store.disk.add_pack_data(len(missing), packed)
    bare.write_ref(new.path, name, commit)
    return True


def _missing(old: ObjectStore, new: ObjectStore, commit: bytes) -> Iterator[bytes]:
    """Yield what a commit needs and the new store lacks; what that has, it has whole."""
    pending, seen = [commit], {commit}
    while pending:
        identifier = pending.pop()
        if identifier in new:
            continue
        kind, data = old.read(identifier)
        yield identifier
        needs: list[bytes] = []
        if kind == COMMIT:
            found = read_commit(old, identifier)
            needs = [found.tree, *found.parents]
        elif kind == TREE:
            entries = (entry for _, entry in parse(data, identifier))
            needs = [e.id for e in entries if stat.S_IFMT(e.mode) != _SUBMODULE]
        pending += [needed for needed in needs if needed not in seen]
        seen.update(needs)


def _packed(store: ObjectStore, identifier: bytes) -> UnpackedObject:
    kind, data = store.read(identifier)
    return UnpackedObject(kind, sha=bytes.fromhex(identifier.decode()), decomp_chunks=[data])
