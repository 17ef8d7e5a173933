"""A card: one receipt for the exact bytes that you hold, or an honest word about why there is none.

A card shows one receipt, whole, with its provenance. Two receipts are never combined into one
number. A library card is matched on bytes: receipts of this machine first, the team's second. Where
nothing measured these bytes but something measured other bytes of the same skill, the card is
stale, which is not the same as never measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from receipts import difference, folder
from receipts.digest import Measured, measure
from receipts.errors import SkillError
from receipts.recency import Recency, recency
from store import runs
from store.library import InstalledSkill
from store.manifest import measured_files

SCORED = "scored"
STALE = "stale"
NONE = "none"
AMBIGUOUS = "ambiguous"
UNREADABLE = "unreadable"

LOCAL = "local"
TEAM = "team"

_MOST_NAMED_FILES = 3
_LARGEST_TEXT = 8 << 20
_WORDS = {
    difference.CHANGED: "{files} changed",
    difference.ADDED: "{files} {were} added",
    difference.REMOVED: "{files} {were} removed",
    difference.LINE_ENDINGS: "{only}the line endings of {files} changed",
    difference.EXECUTABLE: "{only}the executable bit of {files} changed",
}


class Card(NamedTuple):
    """What is known about one skill.

    Attributes:
        name: The skill's name.
        path: The folder of an installed skill; None on a team's card.
        team: The team whose version this is, where that is known and only one.
        version: `v<N>` that the bytes are, where they are a published version.
        latest: `v<N>` of the newest published version, on a team's card.
        digest: Content digest of the bytes, or None when they cannot be measured.
        state: `scored`, `stale`, `none`, `ambiguous` or `unreadable`.
        receipt: The receipt's bytes, or None.
        source: `local` or `team`: where the receipt was found; None without one.
        reason: One sentence on why the card is in this state; empty when scored and all is well.
        notes: A sentence for each receipt that could not be considered.
    """

    name: str
    path: str | None
    team: str | None
    version: str | None
    latest: str | None
    digest: str | None
    state: str
    receipt: bytes | None
    source: str | None
    reason: str
    notes: tuple[str, ...] = ()


class Scored(NamedTuple):
    """A receipt that some card could show: what it measured and how new it is."""

    skill_id: str | None
    skill_name: str
    digest: str
    when: Recency
    label: str


class TeamReading(Protocol):
    """What a library card asks of one team; `publish` answers from its mirror."""

    name: str

    def labels_of(self, digest: str, name: str) -> list[str]:
        """Return `v<N>` of the versions with these bytes, one of skill `name` first."""

    def receipt_of(self, digest: str) -> tuple[bytes | None, list[str]]:
        """Return the newest usable receipt of these bytes, and what had to be left out."""

    def newest_of(self, name: str, skill_id: str | None) -> Scored | None:
        """Return the newest usable receipt of a skill, whatever its bytes."""

    def hashes_of(self, name: str, digest: str) -> Mapping[str, str] | None:
        """Return path to content hash of the version of `name` with these bytes."""


def library_card(
    skill: InstalledSkill,
    declared_id: str | None,
    local: runs.Survey,
    teams: Sequence[TeamReading],
) -> Card:
    """Return the card of an installed skill.

    Args:
        skill: The folder.
        declared_id: The skill id that its SKILL.md declares, or None.
        local: Every run on this machine.
        teams: The teams that this machine belongs to.
    """
    try:
        measured = measure(skill.path)
    except SkillError as error:
        return _card(skill, None, UNREADABLE, reason=error.message)
    owners = [team for team in teams if team.labels_of(measured.digest, skill.name)]
    labels = owners[0].labels_of(measured.digest, skill.name) if len(owners) == 1 else []
    base = _card(skill, measured.digest, NONE)
    if len(owners) == 1:
        base = base._replace(team=owners[0].name, version=labels[0])

    mine, notes = _local_receipt(measured.digest, local)
    if mine:
        return base._replace(state=SCORED, receipt=mine.file.data, source=LOCAL, notes=tuple(notes))
    if len(owners) > 1:
        return base._replace(
            state=AMBIGUOUS,
            reason="identical bytes exist in more than one team; no version is shown",
            notes=tuple(notes),
        )
    for team in teams:
        data, left_out = team.receipt_of(measured.digest)
        notes += [f"{team.name}/{skill.name}: {sentence}" for sentence in left_out]
        if data:
            return base._replace(state=SCORED, receipt=data, source=TEAM, notes=tuple(notes))
    return _unscored(base, skill, measured, declared_id, local, teams, notes)


def _unscored(
    base: Card,
    skill: InstalledSkill,
    measured: Measured,
    declared_id: str | None,
    local: runs.Survey,
    teams: Sequence[TeamReading],
    notes: list[str],
) -> Card:
    if notes:
        return base._replace(state=UNREADABLE, reason=notes[0], notes=tuple(notes))
    earlier = _newest(
        [_newest_local(skill.name, declared_id, measured.digest, local)]
        + [team.newest_of(skill.name, declared_id) for team in teams]
    )
    if earlier is None:
        return base._replace(reason="nothing measured these bytes")
    hashes = _hashes_at(earlier, skill.name, local, teams)
    changed = _since(hashes, skill, measured) if hashes is not None else "its bytes changed"
    labels = [label for team in teams for label in team.labels_of(earlier.digest, skill.name)]
    label = labels[0] if labels else earlier.label
    return base._replace(state=STALE, reason=f"scored at {label}; since then {changed}")


def _local_receipt(digest: str, local: runs.Survey) -> tuple[runs.LocalRun | None, list[str]]:
    """Return this machine's newest usable run of these bytes, and what had to be left out."""
    matching = [run for run in local.runs if run.digest == digest]
    usable = [run for run in matching if run.file.receipt is not None]
    notes = [
        f"local run {run.run_id} is newer than this version of receipts."
        for run in matching
        if run.file.newer
    ]
    broken = [item for item in local.left_out if item.digest == digest]
    if line := runs.unreadable_line(broken):
        notes.append(line)
    return (usable[-1] if usable else None), notes


