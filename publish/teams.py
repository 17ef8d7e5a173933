"""Creating, joining and leaving a team."""

import shlex
import shutil
from itertools import islice
from typing import Any, NamedTuple

from publish import documents, git, guard, knowledge, layout, names, oddities, repository
from publish.documents import Person, Team
from publish.git import Change, File, Identity, Remote
from publish.guard import Action
from publish.repository import Proposal
from publish.snapshot import Snapshot
from receipts import jsontext, terminal
from receipts.errors import ReceiptsError, RemoteError, TeamError, UsageError
from store import config, locks, paths
from store.config import TeamEntry

_DEFAULT_LICENSE = "UNLICENSED"
_RENAME = "Choose another name for it on this machine with --as NAME."
_ATTRIBUTES = b"""\
# The bytes of a skill are its identity: no checkout may change a line ending.
* -text
"""


class Joined(NamedTuple):
    """A team that this machine now belongs to.

    `rejoined` says that the member's file was already there; `stripped` that the address held a
    password, which is not kept.
    """

    entry: TeamEntry
    rejoined: bool
    stripped: bool


class Status(NamedTuple):
    """A team as this machine last saw it."""

    entry: TeamEntry
    tip: str | None
    members: int
    skills: int
    receipts: int
    problems: list[str]


def create(
    name: str,
    *,
    remote: str | None,
    handle: str | None,
    license: str | None,  # noqa: A002 - the policy's name
    require_category: bool,
) -> Joined:
    """Create a team repository and become its first member.

    What an earlier call of the same member began at the same address, and did not live to finish,
    is finished; what it finished is left as it is.

    Args:
        name: The team's name.
        remote: Address of an empty repository; None makes a bare one below this machine's state.
        handle: The member's handle; None derives it from git's configuration.
        license: The licence that published skills are put under; None means none is granted.
        require_category: Whether every published skill must declare a category.

    Raises:
        UsageError: The name or handle cannot be used, or this machine knows a team of that name.
        TeamError: The remote is not empty, cannot be reached or refuses the write.
    """
    if known := _created_before(name, remote):
        return Joined(known, rejoined=True, stripped=False)
    _check_free(name, "Choose another.")
    author, handle = _member(handle)
    address = _local_repository(name) if remote is None else Remote.parse(remote)
    entry = TeamEntry(name, address.url, handle)
    _forget_mirror_of_another(entry)
    if git.remote_state(address).tip is not None:
        if not _is_created_already(entry, author):
            raise TeamError(
                f"{address} already has a main branch, so no team was created there.",
                f"Join it with: receipts team join {address}",
            )
        _keep(entry)
        return Joined(entry, rejoined=True, stripped=address.stripped)
    team = documents.new_team(name, license=license or _DEFAULT_LICENSE)
    if require_category:
        team["policy"]["category"] = "required"
    first = Change(
        {
            layout.TEAM.encode(): _file(documents.dump(team)),
            layout.ATTRIBUTES.encode(): _file(_ATTRIBUTES),
            layout.README.encode(): _file(_readme(name, address).encode()),
            layout.person_path(handle).encode(): _file(
                documents.dump(documents.new_person(handle, author))
            ),
        },
        f"{handle}: create {name}",
    )

    def build(before: Snapshot) -> Proposal:
        if before.view.entries():
            raise TeamError(
                f"{address} is no longer empty, so no team was created there.",
                f"Join it with: receipts team join {address}",
            )
        return Proposal(Action(guard.CREATE, handle), first)

    with repository.opened(entry) as opened:
        opened.write(author, build)
    _keep(entry)
    return Joined(entry, rejoined=False, stripped=address.stripped)


def join(url: str, *, handle: str | None, name: str | None) -> Joined:
    """Join the team of a repository: add one's file to it and remember it on this machine.

    Args:
        url: The repository's address.
        handle: As for `create`.
        name: The team's name on this machine; None takes the team's own.

    Raises:
        UsageError: The handle is taken by somebody else, or a name cannot be used.
        TeamError: The repository cannot be reached, written to, or is no team repository.
    """
    address = Remote.parse(url)
    known = next((entry for entry in config.teams() if _is_at(entry, address)), None)
    author, handle = _member(known.handle if known and handle is None else handle)
    local_name = known.name if known else _name_of_team(address) if name is None else name
    if known is None:
        _check_free(local_name, _RENAME)
    elif name not in (None, known.name):
        raise UsageError(
            f"This machine already belongs to that team, as {known.name}.",
            f"To rename it here, leave and join again: receipts team leave --team {known.name}",
        )
    entry = TeamEntry(local_name, address.url, handle)
    if known is None:
        _forget_mirror_of_another(entry)
    with repository.opened(entry) as opened:
        opened.fetch()
        written = opened.write(author, lambda before: _joining(before, handle, author))
        opened.remember()
    _keep(entry)
    return Joined(entry, rejoined=written.commit is None, stripped=address.stripped)


