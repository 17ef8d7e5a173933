"""Checks of what a session said: `transcript_mentions` and `transcript_omits`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from receipts.arms.checks.base import Outcome, text_of

if TYPE_CHECKING:
    from receipts.arms.checks.scene import Scene


@dataclass(frozen=True)
class Mentions:
    """A text stands in the transcript, or does not."""

    text: str
    wanted: bool

    @classmethod
    def present(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `transcript_mentions`."""
        return cls(text_of(argument), wanted=True)

    @classmethod
    def absent(cls, argument: Any) -> Self:  # noqa: ANN401 - any YAML value
        """Read `transcript_omits`."""
        return cls(text_of(argument), wanted=False)

    @property
    def name(self) -> str:
        """The kind and the text."""
        return f"transcript_{'mentions' if self.wanted else 'omits'}:{self.text}"

    @property
    def always(self) -> bool | None:
        """Nothing at all stands in every transcript."""
        return None if self.text else self.wanted

    def announce(self, scene: "Scene") -> None:
        """Ask for the text."""
        scene.needles.add(self.text)

    def run(self, scene: "Scene") -> Outcome:
        """Look for the text."""
        found = scene.mentions(self.text)
        return Outcome(found == self.wanted, "it is there" if found else "it is not there")
