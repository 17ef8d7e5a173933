"""Every command that writes, killed at each of its steps: nothing is lost, torn or in the way."""

import sys
from pathlib import Path

import pytest

from tests.faults.mortal import Mortal
from tests.faults.scenarios import SCENARIOS, Scenario, repositories
from tests.faults.stage import Stage
from tests.parts import NIGHTLY
from tests.publish.git.samples import git

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")


@pytest.mark.parametrize("torn", [False, True], ids=["stopped", "torn"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_killed_at_every_step(
    scenario: Scenario, torn: bool, tmp_path: Path, mortal: Mortal
) -> None:
    stage = Stage(scenario, tmp_path, mortal)
    before = stage.digests()
    undisturbed = stage.run(torn=torn)
    assert undisturbed.code == 0, undisturbed
    after, end = stage.digests(), stage.end()
    deaths = 0
    stride = 1 if NIGHTLY or scenario.is_swept_whole else 3
    for death in range(0, undisturbed.steps, stride):
        stage.restore()
        died = stage.run(death, torn=torn)
        if died.code != -9:  # a step that depended on chance, and did not come this time
            assert died.code == 0, died
            continue
        deaths += 1
        where = f"killed at step {death} of {undisturbed.steps}"
        for place, digest in stage.digests().items():
            # Between two renames an updated folder is away; it is never a mixture.
            assert digest in {before[place], after[place], None}, f"{where}: {place}"
        stage.assert_readable(where)
        again = stage.run()
        stage.assert_finished(again, end, where)
        assert stage.digests() == after, where
        if deaths % 10 == 1:
            for repository in repositories(stage.live):
                git(repository, "fsck", "--strict", "--connectivity-only")
    assert deaths >= undisturbed.steps // stride * 0.9