def leave(name: str | None, *, local_only: bool) -> TeamEntry:
    """Leave a team: archive one's handle in it, and forget it on this machine.

    Published versions and receipts stay with the team.

    Args:
        name: The team; None means the only one.
        local_only: Leave the repository as it is, as when it can no longer be reached.

    Raises:
        UsageError: There is no such team.
        TeamError: The repository cannot be reached or refuses the write.
    """
    entry = config.team(name)
    if not local_only:
        author, _ = _member(entry.handle)
        try:
            with repository.opened(entry) as opened:
                opened.write(author, lambda before: _leaving(before, entry.handle))
        except RemoteError as error:
            forget_here = f"receipts team leave --team {shlex.quote(entry.name)} --local-only"
            error.hint = f"{error.hint} To forget the team here only: {forget_here}".strip()
            raise

    def forget(document: dict[str, Any]) -> None:
        document.get("teams", {}).pop(entry.name, None)

    config.update(forget)
    shutil.rmtree(paths.mirror_path(entry.name), ignore_errors=True)
    shutil.rmtree(knowledge.folder_of(entry.name), ignore_errors=True)
    return entry


def status(name: str | None) -> list[Status]:
    """Return what this machine last saw of the named team, or of all; touches no network.

    Raises:
        UsageError: There is no such team.
    """
    entries = [config.team(name)] if name else config.teams()
    return [_status(entry) for entry in entries]


def members(name: str | None) -> tuple[list[Person], list[str]]:
    """Return a team's members as this machine last saw them, and its unreadable people files.

    Raises:
        UsageError: There is no such team.
        TeamError: It was never fetched, or is no team repository.
    """
    with repository.opened(config.team(name), create=False) as opened:
        snapshot = opened.snapshot()
        return snapshot.members(), snapshot.people()[1]


def _status(entry: TeamEntry) -> Status:
    try:
        with repository.opened(entry, create=False) as opened:
            snapshot = opened.snapshot()
            problems = snapshot.people()[1] + oddities.everything(snapshot)
            count = sum(
                len(snapshot.receipts(skill_id, number))
                for skill_id in snapshot.skill_ids_with_receipts()
                for number in snapshot.receipt_numbers(skill_id)
            )
            tip = opened.mirror.tip
            return Status(
                entry,
                tip.decode() if tip else None,
                len(snapshot.members()),
                len(snapshot.skills()),
                count,
                problems,
            )
    except ReceiptsError as error:
        return Status(entry, None, 0, 0, 0, [str(error)])


def _created_before(name: str, remote: str | None) -> TeamEntry | None:
    """Return this machine's team of that very name and address, if there is one."""
    for entry in config.teams():
        if entry.name == name:
            address = Remote.parse(remote or str(paths.repositories() / f"{name}.git"))
            return entry if Remote.parse(entry.remote).same_as(address) else None
    return None


def _is_created_already(entry: TeamEntry, author: Identity) -> bool:
    """Say whether a repository is this very team as its creator left it, killed after the push."""
    with repository.opened(entry) as opened:
        try:
            snapshot = opened.fetch()
            person = snapshot.person(entry.handle)
            created = (
                layout.TEAM,
                layout.ATTRIBUTES,
                layout.README,
                layout.person_path(entry.handle),
            )
            some = [path.decode() for path, _ in islice(snapshot.view.walk(), len(created) + 1)]
            return (
                snapshot.team.name == entry.name
                and person is not None
                and person.email.lower() == author.email.lower()
                and sorted(some) == sorted(created)
            )
        except (TeamError, UnicodeDecodeError):
            return False


