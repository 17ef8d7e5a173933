"""The numbers of attempts: success rate, pass@k and pass^k.

A rate is over usable attempts and is None where there is none; nothing here turns "not measured"
into a zero.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from receipts.attempts.outcomes import Outcome


class Counts(NamedTuple):
    """How many attempts of one task worked, were usable, and measured nothing."""

    successes: int
    usable: int
    unusable: int

    @property
    def score(self) -> float | None:
        """The raw success rate: how often a single run works."""
        return self.successes / self.usable if self.usable else None

    @property
    def pass_at_k(self) -> float | None:
        """The chance that at least one of as many runs as were usable works: 1 - (1 - rate)^n.

        It takes the observed rate for the true one, and flatters; `unbiased_pass_at_k` does not.
        """
        return None if self.score is None else 1 - (1 - self.score) ** self.usable

    @property
    def pass_hat_k(self) -> float | None:
        """The chance that every one of as many runs as were usable works: rate^n."""
        return None if self.score is None else self.score**self.usable


def counted(outcomes: Iterable[Outcome]) -> Counts:
    """Return the counts of the attempts of one task."""
    successes = usable = unusable = 0
    for outcome in outcomes:
        successes += outcome is Outcome.PASS
        usable += outcome.is_usable
        unusable += outcome.is_noise
    return Counts(successes, usable, unusable)


def is_probe(outcomes: Sequence[Outcome]) -> bool:
    """Say whether a task asks only what is activated: attempts unchecked, none passed or failed.

    A cheat does not unmake it, so a probe can have a score of 0.
    """
    verdicts = (Outcome.PASS, Outcome.TASK_FAIL)
    return Outcome.NOT_CHECKED in outcomes and not any(one in verdicts for one in outcomes)


def average(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that there are, or None when there is none."""
    measured = [score for score in scores if score is not None]
    return sum(measured) / len(measured) if measured else None


def unbiased_pass_at_k(successes: int, usable: int, k: int) -> float | None:
    """Return the chance that one of k runs works, from n >= k usable ones, without bias.

    1 - C(n - c, k) / C(n, k), of Chen et al., "Evaluating Large Language Models Trained on Code"
    (2021), section 2.1. None where fewer than k attempts were usable.

    Raises:
        ValueError: k is below 1, or the counts are impossible.
    """
    if k < 1 or not 0 <= successes <= usable:
        raise ValueError("k is at least 1, and successes are some of the usable attempts")
    if usable < k:
        return None
    return 1 - math.comb(usable - successes, k) / math.comb(usable, k)
