"""A remote that falls silent, at each moment of a conversation: nobody waits for it for long."""

import contextlib
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.members import Member
from tests.servers.stalling import Stall, Way, way_to
from tests.transports import page
from tests.transports.tables import LIMITS_TITLE, MOMENTS, OVER
from tests.transports.world import WITH, WITHOUT, Run, World, processes_of

SILENCE = 2.5
LONGEST = 40.0
SKILL_SIZE = 400_000
INSIDE_A_PACK = 60_000
STALLS = {
    "words": Stall(from_server=10),
    "fetching": Stall(from_server=INSIDE_A_PACK),
    "pushing": Stall(to_server=INSIDE_A_PACK, connections=1),
}


class Trial(NamedTuple):
    """A member with a way of their own to the server, and the command that will be stopped."""

    moment: str
    member: Member
    way: Way
    command: list[str]

    def stop(self) -> None:
        """Have the way stop at the moment that the trial is about."""
        if self.moment == "connect":
            self.way.refuse_to_connect()
        else:
            self.way.stall = STALLS[self.moment]

    def start(self) -> "subprocess.Popen[str]":
        """Start the command."""
        arguments = [sys.executable, "-m", "tests.transports.impatient", str(SILENCE)]
        return subprocess.Popen(
            [*arguments, *self.command],
            cwd=self.member.home,
            env=self.member.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )


@pytest.mark.parametrize("has_git", [True, False], ids=["git", "no-git"])
@pytest.mark.parametrize("kind", OVER)
def test_silence_is_ended_at_every_moment(
    kind: str, has_git: bool, world: World, in_here: Run
) -> None:
    port, address = _server(kind, world)
    if not has_git:
        world.hide_git()
    with contextlib.ExitStack() as ways:
        assert in_here(world.ada, "team", "create", "acme", "--remote", address(port)).code == 0
        assert in_here(world.bob, "team", "join", address(port)).code == 0
        trials = []
        for moment in MOMENTS:
            way = ways.enter_context(way_to(port))
            member = _copy_of_bob(world, moment, address(port), address(way.port))
            command = ["publish", str(_large_skill(member))] if moment == "pushing" else ["sync"]
            trials.append(Trial(moment, member, way, command))
        assert in_here(world.ada, "publish", _large_skill(world.ada)).code == 0
        for trial in trials:
            trial.stop()

        began = time.monotonic()
        running = [ways.enter_context(trial.start()) for trial in trials]
        for run in running:
            ways.callback(run.kill)
        outcomes = [
            _outcome(run, address(t.way.port)) for run, t in zip(running, trials, strict=True)
        ]
        assert time.monotonic() - began < LONGEST

        for trial in trials:
            assert not processes_of(trial.member)
            assert trial.moment == "connect" or trial.way.stalled
            trial.way.stall = Stall()
            if trial.moment in ("fetching", "pushing"):
                assert in_here(trial.member, "sync").code == 0
    # Created, joined, and published by each once.
    assert world.git("rev-list", "--count", "main") == "4\n"
    for trial, outcome in zip(trials, outcomes, strict=True):
        column = WITH if has_git else WITHOUT
        page.record(LIMITS_TITLE, (MOMENTS[trial.moment], OVER[kind]), column, outcome)


@pytest.mark.parametrize("moment", ["fetching", "pushing"])
@pytest.mark.parametrize("has_git", [True, False], ids=["git", "no-git"])
@pytest.mark.parametrize("kind", OVER)
def test_a_connection_cut_inside_a_pack(
    kind: str, has_git: bool, moment: str, world: World, in_here: Run
) -> None:
    port, address = _server(kind, world)
    if not has_git:
        world.hide_git()
    assert in_here(world.ada, "team", "create", "acme", "--remote", address(port)).code == 0
    assert in_here(world.bob, "team", "join", address(port)).code == 0
    with way_to(port) as way:
        member = _copy_of_bob(world, moment, address(port), address(way.port))
        command = ["publish", _large_skill(member)] if moment == "pushing" else ["sync"]
        assert in_here(world.ada, "publish", _large_skill(world.ada)).code == 0
        before = world.git("rev-list", "--count", "main")
        way.stall = STALLS[moment]._replace(connections=1 << 30, cuts=True)
        cut = in_here(member, *command)
        assert way.stalled
        assert (cut.code, "Traceback" in cut.err) == (1, False), cut
        assert address(way.port) in cut.err, cut
        assert world.git("rev-list", "--count", "main") == before
        assert in_here(member, "cards", "--json").code == 0  # from what was there before

        way.stall = Stall()
        again = in_here(member, *command)
        assert again.code == 0, again
    assert "v1" in again.out if moment == "fetching" else "Published" in again.out
    world.git("fsck", "--strict", "--full")
    published = int(before) + (moment == "pushing")
    assert int(world.git("rev-list", "--count", "main")) == published


def _server(kind: str, world: World) -> tuple[int, Callable[[int], str]]:
    """Return where a server listens, and a function from a port to the repository's address."""
    if kind == "http":
        port = int(world.http().server.server_address[1])
        return port, lambda port: f"http://127.0.0.1:{port}{world.repository}"
    if kind == "git":
        port = int(world.daemon_url.rpartition(":")[2])
        return port, lambda port: f"git://127.0.0.1:{port}{world.repository}"
    # Each way has a port of its own, for which no key is known.
    unchecked = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    world.set(GIT_SSH_COMMAND=f"ssh {unchecked} -F none -i {world.ssh.folder}/user")
    return world.ssh.port, lambda port: f"ssh://{world.ssh.host}:{port}{world.repository}"


def _copy_of_bob(world: World, name: str, old: str, new: str) -> Member:
    """Return another machine of bob's, with the team at another address."""
    member = world.member(name)
    shutil.copytree(world.bob.home, member.home, dirs_exist_ok=True)
    for path in (member.state / "config.json", member.state / "mirrors/acme.git/config"):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    return member


def _large_skill(member: Member) -> Path:
    skill = member.skill(f"large-{member.handle}")
    noise = random.Random(member.handle).randbytes(SKILL_SIZE)
    (skill / "noise.bin").write_bytes(noise)
    return skill


def _outcome(run: "subprocess.Popen[str]", address: str) -> str:
    out, err = run.communicate(timeout=LONGEST)
    assert "Traceback" not in err
    if run.returncode == 0:
        assert "Published" in out
        return "tried again, and done once"
    assert run.returncode == 1
    said = re.search(f"{re.escape(address)} (did not answer within|cannot be reached)", err)
    assert said, err
    return f"ended: {said[1]}" + (" N s" if said[1].endswith("within") else "")
