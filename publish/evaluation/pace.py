"""How many sessions of a skill run at a time."""

from collections.abc import Callable
from pathlib import Path

from receipts.arms import heaviness
from receipts.arms.heaviness import Heaviness


def heaviness_of(skill: Path, *, answer: bool | None) -> Heaviness:
    """Return whether a skill is heavy, as the person said it, else as the skill tells.

    Raises:
        SkillError: The skill cannot be read.
    """
    if answer is None:
        return heaviness.find(skill)
    return Heaviness(answer, "--heavy" if answer else "--no-heavy")


def at_a_time(parallel: int, heavy: Heaviness, name: str, said: Callable[[str], None]) -> int:
    """Return how many sessions run at a time: of a heavy skill one, which is said."""
    if not heavy.is_heavy or parallel == 1:
        return parallel
    said(
        f"note: {name} is heavy ({heavy.evidence}), so its sessions run one at a time; "
        f"with --no-heavy {parallel} would."
    )
    return 1
