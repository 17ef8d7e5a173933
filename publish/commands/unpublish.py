"""`receipts unpublish`."""

import click

from publish.commands import completing
from receipts import terminal
from receipts.errors import NeedsAnswer
from receipts.options import json_option
from store.options import team_option


@click.command("unpublish", epilog="Example: receipts unpublish deploy-check --yes")
@click.argument("skill", shell_complete=completing.published)
@team_option
@click.option("--yes", is_flag=True, help="Do not ask for the skill's name.")
@json_option
def command(skill: str, *, team: str | None, yes: bool, as_json: bool) -> None:
    """Remove SKILL from the team: all versions, assets and receipts, for everyone.

    It is one commit; the history keeps what was there.
    """
    from publish import unpublishing

    def confirm(team_name: str, versions: int) -> bool:
        if yes:
            return True
        if not terminal.is_interactive():
            raise NeedsAnswer(f"Refusing to unpublish {skill} without confirmation; pass --yes.")
        for line in unpublishing.warning(team_name, skill, versions):
            terminal.say(line)
        return str(click.prompt("Type the skill name to confirm", err=True)).strip() == skill

    done = unpublishing.unpublish(skill, team, confirm)
    if as_json:
        terminal.print_json(done._asdict())
        return
    for line in unpublishing.lines(done):
        terminal.print_text(line)
