"""What a run tells whoever watches it, as it goes."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from receipts.arms.plan import Unit


class Listener(Protocol):
    """Takes the news of a run, from several threads."""

    def said(self, line: str) -> None:
        """Take a line for the person: a retry, a dropped case, a decided row."""

    def session(self, unit: "Unit", arm: str, state: str, cost_usd: float | None = None) -> None:
        """Take a session's new state.

        The states are `running`, `checking`, `done`, `dead`, `dropped` and `skipped`.
        """


class Silence:
    """Listens to nothing."""

    def said(self, line: str) -> None:
        """Pass over the line."""

    def session(self, unit: "Unit", arm: str, state: str, cost_usd: float | None = None) -> None:
        """Pass over the state."""
