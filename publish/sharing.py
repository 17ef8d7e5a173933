"""What happens to a receipt after its evaluation: shared with the team, hinted at, or silence.

An evaluation shares its own receipt only when the bytes that it measured are exactly a published
version. Anything short of that shares nothing, which is the normal outcome for an edited folder.
"""

import os
from pathlib import Path
from typing import NamedTuple

from publish import attaching, git, guard, repository
from publish.git import Change, File
from publish.guard import Action
from publish.repository import Proposal, Repository
from publish.snapshot import Snapshot, Version
from receipts import scrub, terminal
from receipts.errors import ReceiptsError, UsageError
from store import config
from store.config import TeamEntry
from store.runs import LocalRun


class Situation(NamedTuple):
    """All that the choice of the last line depends on.

    Attributes:
        team: The team's name, or None on a machine without one.
        handle: The member's handle, or empty.
        skill: The skill's name.
        has_results: Whether the run scored anything.
        no_commit: Whether the person asked to share nothing.
        version: N of the published version with exactly these bytes that has a skill id, or None.
        failure: Why sharing failed, or empty.
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
    if situation.no_commit or situation.team is None or not situation.handle:
        return None
    if situation.failure:
        return (
            "The eval is complete and saved locally, but publishing its receipt failed: "
            f"{situation.failure}"
        )
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
    entry = None if no_commit else _entry(team)
    version, failure = _commit(run, entry) if entry else (None, "")
    return line(
        Situation(
            team=entry.name if entry else None,
            handle=entry.handle if entry else "",
            skill=receipt.skill_name,
            has_results=receipt.scored_rows > 0,
            no_commit=no_commit,
            version=version,
            failure=failure,
            verdict=receipt.verdict,
            command=f"receipts publish {folder}",
        )
    )


def _entry(team: str | None) -> TeamEntry | None:
    try:
        return config.team(team)
    except UsageError:
        return None  # no team, or several and none named: nothing to share with


def _commit(run: LocalRun, entry: TeamEntry) -> tuple[int | None, str]:
    """Commit a run's receipt; return the version it was committed for, and why it failed."""
    try:
        with repository.opened(entry) as opened:
            return _write(opened, run), ""
    except ReceiptsError as error:
        return None, str(error)


def _write(opened: Repository, run: LocalRun) -> int | None:
    secrets = scrub.secrets_from(os.environ)
    name = run.file.receipt.skill_name if run.file.receipt else ""
    found: list[Version | None] = []

    def build(before: Snapshot) -> Proposal | None:
        version = _version_with(before, run.digest, name)
        found.append(version)
        skill_id = before.skill_id(version.name, or_older=True) if version else None
        if version is None or skill_id is None:
            return None
        attached = attaching.attachments(
            before, [run], skill_id=skill_id, number=version.number, secrets=secrets
        )
        for item in attached:
            for sentence in scrub.summary(item.removed):
                terminal.say(sentence)
        files = {item.path.encode(): File(item.data, executable=False) for item in attached}
        change = Change(files, f"{entry.handle}: eval {version.name}")
        action = Action(guard.EVAL, entry.handle, version.name, skill_id)
        return Proposal(action, change) if files else None

    entry = opened.entry
    opened.write(git.member_identity(), build)
    opened.remember()
    version = found[-1]
    return version.number if version and version.skill_id else None


def _version_with(before: Snapshot, digest: str, name: str) -> Version | None:
    """Return the newest version with these bytes, of the skill's own name if it has one."""
    names = sorted(before.skills(), key=lambda other: (other != name, other))
    versions = (version for skill in names for version in before.versions(skill))
    return next((version for version in versions if version.digest == digest), None)
