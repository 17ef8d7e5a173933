"""Publish: a skill's bytes, its assets and every receipt of exactly these bytes, at once.

Everything that can refuse or ask comes before the first write. The team gets one commit; the user's
SKILL.md gets its managed fields only after that commit has landed.
"""

import os
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from publish import attaching, documents, gate, git, guard, layout, lineage, repository, unattached
from publish import contents as reading
from publish.contents import Contents, Finding
from publish.git import Change, File, Identity, MirrorDamaged
from publish.guard import Action
from publish.lineage import Candidate, Category
from publish.outcome import Plan, Published
from publish.repository import Proposal, Repository
from publish.snapshot import Snapshot
from receipts import jsontext, scrub, skillmd, terminal
from receipts.digest import SKILL_MD
from receipts.errors import Cancelled, ReceiptsError, StoreError, TeamError, UsageError
from receipts.files import write_atomic
from store import locks, runs
from store.config import TeamEntry

_NEW = ".receipts-write-"


class Request(NamedTuple):
    """What the command line asks for."""

    folder: Path
    team: str | None = None
    category: str | None = None
    project: str | None = None
    dry_run: bool = False
    allowed_findings: frozenset[str] = frozenset()


def publish(request: Request, ask: Callable[[str], bool]) -> Published:
    """Publish a skill folder.

    Args:
        request: What to publish, where and how.
        ask: Asks a yes-or-no question; called at most once, when the newest run of these bytes
            failed or the managed fields take the runs that measured the folder as it is away from
            it. It may raise.

    Raises:
        SkillError: The folder cannot be published as it is.
        Cancelled: The answer was no; nothing was changed.
        TeamError: The team cannot be reached or refuses the write; nothing was changed.
    """
    secrets = scrub.secrets_from(os.environ)
    with repository.fetched(request.team) as (team, before):
        author = git.member_identity(request.folder)
        contents = reading.read(request.folder)
        category = lineage.choose_category(before, contents, request.category)
        if category.line:
            terminal.say(category.line)
        findings = reading.credentials_in(contents, secrets)
        reading.refuse_credentials(findings, request.allowed_findings)
        publication = _Publication(
            request, contents, category, author, team.entry, str(uuid.uuid4()), findings, secrets
        )

        first = publication.plan(before)
        local = runs.runs_of(first.candidate.digest) if first.change else []
        orphans = unattached.orphans(before, contents, category, first.candidate)
        question = gate.question(local, orphans)
        done = Published(team.name, contents.name, request.project, first, None, [], [])
        if request.dry_run:
            return done._replace(
                dry_run=True, question=question, warnings=publication.warnings(first)
            )
        if question and not ask(question):
            raise Cancelled("Publish was cancelled.")

        plan, commit = _write(team, publication)
        warnings = publication.warnings(plan) + _write_back(contents, plan.candidate)
        if commit:
            warnings += _read_back(team, contents.name, plan.candidate, commit)
        left = unattached.other_bytes(team.snapshot(), contents.name, plan.candidate)
        return done._replace(plan=plan, commit=commit, not_attached=left, warnings=warnings)


class _Publication(NamedTuple):
    """Everything about one publish that does not depend on the team's tip."""

    request: Request
    contents: Contents
    category: Category
    author: Identity
    entry: TeamEntry
    fresh_id: str
    findings: list[Finding]
    secrets: Sequence[str]

    @property
    def name(self) -> str:
        return self.contents.name

    def plan(self, before: Snapshot) -> Plan:
        """Return what this publish does to the team at one tip; a pure function of the tip."""
        candidate = lineage.candidate(
            before, self.contents, self.author, self.category, self.fresh_id
        )
        files: dict[str, File | None] = {}
        if candidate.same_as is None:
            folder = layout.version_folder(self.name, candidate.number)
            files |= {f"{folder}/{path}": file for path, file in candidate.files.items()}
        assets = self._changed_assets(before)
        files |= {f"{layout.assets_folder(self.name)}/{p}": file for p, file in assets.items()}
        attached, left = attaching.attachments(
            before,
            [run for run in runs.runs_of(candidate.digest) if run.file.receipt is not None],
            skill_id=candidate.skill_id,
            number=candidate.number,
            secrets=self.secrets,
        )
        files |= {item.path: File(item.data, executable=False) for item in attached}
        team = self._with_project(before, candidate.skill_id)
        if team:
            files[layout.TEAM] = File(team, executable=False)
        note = None
        if candidate.same_as is None:
            person, note = self._with_profile_entry(before, candidate)
            if person:
                files[layout.person_path(self.entry.handle)] = File(person, executable=False)
        change = (
            Change({p.encode(): f for p, f in files.items()}, self._message()) if files else None
        )
        has_modes = self.contents.has_modes
        changed_modes = lineage.changed_modes(before, candidate) if has_modes else []
        notes = [*left, *_modes_note(changed_modes, candidate)]
        return Plan(candidate, attached, assets, team is not None, notes, note, change)

    def warnings(self, plan: Plan) -> list[str]:
        """Return what the person should know beside the outcome."""
        removed = [item for attachment in plan.attached for item in attachment.removed]
        moved = [
            f"Run {item.moved_from} was filed as {item.run_id}: another run had taken its second."
            for item in plan.attached
            if item.moved_from
        ]
        note = self.category.note
        own = skillmd.fields(lineage.decode(self.contents)) or {}
        name = own.get("name")
        renamed = (
            [f"SKILL.md calls this skill {name}; it is published as its folder, {self.name}."]
            if name and name != self.name
            else []
        )
        return [
            *self.contents.warnings,
            *renamed,
            *([note] if note and plan.candidate.same_as is None else []),
            *_license_note(own.get("license"), plan.candidate),
            *moved,
            *plan.notes,
            *unattached.not_considered(plan.candidate.digest),
            *scrub.summary(removed),
        ]

    def _changed_assets(self, before: Snapshot) -> dict[str, File]:
        known = before.assets(self.name)
        return {
            path: file
            for path, file in self.contents.assets.items()
            if path not in known or (known[path].data, known[path].executable) != file
        }

    def _with_project(self, before: Snapshot, skill_id: str) -> bytes | None:
        project = self.request.project
        if project is None:
            return None
        _check_project(before, project)
        document = jsontext.loads(before.view.read(layout.TEAM.encode()))
        skills = document["projects"][project].setdefault("skills", [])
        if any(known.lower() == skill_id for known in skills):
            return None
        skills.append(skill_id)
        return documents.dump(document)

    def _with_profile_entry(
        self, before: Snapshot, candidate: Candidate
    ) -> tuple[bytes | None, str | None]:
        """Return the member's file with this skill in its profile, or why it stays as it is."""
        try:
            person = before.person(self.entry.handle)
            if person is None:
                path = layout.person_path(self.entry.handle)
                return None, f"{path} is gone; join the team again."
            document = documents.with_profile_entry(
                person, skill_id=candidate.skill_id, name=self.name, number=candidate.number
            )
            return documents.dump(document), None
        except MirrorDamaged:
            raise
        except TeamError as error:
            return None, error.message

    def _message(self) -> str:
        subject = f"{self.entry.handle}: publish {self.name}"
        allowed = [f"{f.place} ({f.rule})" for f in self.findings]
        return subject + (f"\n\nAllowed findings: {', '.join(allowed)}\n" if allowed else "")


