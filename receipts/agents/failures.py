"""How a session failed, from how its process ended and what it said."""

import re

from receipts import scrub
from receipts.agents.base import Failure
from receipts.processes import Ended

_SHOWN = 2000
_SIGNS = (
    (
        "not-logged-in",
        r"\b401\b|invalid api key|authentication[_ ](?:error|failed)|not logged in"
        r"|please run /login"
        r"|run `?codex login|token (?:has )?expired|missing bearer|unauthorized"
        r"|login required"
        r"|missing environment variable",
    ),
    (
        "no-such-model",
        r"issue with the selected model|model_not_found"
        r"|may not exist or you may not have access"
        r"|not_found_error|does not exist or you do not have access|unknown model"
        r"|model[^\n]{0,60}(?:does not exist|not found|not supported)",
    ),
    ("rate-limited", r"\b429\b|rate.?limit|too many requests|usage limit"),
    ("overloaded", r"\b529\b|\b503\b|overloaded|at capacity"),
    (
        "network",
        r"econnrefused|enotfound|econnreset|connection (?:error|refused|reset)|fetch failed"
        r"|unable to connect|error sending request|stream (?:disconnected|closed)|socket hang up"
        r"|request timed out|network error|\b50[0-4]\b",
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
        return Failure("not-installed", f"`{name}` could not be started: {_clean(ended.stderr)}")
    if ended.how == "too-much-output":
        return Failure("crashed", "it was ended because it wrote too much")
    return Failure("disk-full", "it was ended because the disk was running full")


def of_words(words: str, exit_code: int | None) -> Failure:
    """Return the failure that an agent's own words tell of."""
    shown = _clean(words)[-_SHOWN:].strip()
    reason = f"agent run failed (rc={exit_code}): {shown}" if exit_code else shown
    for kind, signs in _SIGNS:
        if re.search(signs, words, re.IGNORECASE):
            return Failure(kind, reason or kind)
    return Failure("crashed", reason or f"agent run failed (rc={exit_code})")


def _clean(text: str) -> str:
    return scrub.scrub(text)
