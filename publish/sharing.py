"""What happens to a receipt after its evaluation: shared with the team, hinted at, or silence.

An evaluation shares its own receipt only when the bytes that it measured are exactly a published
version. Anything short of that shares nothing, which is the normal outcome for an edited folder.
"""

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from publish import attaching, git, guard, repository
from publish.git import Change, File
from publish.guard import Action
from publish.repository import Proposal, Repository
from publish.snapshot import Snapshot, Version
from receipts import scrub, terminal
from receipts.errors import ReceiptError, ReceiptsError
from store import config
from store.config import TeamEntry
from store.runs import LocalRun


class Situation(NamedTuple):
    """All that the choice of the last line depends on.

    Attributes:
        team: The team's name, or None on a machine without one.
        handle: The member's handle, or empty.
        skill: The name of the skill that was evaluated, or of the one that has its bytes.
        has_results: Whether the run scored anything.
        no_commit: Whether the person asked to share nothing.
        version: N of the published version with exactly these bytes that has a skill id, or None.
        failure: Why sharing failed, or empty; said even when the team is not known for it.
        verdict: The run's verdict.
        command: The command that publishes this skill.
    """

    team: str | None
    handle: str
    skill: str
    has_results: bool
    no_commit: bool
    version: int | None
    failure: str
    verdict: str
    command: str


def line(situation: Situation) -> str | None:
    """Return the line to print after an evaluation's report, or None for silence."""
    if situation.no_commit:
        return None
    if situation.failure:
        return (
            "The eval is complete and saved locally, but publishing its receipt failed: "
            f"{situation.failure}"
        )
    if situation.team is None or not situation.handle:
        return None
    if situation.version is not None:
        return (
            f"Published this receipt to {situation.team} for Version {situation.version} of "
            f"{situation.skill}."
        )
    if not situation.has_results:
        return None
    nothing_shared = "These bytes are not a published version, so nothing was shared."
    if situation.verdict == "FAIL":
        return (
            f"{nothing_shared} This run's verdict is FAIL: evaluate a fix rather than publishing "
            f"these bytes — {situation.command} asks before it publishes a failed verdict."
        )
    return f"{nothing_shared} To share these results, publish the skill again: {situation.command}"


def share(run: LocalRun, folder: Path, *, team: str | None, no_commit: bool) -> str | None:
    """Share a finished run's receipt if its bytes are a published version; return the last line.

    The run itself has succeeded by now, so no failure to share it is raised.

    Args:
        run: The run, as it is filed on this machine.
        folder: The skill folder that was evaluated.
        team: Which team, or None for the only one.
        no_commit: Share nothing.
    """
    receipt = run.file.receipt
    if receipt is None:
        return None
    entry, version, failure = (None, None, "") if no_commit else _shared(run, folder, team)
    named = f" --team {shlex.quote(team)}" if team else ""
    return line(
        Situation(
            team=entry.name if entry else None,
            handle=entry.handle if entry else "",
            skill=version.name if version else receipt.skill_name,
            has_results=receipt.scored_rows > 0,
            no_commit=no_commit,
            version=version.number if version else None,
            failure=failure,
            verdict=receipt.verdict,
            command=f"receipts publish {shlex.quote(str(folder))}{named}",
        )
    )


def _shared(
    run: LocalRun, folder: Path, team: str | None
) -> tuple[TeamEntry | None, Version | None, str]:
    """Return the team, the version that the receipt is now at in it, and why it is not."""
    entry = None
    try:
        entry = _entry(team)
        if entry is None:
            return None, None, ""
        with repository.opened(entry) as opened:
            return entry, _commit(opened, run, folder), ""
    except ReceiptsError as error:
        return entry, None, str(error)


def _entry(team: str | None) -> TeamEntry | None:
    """Return the named team, or the only one; None when there is none, or several and no name."""
    teams = config.teams()
    return config.team(team) if team or len(teams) == 1 else None


def _commit(opened: Repository, run: LocalRun, folder: Path) -> Version | None:
    """Commit a run's receipt unless it is there, and return the version that it is at, if any."""
    secrets = scrub.secrets_from(os.environ)
    name = run.file.receipt.skill_name if run.file.receipt else ""
    shared: Version | None = None
    removed: list[scrub.Removed] = []

    def build(before: Snapshot) -> Proposal | None:
        nonlocal shared, removed
        shared, removed = None, []
        _ = before.team  # nothing is written into what is no team, or one of another layout
        version = _version_with(before, run.digest, name)
        skill_id = before.skill_id(version.name, or_older=True) if version else None
        if version is None or skill_id is None:
            return None
        attached, left = attaching.attachments(
            before, [run], skill_id=skill_id, number=version.number, secrets=secrets
        )
        if left:
            raise ReceiptError(left[0])
        shared, removed = version, [found for item in attached for found in item.removed]
        files = {item.path.encode(): File(item.data, executable=False) for item in attached}
        change = Change(files, f"{opened.entry.handle}: eval {version.name}")
        action = Action(guard.EVAL, opened.entry.handle, version.name, skill_id)
        return Proposal(action, change) if files else None

    opened.write(git.member_identity(folder), build, folder=folder)
    opened.remember()
    for sentence in scrub.summary(removed):
        terminal.say(sentence)
    return shared


def _version_with(before: Snapshot, digest: str, name: str) -> Version | None:
    """Return the newest version with these bytes, of the skill's own name if it has one."""
    names = sorted(before.skills(), key=lambda other: (other != name, other))
    versions = (version for skill in names for version in before.versions(skill))
    return next((version for version in versions if version.digest == digest), None)
