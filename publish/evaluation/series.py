"""Evaluations one after another, each shown as a block of its own, within common limits."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from publish.evaluation import one, printing
from publish.evaluation.one import Manner
from publish.evaluation.preparing import prepared
from publish.evaluation.request import Finished, Request
from publish.evaluation.stopping import stopping
from receipts import terminal
from receipts.arms.plan import Limits
from receipts.arms.preflight import Preflight
from receipts.errors import EvalError, ReceiptsError


class Result(NamedTuple):
    """What became of one skill: a run that ended, or an error, or both."""

    folder: Path
    done: Finished | None
    error: str | None


class Series:
    """Evaluates one skill after another.

    Attributes:
        results: What became of each so far.
    """

    def __init__(self, manner: Manner, limits: Limits, *, as_json: bool) -> None:
        self._manner = manner
        self._limits = limits
        self._as_json = as_json
        self._preflight = Preflight()
        self.results: list[Result] = []

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(result.error is not None for result in self.results)

    @property
    def evaluated(self) -> int:
        """How many came to their end."""
        return sum(not (result.done and result.done.interrupted) for result in self.results)

    def evaluate(self, request: Request) -> None:
        """Evaluate a skill and print its block.

        Raises:
            ReceiptsError: It could not be run, or nothing of it could be scored.
            KeyboardInterrupt: It was interrupted.
        """
        folder = request.folder.resolve()
        done = None
        self._print(f"── {folder.name} ──")
        try:
            done = self._evaluated(request)
            if done.failed and not done.interrupted:
                raise EvalError(f"Nothing of {folder.name} could be scored.")
        except ReceiptsError as error:
            self.results.append(Result(folder, done, error.message))
            self._print(f"✗ {folder.name}: {error.message.splitlines()[0]}")
            if error.hint:
                terminal.say(f"  {error.hint}")
            raise
        self.results.append(Result(folder, done, None))
        if done.interrupted:
            raise KeyboardInterrupt
        self._print(f"✓ {folder.name}")

    def documents(self) -> list[dict[str, Any]]:
        """Return what `--json` prints of each."""
        nothing = dict.fromkeys(("receipt", "path", "run_id", "shared")) | {"interrupted": False}
        return [
            {
                "skill": result.folder.name,
                "folder": str(result.folder),
                "error": result.error,
                **(printing.document(result.done) if result.done else nothing),
            }
            for result in self.results
        ]

    def _evaluated(self, request: Request) -> Finished:
        opened = prepared(
            replace(request, limits=self._left()),
            terminal.say,
            is_answerable=self._manner.is_answerable,
            preflight=self._preflight,
            stopping=stopping,
        )
        done = one.evaluate(opened, self._manner, self._preflight)
        printing.say_warnings(done)
        if not self._as_json:
            printing.print_report(done)
        return done

    def _left(self) -> Limits:
        """Return the limits less what the earlier runs took.

        Raises:
            EvalError: Nothing is left.
        """
        ran = [result.done for result in self.results if result.done]
        cost, sessions = self._limits.cost_usd, self._limits.sessions
        if cost is not None:
            cost -= sum(done.cost_usd for done in ran)
            if cost <= 0:
                raise EvalError(
                    f"--max-cost {self._limits.cost_usd:g} is spent, so it was not started."
                )
        if sessions is not None:
            sessions -= sum(done.sessions for done in ran)
            if sessions <= 0:
                raise EvalError(
                    f"--max-sessions {self._limits.sessions} is reached, so it was not started."
                )
        return Limits(cost, sessions)

    def _print(self, line: str) -> None:
        if not self._as_json:
            terminal.print_text(line)
