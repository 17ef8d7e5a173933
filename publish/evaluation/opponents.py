"""The arms of an evaluation: baseline, candidate, and the version that the team measured last."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from publish.evaluation.request import STAGED, Request
from receipts import digest
from receipts.arms.plan import BASELINE, CANDIDATE, INCUMBENT, Arm
from receipts.declared import declared
from receipts.errors import EvalError, ReceiptsError
from receipts.forms import is_skill_id
from store import config
from store.config import TeamEntry

if TYPE_CHECKING:
    from publish.repository import Repository
    from publish.snapshot import Snapshot


def team(name: str | None) -> TeamEntry | None:
    """Return the team of that name, or the only one of this machine, or None.

    Raises:
        UsageError: There is none of that name.
    """
    teams = config.teams()
    return config.team(name) if name or len(teams) == 1 else None


def arms(
    request: Request,
    entry: TeamEntry | None,
    folder: Path,
    content: str,
    name: str,
    said: Callable[[str], None],
) -> tuple[str | None, tuple[Arm, ...]]:
    """Return the skill's id and the arms: baseline, candidate, and the team's incumbent if any.

    Args:
        request: What was asked for.
        entry: The team, or None without one.
        folder: The run's folder, with the candidate staged; the incumbent is put beside it.
        content: The candidate's content digest.
        name: The skill's name.
        said: Is told why there is no incumbent, where that is no matter of course.

    Raises:
        EvalError: The incumbent cannot be written.
    """
    staged = folder / STAGED / CANDIDATE
    skill_id = _declared_id(staged)
    if request.baseline_twice:
        return skill_id, (Arm(BASELINE, None), Arm(CANDIDATE, None))
    two = (Arm(BASELINE, None), Arm(CANDIDATE, staged))
    if entry is None:
        return skill_id, two
    from publish import incumbent, repository  # with git, which a machine without a team spares

    try:
        with repository.opened(entry) as opened:
            snapshot = _fetched(opened, said)
            if snapshot is None:
                return skill_id, two
            skill_id = skill_id or (
                snapshot.skill_id(name, or_older=True) if snapshot.is_skill(name) else None
            )
            found = incumbent.find(snapshot, name, content, skill_id)
            if found is None or not request.execution:
                return skill_id, two
            incumbent.write(snapshot, found, folder / STAGED / INCUMBENT)
            repository.remember(opened)
    except EvalError:
        raise
    except ReceiptsError as error:
        said(f"note: no incumbent: {error}")
        return skill_id, two
    return skill_id, (*two, Arm(INCUMBENT, folder / STAGED / INCUMBENT, found.version.label))


def _fetched(opened: "Repository", said: Callable[[str], None]) -> "Snapshot | None":
    try:
        return opened.fetch()
    except ReceiptsError as error:
        said(f"note: {opened.name} could not be refreshed: {error.message}")
    with suppress(ReceiptsError):
        return opened.snapshot()
    return None


def _declared_id(staged: Path) -> str | None:
    try:
        text = (staged / digest.SKILL_MD).read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    skill_id = declared(text).skill_id
    return skill_id.lower() if skill_id and is_skill_id(skill_id) else None
