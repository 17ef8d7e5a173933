"""Several copies of one skill on a machine: which, and what to say about them."""

import os
import shlex
from pathlib import Path

from publish.snapshot import Snapshot
from receipts.digest import SKILL_MD
from receipts.errors import StoreError
from receipts.files import read_limited
from store import library

_SKILL_MD_LIMIT = 8 << 20


def elsewhere(place: Path, skill_id: str | None) -> list[Path]:
    """Return the folders of a skill's name in other libraries, unless they declare another id.

    Args:
        place: The folder that is known.
        skill_id: The skill's id in the team.
    """
    real = os.path.realpath(place)
    same_name = (
        skill.path
        for skill in library.skills_in(library.roots()).skills
        if skill.name == place.name and os.path.realpath(skill.path) != real
    )
    return [path for path in same_name if declared_id(path) in (None, skill_id)]


def declared_id(skill: Path) -> str | None:
    """Return the skill id that a folder's SKILL.md declares, or None."""
    try:
        data = read_limited(skill / SKILL_MD, _SKILL_MD_LIMIT, follow_links=False)
    except (StoreError, FileNotFoundError):
        return None
    return Snapshot.declared_id(data)


def notes(place: Path, others: list[Path], command: str) -> list[str]:
    """Return a sentence for each other copy of a skill that was just installed.

    Args:
        place: Where it was installed.
        others: Where else it is.
        command: The command line that installs it, without where to.
    """
    return [
        f"{place.name} is in {place}, and also in {other}, which was left as it is. "
        f"To update that one: {command} --to {shlex.quote(str(other.parent))}"
        for other in others
    ]
