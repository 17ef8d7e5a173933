"""The question before a publish: the newest run of the bytes failed, or runs are orphaned by it."""

from collections.abc import Sequence

from publish.unattached import Orphans
from receipts.forms import BASELINE
from receipts.receipt import Receipt
from receipts.report import recorded_line
from receipts.stats import verdict
from store.runs import LocalRun


def question(runs: Sequence[LocalRun], orphans: Orphans | None = None) -> str | None:
    """Return what to ask before these bytes are published, or None when nothing speaks against it.

    No run never blocks; only the newest usable one that compared something decides, for one of
    trigger prompts alone, or one that ended before anything was scored, takes nothing back. It
    failed when it says so, and also when it says something else while its counts against the
    baseline are those of a failure. All that speaks against a publish is one question with one
    answer.

    Args:
        runs: The local runs of exactly the bytes to publish, newest last.
        orphans: The runs of the bytes as they are, where publishing changes them.
    """
    usable = [run.file.receipt for run in runs if run.file.receipt is not None]
    sentences = [_about_orphans(orphans)] if orphans else []
    decisive = next((one for one in reversed(usable) if _compared(one)), None)
    if decisive and _failed(decisive):
        which = "the changed bytes" if orphans else "these exact bytes"
        against = failed_against(decisive)
        sentences.append(f"Your latest eval of {which} failed against {against}.")
    return " ".join([*sentences, "Publish anyway?"]) if sentences else None


def _about_orphans(orphans: Orphans) -> str:
    newest = orphans.receipts[-1]
    return (
        f"Publishing {orphans.why}, which changes the digest: {len(orphans.receipts)} eval run(s) "
        "of the bytes as they are will not be attached (newest verdict: "
        f"{'FAIL' if _failed(newest) else newest.verdict})."
    )


def _compared(receipt: Receipt) -> bool:
    """Say whether a receipt has a scored row; those of other methods say themselves what they are.

    One whose verdict is FAIL counts whatever its numbers are.
    """
    rows = (record.win + record.loss + record.tie for record in receipt.comparisons.values())
    return receipt.method != "arms" or receipt.verdict == "FAIL" or any(rows)


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
