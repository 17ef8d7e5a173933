"""The names that a receipt uses, and the forms of those it holds.

Run ids have a module of their own (`receipts.runid`).
"""

import re

BASELINE = "candidate-vs-baseline"
"""The comparison that the verdict comes from."""

INCUMBENT = "candidate-vs-incumbent"
"""The comparison with the version that the team has."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
_VERSION = re.compile(r"(v[1-9][0-9]*|[0-9a-f]{40})\Z")
_UUID = re.compile(
    r"([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
    r"|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)\Z"
)


def is_digest(text: str) -> bool:
    """Say whether text is a content digest: `sha256:` and 64 lower-case hex digits."""
    return _DIGEST.match(text) is not None


def is_version(text: str) -> bool:
    """Say whether text is `v1`, `v2` and so on, or the 40 hex digits of an older layout."""
    return _VERSION.match(text) is not None


def is_skill_id(text: str) -> bool:
    """Say whether text is a dashed uuid of version 1 to 8, the nil or the lower-case max uuid."""
    return _UUID.match(text) is not None
