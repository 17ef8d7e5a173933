"""What a person sees while an evaluation runs: a live table, plain lines, or JSON lines."""

import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from receipts import terminal
from receipts.arms.plan import Plan, Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

WAYS = ("auto", "table", "lines", "json", "none")
_PER_SECOND = 4


class Lines:
    """A line for each thing that happens, on stderr."""

    def said(self, line: str) -> None:
        """Print the line."""
        terminal.say(line)

    def session(self, unit: Unit, arm: str, state: str, cost_usd: float | None = None) -> None:
        """Print a session's end; its start is no news."""
        if state == "done":
            cost = "" if cost_usd is None else f" (${cost_usd:.2f})"
            terminal.say(f"  {unit.case.name} rep{unit.rep} {arm}: done{cost}")

    def close(self) -> None:
        """Nothing is open."""


class JsonLines:
    """A JSON map for each thing that happens, on stderr."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def said(self, line: str) -> None:
        """Print the line as an event."""
        self._print({"event": "line", "text": line.strip()})

    def session(self, unit: Unit, arm: str, state: str, cost_usd: float | None = None) -> None:
        """Print a session's state as an event."""
        self._print(
            {
                "event": "session",
                "case": unit.case.name,
                "rep": unit.rep,
                "arm": arm,
                "state": state,
                "cost_usd": cost_usd,
            }
        )

    def close(self) -> None:
        """Nothing is open."""

    def _print(self, event: dict[str, Any]) -> None:
        with self._lock:
            terminal.write(json.dumps({"time": time.time(), **event}), sys.stderr)


class Nothing:
    """Shows nothing."""

    def said(self, line: str) -> None:
        """Pass over the line."""

    def session(self, unit: Unit, arm: str, state: str, cost_usd: float | None = None) -> None:
        """Pass over the state."""

    def close(self) -> None:
        """Nothing is open."""


class Table:
    """A live table on a terminal: a row for each case and repetition, a column for each arm."""

    def __init__(self, plan: Plan) -> None:
        self._arms = [arm.name for arm in plan.arms]
        self._lock = threading.Lock()
        self._states: dict[tuple[str, int, str], tuple[str, float, float | None]] = {}
        self._keys = [unit.key for unit in plan.units]
        self._cost = 0.0
        self._began = time.monotonic()
        self._live = self._opened()

    def _opened(self) -> "Live":
        from rich.console import Console
        from rich.live import Live

        live = Live(
            self, console=Console(stderr=True), refresh_per_second=_PER_SECOND, transient=True
        )
        live.start()
        return live

    def said(self, line: str) -> None:
        """Print a line above the table."""
        from rich.text import Text

        self._live.console.print(Text(terminal.printable(line)))

    def session(self, unit: Unit, arm: str, state: str, cost_usd: float | None = None) -> None:
        """Take a session's state into the table."""
        with self._lock:
            self._states[(*unit.key, arm)] = (state, time.monotonic(), cost_usd)
            if state in ("done", "dead"):
                self._cost += cost_usd or 0.0

    def close(self) -> None:
        """Take the table away; what was printed above it stays."""
        self._live.stop()

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        """Draw the table: what runs first, then what fits of the rest."""
        from rich.table import Table as RichTable

        with self._lock:
            states = dict(self._states)
            cost = self._cost
        ended = sum(
            state in ("done", "dead", "dropped", "skipped") for state, _, _ in states.values()
        )
        total = len(self._keys) * len(self._arms)
        elapsed = time.monotonic() - self._began
        money = f" · ${cost:.2f}" if cost else ""
        table = RichTable(caption=f"{ended}/{total} sessions · {elapsed:.0f} s{money}")
        for name in ("case", "rep", *self._arms):
            table.add_column(name)
        for key in self._shown(states, console.size.height - 6):
            cells = [self._cell(states.get((*key, arm))) for arm in self._arms]
            table.add_row(terminal.one_line(key[0]), str(key[1]), *cells)
        yield table

    def _shown(
        self, states: dict[tuple[str, int, str], tuple[str, float, float | None]], most: int
    ) -> list[tuple[str, int]]:
        def is_running(key: tuple[str, int]) -> bool:
            return any(
                states.get((*key, arm), ("",))[0] in ("running", "checking") for arm in self._arms
            )

        first = sorted(self._keys, key=lambda key: not is_running(key))
        shown = set(first[: max(most, 3)])
        return [key for key in self._keys if key in shown]

    @staticmethod
    def _cell(state: tuple[str, float, float | None] | None) -> str:
        if state is None:
            return ""
        word, since, cost = state
        if word in ("running", "checking"):
            return f"{word} {time.monotonic() - since:.0f} s"
        return f"{word} ${cost:.2f}" if cost else word


Progress = Lines | JsonLines | Nothing | Table


def chosen(way: str, plan: Plan) -> Progress:
    """Return the way to show progress; `auto` is a table on a terminal, and lines elsewhere."""
    ways: dict[str, Callable[[], Progress]] = {
        "table": lambda: Table(plan),
        "lines": Lines,
        "json": JsonLines,
        "none": Nothing,
    }
    if way == "auto":
        way = "table" if terminal.is_shown() and sys.stderr.isatty() else "lines"
    return ways[way]()
