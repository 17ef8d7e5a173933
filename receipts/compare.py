"""Two results side by side: what moved, how sure that is, and what else could have moved it.

from receipts.compare import compare
compare("before.json", "after.json").document()
"""

import importlib
import os
from typing import TYPE_CHECKING, Any, Protocol, overload

from receipts.errors import ReceiptError, ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from receipts.attempts.comparing.comparison import Comparison
    from receipts.attempts.runfile import RunFile
    from receipts.files import StrPath
    from receipts.receipt import Receipt


class ReceiptComparison(Protocol):
    """Two receipts of one method, side by side."""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""

    def lines(self) -> "Iterable[str]":
        """Yield what is printed, a line each; whether they may be compared comes first."""


METHODS = {"arms": "receipts.arms.comparing"}
"""The module that compares two receipts of a method, by its `compared(a, b)`."""

_INSTEAD = {
    "attempts": "Compare the saved runs that they were made of: `receipts compare RUN RUN`.",
    "golden": "Compare their results files: `receipts gate CURRENT BASELINE`.",
}


@overload
def compare(a: "RunFile", b: "RunFile") -> "Comparison": ...
@overload
def compare(a: "Receipt", b: "Receipt") -> "ReceiptComparison": ...
@overload
def compare(a: "StrPath", b: "StrPath") -> "Comparison | ReceiptComparison": ...
def compare(
    a: "RunFile | Receipt | StrPath", b: "RunFile | Receipt | StrPath"
) -> "Comparison | ReceiptComparison":
    """Return the comparison of two results of one method, A before and B after.

    Args:
        a: A saved run of attempts or a receipt, or the path of one.
        b: The other one.

    Raises:
        ResultsError: One cannot be read, both are one file, they are of different methods or eras,
            or of a method whose receipts are not compared.
        ReceiptError: One is no valid receipt.
    """
    from receipts.attempts.comparing.comparison import compared
    from receipts.attempts.runfile import RunFile

    if (
        isinstance(a, str | os.PathLike)
        and isinstance(b, str | os.PathLike)
        and os.path.realpath(a) == os.path.realpath(b)
    ):
        raise ResultsError(f"{os.fspath(a)} and {os.fspath(b)} are one run.", "Name two runs.")
    first, second = _read(a), _read(b)
    if isinstance(first, RunFile) and isinstance(second, RunFile):
        return compared(first, second)
    if isinstance(first, RunFile) or isinstance(second, RunFile):
        raise ResultsError("A saved run and a receipt do not compare.", "Name two of one kind.")
    return compare_receipts(first, second)


def compare_receipts(a: "Receipt", b: "Receipt") -> ReceiptComparison:
    """Return the comparison of two receipts of one method.

    Raises:
        ResultsError: They are of different methods, or of one whose receipts are not compared.
    """
    if a.method != b.method:
        raise ResultsError(
            f"A is a receipt of the method {a.method} and B of {b.method}: they answer different "
            "questions.",
            "Name two receipts of one method.",
        )
    if a.method not in METHODS:
        raise ResultsError(
            f"Receipts of the method {a.method} are not compared.", _INSTEAD.get(a.method, "")
        )
    compared: ReceiptComparison = importlib.import_module(METHODS[a.method]).compared(a, b)
    return compared


def _read(result: "RunFile | Receipt | StrPath") -> "RunFile | Receipt":
    from receipts.attempts.runfile import read
    from receipts.documents import Kind, kind_of_file
    from receipts.files import read_limited
    from receipts.jsontext import LIMIT
    from receipts.receipt import read_receipt

    if not isinstance(result, str | os.PathLike):
        return result
    if kind_of_file(result) is not Kind.RECEIPT:
        return read(result, "checked")
    file = read_receipt(read_limited(result, LIMIT, follow_links=True))
    if file.receipt is None:
        raise ReceiptError(
            f"{os.fspath(result)} is no valid receipt: {file.problem or file.newer_by}."
        )
    return file.receipt
