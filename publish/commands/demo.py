"""`receipts demo`."""

from pathlib import Path

import click

from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option

_AGENTS = ("claude", "codex", "built-in")


@click.command(
    "demo", epilog="Examples: receipts demo --keep /tmp/receipts-demo; receipts demo --eval"
)
@click.option(
    "--eval", "with_eval", is_flag=True, help="Show a first evaluation, on a scripted model."
)
@click.option(
    "--agent",
    type=click.Choice(_AGENTS),
    help="With --eval, the agent; by default the first of these that this machine can run.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Leave everything in this new folder, to look around in.",
)
@json_option
def command(*, with_eval: bool, agent: str | None, keep: Path | None, as_json: bool) -> None:
    """Play the whole job: a team of two, a skill, receipts, cards, and a refused publish.

    With --eval, play a first evaluation instead: cases, a report, a receipt, a card. No key is
    needed, for the model is played by a script.

    Everything happens in a temporary folder with real commands and real git. Exits non-zero if any
    step differs from what it claims.
    """
    from publish.demo import acting, evaluation, job, stage

    if agent and not with_eval:
        raise UsageError("--agent is for --eval: without it no agent acts.")
    actor = acting.choose(agent) if with_eval else None
    with stage.place(keep) as folder:
        played = stage.Stage(folder, quiet=as_json)
        if actor:
            evaluation.play(played, actor)
        else:
            job.play(played)
    if as_json:
        document = {"ok": True, "steps": [step._asdict() for step in played.steps]}
        if actor:
            document |= {"agent": actor.title, "note": " ".join(evaluation.NOTE)}
        terminal.print_json(document)
        return
    terminal.print_text(f"\n{len(played.steps)} commands ran, and each did what was claimed.")
    if actor:
        terminal.print_text("\n".join(evaluation.NOTE))
    if keep:
        terminal.print_text(f"Everything is kept in {keep}.")
