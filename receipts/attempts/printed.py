"""The printed report of one saved run."""

from collections import Counter
from collections.abc import Iterator, Sequence

from receipts import terminal
from receipts.attempts import cells, header
from receipts.attempts.cells import DASH, Cell
from receipts.attempts.comparing import certainty
from receipts.attempts.report import computed, notes, overall
from receipts.attempts.runfile import Attempt, RunFile, TaskResult
from receipts.attempts.scores import is_probe
from receipts.attempts.usage import Totals, tokens_of, totals

_SERVER_TOOL = "mcp__"
_LONGEST = 2000  # characters of an output that are shown


def print_report(run: RunFile, *, verbose: bool = False) -> None:
    """Print the report on stdout.

    Args:
        run: A run, with its transcripts.
        verbose: Whether to print every task in full, and pass@k and pass^k.
    """
    rows = [
        cells.plain(name, text) for name, text in header.rows_of(run).items() if text is not None
    ]
    cells.print_table(("", ""), rows)
    terminal.print_text("")
    cells.print_table(_headings(verbose), list(_rows(run, verbose)))
    for heading, table in (_skills(run), _servers(run)):
        if table:
            terminal.print_text("")
            cells.print_table(heading, table)
    terminal.print_text("")
    for note in notes(run):
        terminal.print_text(terminal.one_line(note))
    for task in run.task_results:
        if verbose or _fell_short(task):
            terminal.print_text("")
            for line in _panel(task, verbose=verbose):
                terminal.print_text(line)


def _headings(verbose: bool) -> tuple[str, ...]:  # noqa: FBT001 - whether the columns are there
    more = ("pass@k", "pass^k") if verbose else ()
    return ("task", "success", "95 %", *more, "activation", "cost")


def _rows(run: RunFile, verbose: bool) -> Iterator[list[Cell]]:  # noqa: FBT001 - as above
    blank = cells.plain("", "") if verbose else []
    for task in run.task_results:
        rate = certainty.rate_of(task)
        chances = (cells.percent(task.pass_at_k), cells.percent(task.pass_hat_k))
        yield [
            Cell(task.task_name),
            Cell(f"{cells.percent(task.score)} {cells.marks(task.outcomes, run.run.k)}".rstrip()),
            Cell(cells.rates(rate.interval if rate else None), "dim"),
            *(cells.plain(*chances) if verbose else []),
            Cell(cells.percent(task.activation_score)),
            Cell(_cost(totals(task.attempts))),
        ]
    use, ours = totals(run.attempts), computed(run)
    passed = sum(task.successes for task in run.task_results)
    usable = sum(task.usable for task in run.task_results)
    score = ours.avg_score if usable else None
    yield [
        Cell("overall", "bold"),
        cells.average(score, passed, usable, ours.scored_tasks),
        Cell(cells.rates(overall(run)), "dim"),
        *blank,
        Cell(cells.percent(ours.avg_activation_score), "bold"),
        Cell(_cost(use)),
    ]
    each = f"{cells.tokens(use.tokens_per_attempt)}, {cells.seconds(use.wall_per_attempt)}"
    yield [Cell("per attempt"), Cell(""), Cell(""), *blank, Cell(""), Cell(each)]


def _cost(use: Totals) -> str:
    spent = use.total_tokens if use.tokens_reported else None
    return f"{cells.tokens(spent)}, {cells.seconds(use.wall_seconds)}"


def _skills(run: RunFile) -> tuple[tuple[str, ...], list[list[Cell]]]:
    """Return how well each skill is picked, the worst first; nothing when no task asks."""
    rows = [row for row in computed(run).activation_per_skill if row.total]
    rows.sort(key=lambda row: (1.0 if row.recall is None else row.recall, row.skill))
    table = [
        cells.plain(
            row.skill,
            f"{row.expected} of {row.total}",
            _share(row.hits, row.expected),
            _share(row.unwanted, row.opportunities),
        )
        for row in rows
    ]
    return ("skill", "wanted", "fires when wanted", "fires when not wanted"), table


def _share(part: int, whole: int) -> str:
    return f"{cells.percent(part / whole)} {part}/{whole}" if whole else DASH


def _servers(run: RunFile) -> tuple[tuple[str, ...], list[list[Cell]]]:
    """Return which tools of which servers were called; shown, and in no rate."""
    calls: Counter[tuple[str, str]] = Counter()
    attempts: Counter[tuple[str, str]] = Counter()
    for attempt in run.attempts:
        called = Counter(_server_tools(attempt))
        calls += called
        attempts.update(called.keys())
    table = [
        cells.plain(server, tool, str(count), f"{attempts[server, tool]} of {len(run.attempts)}")
        for (server, tool), count in sorted(calls.items())
    ]
    return ("server", "tool", "calls", "in attempts"), table


def _server_tools(attempt: Attempt) -> Iterator[tuple[str, str]]:
    for turn in attempt.transcript or ():
        if turn.role == "tool_use" and (turn.tool_name or "").startswith(_SERVER_TOOL):
            server, _, tool = (turn.tool_name or "").removeprefix(_SERVER_TOOL).partition("__")
            yield server, tool


def _fell_short(task: TaskResult) -> bool:
    if is_probe(task.outcomes) or task.score is None:
        return bool(task.unusable) or (task.activation_score or 1) < 1
    return task.score < 1 or (task.activation_score or 1) < 1


def _panel(task: TaskResult, *, verbose: bool) -> Iterator[str]:
    yield terminal.one_line(f"{task.task_name}: {cells.percent(task.score)}")
    if verbose and task.expect is not None:
        yield from _indented("expect", task.expect)
    if task.activation_expected is not None:
        yield f"  should activate: {_names(task.activation_expected)}"
    for attempt in task.attempts:
        used = tokens_of(attempt)
        cost = cells.seconds(attempt.duration_seconds)
        cost += f", {cells.tokens(used)} tokens" if used is not None else ""
        yield f"  attempt {attempt.attempt}: {attempt.outcome}, {cost}"
        if attempt.activated is not None:
            yield f"    activated: {_names(attempt.activated)}"
        yield from _indented("output", attempt.output or "(none)", 4)
        told = {
            "judge": attempt.autorater_reasoning,
            "assert": attempt.assert_evidence,
            "cheat": "; ".join(attempt.cheat_evidence) or None,
            "script": attempt.autorater_script if verbose else None,
        }
        for name, text in told.items():
            if text:
                yield from _indented(name, text, 4)


def _names(names: Sequence[str]) -> str:
    return terminal.one_line(", ".join(names)) or "nothing"


def _indented(name: str, text: str, depth: int = 2) -> Iterator[str]:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    first, *others = terminal.printable(short).split("\n")
    yield f"{' ' * depth}{name}: {first}"
    for line in others:
        yield f"{' ' * (depth + 2)}{line}"
