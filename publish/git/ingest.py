"""A pack that came from the remote, taken into the mirror, and the proof that all of it arrived."""

import errno
import io
import mmap
import os
import stat
from typing import IO

from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.pack import PackData, PackInflater

from publish.git import process
from publish.git.commits import read_commit
from publish.git.failures import MirrorDamaged
from publish.git.mirror import Mirror
from publish.git.objects import GARBLED, ObjectStore, new_object
from publish.git.packentry import inflated_size, object_sizes
from publish.git.remote import Remote
from publish.git.tree import LARGEST_FILE, read_entries
from receipts.errors import RemoteError

# As many objects as forty publishes make: worth a file each, for the reads that follow.
_MOST_LOOSE = 200
_LARGEST_LOOSE = 8 << 20
# A few bytes of a pack can stand for any amount of zeros.
_LARGEST_INFLATED = 64 << 20


def ingest(mirror: Mirror, pack: IO[bytes]) -> None:
    """Add the objects of a pack, which may hold deltas against what the mirror has.

    Args:
        mirror: Where to; the caller holds its lock.
        pack: The whole pack in a file.

    Raises:
        MirrorDamaged: The pack does not fit what the mirror has, or is garbled.
        RemoteError: It holds a file that is too large to be taken in without git.
        TooLarge: It holds the difference from an object that is never read.
        OSError: The disk is full.
    """
    size = pack.seek(0, 2)
    pack.seek(0)
    header = pack.read(12)
    pack.seek(0)
    if len(header) < 12:
        return
    try:
        if int.from_bytes(header[8:12], "big") <= _MOST_LOOSE and size <= _LARGEST_LOOSE:
            data = pack.read()
            if inflated_size(data, limit=_LARGEST_INFLATED) <= _LARGEST_INFLATED:
                _explode(mirror.store, data)
                return
        _index(mirror, pack)
    except (*GARBLED, KeyError) as error:
        raise MirrorDamaged("what the remote sent does not fit it") from error


def _explode(store: ObjectStore, pack: bytes) -> None:
    # From memory: dulwich maps a file, and cannot close the map while an error refers to it.
    with PackData("pack", DEFAULT_OBJECT_FORMAT, file=io.BytesIO(pack), size=len(pack)) as data:
        inflater = PackInflater.for_pack_data(data, resolve_ext_ref=lambda sha: _base(store, sha))
        store.add([new_object(found.type_num, found.as_raw_string()) for found in inflater])


def _base(store: ObjectStore, sha: bytes) -> tuple[int, list[bytes]]:
    identifier = sha.hex().encode()
    if identifier not in store:
        raise KeyError(identifier)  # then it is to be found in the pack
    kind, data = store.read(identifier)
    return kind, [data]


def _index(mirror: Mirror, pack: IO[bytes]) -> None:
    # git indexes a large pack several times faster, and in little memory. It reads from where the
    # descriptor stands, which is not where Python's buffered reading stands.
    pack.flush()
    os.lseek(pack.fileno(), 0, os.SEEK_SET)
    command = [*process.IN_MIRROR, "index-pack", "--stdin", "--fix-thin"]
    done = process.local_git(command, cwd=mirror.path, stdin=pack)
    if done is None:
        with mmap.mmap(pack.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if any(size > LARGEST_FILE for size in object_sizes(data)):
                raise too_large(mirror.remote)
        with open(os.dup(pack.fileno()), "rb") as again:
            again.seek(0)
            mirror.store.disk.add_thin_pack(again.read, None)
    elif done.code != 0:
        if "No space left on device" in done.stderr:
            raise OSError(errno.ENOSPC, "No space left on device", mirror.path)
        raise MirrorDamaged("what the remote sent does not fit it")


def too_large(remote: Remote) -> RemoteError:
    """Return what to raise where a file that git would stream has to be in memory whole."""
    return RemoteError(
        f"{remote} holds a file of more than {LARGEST_FILE >> 20} MB, which cannot be fetched "
        "without git.",
        "Install git.",
    )


def check_arrived(store: ObjectStore, old: bytes | None, new: bytes) -> None:
    """Raise unless every file of a commit is there; what an older commit has is taken as read.

    What is in a folder of more names than are ever read is not looked for.

    Args:
        store: Where the objects are.
        old: A commit that was checked before, or None.
        new: The commit to check.

    Raises:
        MirrorDamaged: An object is missing.
    """
    before = read_commit(store, old).tree if old is not None and old in store else None
    pending = [(before, read_commit(store, new).tree)]
    seen = set()
    while pending:
        before, after = pending.pop()
        if before == after or after in seen:
            continue
        seen.add(after)
        known = dict(read_entries(store, before)) if before else {}
        for name, entry in read_entries(store, after):
            was = known.get(name)
            if was == entry or stat.S_IFMT(entry.mode) == 0o160000:
                continue
            if entry.is_tree:
                pending.append((was.id if was and was.is_tree else None, entry.id))
            elif entry.id not in seen:
                seen.add(entry.id)
                if entry.id not in store:
                    raise MirrorDamaged(f"object {entry.id.decode()} is missing")
