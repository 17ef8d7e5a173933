"""Unpublish: remove a skill for everyone, in one commit. History is not rewritten."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from publish import documents, git, guard, layout, names, repository
from publish.git import Change, File
from publish.guard import Action
from publish.repository import Proposal
from publish.snapshot import Snapshot
from receipts import jsontext, terminal
from receipts.errors import Cancelled, TeamError
from receipts.nearest import did_you_mean


class Unpublished(NamedTuple):
    """What was removed; assets and receipts are counted as far as they could be listed."""

    team: str
    skill: str
    versions: int
    assets: int
    receipts: int
    projects: list[str]
    profiles: int
    commit: str | None


class _Removal(NamedTuple):
    """What removing a skill does to the team at one tip."""

    skill_id: str
    folders: list[str]
    files: dict[str, File | None]
    versions: int
    assets: int
    receipts: int
    projects: list[str]
    profiles: int


def unpublish(name: str, team: str | None, confirm: Callable[[str, int], bool]) -> Unpublished:
    """Remove all versions, assets and receipts of a skill, and its mentions.

    Receipts and mentions under an id that another skill declares too stay with that one.

    Args:
        name: The skill.
        team: Which team, or None for the only one.
        confirm: Given the team's name and the number of versions, says whether to go on.

    Raises:
        TeamError: There is no such skill, or the team cannot be reached or refuses the write.
        Cancelled: The answer was no; nothing was changed.
    """
    with repository.fetched(team) as (opened, before):
        author = git.member_identity()
        first = _removal(before, name, opened.name)
        if not confirm(opened.name, first.versions):
            raise Cancelled(f"{name} was not unpublished.")
        removals = [first]

        def build(before: Snapshot) -> Proposal:
            removal = _removal(before, name, opened.name)
            if removal.skill_id != first.skill_id:
                raise TeamError(
                    f"{name} is no longer in the repository as {first.skill_id[:8]}; "
                    "run sync and retry."
                )
            removals.append(removal)
            handle = opened.entry.handle
            action = Action(guard.UNPUBLISH, handle, name, removal.skill_id)
            change = Change(
                {path.encode(): file for path, file in removal.files.items()},
                f"{handle}: unpublish {name}",
                frozenset(folder.encode() for folder in removal.folders),
            )
            return Proposal(action, change)

        written = opened.write(author, build)
        done = removals[-1]
        return Unpublished(
            opened.name,
            name,
            done.versions,
            done.assets,
            done.receipts,
            done.projects,
            done.profiles,
            written.commit.decode() if written.commit else None,
        )


def lines(done: Unpublished) -> list[str]:
    """Return what to print about a removal."""
    found = [
        f"Unpublished {done.skill} from the {done.team} marketplace: "
        f"removed {done.versions} {_plural('version', done.versions)}."
    ]
    if done.assets or done.receipts:
        found.append(
            f"Also removed {done.assets} eval asset file(s) and {done.receipts} eval receipt(s)."
        )
    found += [f"Removed it from {terminal.one_line(project)}." for project in done.projects]
    if done.profiles:
        found.append(f"Removed it from {done.profiles} member profile(s).")
    found.append(
        f"Machines that installed {done.skill} keep their copy; the next sync of each reports it "
        "as removed from the team."
    )
    return found


def warning(team: str, name: str, versions: int) -> list[str]:
    """Return what to print before asking."""
    return [
        f"This removes ALL {versions} {_plural('version', versions)} of {name} from the {team} "
        "marketplace, for everyone.",
        "Installed copies stay and keep working, and the git history is not rewritten.",
    ]


def _removal(before: Snapshot, name: str, team: str) -> _Removal:
    _ = before.team  # a teammate's push may have broken it since the first look
    numbers = before.numbers(name) if names.is_skill_name(name) else []
    if not numbers:
        near = did_you_mean(name, before.skills())
        raise TeamError(f"No skill named {name} exists in team {team}.", near)
    skill_id = before.skill_id(name, or_older=True) or ""
    folders = [f"{layout.SKILLS}/{name}"]
    files: dict[str, File | None] = {}
    receipts = profiles = 0
    projects: list[str] = []
    if _is_its_own(before, skill_id, name):
        for spelled in before.spellings_of(skill_id):
            folders.append(f"{layout.EVALS}/{spelled}")
            receipts += _count_below(before, folders[-1], layout.ReceiptPath)
        projects = _without_project_entries(before, skill_id, files)
        profiles = _without_profile_entries(before, skill_id, files)
    assets = _count_below(before, layout.assets_folder(name), layout.AssetFile)
    return _Removal(skill_id, folders, files, len(numbers), assets, receipts, projects, profiles)


def _is_its_own(before: Snapshot, skill_id: str, name: str) -> bool:
    """Say whether an id is this skill's alone: a copy made by hand may declare it too."""
    declaring = (other for other in before.skills() if other != name)
    return bool(skill_id) and not any(
        before.skill_id(other, or_older=True) == skill_id for other in declaring
    )


def _count_below(before: Snapshot, folder: str, kind: type[layout.Place]) -> int:
    """Count what stands below a folder, as far as it can be listed: all of it goes in any case."""
    count = 0
    with suppress(TeamError):
        for path, _ in before.view.walk(folder.encode()):
            count += isinstance(layout.place_of(path.decode("utf-8", "replace")), kind)
    return count


def _without_project_entries(
    before: Snapshot, skill_id: str, files: dict[str, File | None]
) -> list[str]:
    document = jsontext.loads(before.view.read(layout.TEAM.encode()))
    touched = []
    for project, entry in document.get("projects", {}).items():
        kept = [known for known in entry.get("skills", []) if known.lower() != skill_id]
        if len(kept) != len(entry.get("skills", [])):
            entry["skills"] = kept
            touched.append(project)
    if touched:
        files[layout.TEAM] = File(documents.dump(document), executable=False)
    return touched


def _without_profile_entries(before: Snapshot, skill_id: str, files: dict[str, File | None]) -> int:
    count = 0
    for person in before.people()[0]:
        document = documents.without_profile_entry(person, skill_id)
        if document is not None:
            path = layout.person_path(person.handle)
            files[path] = File(documents.dump(document), executable=False)
            count += 1
    return count


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
