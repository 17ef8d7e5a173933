"""Tasks of two runs, matched by name, and what moved in each.

Any drop is a regression here, however small: with few attempts it is noise as often as not, which
is what the intervals are for (`receipts.attempts.comparing.certainty`).
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from receipts.attempts.runfile import RunFile, TaskResult
from receipts.attempts.scores import is_probe


@dataclass(frozen=True)
class Row:
    """A task of both runs: A before, B after."""

    a: TaskResult
    b: TaskResult

    @property
    def name(self) -> str:
        """The name that both have."""
        return self.a.task_name

    @cached_property
    def a_score(self) -> float | None:
        """The success rate in A."""
        return self.a.score

    @cached_property
    def b_score(self) -> float | None:
        """The success rate in B."""
        return self.b.score

    @property
    def delta(self) -> float | None:
        """B - A, None when a side measured nothing."""
        return difference(self.a_score, self.b_score)

    @property
    def is_regression(self) -> bool:
        """Whether both were measured and B is below A."""
        return _is_below(self.a_score, self.b_score)

    @cached_property
    def a_activation(self) -> float | None:
        """The activation score in A."""
        return self.a.activation_score

    @cached_property
    def b_activation(self) -> float | None:
        """The activation score in B."""
        return self.b.activation_score

    @property
    def activation_delta(self) -> float | None:
        """B - A, None when a side has no activation score."""
        return difference(self.a_activation, self.b_activation)

    @property
    def is_activation_regression(self) -> bool:
        """Whether both have an activation score and B's is below A's."""
        return _is_below(self.a_activation, self.b_activation)

    @property
    def is_unmeasured(self) -> bool:
        """Whether a side has no score, though not both only ask what is activated."""
        if self.a_score is not None and self.b_score is not None:
            return False
        return not (is_probe(self.a.outcomes) and is_probe(self.b.outcomes))

    def document(self) -> dict[str, Any]:
        """Return the row as JSON has it."""
        return {
            "task_name": self.name,
            "a_score": self.a_score,
            "b_score": self.b_score,
            "delta": self.delta,
            "regression": self.is_regression,
            "a_outcomes": [outcome.value for outcome in self.a.outcomes],
            "b_outcomes": [outcome.value for outcome in self.b.outcomes],
            "a_activation": self.a_activation,
            "b_activation": self.b_activation,
            "activation_delta": self.activation_delta,
            "activation_regression": self.is_activation_regression,
        }


class Matched(NamedTuple):
    """Tasks by name, the pairs of one name together, and what has no partner on the other side."""

    rows: list[Row]
    only_a: list[str]
    only_b: list[str]


def matched(a: RunFile, b: RunFile) -> Matched:
    """Pair tasks of one name; names that repeat pair by position, and the surplus has no partner.

    Rows follow A's order; a name without a partner is listed once for each such task.
    """
    a_tasks, b_tasks = _by_name(a), _by_name(b)
    rows = [
        Row(one, other)
        for name, tasks in a_tasks.items()
        for one, other in zip(tasks, b_tasks.get(name, ()), strict=False)
    ]
    return Matched(rows, _surplus(a, b_tasks), _surplus(b, a_tasks))


def difference(a: float | None, b: float | None) -> float | None:
    """Return b - a, None when one of them is."""
    return None if a is None or b is None else b - a


def _is_below(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and b < a


def _by_name(run: RunFile) -> dict[str, list[TaskResult]]:
    found: defaultdict[str, list[TaskResult]] = defaultdict(list)
    for task in run.task_results:
        found[task.task_name].append(task)
    return found


def _surplus(run: RunFile, others: dict[str, list[TaskResult]]) -> list[str]:
    seen: defaultdict[str, int] = defaultdict(int)
    surplus = []
    for task in run.task_results:
        seen[task.task_name] += 1
        if seen[task.task_name] > len(others.get(task.task_name, ())):
            surplus.append(task.task_name)
    return surplus
