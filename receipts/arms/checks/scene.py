"""What the checks of a case look at: the sandbox that a session left, and its transcript."""

import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from receipts.arms.checks.mentions import mentioned
from receipts.arms.jsregex import Pattern
from receipts.arms.matching import SECONDS, MatchError, found_in

ESCAPES = "path escapes the sandbox"


class Seen(Protocol):
    """A session's transcript."""

    def pieces(self) -> Iterator[str]:
        """Yield the final text, then every text and tool call's input, in order."""

    def commands(self) -> Iterator[str]:
        """Yield the shell commands that the agent ran, in order."""


class Scene:
    """One session, looked at by several checks, for which its transcript is read once.

    Attributes:
        sandbox: The folder that the session worked in.
        environment: That of the commands that a check runs.
        stop: Set when the run is to end.
    """

    def __init__(
        self,
        sandbox: Path,
        seen: Seen,
        environment: Mapping[str, str],
        stop: threading.Event | None,
    ) -> None:
        self.sandbox = sandbox
        self.environment = environment
        self.stop = stop
        self.needles: set[str] = set()
        self.patterns: set[Pattern] = set()
        self._seen = seen
        self._mentioned: set[str] | None = None
        self._commands: _Commands | None = None

    def mentions(self, needle: str) -> bool:
        """Say whether an announced text stands in the transcript, upper and lower case alike."""
        if self._mentioned is None:
            self._mentioned = mentioned(self.needles, self._seen.pieces())
        return needle in self._mentioned

    def command_matching(self, pattern: Pattern) -> str | None:
        """Return the first command that an announced pattern matches in, or None.

        Raises:
            MatchError: A search came to no end.
        """
        if self._commands is None:
            self._commands = _Commands(self.patterns, self._seen.commands())
        return self._commands.first(pattern)

    def place(self, path: str) -> str | None:
        """Return where a path in the sandbox really lies, or None when that is outside of it.

        An agent may have made links, so a path is followed before it is judged.
        """
        top = os.path.realpath(self.sandbox)
        real = os.path.realpath(os.path.normpath(os.path.join(top, path)))
        is_inside = real == top or real.startswith(os.path.join(top, ""))
        return real if is_inside else None


class _Commands:
    """The first command for each of several patterns."""

    def __init__(self, patterns: Iterable[Pattern], commands: Iterable[str]) -> None:
        self._found: dict[Pattern, str | MatchError] = {}
        left = dict.fromkeys(patterns, SECONDS)
        for command in commands:
            for pattern in [each for each in left if each not in self._found]:
                started = time.monotonic()
                try:
                    if found_in(pattern, command, max(left[pattern], 0.0)):
                        self._found[pattern] = command
                except MatchError as error:
                    self._found[pattern] = error
                left[pattern] -= time.monotonic() - started

    def first(self, pattern: Pattern) -> str | None:
        found = self._found.get(pattern)
        if isinstance(found, MatchError):
            raise found
        return found
