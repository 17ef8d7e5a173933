"""This machine's copy of a team repository: bare, disposable, one writer at a time."""

import contextlib
import os
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from publish.git import bare, locks
from publish.git.commits import read_commit
from publish.git.failures import MirrorBusy, MirrorDamaged, TooLarge
from publish.git.objects import TREE, NewObject, ObjectStore
from publish.git.remote import Remote
from publish.git.tree import TreeView
from receipts import files
from receipts.errors import TeamError, UsageError

LOCK_SECONDS = 75.0
_SETTINGS = {
    # Nothing tidies by itself: a collection in the middle of a read or write would be a second
    # writer, and a bitmap breaks dulwich once there is a second pack.
    "gc.auto": "0",
    "maintenance.auto": "false",
    "repack.writeBitmaps": "false",
    "fetch.writeCommitGraph": "false",
    # A reference must never outlive, in a power cut, the objects that it names.
    "core.fsyncObjectFiles": "true",
    # A file of this size or more is never in memory whole while git takes it in.
    "core.bigFileThreshold": "16m",
    # Small packs become loose objects; hundreds of packs make every read slow.
    "fetch.unpackLimit": "200",
}


class Mirror:
    """A mirror and its remote. A context manager; close it, or dulwich complains at exit.

    Attributes:
        path: The bare repository.
        remote: Where it is fetched from and written to.
        store: Its objects.
    """

    def __init__(self, path: str, remote: Remote) -> None:
        self.path = path
        self.remote = remote
        self.store = ObjectStore(os.path.join(path, "objects"))

    @classmethod
    def open(cls, path: str | os.PathLike[str], remote: Remote, *, create: bool = True) -> Self:
        """Open a mirror, or make an empty one.

        Args:
            path: Where it is kept.
            remote: The remote that it must belong to.
            create: Whether to make it when it is missing; reading verbs do not.

        Raises:
            TeamError: It belongs to another remote, or is missing and not to be made.
            StoreError: It cannot be made.
        """
        place = os.path.abspath(path)
        if not os.path.isdir(place):
            if not create:
                raise TeamError(
                    f"The team repository {remote} has not been fetched yet.",
                    "Run `receipts sync`.",
                )
            cls._make_first(place, remote)
        _check_origin(place, remote)
        return cls(place, remote)

    @classmethod
    def _make_first(cls, place: str, remote: Remote) -> None:
        """Make a mirror, unless another process is first.

        Under the lock, whose holder clears away what is half made.
        """
        files.make_private_dir(os.path.dirname(place))
        with locks.held(f"{place}.lock", limit=LOCK_SECONDS, waiting=None) as held:
            if not held:
                raise _busy(place)
            if not os.path.isdir(place):
                cls._make(place, remote)

    @staticmethod
    def is_of(path: str | os.PathLike[str], remote: Remote) -> bool:
        """Say whether what is at a path, if anything, can be this remote's mirror."""
        return _origin_that_differs(os.path.abspath(path), remote) is None

    @staticmethod
    def _make(place: str, remote: Remote) -> None:
        bare.create(place, {**_SETTINGS, "remote.origin.url": remote.url}, mode=0o700)

    def close(self) -> None:
        """Close the packs."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def tip(self) -> bytes | None:
        """The commit of `main` as last fetched or written, or None when there is none.

        Raises:
            MirrorDamaged: The reference is malformed.
        """
        return bare.read_ref(self.path, bare.MAIN)

    @property
    def synced(self) -> bytes | None:
        """The commit up to which the user has been told what is new, or None."""
        try:
            commit = bare.read_ref(self.path, bare.SYNCED)
            present = commit is not None and commit in self.store
        except MirrorDamaged:
            return None
        return commit if present else None

    def mark_synced(self, commit: bytes) -> None:
        """Remember a commit as the one up to which the user has been told.

        Not for the holder of the lock: it is taken, because whoever has it clears away what looks
        half written.

        Raises:
            MirrorBusy: Another process held the lock all the time.
            StoreError: It cannot be written.
        """
        with self.locked():
            bare.write_ref(self.path, bare.SYNCED, commit)

    def view(self, commit: bytes | None = None) -> TreeView:
        """Return the files of a commit, of the tip by default; empty when there is no tip.

        Raises:
            MirrorDamaged: The commit is missing or garbled.
        """
        return TreeView(self.store, commit or self.tip)

    def advance(self, tip: bytes | None, objects: list[NewObject] | None = None) -> None:
        """Set the tip, after writing the objects that it needs.

        Raises:
            TooLarge: The tip is a commit that is never read; it is as it was.
            MirrorDamaged: The tip is no commit, or missing.
            OSError: The objects cannot be written; the tip is as it was.
            StoreError: As above, for the reference.
        """
        self.store.add(objects or [])
        if tip is None:
            bare.delete_ref(self.path, bare.MAIN)
        else:
            read_commit(self.store, tip)
            bare.write_ref(self.path, bare.MAIN, tip)

    def keep_replaced(self, tip: bytes) -> str:
        """Keep a commit and its history, which the remote no longer has; return the reference.

        Raises:
            StoreError: The reference cannot be written.
        """
        name = bare.replaced_name(tip)
        bare.write_ref(self.path, name, tip)
        return name

    def check(self) -> None:
        """Raise when the mirror is visibly damaged: its files, its references, the tip's top.

        Raises:
            MirrorDamaged: Something is missing or garbled.
        """
        bare.check_files(self.path)
        if bare.read_setting(self.path, ("remote", "origin"), "url") is None:
            raise MirrorDamaged("its configuration names no remote")
        tip = self.tip
        if tip is not None:
            with contextlib.suppress(TooLarge):  # which the next commit may cure
                self.store.read_kind(read_commit(self.store, tip).tree, TREE)
        synced = bare.read_ref(self.path, bare.SYNCED)
        if synced is not None and synced not in self.store:
            bare.delete_ref(self.path, bare.SYNCED)

    @contextlib.contextmanager
    def locked(
        self, *, limit: float = LOCK_SECONDS, waiting: locks.Waiting | None = None
    ) -> Iterator[int]:
        """Hold the mirror's write lock and clear away what a killed holder left.

        Args:
            limit: The most seconds to wait.
            waiting: Called with the seconds waited, after 1 s and then every 5 s.

        Yields:
            How many loose objects the mirror has.

        Raises:
            MirrorBusy: Another process held it all the time.
        """
        files.make_private_dir(os.path.dirname(self.path))
        with locks.held(self.path + ".lock", limit=limit, waiting=waiting) as held:
            if not held:
                raise _busy(self.path)
            yield bare.tidy(self.path)

    @contextlib.contextmanager
    def replacement(self) -> Iterator["Mirror"]:
        """Yield an empty mirror of the same remote, and put it in this one's place at the end.

        For the holder of the lock. When the body raises, this mirror stays as it was.
        """
        place = bare.scratch(self.path, "new")
        self._make(place, self.remote)
        try:
            with Mirror(place, self.remote) as new:
                yield new
            self.store.close()
            old = bare.scratch(self.path, "old")
            if os.path.lexists(self.path):
                os.rename(self.path, old)
            os.rename(place, self.path)
            bare.remove(old)
        finally:
            bare.remove(place)
            self.store.close()
            self.store = ObjectStore(os.path.join(self.path, "objects"))

    def tip_id(self) -> bytes | None:
        """Return what `tip` names if the mirror has, or had, such an object; None otherwise."""
        tip = self._id(bare.MAIN)
        try:
            return tip if tip is not None and tip in self.store else None
        except MirrorDamaged:
            return tip  # it is there, and garbled

    def synced_id(self) -> bytes | None:
        """Return what `synced` names, whether or not the object is there."""
        return self._id(bare.SYNCED)

    def _id(self, ref: str) -> bytes | None:
        try:
            return bare.read_ref(self.path, ref)
        except MirrorDamaged:
            return None


def _busy(place: str) -> MirrorBusy:
    team = os.path.basename(place).removesuffix(".git")
    return MirrorBusy(
        f"Another receipts operation holds the write lock on {team}.", "Retry when it finishes."
    )


def _origin_that_differs(place: str, remote: Remote) -> Remote | None:
    try:
        url = bare.read_setting(place, ("remote", "origin"), "url")
        origin = Remote.parse(url) if url else None
    except (MirrorDamaged, UsageError):
        return None  # the next fetch makes it again
    return None if origin is None or origin.same_as(remote) else origin


def _check_origin(place: str, remote: Remote) -> None:
    if origin := _origin_that_differs(place, remote):
        raise TeamError(
            f"Clone at {place} points at {origin}, not {remote}; refusing to write to the wrong "
            "repository.",
            "If the team has moved, delete the clone: it is only a copy.",
        )
