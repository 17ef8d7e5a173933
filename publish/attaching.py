"""Which local receipts a publish attaches to a version, under which run id, and which it cannot."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from publish import layout
from publish.git import MirrorDamaged
from publish.snapshot import Committed, Snapshot
from receipts import jsontext, runid, scrub
from receipts.errors import ReceiptError, TeamError
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
        ReceiptError: There is no free second for a run, or its receipt is too large once stamped.
    """
    taken: dict[str, list[bytes]] = {}
    for item in before.receipts(skill_id, number):
        taken.setdefault(item.run_id, []).append(_bytes_of(before, item))
    found = []
    for run in runs:
        attachment = _attach(run, taken, skill_id, number, secrets)
        if attachment:
            taken[attachment.run_id] = [attachment.data]
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


def _bytes_of(before: Snapshot, item: Committed) -> bytes:
    """Return a committed receipt's bytes; no run's for what cannot be read, which takes its place.

    A link or a huge file that somebody pushed there must not keep others from being attached.
    """
    try:
        return before.receipt_bytes(item)
    except MirrorDamaged:
        raise
    except TeamError:
        return b""


def _attach(
    run: LocalRun, taken: dict[str, list[bytes]], skill_id: str, number: int, secrets: Sequence[str]
) -> Attachment | None:
    # One that moved on, here or in another team, may stand in this one where it was first run.
    for start in (_first_id(run), run.run_id):
        run_id = start
        while run_id in taken:
            if any(_is_same_run(data, run.file.data, secrets) for data in taken[run_id]):
                return None
            run_id = _next_second(run, run_id)
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


def _first_id(run: LocalRun) -> str:
    """Return the id that a run was run under, before any move."""
    original = str(jsontext.loads(run.file.data).get("original_run_id"))
    return original if runid.is_run_id(original) else run.run_id


def _next_second(run: LocalRun, run_id: str) -> str:
    try:
        return runid.next_second(run_id)
    except ValueError as error:
        raise ReceiptError(
            f"Run {run.run_id} cannot be attached: the team has another of that id, and {error}.",
            f"Publish without it: move {run.path} out of the local store.",
        ) from error


def _is_same_run(committed: bytes, local: bytes, secrets: Sequence[str]) -> bool:
    """Say whether two receipts are one run, however each was stamped, formatted and scrubbed."""
    if unstamped_equal(committed, local):
        return True
    try:
        theirs = scrub.scrub_document(committed, secrets).data
    except jsontext.JsonError:
        return False  # whatever stands there is no run at all
    return unstamped_equal(theirs, scrub.scrub_document(local, secrets).data)