def _newest_local(
    name: str, skill_id: str | None, digest: str, local: runs.Survey
) -> Scored | None:
    found = []
    for run in local.runs:
        receipt = run.file.receipt
        if receipt is None or run.digest == digest:
            continue
        same_id = receipt.skill_id is not None and receipt.skill_id.lower() == skill_id
        same_name = receipt.skill_name == name and (receipt.skill_id is None or skill_id is None)
        if same_id or same_name:
            label = receipt.version or f"sha256:{run.digest[7:15]}…"
            when = recency(run.run_id, receipt.provenance.timestamp)
            found.append(Scored(receipt.skill_id, receipt.skill_name, run.digest, when, label))
    return _newest(found)


def _newest(scored: Iterable[Scored | None]) -> Scored | None:
    known = [item for item in scored if item is not None]
    return max(known, key=lambda item: item.when) if known else None


def _hashes_at(
    earlier: Scored, name: str, local: runs.Survey, teams: Sequence[TeamReading]
) -> Mapping[str, str] | None:
    """Return the content hashes of bytes that were scored earlier, if anything kept them."""
    for run in local.runs:
        if run.digest == earlier.digest and (hashes := measured_files(run.path)):
            return hashes
    for team in teams:
        if (known := team.hashes_of(name, earlier.digest)) is not None:
            return known
    return None


def _since(old: Mapping[str, str], skill: InstalledSkill, measured: Measured) -> str:
    new = {file.path: file.sha256 for file in measured.files}
    sizes = {file.path: file.size for file in measured.files}

    def read(path: str) -> bytes:
        if sizes[path] > _LARGEST_TEXT:
            raise SkillError(f"{path} is too large to be a text.")
        return folder.read(folder.Found(path, folder.locate(skill.path, path)))[0]

    changed = difference.compare_hashes(old, new)
    return describe_changes(difference.name_line_endings(changed, old, read))


def contradiction(name: str, what: str) -> str:
    """Return the note about a contradiction in the receipt that a skill's card shows."""
    return f"{name}: the shown receipt contradicts itself: {what}"


def describe_changes(differences: Sequence[difference.Difference]) -> str:
    """Return which files changed, as the end of a sentence: `SKILL.md and scripts/a.sh changed`."""
    only = "only " if len({item.kind for item in differences}) == 1 else ""
    parts = []
    for kind, words in _WORDS.items():
        if paths := [item.path for item in differences if item.kind == kind]:
            were = "was" if len(paths) == 1 else "were"
            parts.append(words.format(files=_listed(paths), were=were, only=only))
    return "; ".join(parts) or "nothing that counts changed"


def _listed(paths: Sequence[str]) -> str:
    shown = list(paths[:_MOST_NAMED_FILES])
    if more := len(paths) - len(shown):
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[:-1] else shown)


def _card(skill: InstalledSkill, digest: str | None, state: str, reason: str = "") -> Card:
    path = str(skill.path)
    return Card(skill.name, path, None, None, None, digest, state, None, None, reason)
