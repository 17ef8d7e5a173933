"""`receipts sync`."""

import click

from receipts import terminal
from receipts.options import json_option
from store.options import team_option


@click.command("sync", epilog="Example: receipts sync")
@team_option
@click.option(
    "--accept-rewrite",
    is_flag=True,
    help="Follow a repository that lost commits this machine saw; they are kept here.",
)
@click.option(
    "--repair",
    is_flag=True,
    help="Read this machine's whole copy of the repository, and make it again if it is damaged.",
)
@json_option
def command(*, team: str | None, accept_rewrite: bool, repair: bool, as_json: bool) -> int:
    """Fetch the team's versions and receipts, and say what is new since the last sync.

    Without --team, every team of this machine is fetched.
    """
    from publish import syncing

    news = syncing.sync(team, accept_rewrite=accept_rewrite, repair=repair)
    for item in news:
        for sentence in item.unreadable:
            terminal.say(f"{item.team}: {sentence}")
        if item.failure:
            terminal.say(syncing.lines(item)[0])
    if as_json:
        terminal.print_json({"teams": [syncing.document(item) for item in news]})
    else:
        for item in news:
            if not item.failure:
                terminal.print_text("\n".join(syncing.lines(item)))
    return int(any(item.failure for item in news))
