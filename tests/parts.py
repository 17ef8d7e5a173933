"""Real parts that a test needs and a machine may lack: git, sshd, another tool."""

import os

import pytest

VARIABLE = "RECEIPTS_REQUIRE_PARTS"
NIGHTLY = os.environ.get("RECEIPTS_NIGHTLY") == "1"
"""Whether the long sweeps run whole; every other run takes a sample of them."""

_TIMES = 20


def examples(count: int) -> int:
    """Return how many examples a property is held against where `count` do for a sample."""
    return count * _TIMES if NIGHTLY else count


def require_part(present: bool, what: str) -> None:
    """Skip the test when a part is missing, or fail where every part is meant to be there."""
    if present:
        return
    if os.environ.get(VARIABLE) == "1":
        pytest.fail(f"missing part: {what}, and {VARIABLE}=1 asks for every part", pytrace=False)
    pytest.skip(f"missing part: {what}")
