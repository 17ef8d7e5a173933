"""Members whose clocks are a year off in either direction."""

import shutil
import subprocess
from pathlib import Path

import pytest

from receipts import runid
from tests.members import Member
from tests.parts import require_part
from tests.publish.git.samples import git

BELIEVABLE = "20260916T042107Z"


def _shifted(days: int) -> dict[str, str]:
    """Return what makes a program believe that the clock is so many days off."""
    require_part(shutil.which("faketime") is not None, "faketime")
    command = ["faketime", "-f", f"{days:+d}d", "env"]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    wanted = ("LD_PRELOAD", "FAKETIME")
    pairs = (line.partition("=")[::2] for line in listed.splitlines())
    return {name: value for name, value in pairs if name.startswith(wanted)}


@pytest.mark.parametrize("days", [365, -365])
def test_a_member_whose_clock_is_a_year_off(days: int, tmp_path: Path) -> None:
    ada = Member(tmp_path, "ada")
    odd = Member(tmp_path, "odd", **_shifted(days))
    ada.ok("team", "create", "acme")
    repository = ada.state / "repositories" / "acme.git"
    skill = ada.skill("tdd")
    ada.evaluate(skill, run_id=BELIEVABLE)
    ada.ok("publish", skill)
    odd.ok("team", "join", repository)
    odd.ok("install", "tdd")
    # Theirs is run, filed and published at a time that no other machine believes.
    theirs = runid.from_time(runid.to_time(BELIEVABLE).replace(year=2026 + days // 365 * 3))
    odd.evaluate(odd.library / "tdd", (0, 2, 1), theirs)
    odd.run("publish", odd.library / "tdd", "--yes")
    ada.ok("sync")
    times = git(repository, "log", "--format=%ct", "main").decode().split()
    assert times == sorted(times, reverse=True)
    assert len(times) == len(set(git(repository, "rev-list", "main").split()))
    paths = git(repository, "ls-tree", "-r", "--name-only", "main").decode()
    assert f"{BELIEVABLE}.json" in paths
    assert f"{theirs}.json" in paths
    for member in (ada, odd):
        (card,) = member.json("cards", "--team", "tdd")["cards"]
        newest = theirs if runid.is_plausible(theirs, runid.to_time(BELIEVABLE)) else BELIEVABLE
        assert card["state"] == "scored"
        assert card["receipt"]["run_id"] in {BELIEVABLE, newest}
    verified = ada.run("verify", "--team")
    is_believed = days < 0
    assert verified.code == int(not is_believed), verified
    assert ("in the future" in verified.out) is not is_believed
