"""The printed comparison: what differs around the skill, what moved, and what to make of it."""

from collections.abc import Callable, Sequence

from receipts import terminal
from receipts.attempts import cells, header
from receipts.attempts.cells import Cell
from receipts.attempts.comparing.certainty import Certainty
from receipts.attempts.comparing.comparison import Comparison
from receipts.attempts.comparing.rows import Row, difference
from receipts.attempts.runfile import RunFile, TaskResult
from receipts.attempts.usage import Totals

_MOVED = 1e-9


def print_comparison(comparison: Comparison, *, verbose: bool = False) -> None:
    """Print a comparison on stdout.

    Args:
        comparison: What to print.
        verbose: Whether to print pass@k and pass^k as well.
    """
    cells.print_table(
        ("", "A", "B"),
        [cells.plain(*row) for row in header.beside([comparison.a, comparison.b])],
    )
    terminal.print_text("")
    cells.print_table(_headings(comparison, "task"), _success(comparison))
    if any(abs(row.activation_delta or 0) > _MOVED for row in comparison.rows):
        terminal.print_text("")
        cells.print_table(_headings(comparison, "activation"), _activation(comparison))
    if verbose and comparison.rows:
        terminal.print_text("")
        columns = ("task", "pass@k A", "pass@k B", "pass^k A", "pass^k B")
        cells.print_table(columns, [_chances(row) for row in comparison.rows])
    terminal.print_text("")
    for note in notes(comparison):
        terminal.print_text(terminal.one_line(note))


def notes(comparison: Comparison) -> list[str]:
    """Return what to make of a comparison, a line each."""
    lines = [*_regressions(comparison), _overall(comparison)]
    both = [row for row in comparison.rows if row.activation_delta is not None]
    if both and not any(abs(row.activation_delta or 0) > _MOVED for row in both):
        lines.append(f"activation: nothing moved in {len(both)} task(s)")
    if fell := comparison.activation_regressions:
        lines.append(f"activation regressions: {_counted(fell)}")
    lines += [f"warning: {warning.text}" for warning in comparison.warnings]
    lines += [
        f"note: the files of {item.name} changed from {item.a_ref} to {item.b_ref}"
        for item in comparison.drift
        if item.source_kind != "git"
    ]
    lines += [f"note: {notice.text}" for notice in comparison.notices]
    if comparison.unmeasured:
        names = _counted(comparison.unmeasured)
        lines.append(f"note: without a usable attempt on a side, and in no average: {names}")
    alone_in = (comparison.matched.only_a, comparison.matched.only_b)
    for side, alone in zip(comparison.names, alone_in, strict=True):
        if alone:
            lines.append(f"note: in {side} alone: {_counted(alone)}")
    return lines


def _regressions(comparison: Comparison) -> list[str]:
    if not comparison.regressions:
        return []
    clear = [
        row.name
        for row, sure in zip(comparison.rows, comparison.certainties, strict=True)
        if row.is_regression and sure.is_change
    ]
    beyond = f"beyond chance: {_counted(clear)}" if clear else "none of them beyond chance"
    return [f"regressions: {_counted(comparison.regressions)}; {beyond}"]


def _overall(comparison: Comparison) -> str:
    sure = comparison.certainty
    if sure.delta is None:
        return "success: no task was measured on both sides"
    if sure.is_change:
        return f"success: moved, by {cells.interval(sure.delta)} (95 %, {sure.method})"
    line = f"success: no change beyond chance, {cells.interval(sure.delta)} (95 %, {sure.method})"
    if sure.needed is None:
        return line
    has = round(min(rate.trials for rate in (sure.before, sure.after) if rate is not None))
    return f"{line}; a difference of this size takes {sure.needed} attempts a side, not {has}"


def _headings(comparison: Comparison, first: str) -> tuple[str, ...]:
    names = comparison.labels or ("before", "after")
    return (first, f"A {names[0]}", f"B {names[1]}", "Δ", "95 %")


def _success(comparison: Comparison) -> list[list[Cell]]:
    rows = [
        [
            Cell(row.name),
            _side(comparison.a, row.a, row.a_score),
            _side(comparison.b, row.b, row.b_score),
            cells.points(row.delta),
            _interval(sure),
        ]
        for row, sure in zip(comparison.rows, comparison.certainties, strict=True)
    ]
    both = [row for row in comparison.rows if row.delta is not None]
    before, after = comparison.averages if both else (None, None)
    rows.append(
        [
            Cell("success", "bold"),
            _average(before, [row.a for row in both], _passed),
            _average(after, [row.b for row in both], _passed),
            cells.points(difference(before, after)),
            _interval(comparison.certainty),
        ]
    )
    a, b = comparison.a_usage, comparison.b_usage
    if a.tokens_reported and b.tokens_reported:
        more = cells.tokens(b.total_tokens - a.total_tokens)
        moved = cells.relative(a.total_tokens, b.total_tokens, more)
        rows.append([Cell("tokens", "bold"), _tokens(a), _tokens(b), moved, Cell("")])
    more = cells.seconds(b.wall_seconds - a.wall_seconds)
    moved = cells.relative(a.wall_seconds, b.wall_seconds, more)
    rows.append([Cell("wall", "bold"), _wall(a), _wall(b), moved, Cell("")])
    return rows


def _activation(comparison: Comparison) -> list[list[Cell]]:
    pairs = zip(comparison.rows, comparison.activation_certainties, strict=True)
    rows = [
        [
            Cell(row.name),
            Cell(cells.percent(row.a_activation)),
            Cell(cells.percent(row.b_activation)),
            cells.points(row.activation_delta),
            _interval(sure),
        ]
        for row, sure in pairs
        if row.a_activation is not None or row.b_activation is not None
    ]
    both = [row for row in comparison.rows if row.activation_delta is not None]
    before, after = comparison.activation_averages
    rows.append(
        [
            Cell("activation", "bold"),
            _average(before, [row.a for row in both], _activated),
            _average(after, [row.b for row in both], _activated),
            cells.points(difference(before, after)),
            Cell(""),
        ]
    )
    return rows


def _side(run: RunFile, task: TaskResult, score: float | None) -> Cell:
    return Cell(f"{cells.percent(score)} {cells.marks(task.outcomes, run.run.k)}".rstrip())


def _average(
    average: float | None,
    tasks: Sequence[TaskResult],
    counts: Callable[[TaskResult], tuple[int, int]],
) -> Cell:
    found = [counts(task) for task in tasks]
    good, of = sum(one for one, _ in found), sum(count for _, count in found)
    return cells.average(average, good, of, len(tasks))


def _passed(task: TaskResult) -> tuple[int, int]:
    return task.successes, task.usable


def _activated(task: TaskResult) -> tuple[int, int]:
    return task.activation_successes, task.activation_usable


def _interval(sure: Certainty) -> Cell:
    return Cell(cells.interval(sure.delta), "" if sure.is_change else "dim")


def _tokens(use: Totals) -> Cell:
    return Cell(f"{cells.tokens(use.total_tokens)}, {cells.tokens(use.tokens_per_attempt)} each")


def _wall(use: Totals) -> Cell:
    return Cell(f"{cells.seconds(use.wall_seconds)}, {cells.seconds(use.wall_per_attempt)} each")


def _chances(row: Row) -> list[Cell]:
    shares = (row.a.pass_at_k, row.b.pass_at_k, row.a.pass_hat_k, row.b.pass_hat_k)
    return [Cell(row.name), *(Cell(cells.percent(share)) for share in shares)]


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} ({', '.join(names)})"
