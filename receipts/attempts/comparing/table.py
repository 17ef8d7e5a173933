"""Several runs as they are printed: one table, and what to make of each beside the first."""

from collections.abc import Sequence

from receipts import terminal
from receipts.attempts import cells, header
from receipts.attempts.cells import DASH, Cell
from receipts.attempts.comparing.printed import notes
from receipts.attempts.comparing.rows import difference
from receipts.attempts.comparing.several import Key, Several
from receipts.attempts.runfile import RunFile, TaskResult
from receipts.attempts.usage import Totals


def print_several(found: Several, *, verbose: bool = False) -> None:
    """Print runs side by side on stdout.

    Args:
        found: What to print.
        verbose: Whether to print pass@k and pass^k as well.
    """
    names = list(found.names)
    cells.print_table(("", *names), [cells.plain(*row) for row in header.beside(found.runs)])
    terminal.print_text("")
    cells.print_table(("task", *names), _tasks(found))
    if verbose:
        terminal.print_text("")
        columns = [f"{kind} {name}" for kind in ("pass@k", "pass^k") for name in names]
        cells.print_table(("task", *columns), [_chances(*item) for item in found.tasks.items()])
    for comparison in found.comparisons:
        first, other = comparison.names
        terminal.print_text("")
        terminal.print_text(f"{other} beside {first}:")
        for note in notes(comparison):
            terminal.print_text(f"  {terminal.one_line(note)}")


def _tasks(found: Several) -> list[list[Cell]]:
    rows = [
        [
            Cell(key.name),
            *(_score(run, task) for run, task in zip(found.runs, tasks, strict=True)),
        ]
        for key, tasks in found.tasks.items()
    ]
    averages = found.averages
    label = f"success, {len(found.shared)} of {len(found.tasks)} task(s)"
    rows.append([Cell(label, "bold"), *(Cell(cells.percent(score), "bold") for score in averages)])
    moved = (cells.points(difference(averages[0], score)) for score in averages[1:])
    rows.append([Cell("Δ to A"), Cell(""), *moved])
    sure = (
        Cell(cells.interval(one.delta), "" if one.is_change else "dim") for one in found.certainties
    )
    rows.append([Cell("95 %"), Cell(""), *sure])
    rows.append([Cell("tokens each"), *(_tokens(use) for use in found.usage)])
    rows.append([Cell("wall each"), *(_wall(use) for use in found.usage)])
    return rows


def _score(run: RunFile, task: TaskResult | None) -> Cell:
    if task is None:
        return Cell(DASH)
    return Cell(f"{cells.percent(task.score)} {cells.marks(task.outcomes, run.run.k)}".rstrip())


def _chances(key: Key, tasks: Sequence[TaskResult | None]) -> list[Cell]:
    shares = [task.pass_at_k if task else None for task in tasks]
    shares += [task.pass_hat_k if task else None for task in tasks]
    return [Cell(key.name), *(Cell(cells.percent(share)) for share in shares)]


def _tokens(use: Totals) -> Cell:
    return Cell(cells.tokens(use.tokens_per_attempt))


def _wall(use: Totals) -> Cell:
    return Cell(cells.seconds(use.wall_per_attempt))
