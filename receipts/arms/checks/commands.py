"""Checks of what a session ran: `command_matching` and `no_command_matching`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from receipts.arms.checks.base import Malformed, Outcome, text_of
from receipts.arms.jsregex import Pattern, RegexError, compiled

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene

_SHOWN = 200


def pattern_of(value: Any, what: str = "it") -> Pattern:  # noqa: ANN401 - any YAML value
    """Return an argument as a pattern.

    Raises:
        Malformed: It is no text, or no pattern that can be searched for.
    """
    text = text_of(value, what)
    try:
        return compiled(text)
    except RegexError as error:
        raise Malformed(f"the pattern `{text}` cannot be searched: {error}") from error


@dataclass(frozen=True)
class CommandMatching:
    """A command matches a pattern, or none does."""

    pattern: Pattern
    wanted: bool

    @classmethod
    def some(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `command_matching`."""
        return cls(pattern_of(argument), wanted=True)

    @classmethod
    def none(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `no_command_matching`."""
        return cls(pattern_of(argument), wanted=False)

    @property
    def name(self) -> str:
        """The kind and the pattern."""
        return f"{'' if self.wanted else 'no_'}command_matching:{self.pattern.source}"

    @property
    def always(self) -> bool | None:
        """A pattern that matches nothing; one that matches everything needs a command to do so."""
        return not self.wanted if self.pattern.never_matches else None

    def announce(self, scene: "Scene") -> None:
        """Ask for the pattern."""
        scene.patterns.add(self.pattern)

    def run(self, scene: "Scene") -> Outcome:
        """Look through the commands."""
        command = scene.command_matching(self.pattern)
        if command is None:
            return Outcome(not self.wanted, "no command matches")
        return Outcome(self.wanted, f"matches: {command[:_SHOWN]}")
