"""A scenario on a stage: put back to the moment before its command, run, and looked at."""

import json
from pathlib import Path

from tests.faults.mortal import Died, Mortal
from tests.faults.scenarios import (
    Scenario,
    World,
    copy,
    digest_of,
    picture,
    published,
    repositories,
)

End = tuple[dict[str, bytes], list[list[tuple[str, bytes]]]]


class Stage:
    """A scenario's world, put back to the moment before the command as often as wanted."""

    def __init__(
        self, scenario: Scenario, folder: Path, mortal: Mortal, live: Path | None = None
    ) -> None:
        self.scenario, self.mortal = scenario, mortal
        self.live, self.saved, self._output = live or folder / "live", folder / "saved", folder
        self.live.mkdir()
        self.world = World(self.live)
        scenario.prepare(self.world)
        self.member = self.world.bob if scenario.member == "bob" else self.world.ada
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

    def restore_repository(self) -> None:
        """Put back the team's repository alone."""
        copy(self.saved / self.world.repository.name, self.world.repository)

    def run(
        self, death: int | None = None, *, torn: bool = False, largest: int | None = None
    ) -> Died:
        return self.mortal.run(
            self.scenario.arguments(self.world),
            self.environment,
            self.member.home,
            output=self._output,
            death=death,
            torn=torn,
            largest=largest,
        )

    def read(self, *arguments: str) -> Died:
        return self.mortal.run(
            [*arguments], self.environment, self.member.home, output=self._output
        )

    def end(self) -> End:
        return picture(self.live), [published(place) for place in repositories(self.live)]

    def assert_finished(self, again: Died, end: End, where: str) -> None:
        """Assert that the command, run again after a mishap, came to the undisturbed end."""
        already = self.scenario.already
        is_done = already is not None and already in again.err
        assert again.code == int(is_done), f"{where}: {again}"
        files, repositories = self.end()
        assert files.keys() == end[0].keys(), where
        assert files == end[0], where
        assert repositories == end[1], where

    def digests(self) -> dict[str, str | None]:
        places = {"source": self.world.skill, "installed": self.member.library / "tdd"}
        return {name: digest_of(place) for name, place in places.items()}

    def assert_readable(self, where: str) -> None:
        """Whatever reads finds the old state or the new one, and nothing that is half of either."""
        for arguments in (["list", "--json"], ["cards", "--json"]):
            read = self.read(*arguments)
            assert read.code == 0, f"{where}: {arguments}: {read}"
            document = json.loads(read.out)
            for card in document.get("cards", []):
                assert card["state"] in {"scored", "none", "stale"}, f"{where}: {card}"
        for path in self.live.glob("*/state/evals/local/*/*/receipt.json"):
            json.loads(path.read_bytes())
