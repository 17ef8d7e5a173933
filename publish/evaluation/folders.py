"""The folder of a run that starts, and of one that came to nothing."""

import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from publish.evaluation.request import STAGED
from receipts import digest, runid
from receipts.arms import staging
from receipts.arms.journal import Journal
from receipts.arms.plan import CANDIDATE
from receipts.errors import ReceiptsError, SkillError
from store import filing, runs

GENERATED = "generated"
"""The folder in a run's that keeps what a model wrote for it."""

_TRIES = 3  # copies of a folder that is being written to, until one is of a piece
_PAID_FOR = {"attempt", "session", "trigger", "judged"}


def claim(source: Path, started: datetime, *, baseline_twice: bool) -> tuple[Path, digest.Measured]:
    """Make the run's folder under the digest of a copy of the skill, and put the copy into it.

    Raises:
        ReceiptsError: The skill cannot be read or is being written to, or the copy cannot be made.
    """
    for _ in range(_TRIES):
        measured = digest.measure(source)
        run_id = runid.from_time(started)
        folder = filing.claim(measured.digest, run_id, self_check=baseline_twice)
        try:
            staging.take(source, folder / STAGED / CANDIDATE)
            staged = digest.measure(folder / STAGED / CANDIDATE)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if staged.digest == measured.digest:
            return folder, staged
        shutil.rmtree(folder, ignore_errors=True)
    raise SkillError(
        f"{source} is being written to: no two copies of it are alike.", "Wait, then run again."
    )


def remove_if_unused(folder: Path) -> None:
    """Remove a run's folder in which nothing was paid for that could be used again."""
    if (folder / runs.RECEIPT).exists() or (folder / runs.SELF_CHECK).exists():
        return
    with suppress(ReceiptsError):
        kinds = {record.get("kind") for record in Journal(folder).records()}
        if kinds & _PAID_FOR:
            return
        if GENERATED not in kinds and (folder / GENERATED).exists():
            return  # nobody has said yet whether it goes into the skill
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()
