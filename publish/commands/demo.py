"""`receipts demo`."""

from pathlib import Path

import click

from receipts import terminal
from receipts.options import json_option


@click.command("demo", epilog="Example: receipts demo --keep /tmp/receipts-demo")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Leave everything in this new folder, to look around in.",
)
@json_option
def command(*, keep: Path | None, as_json: bool) -> None:
    """Play the whole job: a team of two, a skill, receipts, cards, and a refused publish.

    Everything happens in a temporary folder with real commands and real git. Exits non-zero if any
    step differs from what it claims.
    """
    from publish import demo

    steps = demo.run(keep, quiet=as_json)
    if as_json:
        terminal.print_json({"ok": True, "steps": [step._asdict() for step in steps]})
        return
    terminal.print_text(f"\n{len(steps)} commands ran, and each did what was claimed.")
    if keep:
        terminal.print_text(f"Everything is kept in {keep}.")
