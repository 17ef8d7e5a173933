"""What a run has spent, and whether it may start another session."""

import threading

from receipts.arms.plan import Limits


class Spending:
    """Counts sessions and dollars against the run's limits. Threads may ask at once.

    A session that runs is expected to cost as much as the dearest one so far, so that sessions side
    by side do not pass the limit together. What is not yet known to cost anything counts nothing.

    Args:
        limits: The limits.
        sessions: How many were started before.
        cost_usd: Dollars spent before.
        dearest_usd: Dollars of the dearest session before, or None when none said its cost.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        sessions: int = 0,
        cost_usd: float = 0.0,
        dearest_usd: float | None = None,
    ) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._running = 0
        self._dearest = dearest_usd
        self.sessions = sessions
        self.cost_usd = cost_usd
        self.reached: str | None = None
        self._only_sessions = False

    @property
    def is_foreseeable(self) -> bool:
        """Whether it is known what a session costs, or need not be."""
        return self._limits.cost_usd is None or self._dearest is not None

    def may_start(self) -> bool:
        """Count a session as started, or say no because a limit is reached: then for good."""
        with self._lock:
            if self.reached is None:
                self.reached = self._limit()
            if self.reached is not None:
                return False
            self.sessions += 1
            self._running += 1
            return True

    def ended(self, cost_usd: float | None, *, failed: bool) -> None:
        """Count what a started session cost, as the agent reported it."""
        with self._lock:
            self._running -= 1
            self._add(cost_usd)
            if cost_usd is not None:
                self._dearest = max(self._dearest or 0.0, cost_usd)
            elif self._limits.cost_usd is not None and not failed:
                self.reached = "the agent reports no cost, so --max-cost cannot be kept"

    def add(self, cost_usd: float | None) -> None:
        """Count what something that is no session cost: the judge, a selection call."""
        with self._lock:
            self._add(cost_usd)

    def may_ask(self) -> bool:
        """Say whether a call that is no session may be made: a limit of sessions allows it."""
        with self._lock:
            if self.reached is not None and not self._only_sessions:
                return False
            most = self._limits.cost_usd
            if most is not None and self.cost_usd >= most:
                self.reached = self.reached or f"--max-cost {most:g} is spent"
                return False
            return True

    def _add(self, cost_usd: float | None) -> None:
        self.cost_usd += cost_usd or 0.0

    def _limit(self) -> str | None:
        limits = self._limits
        if limits.sessions is not None and self.sessions >= limits.sessions:
            self._only_sessions = True
            return f"--max-sessions {limits.sessions} is reached"
        expected = self.cost_usd + self._running * (self._dearest or 0.0)
        if limits.cost_usd is not None and expected >= limits.cost_usd:
            return f"--max-cost {limits.cost_usd:g} is spent, as far as is known"
        return None
