"""The queue of evaluations, as a person fills, reads and drains it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from publish.evaluation.request import Request
from publish.evaluation.series import Series
from receipts import terminal
from receipts.errors import StoreError
from receipts.nearest import did_you_mean
from store import library, queue
from store.queue import Drained, Queued
from store.runs import short


def put(folders: list[Path], window: str, team: str | None) -> list[tuple[Queued, bool]]:
    """Queue the bytes of skills as they are now; say of each whether it is new in the queue.

    Raises:
        ReceiptsError: A skill cannot be measured, or the queue not be written.
    """
    return [queue.add(folder, window=window, team=team) for folder in folders]


def take_out(references: tuple[str, ...]) -> list[Queued]:
    """Take skills out of the queue, whatever bytes of them wait.

    Args:
        references: Their names, or the paths of their folders, which need not be there any more.

    Raises:
        StoreError: One of them does not wait; then none is taken out.
    """
    waiting = queue.listed().items
    names = [
        Path(reference).resolve().name if library.is_path(reference) else reference
        for reference in references
    ]
    known = [item.skill for item in waiting]
    for name in names:
        if name not in known:
            raise StoreError(
                f"{name} is not queued.",
                did_you_mean(name, known) or "`receipts eval --queued` lists what is.",
            )
    return [item for name in dict.fromkeys(names) for item in queue.remove(name)]


def drain(series: Series, request: Request) -> Drained:
    """Evaluate what waits, one after another.

    Args:
        series: Runs and prints each.
        request: How each is evaluated; its folder and team are those of the item.

    Raises:
        StoreError: Another process does so, or the queue cannot be read or written.
        KeyboardInterrupt: It was interrupted; what is not done remains queued.
    """

    def evaluate(item: Queued) -> None:
        series.evaluate(replace(request, folder=Path(item.path), team=item.team or request.team))

    for problem in queue.listed().problems:
        terminal.say(f"note: {problem}")
    return queue.drain(evaluate, terminal.say)


def line(item: Queued) -> str:
    """Return the line about an item that waits, with why it failed the last time."""
    said = f"{item.skill}  {item.window}  {item.requested_at}  {short(item.digest)}  {item.path}"
    return f"{said}  (failed: {item.last_error})" if item.last_error else said


def document(item: Queued) -> dict[str, Any]:
    """Return what `--json` prints of an item."""
    return item._asdict()
