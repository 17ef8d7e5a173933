"""The one way to change a team repository: a commit on the tip just seen, pushed only onto it.

A lost race throws the commit away and makes the change again from the new tip. There is no merge,
no rebase and no force, and nobody ever sees half a change. A push whose answer was lost is looked
for before it is made again, so a change lands once or not at all.
"""

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from publish.git import backoff, settings
from publish.git.commits import (
    first_parents_reach,
    first_parents_since,
    new_commit,
    read_commit,
)
from publish.git.edit import File, edit
from publish.git.failures import MirrorDamaged, Race, UnknownOutcome
from publish.git.identity import Identity
from publish.git.mirror import LOCK_SECONDS, Mirror
from publish.git.objects import EMPTY_TREE, NewObject
from publish.git.signing import Signer, signer
from publish.git.sync import Said, consolidate, fetch_locked, rebuild_locked, writing
from publish.git.transport import Transport, for_remote
from publish.git.tree import TreeView
from publish.git.turns import turn
from receipts.errors import LostRace, ReceiptsError, RemoteError, StoreError

BUDGET_SECONDS = 30.0
_LOSSES_WORTH_A_WORD = 3
_MOST_UNANSWERED = 3


class Change(NamedTuple):
    """What a write does, and the commit's message.

    `files` is path to new content, or to None for removal. `cleared` are folders that go with all
    that is in them.
    """

    files: Mapping[bytes, File | None]
    message: str
    cleared: frozenset[bytes] = frozenset()


class Written(NamedTuple):
    """How a write ended.

    `commit` is ours, or None when there was nothing to change; `tip` is the remote's `main` as last
    seen, which is `commit` or a descendant of it; `attempts` counts the pushes.
    """

    commit: bytes | None
    tip: bytes | None
    attempts: int


Build = Callable[[TreeView], Change | None]
Guard = Callable[[TreeView, Change], None]


