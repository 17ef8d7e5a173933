"""Which local receipts a publish attaches to a version, under which run id, and which it cannot."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from publish import layout
from publish.snapshot import Snapshot
from receipts import runid, scrub
from receipts.errors import ReceiptError
from receipts.receipt import read_receipt
from receipts.scrub import Removed
from receipts.stamping import stamp, unstamped_equal
from store.runs import LocalRun


class Attachment(NamedTuple):
    """A receipt on its way to the team.

    `moved_from` is its own run id when another run had taken that second; `removed` is what was
    redacted at the last moment.
    """

    path: str
    data: bytes
    run_id: str
    moved_from: str | None
    removed: tuple[Removed, ...]


def attachments(
    before: Snapshot,
    runs: Iterable[LocalRun],
    *,
    skill_id: str,
    number: int,
    secrets: Sequence[str],
) -> list[Attachment]:
    """Return what to write so that every one of these runs is attached to a version.

    A run that is there already, whoever attached it, is not attached again. A run whose second is
    taken by another run moves to the next free one and keeps its own id in `original_run_id`.

    Args:
        before: The team at the tip.
        runs: Usable local runs of exactly the version's bytes.
        skill_id: The skill's id in the team.
        number: The version.
        secrets: Values that must not leave this machine, on top of what the rules know.

    Raises:
        ReceiptError: A receipt is no longer valid once stamped, which would be our defect.
    """
    taken = {item.run_id: before.receipt_bytes(item) for item in before.receipts(skill_id, number)}
    found = []
    for run in runs:
        attachment = _attach(run, taken, skill_id, number, secrets)
        if attachment:
            taken[attachment.run_id] = attachment.data
            found.append(attachment)
    return found


def is_in_team(snapshot: Snapshot, run: LocalRun) -> bool:
    """Say whether a local run stands in a team, as a receipt of any of its versions."""
    for name in snapshot.skills():
        skill_id = snapshot.skill_id(name, or_older=True)
        for number in snapshot.receipt_numbers(skill_id) if skill_id else []:
            for item in snapshot.receipts(skill_id or "", number):
                if item.known.digest == run.digest and _is_same_run(
                    snapshot.receipt_bytes(item), run.file.data, ()
                ):
                    return True
    return False


def _attach(
    run: LocalRun, taken: dict[str, bytes], skill_id: str, number: int, secrets: Sequence[str]
) -> Attachment | None:
    run_id = run.run_id
    while run_id in taken:
        if _is_same_run(taken[run_id], run.file.data, secrets):
            return None
        run_id = runid.next_second(run_id)
    scrubbed = scrub.scrub_document(run.file.data, secrets)
    data = stamp(scrubbed.data, skill_id=skill_id, version=f"v{number}", run_id=run_id)
    file = read_receipt(data)
    if file.receipt is None:
        raise ReceiptError(f"The receipt of run {run.run_id} cannot be stamped: {file.problem}")
    return Attachment(
        layout.receipt_path(skill_id, number, run_id),
        data,
        run_id,
        run.run_id if run_id != run.run_id else None,
        scrubbed.removed,
    )


def _is_same_run(committed: bytes, local: bytes, secrets: Sequence[str]) -> bool:
    """Say whether two receipts are one run, however each was stamped, formatted and scrubbed."""
    if unstamped_equal(committed, local):
        return True
    ours = scrub.scrub_document(local, secrets).data
    return unstamped_equal(scrub.scrub_document(committed, secrets).data, ours)
