"""A spec over time: every saved run of it in a line, and whether it moved.

Each run is held against the nearest one before it from which the same was left out and that loaded
skills in the same way, over the tasks that both measured, as `receipts compare` does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from receipts.attempts.aggregate import aggregate
from receipts.attempts.collecting import no_collection
from receipts.attempts.comparing import certainty
from receipts.attempts.comparing.certainty import Certainty
from receipts.attempts.comparing.comparison import compared
from receipts.attempts.comparing.notices import Notice
from receipts.attempts.comparing.rows import difference
from receipts.attempts.comparing.warnings import Warned
from receipts.attempts.report import overall
from receipts.attempts.results import SavedRun
from receipts.attempts.runfile import Run, RunFile, read
from receipts.attempts.usage import Totals, finite, totals
from receipts.errors import ResultsError
from receipts.intervals import Interval


@dataclass(frozen=True)
class Step:
    """From the run before to this one.

    Attributes:
        against: The id of the run before.
        delta: By how much the success rate moved; None when no task was measured in both.
        sure: How sure that is.
        warnings: What else may have moved it.
        notices: What else changed.
    """

    against: str
    delta: float | None
    sure: Certainty
    warnings: list[Warned]
    notices: list[Notice]


@dataclass(frozen=True)
class Point:
    """A run among those of its spec.

    Attributes:
        place: Where it lies.
        run: What ran.
        tasks: How many tasks it has.
        success: Its success rate, from its attempts; None when nothing was measured.
        interval: The 95 % interval of that.
        activation: Its activation score; None when there is none.
        usage: What it cost.
        step: What moved since the run before; None for the first of its kind.
    """

    place: SavedRun
    run: Run
    tasks: int
    success: float | None
    interval: Interval | None
    activation: float | None
    usage: Totals
    step: Step | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        step = self.step
        return {
            "run_id": self.place.run_id,
            "path": self.place.path,
            "run": self.run.model_dump(mode="json"),
            "tasks": self.tasks,
            "success": self.success,
            "interval": certainty.listed(self.interval),
            "against": step.against if step else None,
            "delta": step.delta if step else None,
            "delta_interval": certainty.listed(step.sure.delta) if step else None,
            "is_change": step.sure.is_change if step else None,
            "warning_kinds": [warning.kind for warning in step.warnings] if step else [],
            "notices": [notice.document() for notice in step.notices] if step else [],
            "activation": self.activation,
            "tokens_per_attempt": self.usage.tokens_per_attempt,
            "wall_per_attempt": finite(self.usage.wall_per_attempt),
        }


@dataclass(frozen=True)
class Trend:
    """All runs of a spec, oldest first, and those that cannot be read, each with why."""

    spec: str
    points: list[Point]
    left_out: list[tuple[SavedRun, str]]

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "spec": self.spec,
            "runs": [point.document() for point in self.points],
            "left_out": [
                {"run_id": place.run_id, "path": place.path, "why": why}
                for place, why in self.left_out
            ],
        }


def trend(spec: str, found: Sequence[SavedRun]) -> Trend:
    """Return the runs of a spec; their transcripts are not read, and no bad file hides another.

    Args:
        spec: Its name.
        found: Its saved runs, oldest first.
    """
    points: list[Point] = []
    left_out: list[tuple[SavedRun, str]] = []
    latest: dict[tuple[str | None, tuple[str, ...]], tuple[str, RunFile]] = {}
    with no_collection():
        for place in found:
            try:
                run = read(place.path, "skipped")
            except ResultsError as error:
                left_out.append((place, error.message))
                continue
            kind = (run.run.era, tuple(run.run.ablated))
            points.append(_point(place, run, latest.get(kind)))
            latest[kind] = place.run_id, run
    return Trend(spec, points, left_out)


def _point(place: SavedRun, run: RunFile, before: tuple[str, RunFile] | None) -> Point:
    numbers = aggregate(run.task_results, run.run.k, run.skills)
    return Point(
        place,
        run.run,
        len(run.task_results),
        numbers.avg_score if numbers.scored_tasks else None,
        overall(run),
        numbers.avg_activation_score,
        totals(run.attempts),
        _step(*before, place.run_id, run) if before else None,
    )


def _step(against: str, before: RunFile, run_id: str, run: RunFile) -> Step:
    comparison = compared(before, run, (against, run_id))
    sure = comparison.certainty
    delta = difference(*comparison.averages) if sure.is_measured else None
    return Step(against, delta, sure, comparison.warnings, comparison.notices)