def safe_write(
    mirror: Mirror,
    build: Build,
    *,
    author: Identity,
    guard: Guard,
    budget: float = BUDGET_SECONDS,
    waiting: Callable[[float], None] | None = None,
    lock_limit: float = LOCK_SECONDS,
    said: Said | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Written:
    """Change the team repository.

    Args:
        mirror: The team's mirror.
        build: Makes the change from the tree that it will be built on; called again after a lost
            race, so it must depend on nothing else. None or no files: nothing to do.
        author: Who the commit names as author and committer.
        guard: Raises `GuardRefusal` when the change touches what it may not.
        budget: Seconds for all attempts together, without those spent waiting for this user's other
            processes.
        waiting: Called with the seconds waited while another process holds the lock.
        lock_limit: The most seconds to wait for the lock.
        said: Called with a sentence when the mirror had to be made again, or others are quicker.
        folder: The user's folder that decides, with `author`, whether and how commits are signed;
            the current one by default.

    Raises:
        LostRace: Others were faster until the budget was used up.
        RefusedByServer: A rule or hook of the server refused the change.
        RemoteError: The remote cannot be reached; the message says whether the change may have
            arrived.
        GuardRefusal: From the guard, or a path is unsafe.
        EditConflict: A path is, or lies below, something of another type.
        MirrorBusy: Another process held the lock all the time.
        StoreError: The mirror cannot be written.
        TeamError: The commit cannot be signed, and the user's commits must be.
    """
    user = settings.here()
    transport = for_remote(mirror.remote, user)
    sign = signer(settings.here(os.fspath(folder)) if folder else user, author)
    writer = _Writer(mirror, build, author, guard, transport, sign, said)
    left = budget
    time.sleep(backoff.left_to_rest(mirror.path))
    while True:
        with (
            turn(mirror.remote, limit=lock_limit, waiting=waiting),
            mirror.locked(limit=lock_limit, waiting=waiting) as loose,
        ):
            began = time.monotonic()
            written = writer.attempt(left)
            took = time.monotonic() - began
            with contextlib.suppress(OSError):
                consolidate(mirror, loose)
        if written is not None:
            if writer.losses:
                backoff.rest(mirror.path, took)
            return written
        wait = writer.pause(took)
        left -= took + wait
        if left > 0:
            time.sleep(wait)


class _Writer:
    """One write through all its attempts."""

    def __init__(
        self,
        mirror: Mirror,
        build: Build,
        author: Identity,
        guard: Guard,
        transport: Transport,
        sign: Signer | None,
        said: Said | None,
    ) -> None:
        self._mirror, self._build, self._author = mirror, build, author
        self._guard, self._transport, self._sign, self._said = guard, transport, sign, said
        self.losses = 0
        self._attempts = 0
        self._passed = 0
        self._lost_to = ""
        self._repaired = False
        # Commits that were pushed, and the tip that the first of them was built on. Any of them may
        # have landed: an answer can be lost, and git's HTTP library then sends the push again by
        # itself and reports that the second was refused.
        self._pushed_before: set[bytes] = set()
        self._base: bytes | None = None
        self._unanswered = 0
        self._failure: ReceiptsError | None = None

    def attempt(self, left: float) -> Written | None:
        """Fetch, build and push once; None when that was in vain and may be tried again.

        Args:
            left: Seconds that are left of the budget; when there are none, this only looks whether
                an earlier push has landed.
        """
        began = time.monotonic()
        is_first_fetch = self._is_empty()
        tip = self._fetched()
        if landed := self._landed(tip):
            return Written(landed, tip, self._attempts)
        self._passed = self._commits_since_first_push(tip)
        if time.monotonic() - began > left and not is_first_fetch:
            raise self._out_of_budget()
        try:
            return self._pushed(tip)
        except MirrorDamaged as damage:
            if self._repaired:
                raise
            self._repaired = True
            rebuild_locked(self._mirror, self._transport, damage, said=self._said)
        except Race as race:
            self.losses += 1
            self._lost_to, self._failure = str(race), None
            if self.losses == _LOSSES_WORTH_A_WORD and self._said is not None:
                self._said("Teammates are publishing at the same time; trying again…")
        except UnknownOutcome as unknown:
            self._unanswered += 1
            self._failure = unknown.failure
            tip = self._fetched()
            if landed := self._landed(tip):
                return Written(landed, tip, self._attempts)
            if self._unanswered >= _MOST_UNANSWERED:
                raise unknown.failure from unknown
        return None

    def pause(self, took: float) -> float:
        """Return how many seconds to wait after an attempt that was in vain and took so many."""
        lost = self._failure is None and self.losses > 0
        return backoff.pause(self._passed, took) if lost else backoff.jitter()

    def _out_of_budget(self) -> ReceiptsError:
        if self._failure is not None:
            return self._failure
        if not self._attempts:
            return LostRace(
                "The write ran out of its time before it could attempt a push; nothing was "
                "published.",
                "Run the command again.",
            )
        return LostRace(
            f"The write ran out of its time after {self._attempts} attempt(s); the remote kept "
            f"moving ahead: {self._lost_to}.",
            "Nothing was published. Run the command again when fewer are publishing.",
        )

    def _is_empty(self) -> bool:
        try:
            return self._mirror.tip is None
        except MirrorDamaged:
            return True

    def _fetched(self) -> bytes | None:
        try:
            return fetch_locked(self._mirror, self._transport, said=self._said)
        except RemoteError as error:
            if not self._unanswered:
                raise
            raise RemoteError(
                "The connection was lost during the push, so the change may have been published. "
                f"Now: {error.message}",
                "Run `receipts sync` later; it shows whether the change is there.",
            ) from error

    def _landed(self, tip: bytes | None) -> bytes | None:
        """Return which of the commits that were pushed is in the remote's history after all."""
        store = self._mirror.store
        return first_parents_reach(store, tip, self._pushed_before, stop=self._base)

    def _commits_since_first_push(self, tip: bytes | None) -> int:
        """Count the commits of others that landed meanwhile, as far as that matters."""
        if not self._pushed_before:
            return 0
        return first_parents_since(self._mirror.store, tip, self._base, most=backoff.OVERDUE)

    def _pushed(self, tip: bytes | None) -> Written:
        store = self._mirror.store
        view = TreeView(store, tip)
        change = self._build(view)
        if change is None or not (change.files or change.cleared):
            return Written(None, tip, self._attempts)
        self._guard(view, change)
        root = read_commit(store, tip).tree if tip else None
        edited = edit(store, root, change.files, change.cleared)
        if edited.root == (root or EMPTY_TREE):
            return Written(None, tip, self._attempts)
        commit = new_commit(
            store, tree=edited.root, parent=tip, author=self._author, message=change.message
        )
        if self._sign is not None:
            commit = self._sign(commit)
        self._push(tip, commit, edited.objects)
        return Written(commit.id, commit.id, self._attempts)

    def _push(self, tip: bytes | None, commit: NewObject, objects: list[NewObject]) -> None:
        self._attempts += 1
        if not self._pushed_before:
            self._base = tip
        self._pushed_before.add(commit.id)
        everything = [*objects, commit]
        with writing(self._mirror):
            self._transport.push(self._mirror, tip, commit.id, everything)
        # It is published. Should the disk be full now, the next fetch brings it here.
        with contextlib.suppress(OSError, StoreError):
            self._mirror.advance(commit.id, everything)
