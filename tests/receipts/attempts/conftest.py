from pathlib import Path

import pytest

from tests import reference


@pytest.fixture(scope="session")
def caliper() -> Path:
    """Return the command of the reference tool, or skip the test."""
    return reference.command()
