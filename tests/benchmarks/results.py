"""What a run found: one result for each row of the table, and whether it is what it must be."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.benchmarks.timing import Spent, cpu, ratio, wall


class Must(NamedTuple):
    """What a figure must be: at most, or at least, a number of a unit."""

    least: bool
    figure: float
    unit: str

    def holds(self, measured: float) -> bool:
        """Say whether a figure is what it must be."""
        return measured >= self.figure if self.least else measured <= self.figure

    def __str__(self) -> str:
        return f"{'≥' if self.least else '≤'} {self.figure:g}{self.unit}"


def at_most(figure: float, unit: str = " ×") -> Must:
    """Our figure, in multiples of the other side's unless another unit is given."""
    return Must(False, figure, unit)


def times_faster(figure: float) -> Must:
    """The other side's time in multiples of ours."""
    return Must(True, figure, " × faster")


class Result(NamedTuple):
    """One row.

    Attributes:
        row: The key of the row in `tests.benchmarks.rows`.
        variant: The transport, the command or whatever else tells this line from its neighbours.
        measured: The figure that is compared with what it must be.
        must: What it must be.
        ours: Our median in `unit`s.
        theirs: The other side's, or None where there is none.
        unit: Of both: `ms` unless said otherwise.
        rounds: How many times each side ran.
        cpu: Processor time of both in milliseconds, as far as it is spent on this side of a server.
    """

    row: str
    variant: str
    measured: float
    must: Must
    ours: float
    theirs: float | None
    unit: str = "ms"
    rounds: int = 1
    cpu: tuple[float, float] | None = None

    @property
    def met(self) -> bool:
        """Whether the figure is what it must be."""
        return self.must.holds(self.measured)

    def document(self) -> dict[str, Any]:
        """Return the row as the JSON file has it."""
        return {**self._asdict(), "must": str(self.must), "met": self.met}


def compared(
    row: str, variant: str, must: Must, ours: Sequence[Spent], theirs: Sequence[Spent]
) -> Result:
    """Return the result of two sides that were timed in turn."""
    return Result(
        row,
        variant,
        ratio(theirs, ours) if must.least else ratio(ours, theirs),
        must,
        1000 * wall(ours),
        1000 * wall(theirs),
        rounds=len(ours),
        cpu=(1000 * cpu(ours), 1000 * cpu(theirs)),
    )
