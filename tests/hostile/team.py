"""A team with one good skill, and a member who does everything there is to do with it.

Whatever a hostile push puts beside the good skill, the member's commands go on, say what is wrong
in a sentence each, stay small, and leave on the disk what they leave there for a harmless team.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from receipts.digest import content_digest
from tests.hostile.planting import git
from tests.members import Member

MOST_MEMORY = 300.0
GOOD = "good"
MINE = "mine"
# Text of a hostile file may not begin a line of ours, nor do more to a terminal than be read.
FORGED = "error: forged"
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_DEFECT = re.compile(r"Traceback|defect|unexpected \w+(Error|Exception)|MemoryError")
_OBJECTS = re.compile(
    r"skills\.git/|/objects/|cache/known/acme/(versions|consistent|receipts-[0-7][0-9a-f])/"
)
_DIFFERS = re.compile(r"(mirrors/acme\.git/refs/.*|skills/mine/SKILL\.md)$")
_MEASURED = Path(__file__).with_name("measured.py")


class Said(NamedTuple):
    """What a command printed, and the most memory that it needed, in megabytes."""

    code: int
    out: str
    err: str
    peak: float


class Team:
    """The repository, and the machines of two members: one publishes, one looks at it.

    Attributes:
        changes: What a visit of a harmless team changes on the disk, once that is known.
        peaks: The most memory that each command needed, in megabytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "skills.git"
        self.ada, self.bob = Member(folder, "ada"), Member(folder, "bob")
        self.mine = self.bob.skill(MINE)
        self.changes: dict[str, bytes] | None = None
        self.peaks: dict[str, float] = {}

    def found(self) -> None:
        """Have ada publish the good skill with a receipt, and bob join."""
        git(self.folder, "init", "-q", "--bare", "-b", "main", str(self.repository))
        self.ada.ok("team", "create", "acme", "--remote", self.repository)
        skill = self.ada.skill(GOOD, {"notes/a.md": "a\n"})
        self.ada.evaluate(skill)
        self.ada.ok("publish", skill)
        self.bob.ok("team", "join", self.repository)

    def run(self, *arguments: str | Path, code: int = 0, member: Member | None = None) -> Said:
        """Run a command of bob's, or another member's, and hold it to what holds for all."""
        member = member or self.bob
        out, err, peak = (self.folder.with_name(name) for name in ("out", "err", "peak"))
        with out.open("wb") as out_stream, err.open("wb") as err_stream:
            done = subprocess.run(
                [sys.executable, "-I", "-S", str(_MEASURED), str(peak), sys.executable, "-m",
                 "receipts", *map(str, arguments)],
                cwd=member.home,
                env=member.environment,
                stdin=subprocess.DEVNULL,
                stdout=out_stream,
                stderr=err_stream,
                timeout=600,
            )  # fmt: skip
        said = Said(
            done.returncode, out.read_text("utf-8"), err.read_text("utf-8"),
            int(peak.read_text()) / 1024,
        )  # fmt: skip
        name = " ".join(map(str, arguments[:2]))
        self.peaks[name] = max(said.peak, self.peaks.get(name, 0.0))
        text = said.out + said.err
        assert said.code == code, f"{arguments}: {said}"
        assert not _CONTROL.search(text), f"{arguments}: {said}"
        assert not _DEFECT.search(text), f"{arguments}: {said}"
        assert not any(line.lstrip().startswith(FORGED) for line in text.splitlines()), said
        assert said.peak < MOST_MEMORY, f"{arguments}: {said.peak:.0f} MB"
        return said

    def visit(
        self, named: Iterable[str] = (), refused: Mapping[str, str] | None = None
    ) -> dict[str, Said]:
        """Do everything there is to do, and assert that the good skill is none the worse.

        On the disk nothing changes but what changes for a harmless team.

        Args:
            named: For each other bad thing a pattern: one line of `sync`, and one of `verify
                --team`, matches it.
            refused: Skills that cannot be installed, each with such a pattern.

        Returns:
            What each command said.
        """
        before = self._picture()
        refused = dict(refused or {})
        sentences = [*named, *refused.values()]
        said = {"sync": self.run("sync")}
        _assert_named(sentences, said["sync"].err)
        said["cards --json"] = self.run("cards", "--json")
        [card] = [c for c in _cards(said["cards --json"]) if c["name"] == GOOD]
        assert (card["state"], card["version"], card["source"]) == ("scored", "v1", "team")
        assert card["receipt"]["content_digest"] == card["digest"]
        said["cards"] = self.run("cards", "--team")
        assert re.search(r"^good  acme v1  scored  PASS \+67% ", said["cards"].out, re.MULTILINE)
        said["show"] = self.run("show", GOOD)
        assert said["show"].out.startswith("verdict: PASS\n")
        for name, pattern in refused.items():
            _assert_named([pattern], self.run("install", name, code=1).err)
        self.run("install", GOOD)
        assert content_digest(self.bob.library / GOOD) == card["digest"]
        said["list"] = self.run("list")
        assert "\tgood\tPASS\t" in said["list"].out
        said["verify"] = self.run("verify", "--team", code=int(bool(sentences)))
        _assert_named(sentences, said["verify"].out)
        said["status"] = self.run("team", "status")
        said["members"] = self.run("team", "members")
        assert said["members"].out.startswith("@ada — Ada\n@bob — Bob\n")
        said["publish"] = self.run("publish", self.mine)
        assert said["publish"].out.startswith("Published mine as Version 1 to the acme")
        said["unpublish"] = self.run("unpublish", MINE, "--yes")
        for name in list(refused)[:2]:
            self.run("unpublish", name, "--yes")
            assert f"skills/{name}" not in git(
                self.repository, "ls-tree", "--name-only", "main", "skills/"
            ).decode().split("\n")
        said["again"] = self.run("sync")
        assert not any(re.search(sentence, said["again"].err) for sentence in sentences)
        after = self._picture()
        changes = {path: data for path, data in after.items() if before.get(path) != data}
        assert before.keys() <= after.keys()
        if self.changes is None:
            self.changes = changes
        assert changes == self.changes, changes.keys() ^ self.changes.keys()
        return said

    def _picture(self) -> dict[str, bytes]:
        """Return every file and folder there is but git's objects, and what each holds."""
        found: dict[str, bytes] = {}
        for root, folders, files in os.walk(self.folder):
            for name in [*folders, *files]:
                path = Path(root, name)
                label = path.relative_to(self.folder).as_posix()
                if _OBJECTS.search(f"{label}/"):
                    continue
                is_file = path.is_file() and not path.is_symlink() and not _DIFFERS.search(label)
                found[label] = path.read_bytes() if is_file else b""
        return found


def _cards(said: Said) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said.out)["cards"]
    return found


def _assert_named(patterns: Iterable[str], text: str) -> None:
    lines = text.splitlines()
    for pattern in patterns:
        matching = [line for line in lines if re.search(pattern, line)]
        assert len(matching) == 1, f"{pattern}: {matching or text}"
        assert len(matching[0]) < 600, matching
