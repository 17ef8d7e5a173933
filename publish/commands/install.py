"""`receipts install`."""

from pathlib import Path

import click

from publish.commands import completing
from receipts import terminal
from receipts.options import json_option
from store.options import team_option


@click.command(
    "install", epilog="Examples: receipts install tdd; receipts install tdd@v2 --to .claude/skills"
)
@click.argument("skill", metavar="SKILL[@vN]", shell_complete=completing.published)
@team_option
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="The library to install into.  [default: ~/.claude/skills]",
)
@click.option("--force", is_flag=True, help="Move an edited folder aside instead of refusing.")
@json_option
def command(skill: str, *, team: str | None, to: Path | None, force: bool, as_json: bool) -> None:
    """Copy a published version of SKILL into a library, with its receipts.

    The version comes from the last sync; no network is touched. Edited bytes are never overwritten.
    """
    import shlex

    from publish import copies, installing

    done = installing.install(skill, team=team, to=to, force=force)
    again = ["receipts", "install", skill, *(["--team", team] if team else [])]
    for note in copies.notes(done.path, done.elsewhere, shlex.join(again)):
        terminal.say(f"note: {note}")
    if as_json:
        terminal.print_json(
            {
                **done._asdict(),
                "path": str(done.path),
                "aside": str(done.aside) if done.aside else None,
                "elsewhere": [str(path) for path in done.elsewhere],
            }
        )
        return
    for line in installing.lines(done):
        terminal.print_text(line)
