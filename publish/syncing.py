"""Sync: fetch a team and say what is new since the last time it was said."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from publish import git, layout, oddities, repository
from publish.repository import Repository
from publish.snapshot import Committed, Snapshot
from publish.teamcards import receipts_of
from receipts import terminal
from receipts.errors import ReceiptsError
from store import config
from store.config import TeamEntry

_LONGEST_NAME = 60


class NewReceipts(NamedTuple):
    """Receipts of one version that one member's evaluations added."""

    skill: str
    version: str
    by: str
    verdicts: dict[str, int]


class News(NamedTuple):
    """What a sync of one team brought.

    A skill whose name another one has now is among the removed and the new. `failure` is the
    sentence about a team that could not be refreshed; the rest is then empty.
    """

    team: str
    tip: str | None
    failure: str | None
    new_skills: list[str]
    new_versions: list[tuple[str, str]]
    new_receipts: list[NewReceipts]
    removed_skills: list[str]
    unreadable: list[str]


def sync(team: str | None, *, accept_rewrite: bool = False, repair: bool = False) -> list[News]:
    """Fetch the named team, or all of this machine's, and return what is new in each.

    A team that cannot be refreshed is reported and keeps nobody else from being so.

    Args:
        team: The team, or None for all.
        accept_rewrite: Follow a repository that lost what this machine saw of it all the same.
        repair: Read all of this machine's copy, and make it again if it is damaged anywhere. What
            is damaged among the things that are new is met and made again without it.

    Raises:
        UsageError: There is no team, or none of that name.
    """
    entries = [config.team(team)] if team else config.teams() or [config.team()]
    return [_sync(entry, accept_rewrite=accept_rewrite, repair=repair) for entry in entries]


def _sync(entry: TeamEntry, *, accept_rewrite: bool, repair: bool) -> News:
    try:
        with repository.opened(entry) as opened:
            opened.fetch(accept_rewrite=accept_rewrite)
            if repair:
                mirror = opened.mirror
                git.repaired(mirror, lambda: git.check_whole(mirror), said=terminal.say)
            news = git.repaired(opened.mirror, lambda: _news(opened), said=terminal.say)
            repository.remember(opened)
            if news.tip:
                opened.mirror.mark_synced(news.tip.encode())
            return news
    except ReceiptsError as error:
        return News(entry.name, None, str(error), [], [], [], [], [])


def _news(opened: Repository) -> News:
    after = opened.snapshot()
    _ = after.team  # a repository that is no team has no news
    tip = after.view.commit
    seen = opened.mirror.synced
    label = tip.decode() if tip else None
    if tip == seen:
        return News(opened.name, label, None, [], [], [], [], [])
    before = Snapshot(opened.mirror.view(seen), opened.known, is_past=True) if seen else None
    names = _different(before, after, layout.SKILLS)
    ids = _different(before, after, layout.EVALS)
    touched = names | {name for skill_id in ids for name in after.owners_of(skill_id)}
    old, new = (_skills_of(snapshot, touched) for snapshot in (before, after))
    replaced = {name for name in new if before and _is_another(before, after, name)}
    return News(
        opened.name,
        label,
        None,
        [name for name in new if name not in old or name in replaced],
        list(_new_versions(before, after, new)),
        list(_new_receipts(before, after, new)),
        sorted(set(old).difference(new) | replaced),
        _unreadable((before, old), (after, new), names | ids),
    )


def _different(before: Snapshot | None, after: Snapshot, folder: str) -> set[str]:
    """Return the names in a folder under which something else stands than before."""
    if _is_same(before, after, folder):
        return set()
    new = dict(after.names(folder))
    old = dict(before.names(folder)) if before else {}
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _skills_of(snapshot: Snapshot | None, names: set[str]) -> list[str]:
    return [name for name in sorted(names) if snapshot and snapshot.is_skill(name)]


def _is_another(before: Snapshot, after: Snapshot, name: str) -> bool:
    """Say whether a skill was removed and another published under its name since."""
    ids = [snapshot.skill_id(name, or_older=True) for snapshot in (before, after)]
    return (
        None not in ids
        and ids[0] != ids[1]
        and not any(
            _is_same(before, after, layout.version_folder(name, number))
            for number in before.numbers(name)
        )
    )


