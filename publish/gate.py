"""The question that comes before publishing bytes whose newest local run failed."""

from collections.abc import Sequence

from receipts.forms import BASELINE
from receipts.receipt import Receipt
from receipts.report import recorded_line
from receipts.stats import verdict
from store.runs import LocalRun


def question(runs: Sequence[LocalRun]) -> str | None:
    """Return what to ask before these bytes are published, or None when nothing speaks against it.

    No run never blocks; only the newest usable one decides. It failed when it says so, and also
    when it says something else while its counts against the baseline are those of a failure.

    Args:
        runs: The local runs of exactly these bytes, newest last.
    """
    usable = [run.file.receipt for run in runs if run.file.receipt is not None]
    if not usable or not _failed(usable[-1]):
        return None
    return (
        f"Your latest eval of these exact bytes failed against {failed_against(usable[-1])}. "
        "Publish anyway?"
    )


def _failed(receipt: Receipt) -> bool:
    record = receipt.comparisons.get(BASELINE)
    counted = verdict(record.win, record.loss, record.tie) if record else None
    return "FAIL" in (receipt.verdict, counted)


def failed_against(receipt: Receipt) -> str:
    """Return what a FAIL was measured against: an agent without the skill, a bar or a target."""
    record = receipt.comparisons.get(BASELINE)
    if record:
        return f"an agent without the skill ({recorded_line(BASELINE, record)})"
    return {"attempts": "its bar", "golden": "its target"}.get(receipt.method, "its evaluation")
