"""Two runs side by side: what moved, how sure that is, and what else could have moved it.

from receipts.compare import compare
compare("before.json", "after.json").document()
"""

import os
from typing import TYPE_CHECKING

from receipts.errors import ResultsError

if TYPE_CHECKING:
    from receipts.attempts.comparing.comparison import Comparison
    from receipts.attempts.runfile import RunFile
    from receipts.files import StrPath


def compare(a: "RunFile | StrPath", b: "RunFile | StrPath") -> "Comparison":
    """Return the comparison of two runs of attempts, A before and B after.

    Args:
        a: A saved run, or its path.
        b: The other one.

    Raises:
        ResultsError: One cannot be read, both are one file, or they are of different eras.
    """
    from receipts.attempts.comparing.comparison import compared

    if (
        isinstance(a, str | os.PathLike)
        and isinstance(b, str | os.PathLike)
        and os.path.realpath(a) == os.path.realpath(b)
    ):
        raise ResultsError(f"{os.fspath(a)} and {os.fspath(b)} are one run.", "Name two runs.")
    return compared(_read(a), _read(b))


def _read(run: "RunFile | StrPath") -> "RunFile":
    from receipts.attempts.runfile import read

    return read(run, "checked") if isinstance(run, str | os.PathLike) else run
