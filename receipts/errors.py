"""What can go wrong, as one tree.

    ReceiptsError            exit 1: the work failed; one sentence says what, where and what to do
    ├── UsageError           exit 2: the command line is wrong, or leaves open what is meant
    ├── NeedsAnswer          exit 1: a question has no terminal to be asked on
    ├── Cancelled            exit 1: the answer was no
    ├── EvalError            exit 2: an evaluation could not run; nothing was spent on it
    ├── OutputError          exit 1: the result cannot be written where it was to go
    ├── SkillError           exit 1: a skill folder cannot be read, digested or published
    ├── GoldenError          exit 1: a golden set cannot be run or graded, or a gate not be asked
    │   └── CannotCompare    exit 2: two results files cannot be compared
    ├── SpecError            exit 1: a spec of attempts cannot be used; every reason is named
    ├── ReceiptError         exit 1: a receipt cannot be read or does not fit its place
    ├── ResultsError         exit 1: a saved run cannot be found, read, written or compared
    ├── StoreError           exit 1: this machine's state cannot be read or written
    └── TeamError            exit 1: the team repository cannot be reached, read or written
        ├── RemoteError      the remote could not be reached or refused the connection
        │   └── AuthenticationError
        ├── RefusedByServer  the remote was reached and refused the write
        ├── LostRace         the remote kept moving for longer than the budget
        └── GuardRefusal     a change outside what its action may touch

Only `receipts.cli.main` turns an exception into an exit code.
"""


class ReceiptsError(Exception):
    """The root of every error that a user is meant to read.

    Attributes:
        message: One sentence: what was wrong and where.
        hint: What to do next, often a command; empty when the message says it.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class UsageError(ReceiptsError):
    """The command line is wrong, or leaves open what is meant.

    A skill, run or file that is named and not there is no wrong use: then the work failed.
    """

    exit_code = 2


class NeedsAnswer(ReceiptsError):  # noqa: N818 - named for what the user reads
    """A question came up and there is no terminal to ask it on."""


class Cancelled(ReceiptsError):  # noqa: N818 - named for what the user reads
    """The user answered no; nothing was changed."""


class EvalError(ReceiptsError):
    """An evaluation could not run: its cases, its agent or its place are not as they must be."""

    exit_code = 2


class OutputError(ReceiptsError):
    """The result cannot be written where it was to go: a full disk, mostly."""


class SkillError(ReceiptsError):
    """A skill folder cannot be read, digested or published."""


class GoldenError(ReceiptsError):
    """A golden set, its spec or its results cannot be used, so there is no score."""


class CannotCompare(GoldenError):  # noqa: N818 - named for what the user reads
    """A results file is not there or not to be counted, so the gate has no answer."""

    exit_code = 2


class SpecError(ReceiptsError):
    """A spec of attempts, or something that it names, cannot be used.

    Attributes:
        problems: Each reason, with file and line.
    """

    def __init__(self, message: str, hint: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.problems = problems or (message,)


class ReceiptError(ReceiptsError):
    """A receipt cannot be read, or does not fit its place."""


class ResultsError(ReceiptsError):
    """A saved run of attempts cannot be found, read, written or compared with another."""


class StoreError(ReceiptsError):
    """This machine's state cannot be read or written."""


class TeamError(ReceiptsError):
    """The team repository cannot be reached, read or written."""


class RemoteError(TeamError):
    """The remote could not be reached, or the connection failed."""


class AuthenticationError(RemoteError):
    """The remote wants credentials that nothing on this machine gave."""


class RefusedByServer(TeamError):  # noqa: N818 - named for what the user reads
    """The remote was reached and refused the write, in its own words."""


class LostRace(TeamError):  # noqa: N818 - named for what the user reads
    """The remote kept moving for longer than the budget."""


class GuardRefusal(TeamError):  # noqa: N818 - named for what the user reads
    """A change touches a path that its action may not touch."""
