"""Saved runs in a line each."""

from collections.abc import Sequence
from typing import NamedTuple

from receipts.attempts.collecting import no_collection
from receipts.attempts.glance import Glance, glance
from receipts.attempts.results import LIMIT, SavedRun
from receipts.attempts.scores import average
from receipts.errors import ResultsError, StoreError
from receipts.files import read_limited


class Summary(NamedTuple):
    """A saved run in a line.

    Attributes:
        place: Where it lies.
        run: What ran, and how it came out; None when the file cannot be read.
        problem: Why it cannot be read, in a sentence; else empty.
    """

    place: SavedRun
    run: Glance | None = None
    problem: str = ""


def summaries(found: Sequence[SavedRun]) -> list[Summary]:
    """Return runs in a line each, without reading their transcripts; none hides the others."""
    with no_collection():
        return [_summary(place) for place in found]


def _summary(place: SavedRun) -> Summary:
    try:
        seen = glance(read_limited(place.path, LIMIT, follow_links=True))
    except (FileNotFoundError, StoreError):
        seen = None  # the reader has the sentence
    try:
        return Summary(place, seen or _by_schema(place.path))
    except ResultsError as error:
        return Summary(place, problem=error.message)


def _by_schema(path: str) -> Glance:
    """Return what a file says whose form is unusual.

    Raises:
        ResultsError: It is no saved run.
    """
    from receipts.attempts.runfile import read

    file = read(path, "skipped")
    run, tasks = file.run, file.task_results
    return Glance(
        run.timestamp,
        run.k,
        run.backend,
        run.model,
        run.ablated,
        run.interrupted,
        len(tasks),
        average(task.score for task in tasks),
    )
