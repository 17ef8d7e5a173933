"""What a run has spent, and whether it may start another unit."""

import threading

from receipts.arms.plan import Limits

_ROUNDING = 1e-9  # what a sum of dollars is off by


class Spending:
    """Counts sessions and dollars against the run's limits. Threads may ask at once.

    A unit is paid for whole or not at all: half of a comparison is worth nothing. A session that
    runs, that waits for its turn or that ended without saying its cost is expected to cost as much
    as the dearest one so far, so that sessions side by side do not pass the limit together. What is
    not yet known to cost anything counts nothing.

    Attributes:
        reached: Why no other unit starts, or None.

    Args:
        limits: The limits.
        sessions: How many were started before.
        cost_usd: Dollars spent before.
        dearest_usd: Dollars of the dearest session before, or None when none said its cost.
        silent: Sessions before that did not say their cost.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        sessions: int = 0,
        cost_usd: float = 0.0,
        dearest_usd: float | None = None,
        silent: int = 0,
    ) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._reserved = 0
        self._running = 0
        self._silent = silent
        self._dearest = dearest_usd
        self.sessions = sessions
        self.cost_usd = cost_usd
        self.reached: str | None = None
        self._only_sessions = False
        self._is_ended = False

    @property
    def is_foreseeable(self) -> bool:
        """Whether it is known what a session costs, or need not be."""
        return self._limits.cost_usd is None or self._dearest is not None

    def reserve(self, sessions: int) -> bool:
        """Set sessions aside that start later, or say no because a limit is reached: for good."""
        with self._lock:
            if self.reached is None:
                self.reached = self._limit(sessions)
            if self.reached is not None:
                return False
            self._reserved += sessions
            return True

    def start(self) -> bool:
        """Count a session that was reserved as started; say no when nothing may start any more."""
        with self._lock:
            self._reserved -= 1
            if self._is_ended:
                return False
            self.sessions += 1
            self._running += 1
            return True

    def start_another(self) -> bool:
        """Count a session as started that nobody reserved, or say no because of a limit."""
        return self.reserve(1) and self.start()

    def ended(self, cost_usd: float | None, *, failed: bool) -> None:
        """Count what a started session cost, as the agent reported it."""
        with self._lock:
            self._running -= 1
            self._add(cost_usd)
            if cost_usd is not None:
                self._dearest = max(self._dearest or 0.0, cost_usd)
                return
            self._silent += 1
            if self._limits.cost_usd is None:
                return
            if not failed:
                self._end("the agent reports no cost, so --max-cost cannot be kept")
            elif self._dearest is None and not self._running and not self._reserved:
                self._end("no session has said what it cost, so --max-cost cannot be kept")

    def end(self, why: str) -> None:
        """Start nothing any more, not even what was reserved."""
        with self._lock:
            self._end(why)

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
            if most is not None and self._expected() >= most:
                self.reached = self.reached or f"--max-cost {most:g} is spent"
                return False
            return True

    def _end(self, why: str) -> None:
        self.reached = self.reached or why
        self._is_ended = True

    def _add(self, cost_usd: float | None) -> None:
        self.cost_usd += cost_usd or 0.0

    def _expected(self) -> float:
        unknown = self._reserved + self._running + self._silent
        return self.cost_usd + unknown * (self._dearest or 0.0)

    def _limit(self, sessions: int) -> str | None:
        limits = self._limits
        counted = self.sessions + self._reserved + sessions
        if limits.sessions is not None and counted > limits.sessions:
            self._only_sessions = True
            return f"--max-sessions {limits.sessions} is reached"
        if limits.cost_usd is not None:
            spent, most = self._expected(), limits.cost_usd
            more = sessions * (self._dearest or 0.0)
            if spent >= most or spent + more > most * (1 + _ROUNDING):
                return f"--max-cost {most:g} is spent, or would be by what comes next"
        return None
