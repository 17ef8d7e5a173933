"""What a model is given to write cases from: the skill, and what else is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from receipts import folder
from receipts.agents import Agent
from receipts.declared import declared
from receipts.digest import SKILL_MD
from receipts.errors import SkillError, StoreError
from receipts.files import read_limited
from receipts.folder import Found

_LARGEST = 8 << 20
_MOST_NAMES = 500


@dataclass(frozen=True)
class Material:
    """A skill as generation sees it.

    Attributes:
        name: The name of its folder.
        folder: A copy of it, as it is staged.
        skill_md: The whole of SKILL.md.
        files: The paths of its other files, without evaluation assets.
        catalogue: Name and description of every skill beside it, itself included.
        dependencies: Files outside of it that sessions are given, by relative path.
        agent: The agent that sessions run.
    """

    name: str
    folder: Path
    skill_md: str
    files: tuple[str, ...]
    catalogue: Mapping[str, str]
    dependencies: Mapping[str, Path]
    agent: Agent

    @property
    def author(self) -> str | None:
        """Who the skill says wrote it."""
        return declared(self.skill_md).author


def read(
    name: str,
    skill: Path,
    agent: Agent,
    *,
    catalogue: Mapping[str, str],
    dependencies: Mapping[str, Path],
) -> Material:
    """Read a staged skill.

    Raises:
        SkillError: It cannot be read.
    """
    try:
        data = read_limited(skill / SKILL_MD, _LARGEST, follow_links=False)
    except FileNotFoundError:
        raise SkillError(f"{name} has no {SKILL_MD}.", "Name the folder that holds it.") from None
    except StoreError as error:
        raise SkillError(error.message, error.hint) from error
    paths = sorted(item.path for item in folder.walk(skill) if isinstance(item, Found))
    return Material(
        name=name,
        folder=skill,
        skill_md=data.decode("utf-8", "replace"),
        files=tuple(path for path in paths if path != SKILL_MD)[:_MOST_NAMES],
        catalogue=catalogue,
        dependencies=dependencies,
        agent=agent,
    )
