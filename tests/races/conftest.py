import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.races.remotes import serve
from tests.races.team import Team


@pytest.fixture
def stack() -> Iterator[contextlib.ExitStack]:
    """What ends with the test."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def team(
    kind: str,
    request: pytest.FixtureRequest,
    repository: Path,
    tmp_path: Path,
    stack: contextlib.ExitStack,
) -> Team:
    """A team whose remote is reached in the way that the test's parameter `kind` says."""
    return Team(serve(kind, repository, request, stack), tmp_path, stack)
