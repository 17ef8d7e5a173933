"""`receipts verify`."""

from pathlib import Path

import click

from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option
from store import completing


@click.command(
    "verify", epilog="Examples: receipts verify receipt.json; receipts verify --team acme"
)
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option(
    "--team",
    is_flag=False,
    flag_value="",
    help="Verify a team's repository instead.",
    shell_complete=completing.teams,
)
@json_option
def command(path: Path | None, *, team: str | None, as_json: bool) -> int:
    """Name every problem of the receipt PATH, or of all receipts below the folder PATH.

    A single - reads the receipt from stdin. With --team, everything in the team's repository is
    verified, as of the last sync.
    """
    from publish import verifying

    if (path is None) == (team is None):
        raise UsageError("Name a receipt file or a folder, or give --team.")
    found = verifying.verify_path(path) if path else verifying.verify_team(team or None)
    bad = [item for item in found if item.problems]
    if as_json:
        terminal.print_json({"ok": not bad, "verified": [item._asdict() for item in found]})
        return int(bool(bad))
    for item in found:
        for problem in item.problems:
            terminal.print_text(f"{item.where}: {problem}")
        for note in item.notes:
            terminal.print_text(f"{item.where}: note: {note}")
    count = sum(len(item.problems) for item in bad)
    terminal.print_text(
        f"{len(found)} verified, {count} {'problem' if count == 1 else 'problems'}."
    )
    return int(bool(bad))
