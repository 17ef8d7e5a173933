"""Two or more ways of doing one thing, timed in turn on the same machine in the same minutes."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Step = Callable[[], object]


def nothing() -> None:
    """Do nothing."""


class Side(NamedTuple):
    """One way: `before` is not timed and brings about what `work` finds."""

    work: Step
    before: Step = nothing


class Spent(NamedTuple):
    """Seconds by the clock, and of processor time in this process and those it waited for."""

    wall: float
    cpu: float


def interleaved(
    sides: Mapping[str, Side], rounds: int, *, before_each: Step = nothing
) -> dict[str, list[Spent]]:
    """Time every side once a round, in an order that turns round each time.

    A round before the first is not counted: it fills caches, here and at the server.

    Args:
        sides: The ways, by name.
        rounds: How often each is timed.
        before_each: Not timed either; done once a round.
    """
    runs: dict[str, list[Spent]] = {name: [] for name in sides}
    names = list(sides)
    for number in range(-1, rounds):
        before_each()
        names.reverse()
        for name in names:
            sides[name].before()
            spent = _timed(sides[name].work)
            if number >= 0:
                runs[name].append(spent)
    return runs


def _timed(work: Step) -> Spent:
    before, began = os.times(), time.perf_counter()
    work()
    wall, after = time.perf_counter() - began, os.times()
    # The first four: user and system, of this process and of its children.
    return Spent(wall, sum(after[:4]) - sum(before[:4]))


def wall(spent: Sequence[Spent]) -> float:
    """Return the median of the seconds by the clock."""
    return statistics.median(item.wall for item in spent)


def cpu(spent: Sequence[Spent]) -> float:
    """Return the median of the processor time."""
    return statistics.median(item.cpu for item in spent)


def ratio(ours: Sequence[Spent], theirs: Sequence[Spent]) -> float:
    """Return the median, over the rounds, of our time divided by theirs in the same round."""
    return statistics.median(a.wall / b.wall for a, b in zip(ours, theirs, strict=True))
