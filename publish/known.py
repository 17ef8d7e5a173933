"""What reading a team repository found out, kept so that only what changed is read again.

Everything is keyed by git object ids, whose content never changes, so nothing here goes stale
within a release; a lost or damaged file costs one slower reading.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from publish import layout
from receipts import files
from receipts._version import __version__
from receipts.errors import StoreError
from store import paths

# What a receipt or a version is found to be depends on the rules, and so on the release.
_FORMAT = f"3 of {__version__}"
_LIMIT = 256 << 20
USABLE = "usable"
NEWER = "newer"
BROKEN = "broken"


class KnownVersion(NamedTuple):
    """A version's digest and declared skill id, or the problem that kept it from being measured.

    `doubts` are sentences about one that was measured.
    """

    digest: str | None
    skill_id: str | None
    problem: str | None
    doubts: tuple[str, ...] = ()


class KnownReceipt(NamedTuple):
    """What a committed receipt's bytes turned out to hold.

    `state` is `usable`, `newer` (written by a later version of receipts) or `broken`; `problem` is
    the sentence about the latter two. `digest` is what it claims to have measured.
    """

    state: str
    problem: str | None
    digest: str | None
    timestamp: str
    verdict: str
    runner: str

    @classmethod
    def problem_of(cls, problem: str) -> "KnownReceipt":
        """Return what is known of a receipt that cannot be used."""
        return cls(BROKEN, problem, None, "", "", "")

    @classmethod
    def of(cls, data: bytes, path: str, place: layout.ReceiptPath) -> "KnownReceipt":
        """Judge the bytes of a receipt at its place in the repository."""
        from receipts.receipt import read_receipt

        file = read_receipt(data)
        if file.newer:
            problem = f"{path} is newer than this version of receipts."
            return cls(NEWER, problem, file.content_digest, "", "", "")
        if file.receipt is None:
            return cls.problem_of(f"schema-invalid receipt {path}: {file.problem}.")
        receipt = file.receipt
        expected = (place.skill_id.lower(), f"v{place.number}", place.run_id)
        claimed = ((receipt.skill_id or "").lower(), receipt.version, receipt.run_id)
        if claimed != expected:
            return cls.problem_of(
                f"misfiled receipt {path}: its skill id, version or run id disagrees."
            )
        provenance = receipt.provenance
        return cls(
            USABLE,
            None,
            receipt.content_digest,
            provenance.timestamp,
            receipt.verdict,
            provenance.runner_handle,
        )


class Known:
    """All that is known of one team repository."""

    def __init__(self) -> None:
        self.versions: dict[str, KnownVersion] = {}
        self.receipts: dict[str, KnownReceipt] = {}
        self._kept = 0

    @classmethod
    def load(cls, path: Path) -> "Known":
        """Return what was kept, or nothing unless this release wrote it and all of it is there."""
        known = cls()
        try:
            seal, _, body = files.read_limited(path, _LIMIT, follow_links=False).partition(b"\n")
        except (FileNotFoundError, StoreError):
            return known
        if seal == _seal_of(body):
            document = json.loads(body)
            known.versions = {
                key: KnownVersion(digest, skill_id, problem, tuple(doubts))
                for key, (digest, skill_id, problem, doubts) in document["versions"].items()
            }
            known.receipts = {k: KnownReceipt(*v) for k, v in document["receipts"].items()}
            known._kept = known._count
        return known

    @property
    def _count(self) -> int:
        return len(self.versions) + len(self.receipts)

    def save(self, path: Path) -> None:
        """Keep what is known for the next reading, if anything new is.

        Raises:
            StoreError: The file cannot be written.
        """
        if self._count == self._kept:
            return
        document: dict[str, Any] = {"versions": self.versions, "receipts": self.receipts}
        body = json.dumps(document, separators=(",", ":")).encode()
        files.write_atomic(path, _seal_of(body) + b"\n" + body)


def path_of(team: str) -> Path:
    """Return where what is known of a team is kept."""
    return paths.cache() / f"{team}.known"


def _seal_of(body: bytes) -> bytes:
    """Return what stands before a body that this release wrote, and before no other."""
    return hashlib.sha256(_FORMAT.encode() + body).hexdigest().encode()
