"""`receipts gate`."""

from pathlib import Path

import click

from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option


@click.command(
    "gate",
    epilog="Examples: receipts gate; receipts gate evals/search; "
    "receipts gate eval/results/20261203T101112.000000Z.jsonl main.jsonl",
)
@click.argument("current", required=False, type=click.Path(path_type=Path))
@click.argument("baseline", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "layout",
    type=click.Choice(("text", "github")),
    default="text",
    help="Lines for a person, or annotations of a GitHub workflow.",
)
@json_option
def command(current: Path | None, baseline: Path | None, *, layout: str, as_json: bool) -> int:
    """Say whether any category of a golden set fell since the last committed run.

    CURRENT is a results file, or a folder with results/ in it; by default the newest of
    eval/results. It is compared with BASELINE, by default with the last results file that is
    committed in HEAD. Exit codes: 0 nothing fell or nothing could be compared, which is said; 1 a
    category fell; 2 the files cannot be compared.
    """
    from receipts.errors import CannotCompare
    from receipts.golden import gate
    from receipts.golden.gating import gated

    if as_json and layout != "text":
        raise UsageError("--json and --format cannot be used together.")
    try:
        found = gated(current, baseline)
    except CannotCompare as error:
        if as_json:
            terminal.print_json({"kind": gate.CANNOT_COMPARE, "exit": 2, "reason": str(error)})
        elif layout == "github":
            terminal.print_text(f"::error title=Non-regression gate::{error}")
        raise
    if as_json:
        terminal.print_json(found.document())
    else:
        for line in found.annotations() if layout == "github" else found.lines():
            terminal.print_text(line)
    return found.exit_code
