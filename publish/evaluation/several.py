"""Several skills in one command, perhaps in batches with a question between them."""

import os
from pathlib import Path
from typing import NamedTuple

from publish.evaluation import estimating
from publish.evaluation.one import Manner
from publish.evaluation.request import Request
from publish.evaluation.series import Series
from receipts import terminal
from receipts.digest import content_digest
from receipts.errors import NeedsAnswer, ReceiptsError
from receipts.options import confirm
from store import library, queue, runs


class Ended(NamedTuple):
    """What became of a command about several skills.

    Attributes:
        interrupted: Whether the person ended it.
        queued: The skills that were put off.
    """

    interrupted: bool
    queued: list[str]


def evaluate(
    series: Series, requests: list[Request], manner: Manner, *, batch: int | None
) -> Ended:
    """Evaluate skills one after another; what fails keeps none of the others from its turn.

    Args:
        series: Runs and prints each.
        requests: One for each skill.
        manner: How the person is told and asked.
        batch: Ask after so many skills whether to go on; None means never.

    Raises:
        NeedsAnswer: There would be nobody to ask between the batches; nothing was run.
    """
    total = len(requests)
    if batch and batch < total and not manner.is_answerable:
        raise NeedsAnswer(
            f"After each batch of {batch} you are asked whether to go on. There is no terminal to"
            " ask on.",
            "Answer with --yes on the command line, or leave out --batch.",
        )
    if total:
        terminal.say(estimating.line_of_all(requests))
    for done, request in enumerate(requests):
        if batch and done and done % batch == 0 and not _goes_on(done, total, batch, manner):
            return Ended(interrupted=False, queued=_put_off(requests[done:]))
        try:
            series.evaluate(request)
        except KeyboardInterrupt:
            if left := total - done - 1:
                terminal.say(f"{left} of {total} were not started.")
            return Ended(interrupted=True, queued=[])
        except ReceiptsError:
            continue  # its block has said so
    return Ended(interrupted=False, queued=[])


def distinct(folders: list[Path]) -> list[Path]:
    """Return each folder once, in order, whatever way it was named."""
    found: dict[str, Path] = {}
    for folder in folders:
        found.setdefault(os.path.realpath(folder), folder)
    return list(found.values())


def pending() -> list[Path]:
    """Return the installed skills of whose exact bytes no run on this machine has a receipt.

    Raises:
        StoreError: The libraries or the local store cannot be read.
    """
    installed = library.skills_in(library.roots())
    for problem in installed.problems:
        terminal.say(f"note: {problem}")
    found = []
    for skill in installed.skills:
        try:
            is_measured = bool(runs.runs_of(content_digest(skill.path)))
        except ReceiptsError as error:
            terminal.say(f"note: {skill.name} was left out: {error.message}")
            continue
        if not is_measured:
            found.append(skill.path)
    return distinct(found)


def _goes_on(done: int, total: int, batch: int, manner: Manner) -> bool:
    left = total - done
    return confirm(
        f"Continue with the next {min(batch, left)}? ({done} of {total} done, {left} left)",
        answer=True if manner.yes else None,
        flag="--yes",
    )


def _put_off(requests: list[Request]) -> list[str]:
    names = [
        queue.add(request.folder, window="later", team=request.team)[0].skill
        for request in requests
    ]
    terminal.say(f"Queued {len(names)} for later: {', '.join(names)}.")
    return names
