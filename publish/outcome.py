"""What a publish does to a team, and the words for it."""

from typing import Any, NamedTuple

from publish.attaching import Attachment
from publish.git import Change, File
from publish.lineage import Candidate

_MOST_RUNS_NAMED = 5


class Plan(NamedTuple):
    """What one publish does to the team at one tip.

    `notes` says what is left out and why. `profile_note` says why the member's profile stays as it
    is; `change` is None when there is nothing to write.
    """

    candidate: Candidate
    attached: list[Attachment]
    assets: dict[str, File]
    project_added: bool
    notes: list[str]
    profile_note: str | None
    change: Change | None

    @property
    def paths(self) -> list[str]:
        """The paths that are written, sorted."""
        return sorted(path.decode() for path in self.change.files) if self.change else []


class Published(NamedTuple):
    """What a publish did, or with `dry_run` would do.

    Attributes:
        team: The team's name.
        skill: The skill's name.
        project: The project it was to be listed under, or None.
        plan: What was written.
        commit: The commit, or None when nothing was written.
        not_attached: Ids of local runs of this skill's other bytes that are in no team.
        warnings: Sentences for stderr.
        dry_run: Whether nothing was to be written.
        question: What a dry run would have asked.
    """

    team: str
    skill: str
    project: str | None
    plan: Plan
    commit: str | None
    not_attached: list[str]
    warnings: list[str]
    dry_run: bool = False
    question: str | None = None


def lines(done: Published) -> list[str]:
    """Return what to print about a publish."""
    if done.dry_run:
        return _would(done)
    if done.plan.candidate.same_as is None:
        found = _minted(done)
    elif done.commit is None:
        found = [
            f"Nothing to publish: {done.skill} is identical to Version "
            f"{done.plan.candidate.number} and already in the {done.team} marketplace."
        ]
    else:
        found = _moved(done)
    if done.not_attached:
        named = ", ".join(done.not_attached[:_MOST_RUNS_NAMED])
        more = ", …" if done.not_attached[_MOST_RUNS_NAMED:] else ""
        found.append(
            f"{len(done.not_attached)} local eval run(s) were not attached — they measured other "
            f"bytes of {done.skill} ({named}{more})."
        )
    return found


def _would(done: Published) -> list[str]:
    candidate, paths = done.plan.candidate, done.plan.paths
    if not paths:
        headline = (
            f"Would publish nothing: {done.skill} is identical to Version {candidate.number}."
        )
    elif candidate.same_as:
        headline = f"Would add to Version {candidate.number} of {done.skill}:"
    else:
        headline = f"Would publish {done.skill} as Version {candidate.number}:"
    found = [headline, *(f"  {path}" for path in paths), f"digest: {candidate.digest}"]
    return [*found, f"Would ask: {done.question}"] if done.question else found


def _minted(done: Published) -> list[str]:
    plan, number = done.plan, done.plan.candidate.number
    where = f"{done.team} marketplace" + (f" and {done.project}" if plan.project_added else "")
    found = [
        f"Published {done.skill} as Version {number} to the {where}. "
        f"Attached {len(plan.attached)} eval run(s)."
    ]
    if plan.assets:
        found.append(f"Updated {len(plan.assets)} eval asset file(s) for {done.skill}.")
    if plan.profile_note:
        found.append(
            f"Published {done.skill}, but could not add it to your profile: {plan.profile_note}"
        )
    else:
        found.append(f"Your profile now lists {done.skill} at Version {number}.")
    return found


def _moved(done: Published) -> list[str]:
    """Say what a publish of bytes that were a version already moved beside them."""
    plan, number = done.plan, done.plan.candidate.number
    parts = [f"attached {len(plan.attached)} eval run(s)"] if plan.attached else []
    parts += [f"updated {len(plan.assets)} eval asset file(s)"] if plan.assets else []
    if not plan.project_added:
        return [
            f"{done.skill} is identical to Version {number}, so no new version was minted; "
            f"{' and '.join(parts)}."
        ]
    added = (
        f"Added {done.skill} to {done.project}. It is identical to Version {number} of the skill "
        "already in the team repository."
    )
    return [added, f"Also {' and '.join(parts)}."] if parts else [added]


def document(done: Published) -> dict[str, Any]:
    """Return a publish as the document that `--json` prints."""
    candidate = done.plan.candidate
    return {
        "team": done.team,
        "skill": done.skill,
        "skill_id": candidate.skill_id,
        "version": f"v{candidate.number}",
        "minted": candidate.same_as is None,
        "dry_run": done.dry_run,
        "question": done.question,
        "digest": candidate.digest,
        "commit": done.commit,
        "attached": [
            {"run_id": item.run_id, "path": item.path, "moved_from": item.moved_from}
            for item in done.plan.attached
        ],
        "not_attached": done.not_attached,
        "assets": sorted(done.plan.assets),
        "paths": done.plan.paths,
        "lines": lines(done),
        "warnings": done.warnings,
    }
