"""What is wrong in a spec and the files that it names, collected so that its author sees it all."""

import os
from typing import NamedTuple

from receipts.errors import SpecError
from receipts.filenames import shortened
from receipts.files import StrPath
from receipts.terminal import one_line

_MOST_SHOWN = 20
_LONGEST = 2000


class Place(NamedTuple):
    """Where something stands: the file as the user named it, and the line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Problems:
    """The problems of one reading, each a sentence with its place."""

    def __init__(self, file: StrPath) -> None:
        self._file = os.fspath(file)
        self.sentences: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.sentences)

    def add(self, place: Place, sentence: str) -> None:
        """Add a problem; the sentence comes without its full stop."""
        stop = "" if sentence.endswith(("?", ".")) else "."
        line = f"{one_line(str(place))}: {one_line(sentence)[:_LONGEST]}{stop}"
        if line not in self.sentences:  # what an anchor gave to many is said once
            self.sentences.append(line)

    def raise_any(self) -> None:
        """Raise if there were problems.

        Raises:
            SpecError: There were; it names them.
        """
        if not self.sentences:
            return
        found = tuple(self.sentences)
        if len(found) == 1:
            raise SpecError(found[0], problems=found)
        more = len(found) - _MOST_SHOWN
        last = [f"and {more} more"] if more > 0 else []
        lines = "".join(f"\n  {line}" for line in [*found[:_MOST_SHOWN], *last])
        raise SpecError(
            f"{len(found)} things must be put right in {shortened(self._file)}:{lines}",
            problems=found,
        )
