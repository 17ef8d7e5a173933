"""Every command that writes, killed at each of its steps: nothing is lost, torn or in the way."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.mortal import Died, Mortal
from tests.faults.scenarios import (
    SCENARIOS,
    Scenario,
    World,
    copy,
    digest_of,
    picture,
    published,
    repositories,
)
from tests.members import ROOT, Member
from tests.parts import require_part
from tests.publish.git.samples import git

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    require_part(shutil.which("git") is not None, "git")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.mortal"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin
        assert server.stdout
        with server.stdin as stream:

            def send(line: str) -> None:
                stream.write(line)
                stream.flush()

            yield Mortal(send, server.stdout.readline)


class Stage:
    """A scenario's world, put back to the moment before the command as often as wanted."""

    def __init__(self, scenario: Scenario, folder: Path, mortal: Mortal) -> None:
        self.scenario, self.mortal = scenario, mortal
        self.live, self.saved = folder / "live", folder / "saved"
        self.live.mkdir()
        self.world = World(self.live)
        scenario.prepare(self.world)
        self.member: Member = getattr(self.world, scenario.member)
        self.environment = dict(self.member.environment)
        if scenario.through_git:
            self.environment |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"url.file://{self.live}.insteadOf",
                "GIT_CONFIG_VALUE_0": str(self.live),
            }
        copy(self.live, self.saved)

    def restore(self) -> None:
        copy(self.saved, self.live)

    def run(self, death: int | None = None, *, torn: bool = False) -> Died:
        arguments = self.scenario.arguments(self.world)
        return self.mortal.run(
            arguments, self.environment, self.member.home, death=death, torn=torn
        )

    def read(self, *arguments: str) -> Died:
        return self.mortal.run([*arguments], self.environment, self.member.home)

    def end(self) -> tuple[dict[str, bytes], list[list[tuple[str, bytes]]]]:
        return picture(self.live), [published(place) for place in repositories(self.live)]

    def digests(self) -> dict[str, str | None]:
        places = {"source": self.world.skill, "installed": self.member.library / "tdd"}
        return {name: digest_of(place) for name, place in places.items()}


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
    for death in range(undisturbed.steps):
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
        _assert_readable(stage, where)
        again = stage.run()
        is_done = scenario.already is not None and scenario.already in again.err
        assert again.code == int(is_done), f"{where}: {again}"
        assert stage.digests() == after, where
        files, commits = stage.end()
        assert files.keys() == end[0].keys(), where
        assert files == end[0], where
        assert commits == end[1], where
        if death % 10 == 0:
            for repository in repositories(stage.live):
                git(repository, "fsck", "--strict", "--connectivity-only")
    assert deaths >= undisturbed.steps * 0.9


def _assert_readable(stage: Stage, where: str) -> None:
    """Whatever reads finds the old state or the new one, and nothing that is half of either."""
    for arguments in (["list", "--json"], ["cards", "--json"]):
        read = stage.read(*arguments)
        assert read.code == 0, f"{where}: {arguments}: {read}"
        document = json.loads(read.out)
        for card in document.get("cards", []):
            assert card["state"] in {"scored", "none", "stale"}, f"{where}: {card}"
    for path in stage.live.glob("*/state/evals/local/*/*/receipt.json"):
        json.loads(path.read_bytes())
