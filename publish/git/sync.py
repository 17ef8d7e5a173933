"""The mirror brought up to the remote, and made again when it is damaged."""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from publish.git import environment, keeping, process
from publish.git.commits import descends, read_commit
from publish.git.failures import MirrorDamaged, Rewritten, TooLarge
from publish.git.mirror import LOCK_SECONDS, Mirror
from publish.git.objects import BLOB
from publish.git.transport import Transport, for_remote
from publish.git.tree import LARGEST_FILE, read_entries
from publish.git.words import clean
from receipts.errors import RemoteError, StoreError

_T = TypeVar("_T")
_MOST_LOOSE = 2000
_MOST_PACKS = 50
_DAY_SECONDS = 86400.0
_SUBMODULE = 0o160000

Said = Callable[[str], None]


def fetch(
    mirror: Mirror,
    *,
    waiting: Callable[[float], None] | None = None,
    lock_limit: float = LOCK_SECONDS,
    said: Said | None = None,
    accept_rewrite: bool = False,
) -> bytes | None:
    """Bring a mirror up to its remote.

    Args:
        mirror: The mirror; it is made again from the remote when it is damaged.
        waiting: Called with the seconds waited while another process holds the lock.
        lock_limit: The most seconds to wait for the lock.
        said: Called with a sentence when the mirror is made again.
        accept_rewrite: Follow the remote even where it lost what this mirror saw, which is kept
            under a reference of its own.

    Returns:
        The remote's tip, or None when it has no `main`.

    Raises:
        RemoteError: The remote cannot be reached or read.
        Rewritten: The remote no longer has what the mirror saw, and that is not accepted.
        MirrorBusy: Another process held the lock all the time.
        StoreError: The mirror cannot be written.
    """
    with mirror.locked(limit=lock_limit, waiting=waiting) as loose:
        transport = for_remote(mirror.remote)
        tip = fetch_locked(mirror, transport, said=said, accept_rewrite=accept_rewrite)
        with contextlib.suppress(OSError):
            consolidate(mirror, loose)
        return tip


def repaired(mirror: Mirror, work: Callable[[], _T], *, said: Said | None = None) -> _T:
    """Do some reading; if the mirror proves damaged, make it again and do the reading once more.

    Raises:
        RemoteError: The mirror is damaged and the remote cannot be reached.
        MirrorDamaged: The new mirror is no better: the remote itself is damaged.
    """
    try:
        return work()
    except MirrorDamaged as damage:
        with mirror.locked():
            rebuild_locked(mirror, for_remote(mirror.remote), damage, said=said)
    return work()


def check_whole(mirror: Mirror) -> None:
    """Read every file of the tip, as far as a file may be read at all.

    Raises:
        MirrorDamaged: An object is missing or garbled.
    """
    tip = mirror.tip
    pending = [read_commit(mirror.store, tip).tree] if tip else []
    seen = set(pending)
    while pending:
        for _, entry in read_entries(mirror.store, pending.pop()):
            if stat.S_IFMT(entry.mode) == _SUBMODULE or entry.id in seen:
                continue
            seen.add(entry.id)
            if entry.is_tree:
                pending.append(entry.id)
            elif mirror.store.size(entry.id) <= LARGEST_FILE:
                with contextlib.suppress(TooLarge):
                    mirror.store.read_kind(entry.id, BLOB)


def fetch_locked(
    mirror: Mirror, transport: Transport, *, said: Said | None, accept_rewrite: bool = False
) -> bytes | None:
    """As `fetch`, for the holder of the lock."""
    with writing(mirror):
        try:
            mirror.check()
            known, tip = mirror.tip, transport.fetch(mirror)
            if known is not None and (lost := _what_was_lost(mirror, known, tip)):
                if not accept_rewrite:
                    raise Rewritten(mirror.remote, lost)
                name = mirror.keep_replaced(known)
                if said is not None:
                    said(keeping.kept(mirror, name))
            if tip != known:
                mirror.advance(tip)
        except MirrorDamaged as damage:
            return rebuild_locked(
                mirror, transport, damage, said=said, accept_rewrite=accept_rewrite
            )
        return tip


def _what_was_lost(mirror: Mirror, known: bytes, tip: bytes | None) -> str | None:
    """Say what became of a remote that no longer has a commit that was its tip, else None."""
    seen = known[:12].decode()
    if tip is None:
        return f"has no branch main any more, which held commit {seen}"
    if descends(mirror.store, tip, known):
        return None
    if known in mirror.store and descends(mirror.store, known, tip):
        return f"went back from commit {seen} to {tip[:12].decode()}"
    return f"was rewritten: commit {seen} is no longer part of its history"


def rebuild_locked(
    mirror: Mirror,
    transport: Transport,
    damage: MirrorDamaged,
    *,
    said: Said | None,
    accept_rewrite: bool = False,
) -> bytes | None:
    """Make a mirror again from its remote; the old one stays until the new one is whole.

    What the remote lost earlier, or now if that is accepted, is kept as far as it is not damaged.

    Raises:
        RemoteError: The remote cannot be reached, or what it sends is damaged too.
        Rewritten: The remote no longer has what the mirror saw, and that is not accepted.
        StoreError: The mirror cannot be written.
    """
    if said is not None:
        said(f"{damage.message} Making it again from {mirror.remote}…")
    known = mirror.tip_id()
    with writing(mirror), mirror.replacement() as new:
        try:
            tip = transport.fetch(new)
            lost = _what_was_lost(new, known, tip) if known is not None else None
            if lost and not accept_rewrite:
                raise Rewritten(mirror.remote, lost)
        except MirrorDamaged as again:
            raise RemoteError(
                f"The team repository at {mirror.remote} is itself damaged: {clean(again.what)}.",
                "Run `git fsck` there, or ask whoever administers it.",
            ) from again
        if tip is not None:
            new.advance(tip)
        for sentence in keeping.take_over(mirror, new, known if lost else None):
            if said is not None:
                said(sentence)
        return tip


@contextlib.contextmanager
def writing(mirror: Mirror) -> Iterator[None]:
    """Turn the system's refusal to write the mirror into a sentence."""
    try:
        yield
    except OSError as error:
        why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        raise StoreError(
            f"Cannot write the copy of the team repository at {mirror.path}: {why}.",
            "Free some space, or give your user the right to write there, then try again.",
        ) from error


def consolidate(mirror: Mirror, loose: int) -> None:
    """Put loose objects into one pack when there are very many, for the reads that follow.

    Best effort: a mirror that stays as it is works too.
    """
    packs = os.path.join(mirror.path, "objects", "pack")
    count = sum(name.endswith(".pack") for name in os.listdir(packs))
    if loose <= _MOST_LOOSE and count <= _MOST_PACKS:
        return
    if environment.git_path() is None:
        mirror.store.disk.pack_loose_objects()
        return
    everything = ["-a"] if count > _MOST_PACKS else []
    command = [*process.IN_MIRROR, "repack", "-d", "-q", *everything]
    done = process.local_git(command, cwd=mirror.path)
    if done is not None and done.code == 0:
        _remove_old_loose(os.path.join(mirror.path, "objects"))


def _remove_old_loose(objects: str) -> None:
    """Remove what a repack left loose: commits that lost their race, at least a day old."""
    before = time.time() - _DAY_SECONDS
    for folder in (os.path.join(objects, f"{number:02x}") for number in range(256)):
        with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                if len(entry.name) == 38 and entry.stat().st_mtime < before:
                    os.unlink(entry.path)
