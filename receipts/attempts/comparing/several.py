"""Three runs or more in one table: each beside the first, over the tasks that all measured."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from receipts.attempts.comparing import certainty
from receipts.attempts.comparing.certainty import Certainty
from receipts.attempts.comparing.comparison import Comparison, compared
from receipts.attempts.comparing.rows import difference
from receipts.attempts.runfile import RunFile, TaskResult
from receipts.attempts.scores import average
from receipts.attempts.usage import Totals, totals
from receipts.errors import ResultsError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Key(NamedTuple):
    """A task among those of all runs: its name, and which of that name it is."""

    name: str
    number: int


@dataclass(frozen=True)
class Several:
    """Runs side by side.

    Attributes:
        runs: The runs; the first is what the others are held against.
        comparisons: The first with each of the others, in order.
    """

    runs: Sequence[RunFile]
    comparisons: Sequence[Comparison]

    @property
    def names(self) -> str:
        """What the runs are called, a letter each."""
        return LETTERS[: len(self.runs)]

    @cached_property
    def tasks(self) -> dict[Key, list[TaskResult | None]]:
        """Every task as each run has it, in the order of first appearance; None where it lacks."""
        found: dict[Key, list[TaskResult | None]] = {}
        for position, run in enumerate(self.runs):
            for key, task in _keyed(run.task_results):
                found.setdefault(key, [None] * len(self.runs))[position] = task
        return found

    @cached_property
    def shared(self) -> set[Key]:
        """The tasks that all runs measured, over which rates are averaged."""
        return {
            key
            for key, tasks in self.tasks.items()
            if all(task is not None and task.score is not None for task in tasks)
        }

    @cached_property
    def averages(self) -> list[float | None]:
        """Each run's mean score over these tasks; None when there is none."""
        return [
            average(task.score for key, task in _keyed(run.task_results) if key in self.shared)
            for run in self.runs
        ]

    @cached_property
    def certainties(self) -> list[Certainty]:
        """How sure the difference of each run's mean to the first one's is."""
        return [
            certainty.of_all(
                [
                    sure
                    for (key, _), sure in zip(
                        _keyed(row.a for row in comparison.rows),
                        comparison.certainties,
                        strict=True,
                    )
                    if key in self.shared
                ]
            )
            for comparison in self.comparisons
        ]

    @cached_property
    def usage(self) -> list[Totals]:
        """What each run cost, all of its tasks included."""
        return [totals(run.attempts) for run in self.runs]

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        sure: list[Certainty | None] = [None, *self.certainties]
        return {
            "runs": [
                {
                    "name": name,
                    "run": run.run.model_dump(mode="json"),
                    "skills": run.skills,
                    "success": score,
                    "delta": difference(self.averages[0], score) if one else None,
                    "certainty": one.document() if one else None,
                    "usage": use.document(),
                }
                for name, run, score, one, use in zip(
                    self.names, self.runs, self.averages, sure, self.usage, strict=True
                )
            ],
            "tasks": [_task(key, tasks) for key, tasks in self.tasks.items()],
            "shared_tasks": len(self.shared),
            "comparisons": [
                {"a": comparison.names[0], "b": comparison.names[1], **_extra(comparison)}
                for comparison in self.comparisons
            ],
        }


def several(runs: Sequence[RunFile]) -> Several:
    """Return runs side by side, the first being what the others are held against.

    Raises:
        ResultsError: There are more than there are letters, or they are of different eras.
    """
    if len(runs) > len(LETTERS):
        raise ResultsError(f"{len(runs)} runs are more than the {len(LETTERS)} of one table.")
    first, *others = runs
    comparisons = [
        compared(first, other, (LETTERS[0], name))
        for name, other in zip(LETTERS[1:], others, strict=False)
    ]
    return Several(runs, comparisons)


def _keyed(tasks: Iterable[TaskResult]) -> list[tuple[Key, TaskResult]]:
    seen: defaultdict[str, int] = defaultdict(int)
    found = []
    for task in tasks:
        seen[task.task_name] += 1
        found.append((Key(task.task_name, seen[task.task_name]), task))
    return found


def _task(key: Key, tasks: Sequence[TaskResult | None]) -> dict[str, Any]:
    return {
        "task_name": key.name,
        "scores": [task and task.score for task in tasks],
        "outcomes": [task and [outcome.value for outcome in task.outcomes] for task in tasks],
        "activation": [task and task.activation_score for task in tasks],
    }


def _extra(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as it is among others: all but the runs themselves."""
    document = comparison.document()
    return {key: value for key, value in document.items() if key not in ("a", "b")}
