"""How a session failed, from how its process ended and what it said."""

import errno
import re
from collections.abc import Iterable

from receipts import scrub
from receipts.agents.base import Failure
from receipts.processes import Ended

_SHOWN = 2000
_OF_STATUS = {
    401: "not-logged-in",
    403: "not-logged-in",
    404: "no-such-model",
    429: "rate-limited",
    503: "overloaded",
    529: "overloaded",
}
# Numbers count only where they are called a status: answers and paths hold others.
_STATUS = re.compile(
    r"(?:status|error|http|rejected)\W{0,3}(?:code\W{0,2})?([45]\d\d)\b", re.IGNORECASE
)
_SIGNS = (
    (
        "not-logged-in",
        r"invalid api key|incorrect api key|authentication[_ ](?:error|failed)|not logged in"
        r"|please run /login|run `?codex login|token (?:has )?expired|missing bearer|unauthorized"
        r"|login required|missing environment variable",
    ),
    (
        "no-such-model",
        r"issue with the selected model|model_not_found|not_found_error|unknown model"
        r"|does not exist or you do not have access"
        r"|model[^\n]{0,60}(?:does not exist|not found|not supported)",
    ),
    ("rate-limited", r"rate.?limit|too many requests|usage limit"),
    ("overloaded", r"overloaded|at capacity|high demand"),
    (
        "network",
        r"econnrefused|enotfound|econnreset|connection (?:error|failed|refused|reset)|fetch failed"
        r"|unable to connect|error sending request|stream (?:disconnected|closed)|socket hang up"
        r"|request timed out|network error|waiting for network|malformed response",
    ),
)


def of_process(ended: Ended, name: str, timeout: float) -> Failure | None:
    """Return how a process that did not come to its own end failed, or None."""
    if ended.how == "exited":
        return None
    if ended.how == "timeout":
        return Failure("timeout", f"agent run timed out after {timeout * 1000:.0f}ms")
    if ended.how == "stopped":
        return Failure("stopped", "the run was stopped")
    if ended.how == "not-started":
        why = scrub.scrub(ended.stderr)
        return Failure("not-installed", f"`{name}` could not be started: {why}")
    if ended.how == "too-much-output":
        return Failure("crashed", "it was ended because it wrote too much")
    return Failure("disk-full", "it was ended because the disk was running full")


def of_os(error: OSError, what: str) -> Failure:
    """Return the failure of a session that could not be prepared."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Failure("disk-full" if full else "crashed", f"cannot {what}: {error.strerror or error}")


def of_status(status: object) -> str | None:
    """Return the kind of failure that the model endpoint's HTTP status means, or None."""
    if not isinstance(status, int):
        return None
    return _OF_STATUS.get(status) or ("network" if status >= 500 or status == 408 else None)


def of_words(
    words: str, exit_code: int | None, secrets: Iterable[str] = (), *, kind: str | None = None
) -> Failure:
    """Return the failure that an agent's own words tell of.

    Args:
        words: What it said.
        exit_code: How its process ended; None when it has not, or that says nothing.
        secrets: Texts that no reason may hold.
        kind: The kind of failure, where something better than words tells it.
    """
    shown = scrub.scrub(words, secrets).strip()[-_SHOWN:]
    reason = f"agent run failed (rc={exit_code}): {shown}" if exit_code else shown
    kind = kind or _kind(words)
    return Failure(kind, reason or kind)


def unreachable(
    timeout: Failure, words: str, secrets: Iterable[str], *, kind: str | None = None
) -> Failure:
    """Return the failure of a session whose time ran out while it waited to reach the model.

    Args:
        timeout: How its process failed.
        words: The last that it said, which was of trying again.
        secrets: Texts that no reason may hold.
        kind: The kind of failure, where something better than words tells it.
    """
    if kind is None:
        told = _kind(words)
        kind = "network" if told == "crashed" else told
    said = scrub.scrub(words, secrets)[-_SHOWN:]
    return Failure(kind, f"{timeout.reason} while it waited for the model: {said}")


def _kind(words: str) -> str:
    for status in _STATUS.findall(words):
        if kind := of_status(int(status)):
            return kind
    for kind, signs in _SIGNS:
        if re.search(signs, words, re.IGNORECASE):
            return kind
    return "crashed"
