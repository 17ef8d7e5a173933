"""Checks of what a session left: `file_exists`, `file_absent` and `file_matches`."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from receipts.arms.checks.base import Malformed, Outcome, fields_of, text_of
from receipts.arms.checks.commands import pattern_of
from receipts.arms.checks.scene import ESCAPES
from receipts.arms.jsregex import Pattern
from receipts.arms.matching import found_in
from receipts.errors import StoreError
from receipts.files import read_limited

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene

LIMIT = 16 << 20
"""Bytes of a file that is looked into."""


def path_of(value: Any, what: str = "it") -> str:  # noqa: ANN401 - any YAML value
    """Return an argument as a path with `/`.

    Raises:
        Malformed: It is no text, empty, or has a backslash, which only some systems take for `/`.
    """
    path = text_of(value, what)
    if not path.strip():
        raise Malformed(f"{what} must be a path")
    if "\\" in path:
        raise Malformed(f"{what} has a backslash; write `/` between folder and file")
    return path


def leads_out(path: str) -> bool:
    """Say whether a path leads out of any sandbox by the way it is written."""
    plain = os.path.normpath(path)
    return os.path.isabs(path) or plain == os.pardir or plain.startswith(os.pardir + os.sep)


def contents(scene: "Scene", path: str) -> bytes | Outcome:
    """Return the bytes of a file in the sandbox, or the failure to read them."""
    place = scene.place(path)
    if place is None:
        return Outcome(passed=False, detail=ESCAPES)
    try:
        return read_limited(place, LIMIT, follow_links=False)
    except FileNotFoundError:
        return Outcome(passed=False, detail="there is no such file")
    except StoreError as error:
        return Outcome(passed=False, detail=error.message)


@dataclass(frozen=True)
class FileExists:
    """A file or folder is there, or is not. One outside of the sandbox is neither."""

    path: str
    wanted: bool

    @classmethod
    def present(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `file_exists`."""
        return cls(path_of(argument), wanted=True)

    @classmethod
    def absent(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `file_absent`."""
        return cls(path_of(argument), wanted=False)

    @property
    def name(self) -> str:
        """The kind and the path."""
        return f"file_{'exists' if self.wanted else 'absent'}:{self.path}"

    @property
    def always(self) -> bool | None:
        """The sandbox itself is always there, and nothing outside of it is looked at."""
        if leads_out(self.path):
            return False
        return self.wanted if os.path.normpath(self.path) == os.curdir else None

    def announce(self, scene: "Scene") -> None:
        """Ask nothing of the transcript."""

    def run(self, scene: "Scene") -> Outcome:
        """Look for the file."""
        place = scene.place(self.path)
        if place is None:
            return Outcome(passed=False, detail=ESCAPES)
        found = os.path.exists(place)
        return Outcome(found == self.wanted, "it is there" if found else "it is not there")


@dataclass(frozen=True)
class FileMatches:
    """A pattern matches somewhere in a file."""

    path: str
    pattern: Pattern

    @classmethod
    def read(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `file_matches`."""
        path, pattern = fields_of(argument, ("file", "pattern"))
        return cls(path_of(path, "file"), pattern_of(pattern, "pattern"))

    @property
    def name(self) -> str:
        """The kind, the path and the pattern."""
        return f"file_matches:{self.path} {self.pattern.source}"

    @property
    def always(self) -> bool | None:
        """A pattern that matches nothing, and nothing outside of the sandbox is looked at."""
        return False if self.pattern.never_matches or leads_out(self.path) else None

    def announce(self, scene: "Scene") -> None:
        """Ask nothing of the transcript."""

    def run(self, scene: "Scene") -> Outcome:
        """Search the file, whose bytes that are no UTF-8 count as U+FFFD."""
        data = contents(scene, self.path)
        if isinstance(data, Outcome):
            return data
        found = found_in(self.pattern, data.decode("utf-8", "replace"))
        return Outcome(found, "it matches" if found else "it does not match")
