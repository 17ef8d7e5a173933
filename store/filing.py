"""Runs brought into the local store: claimed by an evaluator, or filed with their receipt.

Every change happens under one lock of the system, which a killed process cannot leave behind. A
receipt is filed by renaming a finished folder into its place, so no reader ever sees half of one;
a folder that a killed process was building is cleared away by the next.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from receipts import jsontext, runid
from receipts.digest import MeasuredFile
from receipts.errors import ReceiptError, StoreError
from receipts.files import make_private_dir, read_limited, rename_new, write_atomic
from receipts.stamping import ROOM, first_run_id
from store import locks, manifest, paths, runs


class Filed(NamedTuple):
    """Where a receipt stands now: its run's folder and run id.

    `already` when the same receipt was there before. `moved_from` is the run id that it came with,
    when another run had that one, else None.
    """

    path: Path
    run_id: str
    already: bool
    moved_from: str | None


def claim(digest: str, run_id: str, *, self_check: bool = False) -> Path:
    """Make the folder of a run that is about to start, for this process alone.

    When that second is taken, the run gets the next free one: the folder's name is its run id.
    Until `receipt.json` stands in it (`receipts.files.write_atomic`), the run is unfinished.

    Args:
        digest: The content digest that it measures.
        run_id: The id that it is to have.
        self_check: It measures the instrument and not the bytes, so it stands apart from the runs
            that a card can show.

    Raises:
        StoreError: The folder cannot be made.
        ReceiptError: The digest or run id has not the form of one.
    """
    folder = runs.runs_folder(digest)
    if self_check:
        folder = paths.self_checks() / folder.name
    if not runid.is_run_id(run_id):
        raise ReceiptError(f"{run_id!r} is not a run id of the form YYYYMMDDTHHMMSSZ.")
    with _locked():
        make_private_dir(folder)
        while os.path.lexists(folder / run_id):
            run_id = _next_second(run_id)
        make_private_dir(folder / run_id)
    return folder / run_id


def file_receipt(data: bytes, files: Iterable[MeasuredFile] = ()) -> Filed:
    """File a finished receipt under the digest and run id that it names.

    The same receipt, whether or not it was stamped for a team since, is filed once. Another run of
    that second keeps its place: the receipt then moves to the next free second and remembers its
    own as `original_run_id`.

    Args:
        data: The receipt, of any schema version that names a content digest. Kept byte for byte,
            unless it has to move.
        files: The files that were measured, when they are known.

    Raises:
        ReceiptError: It names no content digest or run id, or is too large to be stamped.
        StoreError: It cannot be written.
    """
    digest, wanted = _names(data)
    folder = runs.runs_folder(digest)
    listing = tuple(files)
    with _locked():
        make_private_dir(folder)
        run_id = _find(folder, data)
        already = run_id is not None
        if run_id is None:
            run_id = _place(folder, wanted, data, listing)
        elif listing and not os.path.lexists(folder / run_id / manifest.NAME):
            write_atomic(folder / run_id / manifest.NAME, manifest.encode(listing))
    return Filed(folder / run_id, run_id, already, None if run_id == wanted else wanted)


def _names(data: bytes) -> tuple[str, str]:
    from receipts.receipt import read_receipt  # pydantic is slow to load, and a claim needs none

    file = read_receipt(data)
    if file.problem:
        raise ReceiptError(f"The receipt is not valid: {file.problem}.")
    if file.content_digest is None:
        raise ReceiptError(
            "The receipt names no content digest, so it cannot be matched to any bytes.",
            "Only receipts of schema version 2 and later can be kept.",
        )
    if file.run_id is None:
        raise ReceiptError("The receipt names no run id of the form YYYYMMDDTHHMMSSZ.")
    if len(data) > jsontext.LIMIT - ROOM:
        raise ReceiptError(
            f"The receipt has {len(data):,} bytes, more than the {jsontext.LIMIT - ROOM:,} that "
            "leave room for a team's stamp."
        )
    return file.content_digest, file.run_id


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Hold the lock of the local store, and clear away what killed processes were building."""
    with locks.held("runs"):
        make_private_dir(paths.runs_root())
        for left in paths.runs_root().glob(f"{runs.FILING_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _find(folder: Path, data: bytes) -> str | None:
    """Return the run id under which this receipt is filed already.

    It may have moved on, here or in a team that it came from, but never to an earlier second.
    """
    first = first_run_id(data) or ""
    names = sorted(name for name in os.listdir(folder) if runid.is_run_id(name) and name >= first)
    return next((name for name in names if _holds(folder / name, data)), None)


def _place(folder: Path, wanted: str, data: bytes, listing: tuple[MeasuredFile, ...]) -> str:
    """Build a run's folder and give it the first free run id from the wanted one on."""
    building = paths.runs_root() / f"{runs.FILING_PREFIX}{os.urandom(8).hex()}"
    make_private_dir(building)
    try:
        if listing:
            write_atomic(building / manifest.NAME, manifest.encode(listing))
        run_id, version = wanted, data
        write_atomic(building / runs.RECEIPT, version)
        while not rename_new(building, folder / run_id):
            run_id = _next_second(run_id)
            version = _moved(data, run_id)
            write_atomic(building / runs.RECEIPT, version)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return run_id


def _holds(place: Path, data: bytes) -> bool:
    """Say whether a run's folder holds this receipt, stamped for a team or not."""
    try:
        there = read_limited(place / runs.RECEIPT, jsontext.LIMIT, follow_links=False)
    except (FileNotFoundError, StoreError):
        return False
    from receipts.receipt import unstamped_equal

    return unstamped_equal(there, data)


def _moved(data: bytes, run_id: str) -> bytes:
    """Return a receipt under another run id, with the one that it was run under kept beside it."""
    document = jsontext.loads(data)
    members = {"run_id": run_id}
    if not runid.is_run_id(str(document.get("original_run_id"))):
        members["original_run_id"] = document["run_id"]
    return jsontext.set_members(data, members)


def _next_second(run_id: str) -> str:
    try:
        return runid.next_second(run_id)
    except ValueError as error:
        raise ReceiptError(f"There is no free run id: {error}.") from error
