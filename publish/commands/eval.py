"""`receipts eval`."""

import math
from typing import TYPE_CHECKING, Any

import click

from publish.commands import evalactions
from receipts.errors import UsageError
from receipts.options import json_option
from store import completing
from store.options import team_option

if TYPE_CHECKING:
    from collections.abc import Callable

_SPENDING = ("max_cost", "max_sessions")
_MANNER = ("yes", "progress", "as_json")
_HOW = (
    *("k", "triggers_only", "execution_only", "agent", "model", "judge_model", "no_gen"),
    *("parallel", "heavy", "no_commit", "private", "aa", "team"),
)
# What may stand beside an option that makes the command do something else than evaluate SKILL.
_ACTIONS = {
    "resume": ("parallel", "heavy", *_SPENDING, *_MANNER),
    "window": ("references", "pending", "team", "as_json"),
    "queued": ("as_json",),
    "dequeue": ("references", "as_json"),
    "drain": (*_HOW, *_SPENDING, *_MANNER),
}


def _finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Refuse `nan`, which is neither below nor above any limit, and `inf`."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number of dollars.")
    return value


@click.command(
    "eval",
    epilog="Examples: receipts eval ~/.claude/skills/tdd --k 3; receipts eval tdd ship --batch 1; "
    "receipts eval tdd --agent codex --max-sessions 20; receipts eval --resume 20261203T101112Z",
)
@click.argument("references", metavar="[SKILL]...", nargs=-1, shell_complete=completing.skills)
@click.option("--k", type=click.IntRange(min=1), default=1, help="Repetitions of each case.")
@click.option(
    "--case",
    "cases",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.cases,
    help="Only this case; repeatable.",
)
@click.option("--triggers-only", is_flag=True, help="Only the trigger prompts.")
@click.option("--execution-only", is_flag=True, help="Only the cases and the suite.")
@click.option(
    "--agent",
    default="claude",
    metavar="AGENT",
    shell_complete=completing.agent_names,
    help="claude, codex or 'command:<template>'.",
    show_default=True,
)
@click.option("--model", help="The agent's model; by default the agent's own.")
@click.option("--judge-model", help="The judge's model; by default the same.")
@click.option("--no-gen", is_flag=True, help="Generate no cases and triggers that are missing.")
@click.option("--parallel", type=click.IntRange(1, 64), default=4, help="Sessions at a time.")
@click.option(
    "--heavy/--no-heavy",
    default=None,
    help="Whether sessions run one at a time; by default the skill tells.",
)
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD",
              callback=_finite, help="Start no session beyond these dollars.")  # fmt: skip
@click.option(
    "--max-sessions", type=click.IntRange(min=1), help="Start no more sessions than this."
)
@click.option("--no-commit", is_flag=True, help="Share nothing with the team.")
@click.option("--private", is_flag=True, help="Leave cost and skill lists out of the receipt.")
@click.option("--aa", is_flag=True, help="Compare the baseline with itself; files no receipt.")
@click.option("--yes", is_flag=True, help="Answer every question with yes.")
@click.option("--pending", is_flag=True, help="Every installed skill without a run of its bytes.")
@click.option("--batch", type=click.IntRange(min=1), metavar="N",
              help="Ask after every N skills whether to go on.")  # fmt: skip
@click.option(
    "--queue",
    "window",
    type=click.Choice(("overnight", "later")),
    help="Evaluate nothing now: put the skills into the queue.",
)
@click.option("--queued", is_flag=True, help="List the queue.")
@click.option("--dequeue", is_flag=True, help="Take the skills out of the queue.")
@click.option("--drain", is_flag=True, help="Evaluate what is in the queue.")
@click.option(
    "--resume",
    metavar="RUN",
    shell_complete=completing.unfinished_runs,
    help="Continue a run that was killed, stopped or limited.",
)
@click.option(
    "--progress",
    type=click.Choice(("auto", "table", "lines", "json", "none")),
    default="auto",
    help="How to show what is going on, on stderr.",
)
@team_option
@json_option
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:  # noqa: ANN401 - click's options
    """Say whether an agent is better with SKILL than without it.

    Each case of SKILL/evals runs in fresh sandboxes: without the skill (baseline), with the bytes
    of the folder (candidate), and with the version that the team measured last (incumbent). It ends
    in a printed report and one receipt. When these bytes are a published version, the receipt goes
    to the team. Several skills are evaluated one after another.
    """
    action = _action(context)
    if options["references"] and options["pending"]:
        raise UsageError("--pending names the skills itself.", "Leave out one of the two.")
    is_named = options["references"] or options["pending"]
    if not is_named and action in (None, "window", "dequeue"):
        other = ", or a run with --resume" if action is None else ""
        raise UsageError(f"Name a skill{other}.", "See `receipts eval --help`.")
    if options["triggers_only"] and options["execution_only"]:
        raise UsageError("--triggers-only and --execution-only cannot be used together.")
    actions: dict[str | None, Callable[[dict[str, Any]], int]] = {
        None: evalactions.evaluate,
        "resume": evalactions.resume,
        "window": evalactions.put_into_queue,
        "queued": evalactions.list_queue,
        "dequeue": evalactions.take_out_of_queue,
        "drain": evalactions.drain,
    }
    return actions[action](options)


def _action(context: click.Context) -> str | None:
    """Return the option that says what to do instead of evaluating SKILL, or None.

    Raises:
        UsageError: Something stands beside it that it does not heed.
    """
    given = {
        str(parameter.name): parameter
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name))
        is click.core.ParameterSource.COMMANDLINE
    }
    action = next((name for name in _ACTIONS if name in given), None)
    if action is None:
        return None
    for name, parameter in given.items():
        if name != action and name not in _ACTIONS[action]:
            what = parameter.opts[0] if isinstance(parameter, click.Option) else "a skill"
            raise UsageError(
                f"{given[action].opts[0]} does not go together with {what}.",
                "See `receipts eval --help`.",
            )
    return action