def _license_note(declared: object, candidate: Candidate) -> list[str]:
    """Say that a licence which SKILL.md declares gives way to the team's."""
    published = candidate.files[SKILL_MD].data.decode()
    wanted = (skillmd.fields(published) or {}).get("license")
    if declared in (None, "", wanted):
        return []
    return [
        f"SKILL.md says license: {terminal.one_line(str(declared))}; the team's policy makes it "
        f"{terminal.one_line(str(wanted))}, in the team and in your file."
    ]


def _write(team: Repository, publication: _Publication) -> tuple[Plan, str | None]:
    plans: list[Plan] = []

    def build(before: Snapshot) -> Proposal | None:
        plan = publication.plan(before)
        plans.append(plan)
        handle, skill_id = publication.entry.handle, plan.candidate.skill_id
        action = Action(guard.PUBLISH, handle, publication.name, skill_id)
        return Proposal(action, plan.change) if plan.change else None

    written = team.write(publication.author, build, folder=publication.request.folder)
    return plans[-1], written.commit.decode() if written.commit else None


def _write_back(contents: Contents, candidate: Candidate) -> list[str]:
    """Put the managed fields into the user's SKILL.md, unless it changed while we were busy."""
    path = contents.folder / SKILL_MD
    injected = candidate.files[SKILL_MD].data
    if injected == contents.skill_md:
        return []
    try:
        with locks.held("write-back"):
            there = path.read_bytes()
            if there == injected:  # by another process that published the same bytes
                return []
            if there != contents.skill_md:
                return [
                    f"{path} changed during the publish, so its managed fields were not written."
                ]
            _replace(path, injected)
    except (ReceiptsError, OSError) as error:
        return [f"The managed fields could not be written to {path}: {error}"]
    return []


def _replace(path: Path, data: bytes) -> None:
    """Replace a file of a skill folder, for the holder of the lock.

    The new file is made outside the folder where that is possible: left behind there by a killed
    process, it would be part of the skill.
    """
    outside = path.parent.resolve().parent
    for left in outside.glob(f"{_NEW}*"):
        left.unlink()
    mode = path.stat().st_mode & 0o777
    try:
        write_atomic(path, data, mode, through=outside / f"{_NEW}{os.urandom(8).hex()}")
    except StoreError:  # the folder is a mount point, or the one above may not be written
        write_atomic(path, data, mode)


def _read_back(team: Repository, name: str, candidate: Candidate, commit: str) -> list[str]:
    """Measure the published version where it is stored; return a warning when it is not here."""
    tip = team.mirror.tip
    if tip is None or tip.decode() != commit:
        return [
            f"{name} v{candidate.number} is published, but this machine's copy of the team could "
            "not be brought up to it; run `receipts sync`."
        ]
    measured = team.snapshot().measure(name, candidate.number)
    if measured.digest != candidate.digest:
        raise TeamError(
            f"{name} v{candidate.number} was published, but its bytes read back as "
            f"{measured.digest}, not {candidate.digest}.",
            "This is a defect in receipts; please report it.",
        )
    return []


def _modes_note(paths: Sequence[str], candidate: Candidate) -> list[str]:
    if not paths:
        return []
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if paths[5:] else "")
    return [
        f"The executable bit of {shown} is not as in Version {candidate.number}, and was not "
        "published: it is no part of the bytes. Change a byte too, and the new version has it."
    ]


def _check_project(before: Snapshot, project: str) -> None:
    if project not in before.team.projects:
        known = ", ".join(map(terminal.one_line, before.team.projects)) or "none"
        raise UsageError(f"Unknown project {project}.", f"Known projects: {known}.")
