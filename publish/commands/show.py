"""`receipts show`."""

from typing import TYPE_CHECKING

import click

from publish.commands import completing
from receipts import terminal
from receipts.options import json_option

if TYPE_CHECKING:
    from receipts.receipt import ReceiptFile


@click.command(
    "show", epilog="Examples: receipts show receipt.json; receipts show ~/.claude/skills/tdd --json"
)
@click.argument("reference", metavar="FILE|RUN|SKILL", shell_complete=completing.receipts_or_skills)
@click.option("--explain", is_flag=True, help="Say how much the numbers show: the evidence.")
@json_option
def command(reference: str, *, explain: bool, as_json: bool) -> None:
    """Print the report of a receipt.

    Name the receipt's file (- is stdin), the id of a run on this machine, or a skill by its folder
    or name: then the newest receipt that measured exactly its bytes is shown. A skill that is not
    installed here is looked for in your teams.
    """
    from publish.showing import find_receipt
    from receipts import check, evidence, jsontext, report

    found = find_receipt(reference)
    receipt = found.file.receipt
    for note in found.notes:
        terminal.say(f"note: {note}")
    for problem in check.repeated_keys(found.file.data):
        terminal.say(f"warning: {problem}")
    if as_json:
        document = jsontext.loads(found.file.data)
        if explain:
            shown = evidence.documents(receipt) if receipt else None
            document = {"receipt": document, "evidence": shown}
        terminal.print_json(document)
    elif receipt is None:
        _print_newer(found.file)
    else:
        for line in report.report_lines(receipt, found.trigger_rows):
            terminal.print_content(line)
        for line in evidence.lines(receipt) if explain else []:
            terminal.print_content(line)
    if receipt is None:
        if as_json:
            terminal.say(f"note: {report.newer_line(found.file)}")
        return
    for note in report.notes(receipt):
        terminal.say(f"note: {note}")
    for problem in check.problems(receipt):
        terminal.say(f"warning: {problem}")


def _print_newer(file: "ReceiptFile") -> None:
    """Print what can be read of a receipt that a later version of this program wrote."""
    from receipts import jsontext, report

    document = jsontext.loads(file.data)
    terminal.print_text(report.newer_line(file))
    for field in ("skill_name", "version", "run_id", "content_digest", "verdict", "attribution"):
        value = document.get(field)
        if isinstance(value, str):
            terminal.print_text(f"{field}: {terminal.one_line(value)}")
