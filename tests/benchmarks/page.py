"""The table as `docs/performance.md` has it."""

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.results import Result
from tests.benchmarks.rows import ROWS

_BEGIN = "<!-- made by `python -m tests.benchmarks`: begin -->"
_END = "<!-- made by `python -m tests.benchmarks`: end -->"
_TITLES = ("work", "against", "", "must", "measured", "ours", "theirs", "")


def table(results: Sequence[Result]) -> str:
    """Return the rows of the table, and below it why some are missed."""
    lines = [f"| {' | '.join(_TITLES)} |", "|---" * len(_TITLES) + "|"]
    missed: dict[str, str] = {}
    for key, row in ROWS.items():
        found = [result for result in results if result.row == key]
        for number, result in enumerate(found):
            work, against = (row.work, row.against) if number == 0 else ("", "")
            lines.append(_line(work, against, result))
            if not result.met and row.missed:
                missed[row.work] = row.missed
    notes = [f"- **{work}**: {why}" for work, why in missed.items()]
    return "\n".join([*lines, *(["", "Missed:", "", *notes] if notes else [])])


def _line(work: str, against: str, result: Result) -> str:
    cells = [
        work,
        against,
        result.variant,
        str(result.must),
        f"{result.measured:.3g}{result.must.unit}",
        _figure(result.ours, result.unit),
        "" if result.theirs is None else _figure(result.theirs, result.unit),
        "met" if result.met else f"missed by {_missed(result)}",
    ]
    return f"| {' | '.join(cells)} |"


def _figure(figure: float, unit: str) -> str:
    return f"{figure:,.0f} {unit}" if figure >= 100 else f"{figure:.3g} {unit}"


def _missed(result: Result) -> str:
    return f"{abs(result.measured / result.must.figure - 1):.0%}"


def written(text: str, results: Sequence[Result], heading: str) -> str:
    """Return a page with its table replaced.

    Raises:
        ValueError: The page has no place for it.
    """
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError("the page has no place for the table")
    return f"{before}{begin}\n\n{heading}\n\n{table(results)}\n\n{end}{after}"


def write(page: Path, results: Sequence[Result], heading: str) -> None:
    """Replace the table on a page."""
    page.write_text(written(page.read_text("utf-8"), results, heading), "utf-8")
