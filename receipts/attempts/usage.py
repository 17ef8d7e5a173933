"""What attempts cost: tokens and seconds, with those that measured nothing apart.

Money is not counted. The time of judges is not in the wall time, which is the agent's own.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from receipts.attempts.runfile import Attempt


@dataclass(frozen=True, slots=True)
class Totals:
    """The use of many attempts.

    Attributes:
        tokens_reported: Whether some attempt said some count, be it zero.
        prompt_tokens: All but the output.
        usable_attempts: All but the unusable ones, those without a check included.
        tokens_per_attempt: Tokens of usable attempts, divided by them and rounded down; None when
            no count was said or none was usable.
        wall_per_attempt: Seconds of usable attempts, divided by them; None when none was.
        judged_attempts: Attempts in which a judge was called.
        retried_attempts: Attempts that took more than one session.
    """

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    wall_seconds: float
    attempts: int
    tokens_reported: bool
    unusable_tokens: int
    unusable_wall_seconds: float
    unusable_attempts: int
    judge_seconds: float
    judged_attempts: int
    retries: int
    retried_attempts: int

    @property
    def total_tokens(self) -> int:
        """All four counts."""
        return self.prompt_tokens + self.output_tokens

    @property
    def prompt_tokens(self) -> int:
        """All but the output."""
        return self.input_tokens + self.cache_read_tokens + self.cache_creation_tokens

    @property
    def usable_attempts(self) -> int:
        """Attempts that were no noise."""
        return self.attempts - self.unusable_attempts

    @property
    def usable_wall_seconds(self) -> float:
        """Their time."""
        return self.wall_seconds - self.unusable_wall_seconds

    @property
    def tokens_per_attempt(self) -> int | None:
        """Tokens of one usable attempt."""
        if not self.tokens_reported or not self.usable_attempts:
            return None
        return (self.total_tokens - self.unusable_tokens) // self.usable_attempts

    @property
    def wall_per_attempt(self) -> float | None:
        """Seconds of one usable attempt."""
        return self.usable_wall_seconds / self.usable_attempts if self.usable_attempts else None

    @property
    def judge_per_attempt(self) -> float | None:
        """Seconds of a judge for one attempt that it judged."""
        return self.judge_seconds / self.judged_attempts if self.judged_attempts else None

    def document(self) -> dict[str, Any]:
        """Return them as JSON has them; a sum that is not finite is null."""
        return {name: finite(getattr(self, name)) for name in _FIELDS}


_FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "wall_seconds",
    "attempts",
    "tokens_reported",
    "unusable_tokens",
    "unusable_wall_seconds",
    "unusable_attempts",
    "judge_seconds",
    "judged_attempts",
    "retries",
    "retried_attempts",
    "total_tokens",
    "prompt_tokens",
    "usable_attempts",
    "usable_wall_seconds",
    "tokens_per_attempt",
    "wall_per_attempt",
    "judge_per_attempt",
)


def totals(attempts: Iterable[Attempt]) -> Totals:
    """Return the use of some attempts."""
    found = list(attempts)
    used = [attempt.usage.counts for attempt in found if attempt.usage is not None]
    wasted = [attempt for attempt in found if attempt.outcome.is_noise]
    judged = [one.judge_seconds for one in found if one.judge_seconds is not None]
    retries = [attempt.retries for attempt in found if attempt.retries]
    new, said, cached, kept = (sum(counts[kind] or 0 for counts in used) for kind in range(4))
    return Totals(
        input_tokens=new,
        output_tokens=said,
        cache_read_tokens=cached,
        cache_creation_tokens=kept,
        wall_seconds=sum((attempt.duration_seconds for attempt in found), 0.0),
        attempts=len(found),
        tokens_reported=any(count is not None for counts in used for count in counts),
        unusable_tokens=sum(tokens_of(attempt) or 0 for attempt in wasted),
        unusable_wall_seconds=sum((attempt.duration_seconds for attempt in wasted), 0.0),
        unusable_attempts=len(wasted),
        judge_seconds=sum(judged, 0.0),
        judged_attempts=len(judged),
        retries=sum(retries),
        retried_attempts=len(retries),
    )


def tokens_of(attempt: Attempt) -> int | None:
    """Return the tokens of one attempt, None when none were said."""
    return attempt.usage.total_tokens if attempt.usage else None


def finite(value: Any) -> Any:  # noqa: ANN401 - any value of a document
    """Return a value of a document, None for what JSON cannot hold: infinity and no number."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
