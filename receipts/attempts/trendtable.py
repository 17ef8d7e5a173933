"""A spec over time, as it is printed."""

from collections.abc import Iterator

from receipts.attempts import cells
from receipts.attempts.cells import STOPPED, Cell
from receipts.attempts.trend import Point, Trend

_HEADINGS = (
    "run",
    "success",
    "95 %",
    "Δ",
    "95 % of Δ",
    "activation",
    "tokens each",
    "wall each",
    "",
)


def print_trend(found: Trend) -> None:
    """Print the runs of a spec, oldest first; what changed between two is named, not explained."""
    cells.print_table(_HEADINGS, [_row(point) for point in found.points])


def _row(point: Point) -> list[Cell]:
    step = point.step
    sure = step.sure if step else None
    return [
        Cell(point.place.run_id),
        Cell(cells.percent(point.success)),
        Cell(cells.rates(point.interval), "dim"),
        cells.points(step.delta) if step else Cell(""),
        Cell(cells.interval(sure.delta), "" if sure.is_change else "dim") if sure else Cell(""),
        Cell(cells.percent(point.activation)),
        Cell(cells.tokens(point.usage.tokens_per_attempt)),
        Cell(cells.seconds(point.usage.wall_per_attempt)),
        Cell(", ".join(_remarks(point))),
    ]


def _remarks(point: Point) -> Iterator[str]:
    if point.run.ablated:
        yield f"without {', '.join(point.run.ablated)}"
    if point.run.interrupted:
        yield f"{STOPPED} interrupted"
    if point.success is None:
        yield "nothing measured"
    if point.step is None:
        return
    if point.step.sure.is_change:
        yield "moved beyond chance"
    found = [warning.kind for warning in point.step.warnings]
    found += [notice.kind for notice in point.step.notices]
    if changed := [kind for kind in dict.fromkeys(found) if kind != "interrupted"]:
        yield f"other than before: {', '.join(changed)}"
