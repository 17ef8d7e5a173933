"""What a hygiene check finds."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One place in a skill that is not as it should be.

    Attributes:
        code: The rule: `HYG1` to `HYG8`.
        path: The file, relative to the skill.
        line: The line in it, from 1; 0 when the whole file is meant.
        message: What is wrong, in a sentence.
        is_warning: Whether it stops nothing.
    """

    code: str
    path: str
    line: int
    message: str
    is_warning: bool = False

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{'warning ' if self.is_warning else ''}{self.code} {place}: {self.message}"


def line_of(text: str, offset: int) -> int:
    """Return the line of an offset, from 1; lines end at LF."""
    return text.count("\n", 0, offset) + 1