def _new_versions(
    before: Snapshot | None, after: Snapshot, skills: list[str]
) -> Iterator[tuple[str, str]]:
    for name in skills:
        for number in reversed(after.numbers(name)):
            # By its content: what was unpublished may have been published anew since.
            if not _is_same(before, after, layout.version_folder(name, number)):
                yield name, f"v{number}"


def _new_receipts(
    before: Snapshot | None, after: Snapshot, skills: list[str]
) -> Iterator[NewReceipts]:
    for name in skills:
        for number in reversed(after.numbers(name)):
            usable = _fresh(before, after, name, number)
            for runner in sorted({item.known.runner for item in usable}):
                verdicts = Counter(i.known.verdict for i in usable if i.known.runner == runner)
                yield NewReceipts(name, f"v{number}", runner, dict(sorted(verdicts.items())))


def _fresh(before: Snapshot | None, after: Snapshot, name: str, number: int) -> list[Committed]:
    """Return a version's usable receipts that were not there before."""
    skill_id = after.skill_id(name, or_older=True)
    if skill_id is None or all(
        _is_same(before, after, f"{layout.EVALS}/{spelled}/v{number}")
        for spelled in after.spellings_of(skill_id)
    ):
        return []
    old = before.receipts(skill_id, number) if before else []
    known = {(item.path, item.blob) for item in old}
    usable, _ = receipts_of(after, after.version(name, number))
    return [item for item in usable if (item.path, item.blob) not in known]


def _unreadable(
    before: tuple[Snapshot | None, list[str]], after: tuple[Snapshot, list[str]], touched: set[str]
) -> list[str]:
    """Return a sentence for each thing that cannot be read, unless it was so before."""
    past = before[0]
    people = not _is_same(past, after[0], layout.PEOPLE)
    said = set(_oddities(past, before[1], touched, people=people)) if past else set()
    found = dict.fromkeys(_oddities(*after, touched, people=people))
    return [item for item in found if item not in said]


def _oddities(
    snapshot: Snapshot, skills: list[str], touched: set[str], *, people: bool
) -> Iterator[str]:
    """Name what cannot be read at one commit, of what is not the same at another."""
    if people:
        yield from snapshot.people()[1]
    yield from oddities.at_the_top(snapshot)
    yield from oddities.strays(snapshot, touched)
    for name in skills:
        yield from oddities.strays_of(snapshot, name)
        for version in snapshot.versions(name):
            if version.problem:
                yield version.problem
            yield from version.doubts
            yield from receipts_of(snapshot, version)[1]
    yield from oddities.unlisted(snapshot, touched)


def _is_same(before: Snapshot | None, after: Snapshot, folder: str) -> bool:
    if before is None:
        return False
    return before.view.tree_id(folder.encode()) == after.view.tree_id(folder.encode())


def lines(news: News) -> list[str]:
    """Return what to print about one team."""
    if news.failure:
        return [f"{news.team}: not refreshed — {news.failure}"]
    found = [f"{news.team}: {name} was removed from the team" for name in news.removed_skills]
    unsaid = set(news.new_skills)
    for name, version in news.new_versions:
        what = "new skill" if name in unsaid else "new version"
        unsaid.discard(name)
        found.append(f"{news.team}: {what} {name} {version}")
    for item in news.new_receipts:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in item.verdicts.items())
        count = sum(item.verdicts.values())
        word = "receipt" if count == 1 else "receipts"
        by = terminal.one_line(item.by)[:_LONGEST_NAME] or "somebody unnamed"
        found.append(
            f"{news.team}: {count} new {word} for {item.skill} {item.version} by {by} ({verdicts})"
        )
    return found or [f"{news.team}: nothing new."]


def document(news: News) -> dict[str, Any]:
    """Return one team's news as `--json` prints them."""
    return {
        **news._asdict(),
        "new_versions": [{"skill": n, "version": v} for n, v in news.new_versions],
        "new_receipts": [item._asdict() for item in news.new_receipts],
    }
