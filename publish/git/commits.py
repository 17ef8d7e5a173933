"""Commit objects: read leniently, written plainly."""

import heapq
import time
from typing import NamedTuple

from publish.git.failures import MirrorDamaged
from publish.git.identity import Identity
from publish.git.objects import COMMIT, NewObject, ObjectStore, is_object_id, new_object

# Later than this a time stamp is garbage, and following it would spoil every commit after it.
_LAST_YEAR = 2**33
_LARGEST = 4 << 20


class Commit(NamedTuple):
    """What this product reads of a commit.

    `time` is the committer's, in seconds since 1970; 0 when it makes no sense.
    """

    tree: bytes
    parents: tuple[bytes, ...]
    time: int


def read_commit(store: ObjectStore, identifier: bytes) -> Commit:
    """Read a commit.

    Raises:
        TooLarge: Its message would fill the memory.
        MirrorDamaged: It is missing, or no commit.
    """
    header, _, _ = store.read_kind(identifier, COMMIT, _LARGEST).partition(b"\n\n")
    lines = [line.partition(b" ") for line in header.split(b"\n")]
    trees = [value for key, _, value in lines if key == b"tree"]
    parents = tuple(value for key, _, value in lines if key == b"parent")
    committers = [value for key, _, value in lines if key == b"committer"]
    if not trees or not all(map(is_object_id, (trees[0], *parents))):
        raise MirrorDamaged(f"commit {identifier.decode()} is malformed")
    return Commit(trees[0], parents, _time(committers[0] if committers else b""))


def _time(committer: bytes) -> int:
    words = committer.rpartition(b"> ")[2].split(b" ")
    seconds = int(words[0]) if words[0].isdigit() and len(words[0]) < 12 else 0
    return seconds if seconds < _LAST_YEAR else 0


def new_commit(
    store: ObjectStore, *, tree: bytes, parent: bytes | None, author: Identity, message: str
) -> NewObject:
    """Build a commit whose author is its committer.

    Its time is now, but never before its parent's: a clock that is behind would otherwise put a
    commit before the one that it is built on.

    Raises:
        MirrorDamaged: The parent is missing.
    """
    earliest = read_commit(store, parent).time if parent else 0
    who = b"%s %d +0000" % (author.line(), max(int(time.time()), earliest))
    parents = b"parent %s\n" % parent if parent else b""
    text = message.replace("\0", "").rstrip() + "\n"
    data = b"tree %s\n%sauthor %s\ncommitter %s\n\n" % (tree, parents, who, who)
    return new_object(COMMIT, data + text.encode("utf-8", "replace"))


def descends(store: ObjectStore, tip: bytes, ancestor: bytes) -> bool:
    """Say whether a commit is another one, or has it in its history.

    The newest commits are looked at first: an ancestor that was the tip a moment ago is found at
    once, whatever was merged since.

    Raises:
        MirrorDamaged: A commit on the way is missing.
    """
    seen = {tip}
    pending = [(0, tip)]
    while pending:
        _, commit = heapq.heappop(pending)
        if commit == ancestor:
            return True
        for parent in read_commit(store, commit).parents:
            if parent == ancestor:
                return True
            if parent not in seen:
                seen.add(parent)
                heapq.heappush(pending, (-read_commit(store, parent).time, parent))
    return False


def first_parents_reach(
    store: ObjectStore, tip: bytes | None, wanted: set[bytes], *, stop: bytes | None
) -> bytes | None:
    """Walk first parents from a tip and return the first commit that is wanted.

    Args:
        store: Where the commits are.
        tip: Where to start.
        wanted: The ids to look for.
        stop: The commit to stop at, not looked at itself; None to walk to the root.

    Raises:
        MirrorDamaged: A commit on the way is missing.
    """
    while tip is not None and tip != stop and wanted:
        if tip in wanted:
            return tip
        parents = read_commit(store, tip).parents
        tip = parents[0] if parents else None
    return None


def first_parents_since(
    store: ObjectStore, tip: bytes | None, base: bytes | None, *, most: int
) -> int:
    """Count the commits from a tip back to a base, along first parents and `most` at most.

    Raises:
        MirrorDamaged: A commit on the way is missing.
    """
    count = 0
    while tip is not None and tip != base and count < most:
        parents = read_commit(store, tip).parents
        tip = parents[0] if parents else None
        count += 1
    return count
