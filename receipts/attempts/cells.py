"""Numbers of attempts as they are printed, and the tables that hold them."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from receipts import terminal
from receipts.attempts.outcomes import Outcome
from receipts.intervals import Interval
from receipts.numbers import fixed

DASH = "—"
SAME = "same"
NEVER_RAN = "·"
STOPPED = "⊘"
"""Beside the rate of a run that was stopped before all attempts had run."""

_MARKS = {
    Outcome.PASS: "✓",
    Outcome.TASK_FAIL: "✗",
    Outcome.CHEAT: "⚠",
    Outcome.NOT_CHECKED: DASH,
    Outcome.JUDGE_ERROR: "⊘",
    Outcome.INFRA_ERROR: "⊘",
    Outcome.TIMEOUT: "⊘",
}
_MOST_MARKS = 5
_NEARLY_WHOLE = 0.05
_NOTHING = 1e-9
_AGREES = 0.0005  # of a pooled rate and the average that it may stand beside
_MINUTE, _HOUR = 60, 3600


class Cell(NamedTuple):
    """What stands in one place of a table, and the style it has on a terminal."""

    text: str
    style: str = ""


def percent(share: float | None) -> str:
    """Return a rate: `60%`, `66.7%`, or a dash where nothing was measured."""
    return DASH if share is None else f"{_short(100 * share)}%"


def marks(outcomes: Sequence[Outcome], k: int) -> str:
    """Return a mark for each attempt up to five, and those that never ran; else a tally."""
    found = [_MARKS[outcome] for outcome in outcomes]
    never = max(k - len(found), 0)
    if max(k, len(found)) <= _MOST_MARKS:
        return " ".join(found + [NEVER_RAN] * never)
    counts = Counter(found)
    if never:
        counts[NEVER_RAN] = never
    return " ".join(f"{mark}{count}" for mark, count in counts.items())


def average(share: float | None, good: int, of: int, tasks: int) -> Cell:
    """Return an average over tasks beside the attempts behind it, where these say the same."""
    if share is None:
        return Cell(DASH)
    agrees = of and abs(good / of - share) <= _AGREES
    return Cell(f"{percent(share)} {f'{good}/{of} ✓' if agrees else f'avg of {tasks}'}", "bold")


def points(delta: float | None) -> Cell:
    """Return a difference in percentage points; a dash for none and for nothing measured."""
    if delta is None or abs(delta) < _NOTHING:
        return Cell(DASH)
    return Cell(f"{_signed(100 * delta)} pp", "red" if delta < 0 else "green")


def rates(of: Interval | None) -> str:
    """Return the interval of a rate: `12 to 74%`."""
    return DASH if of is None else f"{_short(100 * of.low)} to {_short(100 * of.high)}%"


def interval(of: Interval | None) -> str:
    """Return the interval of a difference: `-80 to +3 pp`."""
    return DASH if of is None else f"{_signed(100 * of.low)} to {_signed(100 * of.high)} pp"


def relative(before: float, after: float, shown: str) -> Cell:
    """Return how much a cost moved, in whole percent.

    Args:
        before: The cost that was.
        after: The cost that is.
        shown: How the difference is shown where nothing was before.
    """
    moved = after - before
    if not math.isfinite(moved) or abs(moved) < _NOTHING:
        return Cell(DASH)
    style = "green" if moved < 0 else "red"
    if before == 0:
        return Cell(f"+{shown}", style)
    return Cell(f"{_signed(100 * moved / before, whole=True)}%", style)


def tokens(count: int | None) -> str:
    """Return a count of tokens: `950`, `27K`, `1.5M`."""
    if count is None:
        return DASH
    for size, letter in ((10**9, "G"), (10**6, "M")):
        if count >= size:
            return f"{fixed(count / size, 1)}{letter}"
    return f"{fixed(count / 1000, 0)}K" if count >= 1000 else str(count)


def seconds(time: float | None) -> str:
    """Return a time: `12.3s`, `6m 18s`, `2h 05m`."""
    if time is None or not math.isfinite(time):
        return DASH
    if time < _MINUTE:
        return f"{fixed(time, 1)}s"
    whole = round(time)
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02}s"
    return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02}m"


def print_table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print rows in columns, or where they do not fit below each other; with tabs into a file."""
    lines = [[terminal.one_line(cell.text) for cell in row] for row in rows]
    if not terminal.is_shown():
        terminal.print_text("\n".join("\t".join(line) for line in (headings, *lines)))
        return
    from rich.text import Text

    from receipts.columns import fitted

    styled = [
        [Text(text, style=cell.style) for text, cell in zip(line, row, strict=True)]
        for line, row in zip(lines, rows, strict=True)
    ]
    table = fitted(headings, styled)
    if table is not None:
        terminal.print_rich(table)
        return
    for first, *others in lines:
        terminal.print_text(first)
        for heading, text in zip(headings[1:], others, strict=True):
            if text:
                terminal.print_text(f"  {heading}: {text}" if heading else f"  {text}")


def plain(*texts: str) -> list[Cell]:
    """Return a row without styles."""
    return [Cell(text) for text in texts]


def _short(number: float) -> str:
    """Return a number without decimals where it is nearly whole, else with one."""
    near = abs(number - round(number)) < _NEARLY_WHOLE
    return fixed(number, 0 if near else 1)


def _signed(number: float, *, whole: bool = False) -> str:
    text = fixed(number, 0) if whole else _short(number)
    return text if text.startswith("-") else f"+{text}"
