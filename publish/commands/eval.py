"""`receipts eval`."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option
from store.completing import skills
from store.options import team_option

if TYPE_CHECKING:
    from publish.evaluating import Finished, Prepared

INTERRUPTED = 130
COULD_NOT_RUN = 2


@click.command(
    "eval",
    epilog="Examples: receipts eval ~/.claude/skills/tdd --k 3; "
    "receipts eval tdd --agent codex --max-cost 5; receipts eval --resume 20261203T101112Z",
)
@click.argument("skill", required=False, shell_complete=skills)
@click.option("--k", type=click.IntRange(min=1), default=1, help="Repetitions of each case.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this case; repeatable.")
@click.option("--triggers-only", is_flag=True, help="Only the trigger prompts.")
@click.option("--execution-only", is_flag=True, help="Only the cases and the suite.")
@click.option(
    "--agent",
    default="claude",
    metavar="AGENT",
    help="claude, codex or 'command:<template>'.",
    show_default=True,
)
@click.option("--model", help="The agent's model; by default the agent's own.")
@click.option("--judge-model", help="The judge's model; by default the same.")
@click.option("--parallel", type=click.IntRange(1, 64), default=4, help="Sessions at a time.")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD",
              help="Start no session beyond these dollars.")  # fmt: skip
@click.option(
    "--max-sessions", type=click.IntRange(min=1), help="Start no more sessions than this."
)
@click.option("--no-commit", is_flag=True, help="Share nothing with the team.")
@click.option("--private", is_flag=True, help="Leave cost and skill lists out of the receipt.")
@click.option("--aa", is_flag=True, help="Compare the baseline with itself; files no receipt.")
@click.option("--resume", metavar="RUN", help="Continue a run that was killed, stopped or limited.")
@click.option(
    "--progress",
    type=click.Choice(("auto", "table", "lines", "json", "none")),
    default="auto",
    help="How to show what is going on, on stderr.",
)
@team_option
@json_option
def command(skill: str | None, **options: Any) -> int:  # noqa: ANN401 - click's options
    """Say whether an agent is better with SKILL than without it.

    Each case of SKILL/evals runs in fresh sandboxes: without the skill (baseline), with the bytes
    of the folder (candidate), and with the version that the team measured last (incumbent). It ends
    in a printed report and one receipt. When these bytes are a published version, the receipt goes
    to the team.
    """
    from publish import evaluating

    if (skill is None) == (options["resume"] is None):
        raise UsageError("Name a skill, or a run with --resume.", "See `receipts eval --help`.")
    with _opened(evaluating, skill, options) as prepared, _stopping() as stop:
        from publish.progress import chosen

        progress = chosen("none" if options["as_json"] else options["progress"], prepared.plan)
        try:
            done = evaluating.run(prepared, progress, stop)
        finally:
            progress.close()
    _print(done, as_json=options["as_json"], baseline_twice=prepared.baseline_twice)
    if done.interrupted:
        return INTERRUPTED
    return COULD_NOT_RUN if done.failed else 0


def _opened(
    evaluating: Any,  # noqa: ANN401 - the module, imported late
    skill: str | None,
    options: dict[str, Any],
) -> "contextlib.AbstractContextManager[Prepared]":
    from receipts.arms.plan import Limits
    from store.library import find

    limits = Limits(options["max_cost"], options["max_sessions"])
    if skill is None:
        return evaluating.resumed(  # type: ignore[no-any-return]
            options["resume"], limits, options["parallel"], terminal.say
        )
    if options["triggers_only"] and options["execution_only"]:
        raise UsageError("--triggers-only and --execution-only cannot be used together.")
    request = evaluating.Request(
        folder=find(skill),
        agent=options["agent"],
        team=options["team"],
        k=options["k"],
        cases=options["cases"],
        execution=not options["triggers_only"],
        triggers=not options["execution_only"] and not options["aa"],
        model=options["model"],
        judge_model=options["judge_model"],
        parallel=options["parallel"],
        limits=limits,
        commit=not options["no_commit"],
        private=options["private"],
        baseline_twice=options["aa"],
    )
    return evaluating.prepared(request, terminal.say)  # type: ignore[no-any-return]


@contextlib.contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into a request to stop, and leave at once at the second."""
    stop = threading.Event()

    def interrupted(number: int, frame: object) -> None:
        del frame
        if stop.is_set():
            _end_children()
            os._exit(INTERRUPTED)
        stop.set()
        if number == signal.SIGINT:
            terminal.say("\nStopping: what ran is kept. Press Ctrl-C again to leave at once.")

    wanted = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before: dict[int, Any] = {}
    for number in filter(None, wanted):
        before[number] = signal.signal(number, interrupted)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_children() -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()


def _print(done: "Finished", *, as_json: bool, baseline_twice: bool) -> None:
    from receipts import jsontext, report
    from receipts.receipt import read_receipt

    for warning in done.warnings:
        terminal.say(f"warning: {warning}")
    if as_json:
        terminal.print_json(
            {
                "receipt": jsontext.loads(done.shown) if done.receipt or baseline_twice else None,
                "path": str(done.folder),
                "run_id": done.folder.name,
                "interrupted": done.interrupted,
                "shared": done.last_line,
            }
        )
        return
    receipt = read_receipt(done.shown).receipt
    if receipt is None or (done.receipt is None and not baseline_twice):
        terminal.say("Nothing was scored, so there is no receipt.")
    else:
        for line in report.report_lines(receipt, done.trigger_rows):
            terminal.print_content(line)
        for note in report.notes(receipt):
            terminal.say(f"note: {note}")
    if baseline_twice:
        terminal.print_text(
            "This compared the baseline with itself: whatever is not a tie above is what the "
            "instrument alone produces. No receipt was filed."
        )
    if done.last_line:
        terminal.print_text(done.last_line)
    if done.interrupted:
        terminal.say(f"Continue with: receipts eval --resume {done.folder.name}")
