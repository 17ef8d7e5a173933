"""`receipts show`."""

from typing import TYPE_CHECKING, Any

import click

from publish.commands import completing
from receipts import terminal
from receipts.errors import UsageError
from receipts.options import json_option

if TYPE_CHECKING:
    from receipts.receipt import ReceiptFile
    from store.lookup import Found


@click.command(
    "show",
    epilog="Examples: receipts show receipt.json; receipts show ~/.claude/skills/tdd --explain; "
    "receipts show demo.eval.yaml --verbose",
)
@click.argument("reference", metavar="FILE|RUN|SKILL|SPEC", shell_complete=completing.shown)
@click.option("--explain", is_flag=True, help="Say how much the numbers show: the evidence.")
@click.option(
    "--against",
    metavar="FILE|RUN|SKILL",
    help="Say whether the numbers of another receipt may be compared with these.",
    shell_complete=completing.receipts_or_skills,
)
@click.option("--run", "run_id", metavar="ID", help="This saved run of the spec.")
@click.option("--verbose", "-v", is_flag=True, help="Of a saved run, print every task in full.")
@json_option
def command(
    reference: str,
    *,
    explain: bool,
    against: str | None,
    run_id: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print the report of a receipt, or of a saved run of attempts.

    Name the receipt's file (- is stdin), the id of a run on this machine, or a skill by its folder
    or name: then the newest receipt that measured exactly its bytes is shown. A skill that is not
    installed here is looked for in your teams.

    A saved run is named by its file or id, or by its spec's name or file, which means the latest
    one; `latest` and `previous` are of all specs.
    """
    from publish.showing import find_receipt_or_run

    found = find_receipt_or_run(reference, run_id)
    if not isinstance(found, str):
        _show_receipt(found, against, explain=explain, as_json=as_json)
        return
    if explain or against is not None:
        raise UsageError(
            f"{reference} is a saved run, and --explain and --against are about receipts.",
            "Compare two runs with `receipts compare`.",
        )
    _show_run(found, verbose=verbose, as_json=as_json)


def _show_run(path: str, *, verbose: bool, as_json: bool) -> None:
    from receipts.attempts import printed, report, runfile

    run = runfile.read(path)
    if as_json:
        terminal.print_json(report.document(run))
    else:
        printed.print_report(run, verbose=verbose)
    for line in report.contradictions(run) if as_json else []:
        terminal.say(f"warning: {line}")


def _show_receipt(found: "Found", against: str | None, *, explain: bool, as_json: bool) -> None:
    from publish.showing import find_receipt
    from receipts import check, evidence, jsontext, report

    other = find_receipt(against) if against is not None else None
    receipt = found.file.receipt
    for note in [*found.notes, *(other.notes if other else [])]:
        terminal.say(f"note: {note}")
    for problem in check.repeated_keys(found.file.data):
        terminal.say(f"warning: {problem}")
    if as_json:
        document = jsontext.loads(found.file.data)
        beside = _beside(found.file, other, explain=explain)
        terminal.print_json({"receipt": document, **beside} if beside else document)
    elif receipt is None:
        _print_newer(found.file)
    else:
        for line in report.report_lines(receipt, found.trigger_rows):
            terminal.print_content(line)
        for line in evidence.lines(receipt) if explain else []:
            terminal.print_content(line)
    if other is not None and not as_json:
        _print_against(found.file, other)
    if receipt is None:
        if as_json:
            terminal.say(f"note: {report.newer_line(found.file)}")
        return
    for note in report.notes(receipt):
        terminal.say(f"note: {note}")
    for problem in check.problems(receipt):
        terminal.say(f"warning: {problem}")


def _beside(file: "ReceiptFile", other: "Found | None", *, explain: bool) -> dict[str, Any]:
    """Return what was asked for beside the receipt, as JSON."""
    from receipts import comparable, evidence, jsontext

    found: dict[str, Any] = {}
    if explain:
        found["evidence"] = evidence.documents(file.receipt) if file.receipt else None
    if other is not None:
        found["against"] = jsontext.loads(other.file.data)
        if file.receipt and other.file.receipt:
            both = file.receipt, other.file.receipt
            differences = [item._asdict() for item in comparable.comparable(*both)]
            found["differences"] = differences
            found["unrecorded"] = comparable.unrecorded(*both)
        found["comparable"] = found.get("differences") == []
    return found


def _print_against(file: "ReceiptFile", other: "Found") -> None:
    """Print whether two receipts may be compared, or in what they differ."""
    from receipts import comparable, report

    first, second = file.receipt, other.file.receipt
    if first is None or second is None:
        newer = file if first is None else other.file
        terminal.print_text(f"not comparable: one is {report.newer_line(newer)}")
        return
    differences = comparable.comparable(first, second)
    run = f"run {second.run_id} ({second.verdict})"
    if not differences:
        terminal.print_text(f"comparable with {run}: no difference is recorded")
    else:
        terminal.print_text(f"not comparable with {run}:")
    for difference in differences:
        terminal.print_content(f"  {terminal.one_line(str(difference))}")
    if missing := comparable.unrecorded(first, second):
        terminal.say(f"note: neither receipt records: {', '.join(missing)}")


def _print_newer(file: "ReceiptFile") -> None:
    """Print what can be read of a receipt that a later version of this program wrote."""
    from receipts import jsontext, report

    document = jsontext.loads(file.data)
    terminal.print_text(report.newer_line(file))
    for field in ("skill_name", "version", "run_id", "content_digest", "verdict", "attribution"):
        value = document.get(field)
        if isinstance(value, str):
            terminal.print_text(f"{field}: {terminal.one_line(value)}")
