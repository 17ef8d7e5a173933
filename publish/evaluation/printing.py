"""What a person, or a program, is given of an evaluation that ended."""

from typing import Any

from publish.evaluation.request import Finished
from receipts import jsontext, report, terminal


def document(done: Finished) -> dict[str, Any]:
    """Return what `--json` prints of a run."""
    filed = done.shown if done.baseline_twice else done.receipt
    return {
        "receipt": None if filed is None else jsontext.loads(filed),
        "path": str(done.folder),
        "run_id": done.folder.name,
        "interrupted": done.interrupted,
        "shared": done.last_line,
    }


def say_warnings(done: Finished) -> None:
    """Say what a reader should know beside the report, on stderr."""
    for warning in done.warnings:
        terminal.say(f"warning: {warning}")


def print_report(done: Finished) -> None:
    """Print a run's report and what became of its receipt."""
    from receipts.receipt import read_receipt  # pydantic is slow to load

    receipt = read_receipt(done.shown).receipt
    if receipt is None or (done.receipt is None and not done.baseline_twice):
        terminal.say("Nothing was scored, so there is no receipt.")
    else:
        for line in report.report_lines(receipt, done.trigger_rows):
            terminal.print_content(line)
        for note in report.notes(receipt):
            terminal.say(f"note: {note}")
    if done.baseline_twice:
        terminal.print_text(
            "This compared the baseline with itself: whatever is not a tie above is what the "
            "instrument alone produces. No receipt was filed."
        )
    if done.last_line:
        terminal.print_text(done.last_line)
    if (done.interrupted or done.limited) and done.folder.exists():
        terminal.say(f"Continue with: receipts eval --resume {done.folder.name}")
