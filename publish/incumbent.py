"""The version that an evaluation also compares with: the one that the team measured last."""

from pathlib import Path
from typing import NamedTuple

from publish import teamcards
from publish.known import USABLE
from publish.snapshot import Snapshot, Version
from receipts import folder
from receipts.errors import EvalError, TeamError
from receipts.recency import Recency, recency


class Incumbent(NamedTuple):
    """A version of a skill, and what it is called in the team."""

    name: str
    version: Version


def find(snapshot: Snapshot, name: str, digest: str, skill_id: str | None) -> Incumbent | None:
    """Return the version with the most recent usable receipt, or None when there is none.

    Never one with the bytes that are evaluated: their difference would be luck. The version's
    number does not matter.

    Args:
        snapshot: The team.
        name: The skill's folder name.
        digest: The content digest that is evaluated.
        skill_id: The id that the folder declares, or None; then the team's skill of the name.
    """
    names = (snapshot.owners_of(skill_id) if skill_id else []) or [name]
    best: tuple[Recency, Incumbent] | None = None
    for skill in names:
        if not snapshot.is_skill(skill):
            continue
        for version in snapshot.versions(skill):
            if version.digest is None or version.digest == digest:
                continue
            for receipt in teamcards.receipts_of(snapshot, version)[0]:
                if receipt.known.state != USABLE:
                    continue
                when = recency(receipt.run_id, receipt.known.timestamp)
                if best is None or when > best[0]:
                    best = when, Incumbent(skill, version)
    return best[1] if best else None


def write(snapshot: Snapshot, incumbent: Incumbent, target: Path) -> None:
    """Write the files of a version into a new folder.

    Raises:
        TeamError: The version cannot be read.
        EvalError: It cannot be written.
    """
    files = snapshot.files(incumbent.name, incumbent.version.number)
    if not files:
        raise TeamError(f"{incumbent.name} {incumbent.version.label} holds no files.")
    try:
        for path, file in files.items():
            place = Path(folder.locate(target, path))
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(file.data)
            place.chmod(0o700 if file.executable else 0o600)
    except OSError as error:
        raise EvalError(f"Cannot write {target}: {error.strerror or error}.") from error
