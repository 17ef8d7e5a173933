"""A team repository of this machine: read through its mirror, written through one door."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from publish import git, guard, knowledge
from publish.git import (
    Change,
    Identity,
    Mirror,
    MirrorDamaged,
    Remote,
    TreeView,
    Written,
)
from publish.guard import Action
from publish.knowledge import Knowledge
from publish.snapshot import Snapshot
from receipts import terminal
from receipts.errors import StoreError, TeamError
from store import config, paths
from store.config import TeamEntry


class Proposal(NamedTuple):
    """A change to the team, and the action that the guard's table judges it by."""

    action: Action
    change: Change


Build = Callable[[Snapshot], Proposal | None]


class Repository(NamedTuple):
    """One team's repository, open.

    `known` is what reading it found out so far; it is shared by every snapshot and kept on disk by
    `remember`.
    """

    entry: TeamEntry
    mirror: Mirror
    known: Knowledge

    @property
    def name(self) -> str:
        """The team's name on this machine."""
        return self.entry.name

    def snapshot(self) -> Snapshot:
        """Return the team as of the last fetch, without touching the network."""
        return Snapshot(self.mirror.view(), self.known)

    def fetch(self, *, accept_rewrite: bool = False) -> Snapshot:
        """Fetch, and return the team as it is now.

        Args:
            accept_rewrite: Follow a remote that lost what this machine saw of it.

        Raises:
            TeamError: The remote cannot be reached, or lost what was seen of it, or another command
                holds the mirror.
        """
        if terminal.is_interactive() and self._is_empty():
            terminal.say(f"Fetching {self.entry.remote} for the first time…")
        git.fetch(
            self.mirror,
            waiting=self._say_waiting,
            said=terminal.say,
            accept_rewrite=accept_rewrite,
        )
        return self.snapshot()

    def write(self, author: Identity, build: Build, *, folder: Path | None = None) -> Written:
        """Make one commit on the team's newest tip, or none when there is nothing to change.

        Args:
            author: The member.
            build: Given the team at the tip, returns the change and the action that it is. It may
                be called several times, once for each tip that a teammate's push made old.
            folder: The folder that the author was found out for; the current one by default.

        Raises:
            TeamError: Each failure is told apart; see `receipts.errors`.
        """
        proposals: list[Proposal] = []

        def change_of(view: TreeView) -> Change | None:
            proposal = build(Snapshot(view, self.known))
            if proposal is None:
                return None
            proposals.append(proposal)
            return proposal.change

        written = git.safe_write(
            self.mirror,
            change_of,
            author=author,
            guard=lambda view, change: guard.check(proposals[-1].action, view, change),
            waiting=self._say_waiting,
            said=terminal.say,
            folder=folder,
        )
        if written.commit:
            # One's own work is no news. The push is done, so at worst the next sync tells of it.
            with suppress(TeamError, StoreError, OSError):
                git.count_as_told(self.mirror, written.commit, author)
        return written

    def remember(self) -> None:
        """Keep what reading found out, for the next command.

        Raises:
            StoreError: It cannot be kept, which costs the next command time and nothing else.
        """
        if self.known.has_grown:
            paths.create_disposable(paths.cache())
            self.known.save()

    def _is_empty(self) -> bool:
        try:
            return self.mirror.tip is None
        except MirrorDamaged:
            return True  # it will be fetched anew

    def _say_waiting(self, seconds: float) -> None:
        terminal.say(
            f"Waiting for another receipts operation on {self.name} to finish… ({seconds:.0f} s)"
        )


@contextmanager
def opened(entry: TeamEntry, *, create: bool = True) -> Iterator[Repository]:
    """Open a team's mirror for the length of a `with` block.

    Args:
        entry: The team, from the configuration.
        create: Make the mirror when there is none; False for verbs that only read.

    Raises:
        TeamError: There is no mirror to read, or it points at another repository.
    """
    if create:
        paths.create_disposable(paths.mirrors())
    path = paths.mirror_path(entry.name)
    with Mirror.open(path, Remote.parse(entry.remote), create=create) as mirror:
        yield Repository(entry, mirror, Knowledge(knowledge.folder_of(entry.name)))


@contextmanager
def fetched(team: str | None) -> Iterator[tuple[Repository, Snapshot]]:
    """Open the named or only team, fetch it, and keep what was found out when the block succeeds.

    Raises:
        UsageError: There is no team, none of that name, or several and no name.
        TeamError: The remote cannot be reached or is no team repository.
    """
    with opened(config.team(team)) as repository:
        snapshot = repository.fetch()
        _ = snapshot.team  # whatever else is done, this must be a team repository
        yield repository, snapshot
        remember(repository)


def remember(repository: Repository) -> None:
    """Keep what reading found out, or say why the next command will take longer."""
    try:
        repository.remember()
    except StoreError as error:
        terminal.say(f"note: {error.message} The next reading will be slower.")
