"""What git users have set up, each through the work of a team that nothing else lets succeed."""

import subprocess

import pytest

from tests.transports import page, setups
from tests.transports.addresses import Row, SetUp
from tests.transports.setups import SETUPS
from tests.transports.tables import SETUPS_TITLE
from tests.transports.world import PASSWORD, WITH, WITHOUT, Run, World

every_row = pytest.mark.parametrize("row", SETUPS, ids=lambda row: row.set_up.__name__)


@every_row
def test_with_git(row: Row, world: World, in_here: Run) -> None:
    outcome = world.do_the_work(row.set_up(world), in_here, together=False)
    assert not outcome.startswith("refused"), outcome
    assert PASSWORD not in world.log.read_text()
    page.record(SETUPS_TITLE, row.name, WITH, outcome)


@every_row
def test_without_git(row: Row, world: World, in_here: Run) -> None:
    url = row.set_up(world)
    world.hide_git()
    outcome = world.do_the_work(url, in_here, together=False)
    assert outcome.startswith("refused") is row.needs_git, outcome
    page.record(SETUPS_TITLE, row.name, WITHOUT, outcome)


@pytest.mark.parametrize("set_up", [setups.store, setups.sign_by_agent, setups.sign_by_gpg])
def test_the_project_one_happens_to_be_in_decides_nothing(
    set_up: SetUp, world: World, in_here: Run
) -> None:
    """Neither what is run, nor where the team is: its configuration may be anybody's."""
    ran = world.folder / "ran"
    program = world.script("program", f": > {ran}; exit 1")
    project = world.ada.home / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    for key, value in {
        "core.sshCommand": str(program),
        "core.askPass": str(program),
        "core.gitProxy": str(program),
        "credential.helper": f"!{program}",
        "gpg.program": str(program),
        "gpg.ssh.program": str(program),
        "gpg.ssh.defaultKeyCommand": str(program),
        f"url.{world.folder}/elsewhere.insteadOf": str(world.repository),
        "url.http://127.0.0.1:1/.insteadOf": world.daemon_url,
        "http.proxy": "http://127.0.0.1:1",
    }.items():
        subprocess.run(["git", "-C", str(project), "config", key, value], check=True)
    world.work["ada"] = project
    outcome = world.do_the_work(set_up(world), in_here, together=False)
    assert outcome in ("git", "dulwich")
    assert not ran.exists()
