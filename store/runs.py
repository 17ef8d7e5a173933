"""The evaluation runs on this machine, read: `evals/local/<64 hex>/<run id>/receipt.json`.

A run is filed by the digest of the bytes that it measured. Reading repairs and writes nothing, and
one bad entry hides nothing else: it is left out, and named with the reason.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from receipts import jsontext, runid
from receipts.errors import ReceiptError, StoreError
from receipts.files import read_limited
from receipts.forms import is_digest
from receipts.recency import Recency, recency
from store import paths

if TYPE_CHECKING:  # pydantic is slow to load
    from receipts.receipt import ReceiptFile

RECEIPT = "receipt.json"
SELF_CHECK = "aa.json"
"""What a run that compares the baseline with itself has in the place of a receipt."""
FILING_PREFIX = ".filing-"
"""How the folder of a receipt starts that is being filed; it lies beside the digests' folders."""

UNFINISHED = "unfinished"
UNREADABLE = "unreadable"
MISFILED = "misfiled"

OFFER = "generation.json"
"""In a run's folder as long as cases were generated for it that nobody has agreed to."""

_JOURNAL = "journal.jsonl"  # what an evaluation can go on with
_ALGORITHM = "sha256:"
_SHOWN = len(_ALGORITHM) + 12


class LocalRun(NamedTuple):
    """A run whose receipt can be used: its folder, the digest and run id it is filed under.

    When a later version of the program wrote it, `file.newer` says so and `file.receipt` is None.
    """

    path: Path
    digest: str
    run_id: str
    file: "ReceiptFile"


class LeftOut(NamedTuple):
    """An entry of the store that is no usable run: where, of which kind, and why.

    `digest` and `run_id` are those of its place, or empty. `kind` is `unfinished`, `unreadable` or
    `misfiled`.
    """

    path: Path
    digest: str
    run_id: str
    kind: str
    why: str


class Survey(NamedTuple):
    """The usable runs, newest last, and everything beside them that is not one."""

    runs: list[LocalRun]
    left_out: list[LeftOut]


def survey(digest: str | None = None, run_id: str | None = None) -> Survey:
    """Read the local store, or only the runs of one digest or of one run id.

    Raises:
        StoreError: The state folder is unusable.
        ReceiptError: `digest` is not `sha256:` and 64 hex digits.
    """
    found = Survey([], [])
    root = paths.runs_root()
    folders = _entries(root, found) if digest is None else [runs_folder(digest)]
    for folder in folders:
        _read_digest(folder, run_id, found)
    found.runs.sort(key=lambda run: (_recency(run), run.digest))
    found.left_out.sort()
    return found


def runs_of(digest: str) -> list[LocalRun]:
    """Return the usable runs that measured these bytes, newest last; raises as `survey`."""
    return survey(digest).runs


def all_runs() -> list[LocalRun]:
    """Return the usable runs on this machine, newest last; raises as `survey`."""
    return survey().runs


def find_run(run_id: str) -> list[LocalRun]:
    """Return the usable runs of a run id, which different bytes may share; raises as `survey`."""
    return survey(run_id=run_id).runs


def runs_folder(digest: str) -> Path:
    """Return the folder of the runs of a digest.

    Raises:
        ReceiptError: It is not `sha256:` and 64 hex digits.
    """
    if not is_digest(digest):
        raise ReceiptError(f"{digest!r} is not a content digest (sha256: and 64 hex digits).")
    # Without the algorithm, whose colon no file name on Windows can hold.
    return paths.runs_root() / digest.removeprefix(_ALGORITHM)


def short(digest: str) -> str:
    """Return a digest's first digits, enough to tell two apart."""
    return f"{digest[:_SHOWN]}…"


def unreadable_line(left_out: list[LeftOut]) -> str | None:
    """Return the sentence about runs of one digest that could not be considered, if there are any.

    An unfinished run is not among them: it never had a receipt.
    """
    bad = [item for item in left_out if item.kind != UNFINISHED]
    if not bad:
        return None
    names = ", ".join(item.run_id or item.path.name for item in bad)
    return (
        f"{len(bad)} local eval run(s) of these exact bytes could not be read ({names}), "
        "so they were not considered."
    )


def _recency(run: LocalRun) -> Recency:
    receipt = run.file.receipt
    return recency(run.run_id, receipt.provenance.timestamp if receipt else "")


def _read_digest(folder: Path, run_id: str | None, found: Survey) -> None:
    if folder.name.startswith(FILING_PREFIX):
        why = "being filed this moment, or left by a killed import; the next import clears it away"
        found.left_out.append(LeftOut(folder, "", "", UNFINISHED, why))
        return
    digest = _ALGORITHM + folder.name
    if not is_digest(digest) or os.path.islink(folder):
        why = "is not a folder named by a digest"
        found.left_out.append(LeftOut(folder, "", "", MISFILED, why))
        return
    for place in _entries(folder, found, digest):
        if run_id not in (None, place.name):
            continue
        read = _read_run(place, digest)
        if isinstance(read, LocalRun):
            found.runs.append(read)
        else:
            found.left_out.append(read)


def _entries(folder: Path, found: Survey, digest: str = "") -> Iterator[Path]:
    """Yield what a folder holds, but for the files that desktops leave behind."""
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        found.left_out.append(LeftOut(folder, digest, "", UNREADABLE, why))
        return
    for name in names:
        if name != "Thumbs.db" and (name.startswith(FILING_PREFIX) or not name.startswith(".")):
            yield folder / name


def _read_run(place: Path, digest: str) -> LocalRun | LeftOut:
    run_id = place.name if runid.is_run_id(place.name) else ""

    def left_out(kind: str, why: str) -> LeftOut:
        return LeftOut(place, digest, run_id, kind, why)

    if not run_id or os.path.islink(place) or not os.path.isdir(place):
        return left_out(MISFILED, "is not a folder named by a run id")
    try:
        data = read_limited(place / RECEIPT, jsontext.LIMIT, follow_links=False)
    except FileNotFoundError:
        why = "has no receipt yet: still running, or ended before it had one"
        if os.path.exists(place / OFFER):
            why = (
                "has no receipt yet: cases were generated for it that nobody has agreed to; run "
                "`receipts eval` on the skill again"
            )
        elif os.path.exists(place / _JOURNAL):
            why += f"; continue it with `receipts eval --resume {run_id}`"
        return left_out(UNFINISHED, why)
    except StoreError as error:
        return left_out(UNREADABLE, error.message)
    from receipts.receipt import read_receipt

    file = read_receipt(data)
    if file.problem:
        return left_out(UNREADABLE, file.problem)
    if file.content_digest is None:
        return left_out(MISFILED, "its receipt names no content digest")
    if file.content_digest != digest:
        return left_out(MISFILED, f"its receipt is of other bytes ({file.content_digest})")
    if file.run_id != run_id:
        return left_out(MISFILED, f"its receipt has another run id ({file.run_id})")
    return LocalRun(place, digest, run_id, file)
