"""What reading a team repository found out, as it is kept so that only what changed is read again.

Everything goes by the ids of git objects, whose content never changes, so nothing here goes stale
within a release.
"""

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

from publish import layout

USABLE = "usable"
NEWER = "newer"
BROKEN = "broken"
_T = TypeVar("_T")


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


class Judged(NamedTuple):
    """A receipt in a version's folder: its run id, the id of its blob, and what that holds."""

    run_id: str
    blob: str
    known: KnownReceipt


class KnownFolder(Generic[_T]):
    """A folder of version folders: `skills/<name>` or `evals/<skill id>`.

    Attributes:
        tree: The id of its tree.
        numbers: The tree id of `v<N>` by N; empty where that is no folder.
        found: What was found in those that were looked into, by N.
        before: What was found in those that have changed since, as they were then, by N.
    """

    def __init__(self, tree: str, numbers: Mapping[int, str]) -> None:
        self.tree = tree
        self.numbers = numbers
        self.found: dict[int, _T] = {}
        self.before: dict[int, _T] = {}

    def moved_to(self, tree: str, numbers: Mapping[int, str]) -> "KnownFolder[_T]":
        """Return it as it is at another tree, where what did not change is known already."""
        moved: KnownFolder[_T] = KnownFolder(tree, numbers)
        for number, found in self.found.items():
            same = self.numbers[number] and self.numbers[number] == numbers.get(number)
            (moved.found if same else moved.before)[number] = found
        return moved
