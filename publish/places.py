"""What the place of a receipt file says of it: in the local store, in a checkout of a team."""

import os
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from publish import documents, layout
from publish.snapshot import Snapshot
from receipts import digest, runid
from receipts.errors import ReceiptsError, SkillError
from receipts.files import read_limited
from receipts.forms import is_digest

LOCAL_NAME = "receipt.json"
_LIMIT = 8 << 20


class Said(NamedTuple):
    """What a place says of the names in a receipt, by field, and what is wrong with the place."""

    fields: dict[str, str | None]
    problems: list[str]


class Places:
    """The places of receipt files; a checkout that several of them lie in is read once."""

    def __init__(self) -> None:
        self._checkouts: dict[Path, Checkout] = {}

    def said_of(self, path: Path) -> Said:
        """Return what the place of a receipt file says of it; nothing where it says nothing."""
        path = path.resolve()
        run_id = path.parent.name
        if path.name == LOCAL_NAME and runid.is_run_id(run_id):
            measured = f"sha256:{path.parent.parent.name}"
            known = {"content_digest": measured} if is_digest(measured) else {}
            return Said({"run_id": run_id, **known}, [])
        root = next((folder for folder in path.parents if _is_team(folder)), None)
        if root is not None:
            checkout = self._checkouts.setdefault(root, Checkout(root))
            return checkout.said_of(path.relative_to(root).as_posix())
        place = layout.place_of("/".join(path.parts[-4:]))
        return Said(_fields(place) if isinstance(place, layout.ReceiptPath) else {}, [])


class Checkout:
    """A work tree of a team repository, below the folder that holds `team.json`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._versions: dict[Path, Said] = {}

    def said_of(self, path: str) -> Said:
        """Return what a path relative to the checkout says of the receipt there."""
        place = layout.place_of(path)
        if isinstance(place, layout.ReceiptPath):
            version = self._said_of_version(place)
            return Said(_fields(place) | version.fields, version.problems)
        match path.split("/"):
            case [layout.EVALS, _, layout.ARCHIVE, *_]:
                return Said({}, [])
            case [layout.EVALS, *_]:
                return Said({}, ["stands where a team repository keeps no receipt"])
        return Said({}, [])

    def _said_of_version(self, place: layout.ReceiptPath) -> Said:
        skill = self._skills.get(place.skill_id.lower())
        version = skill / f"v{place.number}" if skill else None
        if version is None or not version.is_dir():
            return Said({}, [f"v{place.number} of its skill does not exist"])
        if version not in self._versions:
            self._versions[version] = _measured(version)
        return self._versions[version]

    @cached_property
    def _skills(self) -> dict[str, Path]:
        """The skills' folders, by the id that the newest version with one declares."""
        found: dict[str, Path] = {}
        for skill in map((self._root / layout.SKILLS).joinpath, _names(self._root / layout.SKILLS)):
            numbers = sorted(filter(None, map(layout.version_number, _names(skill))), reverse=True)
            ids = (_declared_id(skill / f"v{number}" / digest.SKILL_MD) for number in numbers)
            if skill_id := next(filter(None, ids), None):
                found.setdefault(skill_id, skill)
        return found


def _fields(place: layout.ReceiptPath) -> dict[str, str | None]:
    return {
        "skill_id": place.skill_id.lower(),
        "version": f"v{place.number}",
        "run_id": place.run_id,
    }


def _measured(version: Path) -> Said:
    try:
        return Said({"content_digest": digest.content_digest(version)}, [])
    except SkillError as error:
        return Said({}, [f"the version beside it cannot be measured: {error}"])


def _is_team(folder: Path) -> bool:
    try:
        documents.read_team(read_limited(folder / layout.TEAM, _LIMIT, follow_links=True))
    except (OSError, ReceiptsError):
        return False
    return True


def _declared_id(skill_md: Path) -> str | None:
    try:
        return Snapshot.declared_id(read_limited(skill_md, _LIMIT, follow_links=False))
    except (OSError, ReceiptsError):
        return None


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []  # what is no folder has no versions to hold a receipt against
