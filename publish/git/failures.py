"""What can go wrong with a team repository beyond the house's error tree.

    TeamError
    ├── MirrorDamaged    the local copy misses or garbles objects; it is made again
    ├── MirrorBusy       another command holds the write lock
    ├── Rewritten        the remote's history no longer has what this machine saw of it
    ├── TooLarge         an object of more bytes than are read
    │   └── FolderTooLarge   a folder holds more names than are read
    └── EditConflict     a change puts a file where a directory is, or the other way round

`Race` and `UnknownOutcome` never leave this package: they say what the writer does next.
"""

from receipts.errors import ReceiptsError, TeamError


class MirrorDamaged(TeamError):  # noqa: N818 - named for what the user reads
    """An object of the mirror is missing or is not what its id says.

    Attributes:
        what: What is wrong, for a sentence of one's own: the damage may be the remote's.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"The copy of the team repository on this machine is damaged: {what}.",
            "Run `receipts sync --repair`; it makes the copy again.",
        )


class MirrorBusy(TeamError):  # noqa: N818 - named for what the user reads
    """Another command has held the write lock for longer than the caller would wait."""


class Rewritten(TeamError):  # noqa: N818 - named for what the user reads
    """The remote's `main` is no longer, or no longer descends from, what this machine saw last."""

    def __init__(self, remote: object, what: str) -> None:
        super().__init__(
            f"The team repository at {remote} {what}. This machine keeps what it saw last.",
            "Ask whoever administers it; `receipts sync --accept-rewrite` follows it all the same.",
        )


class TooLarge(TeamError):  # noqa: N818 - named for what the user reads
    """Reading something of the team repository would fill the memory."""

    def __init__(self, where: str, what: str = "is too large to be read") -> None:
        super().__init__(f"{where} {what}.", "Remove it, in git.")


class FolderTooLarge(TooLarge):
    """A folder of the team repository holds more names than are read into memory."""

    def __init__(self, where: str) -> None:
        super().__init__(where, "holds more names than are read")


class EditConflict(TeamError):  # noqa: N818 - named for what the user reads
    """A path to write lies below a file, or is a directory."""


class Race(Exception):  # noqa: N818 - a signal to the writer, not an error
    """The remote's `main` moved, or was locked, between the fetch and the push."""


class UnknownOutcome(Exception):  # noqa: N818 - a signal to the writer, not an error
    """The connection ended before the server's answer: the push may have been applied.

    Attributes:
        failure: What to raise should the remote turn out not to have it.
    """

    def __init__(self, failure: ReceiptsError) -> None:
        super().__init__(failure.message)
        self.failure = failure
