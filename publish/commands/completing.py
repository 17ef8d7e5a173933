"""What the shell offers where the name of something in a team is typed, as of the last sync."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from store.completing import completer, installed_skills, references

if TYPE_CHECKING:
    import click

    from publish.snapshot import Snapshot


def published_skills(context: "click.Context") -> Iterator[str]:
    """Yield the names of the team's skills; of all teams where none is named."""
    return _in_teams(context, lambda snapshot: snapshot.skills())


def team_projects(context: "click.Context") -> Iterator[str]:
    """Yield the names of the team's projects; of all teams where none is named."""
    return _in_teams(context, lambda snapshot: snapshot.team.projects)


def _in_teams(
    context: "click.Context", names: "Callable[[Snapshot], Iterable[str]]"
) -> Iterator[str]:
    from publish.git import Mirror, Remote
    from publish.snapshot import Snapshot
    from receipts.errors import ReceiptsError
    from store import config, paths

    wanted = context.params.get("team")
    for entry in config.teams():
        if wanted in (None, entry.name):
            try:
                remote = Remote.parse(entry.remote)
                with Mirror.open(paths.mirror_path(entry.name), remote, create=False) as mirror:
                    yield from names(Snapshot(mirror.view()))
            except ReceiptsError:
                continue  # a team that cannot be read hides no other


def _all_skills(context: "click.Context") -> Iterator[str]:
    yield from installed_skills(context)
    yield from published_skills(context)


def _receipts_and_runs(context: "click.Context") -> Iterator[str]:
    yield from _all_skills(context)
    yield from references(context)


projects = completer(team_projects)
published = completer(published_skills)
receipts_or_skills = completer(_all_skills, path="file")
skills = completer(_all_skills, path="dir")
shown = completer(_receipts_and_runs, path="file")
