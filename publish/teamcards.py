"""The cards of a team's repository, and what a library card asks of a team."""

from collections.abc import Mapping
from functools import cached_property

from publish.known import USABLE
from publish.snapshot import Committed, Snapshot, Version
from receipts import difference
from receipts.errors import TeamError
from receipts.recency import Recency, recency
from store import cards
from store.cards import Card, Scored


class Reading:
    """One team as a library card sees it; implements `store.cards.TeamReading`."""

    def __init__(self, name: str, snapshot: Snapshot) -> None:
        self.name = name
        self.snapshot = snapshot

    def labels_of(self, digest: str, name: str) -> list[str]:
        """Return `v<N>` of the versions with these bytes: of `name` first, then newest first."""
        versions = self._versions.get(digest, [])
        return [version.label for version in sorted(versions, key=lambda v: v.name != name)]

    def receipt_of(self, digest: str) -> tuple[bytes | None, list[str]]:
        """Return the newest usable receipt of these bytes, and what had to be left out."""
        usable: list[Committed] = []
        left_out: list[str] = []
        for version in self._versions.get(digest, []):
            good, bad = receipts_of(self.snapshot, version)
            usable += good
            left_out += bad
        newest = max(usable, key=_when, default=None)
        return (self.snapshot.receipt_bytes(newest) if newest else None), left_out

    def newest_of(self, name: str, skill_id: str | None) -> Scored | None:
        """Return the newest usable receipt of a skill, known by its id if it has one.

        A skill of the same name that declares another id is another skill.
        """
        names = self.snapshot.owners_of(skill_id) if skill_id else [name]
        found = [
            (receipt, version)
            for skill in names
            for version in self.snapshot.versions(skill)
            for receipt in receipts_of(self.snapshot, version)[0]
        ]
        if not found:
            return None
        receipt, version = max(found, key=lambda pair: _when(pair[0]))
        return Scored(
            receipt.skill_id, version.name, version.digest or "", _when(receipt), version.label
        )

    def hashes_of(self, name: str, digest: str) -> Mapping[str, str] | None:
        """Return path to content hash of a version with these bytes, of `name` if it has one."""
        versions = sorted(self._versions.get(digest, []), key=lambda v: v.name != name)
        return _hashes(self.snapshot, versions[0]) if versions else None

    @cached_property
    def _versions(self) -> dict[str, list[Version]]:
        found: dict[str, list[Version]] = {}
        for name in self.snapshot.skills():
            for version in self.snapshot.versions(name):
                if version.digest:
                    found.setdefault(version.digest, []).append(version)
        return found


def team_card(team: str, snapshot: Snapshot, name: str) -> Card:
    """Return a skill's card: the newest version with a usable receipt, stale unless the latest."""
    notes: list[str] = []
    latest: Version | None = None
    for version in snapshot.versions(name):
        latest = latest or version
        usable, bad = receipts_of(snapshot, version)
        notes += [f"{team}/{name}: {sentence}" for sentence in bad]
        if version.problem:
            notes.append(f"{team}/{name}: {version.problem}")
        if usable:
            return _scored(team, snapshot, version, latest, usable[0], notes)
    if latest is None:
        raise TeamError(f"No skill named {name} exists in team {team}.")
    state = cards.UNREADABLE if notes else cards.NONE
    reason = notes[0] if notes else "nothing measured any version"
    return Card(
        name, None, team, latest.label, latest.label, latest.digest, state, None, None, reason,
        tuple(notes),
    )  # fmt: skip


def receipts_of(snapshot: Snapshot, version: Version) -> tuple[list[Committed], list[str]]:
    """Return a version's usable receipts, newest first, and a sentence for each other one.

    A receipt is usable when it is valid, stands in its place, and measured this version's bytes.
    Where two skills declare one id, a receipt of the other's bytes stands in its place all the same
    and is neither.
    """
    skill_id = snapshot.skill_id(version.name, or_older=True)
    usable, bad = [], []
    for receipt in snapshot.receipts(skill_id, version.number) if skill_id else []:
        if receipt.known.state != USABLE:
            bad.append(f"{receipt.known.problem} Not considered.")
        elif version.digest is None:
            bad.append(f"{receipt.path} is of a version that cannot be read. Not considered.")
        elif receipt.known.digest == version.digest:
            usable.append(receipt)
        elif not _is_anothers(snapshot, receipt):
            bad.append(
                f"{receipt.path} measured other bytes than {version.name} {version.label}. "
                "Not considered."
            )
    return sorted(usable, key=_when, reverse=True), bad


def _is_anothers(snapshot: Snapshot, receipt: Committed) -> bool:
    """Say whether a receipt measured another skill that declares the id of its place."""
    versions = snapshot.versions_under(receipt.skill_id, receipt.number)
    measured = receipt.known.digest
    return measured is not None and any(version.digest == measured for version in versions)


def _scored(
    team: str,
    snapshot: Snapshot,
    version: Version,
    latest: Version,
    receipt: Committed,
    notes: list[str],
) -> Card:
    state, reason = cards.SCORED, ""
    if version.number != latest.number:
        state = cards.STALE
        reason = f"scored at {version.label}; {_changes(snapshot, version, latest)}"
    data = snapshot.receipt_bytes(receipt)
    notes += [
        cards.contradiction(version.name, what)
        for what in snapshot.contradictions(version.name, receipt, data)
    ]
    return Card(
        name=version.name,
        path=None,
        team=team,
        version=version.label,
        latest=latest.label,
        digest=version.digest,
        state=state,
        receipt=data,
        source=cards.TEAM,
        reason=reason,
        notes=tuple(notes),
    )


def _changes(snapshot: Snapshot, version: Version, latest: Version) -> str:
    if latest.problem:
        return f"{latest.label} is the latest"
    before = snapshot.measure(version.name, version.number)
    after = snapshot.measure(latest.name, latest.number)
    files = snapshot.files(latest.name, latest.number)
    changed = difference.name_line_endings(
        difference.compare_measured(before, after),
        {file.path: file.sha256 for file in before.files},
        lambda path: files[path].data,
    )
    return f"since then, up to {latest.label}, {cards.describe_changes(changed)}"


def _hashes(snapshot: Snapshot, version: Version) -> dict[str, str]:
    measured = snapshot.measure(version.name, version.number)
    return {file.path: file.sha256 for file in measured.files}


def _when(receipt: Committed) -> Recency:
    return recency(receipt.run_id, receipt.known.timestamp)
