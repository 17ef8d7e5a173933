"""Who gives way to whom when several machines write at once.

The swap alone is a lottery, and a lottery starves: of eight that wrote all the time, one lost 46
times in a row (measured, over smart HTTP). So whoever few commits have passed waits for a while,
and whoever many have passed goes at once. And a writer that has won such a race gives way before
its next write, which would otherwise begin before the others know that they have lost.
"""

import contextlib
import os
import random
import time

OVERDUE = 8
"""Commits that passed a writer, from which on it gives way to nobody."""

_ATTEMPTS_GIVEN = 4.0
_LONGEST_SECONDS = 3.0
_JITTER_SECONDS = 0.025
_RESTING = "resting"


def pause(passed: int, attempt: float) -> float:
    """Return how many seconds to wait after a race was lost.

    Args:
        passed: Commits of others that landed since the write began.
        attempt: Seconds that an attempt takes. On a slow way to the remote, giving way takes
            longer.
    """
    return _given(passed, attempt) + jitter()


def _given(passed: int, attempt: float) -> float:
    longest = min(_LONGEST_SECONDS, _ATTEMPTS_GIVEN * attempt)
    share = max(0.0, 1.0 - passed / OVERDUE)
    return longest * share * random.uniform(0.8, 1.0)  # noqa: S311 - no secret


def jitter() -> float:
    """Return the least seconds to wait, so that nobody asks a remote without a break."""
    return random.uniform(0.0, _JITTER_SECONDS)  # noqa: S311 - no secret


def rest(mirror: str, attempt: float) -> None:
    """Make the next write through a mirror give way, which starts soon after one that won a race.

    Best effort, and bounded whatever the clock does: it is a courtesy.

    Args:
        mirror: The mirror's path. The time to rest until is that of a file in it, so that it is
            also known to the next command.
        attempt: Seconds that an attempt takes.
    """
    until = time.time() + _given(0, attempt)
    with contextlib.suppress(OSError):
        path = os.path.join(mirror, _RESTING)
        with open(path, "wb"):
            pass
        os.utime(path, (until, until))


def left_to_rest(mirror: str) -> float:
    """Return how many seconds a write through a mirror still has to give way before it begins."""
    with contextlib.suppress(OSError):
        left = os.stat(os.path.join(mirror, _RESTING)).st_mtime - time.time()
        return left if 0.0 < left <= _LONGEST_SECONDS else 0.0
    return 0.0
