"""The work of a team over every kind of address."""

import subprocess

import pytest

from tests.transports import addresses, page
from tests.transports.addresses import ADDRESSES, Row
from tests.transports.tables import ADDRESSES_TITLE
from tests.transports.world import PASSWORD, WITH, WITHOUT, Run, World

# Some are tried with processes as a user starts them; it takes several times as long.
STARTED = (addresses.folder, addresses.https_basic, addresses.ssh_key)

every_row = pytest.mark.parametrize("row", ADDRESSES, ids=lambda row: row.set_up.__name__)


@every_row
def test_with_git(row: Row, world: World, in_processes: Run, in_here: Run) -> None:
    url = row.set_up(world)
    outcome = world.do_the_work(
        url, in_processes if row.set_up in STARTED else in_here, together=True
    )
    assert not outcome.startswith("refused"), outcome
    assert PASSWORD not in world.log.read_text()
    command = ["git", "-C", str(world.repository), "fsck", "--strict"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b""
    page.record(ADDRESSES_TITLE, row.name, WITH, outcome)


@every_row
def test_without_git(row: Row, world: World, in_here: Run) -> None:
    url = row.set_up(world)
    world.hide_git()
    outcome = world.do_the_work(url, in_here, together=False)
    assert outcome.startswith("refused") is row.needs_git, outcome
    page.record(ADDRESSES_TITLE, row.name, WITHOUT, outcome)
