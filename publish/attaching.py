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
from receipts.stamping import first_run_id, stamp, unstamped_equal
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


class Attachments(NamedTuple):
    """The receipts that can be attached, and a sentence for each that cannot."""

    found: list[Attachment]
    left: list[str]


def attachments(
    before: Snapshot,
    runs: Iterable[LocalRun],
    *,
    skill_id: str,
    number: int,
    secrets: Sequence[str],
) -> Attachments:
    """Return what to write so that every one of these runs is attached to a version.

    A run that is there already, whoever attached it, is not attached again. A run whose second is
    taken by another run moves to the next free one and keeps its own id in `original_run_id`. One
    that cannot be attached keeps no other from it.

    Args:
        before: The team at the tip.
        runs: Usable local runs of exactly the version's bytes.
        skill_id: The skill's id in the team.
        number: The version.
        secrets: Values that must not leave this machine, on top of what the rules know.
    """
    there = _There()
    for item in before.receipts(skill_id, number):
        there.add(item.run_id, _bytes_of(before, item))
    done = Attachments([], [])
    for run in runs:
        if there.has(run.file.data):
            continue
        try:
            attachment = _attach(run, there.taken, skill_id, number, secrets)
        except ReceiptError as error:
            done.left.append(f"Run {run.run_id} was not attached: {error.message}")
            continue
        there.add(attachment.run_id, attachment.data)
        done.found.append(attachment)
    return done


def is_in_team(snapshot: Snapshot, run: LocalRun) -> bool:
    """Say whether a local run stands in a team, as a receipt of any of its versions."""
    for name in snapshot.skills():
        skill_id = snapshot.skill_id(name, or_older=True)
        for number in snapshot.receipt_numbers(skill_id) if skill_id else []:
            for item in snapshot.receipts(skill_id or "", number):
                if item.known.digest == run.digest and unstamped_equal(
                    snapshot.receipt_bytes(item), run.file.data
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


class _There:
    """The receipts of one version: the run ids that are taken, and the runs."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._by_first_id: dict[str | None, list[bytes]] = {}

    def add(self, run_id: str, data: bytes) -> None:
        self.taken.add(run_id)
        self._by_first_id.setdefault(first_run_id(data), []).append(data)

    def has(self, data: bytes) -> bool:
        """Say whether a run is among them, wherever it moved and whatever was scrubbed from it."""
        same_second = self._by_first_id.get(first_run_id(data), [])
        return any(unstamped_equal(there, data) for there in same_second)


def _attach(
    run: LocalRun, taken: set[str], skill_id: str, number: int, secrets: Sequence[str]
) -> Attachment:
    run_id = run.run_id
    while run_id in taken:
        try:
            run_id = runid.next_second(run_id)
        except ValueError as error:
            raise ReceiptError(f"the team has another of that id, and {error}.") from error
    try:
        scrubbed = scrub.scrub_document(run.file.data, secrets)
        data = stamp(scrubbed.data, skill_id=skill_id, version=f"v{number}", run_id=run_id)
    except jsontext.JsonError as error:  # scrubbed, it is too long to be read
        raise ReceiptError(f"its receipt cannot be stamped: {error}.") from error
    file = read_receipt(data)
    if file.receipt is None:
        raise ReceiptError(f"its receipt cannot be stamped: {file.problem}.")
    return Attachment(
        layout.receipt_path(skill_id, number, run_id),
        data,
        run_id,
        run.run_id if run_id != run.run_id else None,
        scrubbed.removed,
    )
