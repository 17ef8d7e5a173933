"""`receipts eval`."""

from typing import TYPE_CHECKING, Any

import click

from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option
from store.completing import skills
from store.options import team_option

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from publish.evaluation.one import Manner
    from publish.evaluation.request import Prepared
    from receipts.arms.preflight import Preflight

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
@click.option("--no-gen", is_flag=True, help="Generate no cases and triggers that are missing.")
@click.option("--yes", is_flag=True, help="Answer every question with yes.")
@click.option("--parallel", type=click.IntRange(1, 64), default=4, help="Sessions at a time.")
@click.option(
    "--heavy/--no-heavy",
    default=None,
    help="Whether sessions run one at a time; by default the skill tells.",
)
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
    from publish.evaluation import one, printing
    from receipts.arms.preflight import Preflight

    if (skill is None) == (options["resume"] is None):
        raise UsageError("Name a skill, or a run with --resume.", "See `receipts eval --help`.")
    preflight = Preflight()
    manner = one.Manner("none" if options["as_json"] else options["progress"], options["yes"])
    done = one.evaluate(_opened(skill, options, manner, preflight), manner, preflight)
    printing.say_warnings(done)
    if options["as_json"]:
        terminal.print_json(printing.document(done))
    else:
        printing.print_report(done)
    if done.interrupted:
        return INTERRUPTED
    return COULD_NOT_RUN if done.failed else 0


def _opened(
    skill: str | None, options: dict[str, Any], manner: "Manner", preflight: "Preflight"
) -> "AbstractContextManager[Prepared]":
    from publish.evaluation.preparing import prepared
    from publish.evaluation.request import Request
    from publish.evaluation.resuming import resumed
    from publish.evaluation.stopping import stopping
    from receipts.arms.plan import Limits
    from store.library import find

    limits = Limits(options["max_cost"], options["max_sessions"])
    if skill is None:
        return resumed(
            options["resume"], limits, options["parallel"], terminal.say, heavy=options["heavy"]
        )
    if options["triggers_only"] and options["execution_only"]:
        raise UsageError("--triggers-only and --execution-only cannot be used together.")
    request = Request(
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
        generate=not options["no_gen"],
        heavy=options["heavy"],
    )
    return prepared(
        request,
        terminal.say,
        is_answerable=manner.is_answerable,
        preflight=preflight,
        stopping=stopping,
    )