def _joining(before: Snapshot, handle: str, author: Identity) -> Proposal | None:
    files: dict[bytes, File | None] = {}
    team = before.team
    person = before.person(handle)
    if person is None:
        document = documents.new_person(handle, author)
        files[layout.person_path(handle).encode()] = _file(documents.dump(document))
    elif person.email.lower() != author.email.lower():
        raise UsageError(
            f"The handle {handle} is taken by {person.display_name} <{person.email}>.",
            "Choose another with --handle.",
        )
    if _is_archived(team, handle):
        archived = [other for other in team.document["archived"] if other.lower() != handle]
        document = {**jsontext.loads(before.view.read(layout.TEAM.encode())), "archived": archived}
        files[layout.TEAM.encode()] = _file(documents.dump(document))
    change = Change(files, f"{handle}: join {terminal.one_line(team.name)}")
    return Proposal(Action(guard.JOIN, handle), change) if files else None


def _leaving(before: Snapshot, handle: str) -> Proposal | None:
    team = before.team
    if _is_archived(team, handle):
        return None
    document = jsontext.loads(before.view.read(layout.TEAM.encode()))
    document["archived"] = [*document.get("archived", []), handle]
    message = f"{handle}: leave {terminal.one_line(team.name)}"
    change = Change({layout.TEAM.encode(): _file(documents.dump(document))}, message)
    return Proposal(Action(guard.LEAVE, handle), change)


def _is_archived(team: Team, handle: str) -> bool:
    return any(other.lower() == handle for other in team.archived)


def _is_at(entry: TeamEntry, address: Remote) -> bool:
    try:
        return Remote.parse(entry.remote).same_as(address)
    except UsageError:
        return False  # another client's entry, or one edited by hand


def _member(handle: str | None) -> tuple[Identity, str]:
    author = git.member_identity()
    chosen = names.handle_from(author.name, author.email) if handle is None else handle
    if not names.is_handle(chosen):
        raise UsageError(
            f"The handle {chosen!r} cannot be used: lower-case letters, digits and single hyphens.",
            "Choose one with --handle.",
        )
    return author, chosen


def _name_of_team(address: Remote) -> str:
    """Fetch a repository whose name is not known yet, and leave its mirror under that name."""
    paths.create_disposable(paths.mirrors())
    place = paths.mirrors() / ".joining.git"
    with locks.held("joining"):
        shutil.rmtree(place, ignore_errors=True)  # left by a join that was killed
        try:
            with git.Mirror.open(place, address) as mirror:
                git.fetch(mirror, said=terminal.say)
                name = Snapshot(mirror.view()).team.name
            _check_free(name, _RENAME)
            shutil.rmtree(paths.mirror_path(name), ignore_errors=True)  # of a team left before
            place.rename(paths.mirror_path(name))
        finally:
            shutil.rmtree(place, ignore_errors=True)
    return name


def _forget_mirror_of_another(entry: TeamEntry) -> None:
    """Remove the mirror that a create or join of another address left when it failed."""
    place = paths.mirror_path(entry.name)
    if not git.Mirror.is_of(place, Remote.parse(entry.remote)):
        shutil.rmtree(place, ignore_errors=True)


def _check_free(name: str, otherwise: str) -> None:
    """Raise unless a team may have this name here; `otherwise` says what to do about it."""
    if not names.is_team_name(name):
        raise UsageError(
            f"The team name {name!r} cannot be used: 1 to 64 letters, digits, blanks, '.', '_', "
            "'-', and no dot or blank first.",
            otherwise,
        )
    taken = next((e for e in config.teams() if e.name.casefold() == name.casefold()), None)
    if taken:
        raise UsageError(
            f"This machine already belongs to a team called {taken.name} ({taken.remote}).",
            f"{otherwise} Or leave that one: receipts team leave --team {shlex.quote(taken.name)}",
        )


def _keep(entry: TeamEntry) -> None:
    def add(document: dict[str, Any]) -> None:
        teams = document.setdefault("teams", {})
        teams[entry.name] = {
            **teams.get(entry.name, {}),
            "remote": entry.remote,
            "handle": entry.handle,
        }

    config.update(add)


def _local_repository(name: str) -> Remote:
    place = paths.repositories() / f"{name}.git"
    if not place.exists():
        paths.create_state_root()
        try:
            git.create_bare(place)
        except OSError as error:
            raise TeamError(f"Cannot create {place}: {error.strerror}.") from error
    return Remote.parse(str(place))


def _file(data: bytes) -> File:
    return File(data, executable=False)


def _readme(name: str, address: Remote) -> str:
    return f"""\
# {name}: skills and their receipts

Agent skills of this team, each version with the receipts of the evaluations that measured its exact
bytes. It is written by `receipts` (distribution `skill-receipts`); versions and receipts are added
and never changed, so please do not edit `skills/` and `evals/` by hand.

    receipts team join {address}
    receipts sync
    receipts cards --team
"""
