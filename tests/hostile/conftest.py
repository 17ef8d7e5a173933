import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.scenarios import copy
from tests.hostile.team import Team
from tests.parts import require_part


class Template(NamedTuple):
    """A team to begin with, and a copy of its folder as nobody has looked yet."""

    team: Team
    saved: Path


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    require_part(shutil.which("git") is not None, "git")
    require_part(sys.platform == "linux", "the peak memory of a process, in kilobytes")
    live = tmp_path_factory.mktemp("hostile") / "live"
    live.mkdir()
    saved = tmp_path_factory.mktemp("saved")
    team = Team(live)
    team.found()
    copy(live, saved)
    team.visit()
    return Template(team, saved)


@pytest.fixture
def team(template: Template) -> Team:
    """A team as it was before anybody looked."""
    copy(template.saved, template.team.folder)
    return template.team
