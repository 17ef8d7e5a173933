"""A team whose members race: each a process, or several, on a machine of its own."""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.members import Member, Ran
from tests.races.remotes import Remote

SKILL = "tdd"
Command = Sequence[str | Path]


class Worker:
    """A process of a member's that runs commands of `receipts`, one after the other."""

    def __init__(self, member: Member, stack: contextlib.ExitStack) -> None:
        self.member = member
        command = [sys.executable, "-m", "tests.races.worker"]
        self._process = subprocess.Popen(
            command,
            cwd=member.home,
            env=member.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(self._end)

    def run(self, *commands: Command) -> list[Ran]:
        """Run commands and return what each did."""
        assert self._process.stdin is not None
        lines = [json.dumps([*map(str, command)]) + "\n" for command in commands]
        self._process.stdin.writelines(lines)
        self._process.stdin.flush()
        return [self._answer() for _ in commands]

    def ok(self, *commands: Command) -> list[Ran]:
        """Run commands that must all succeed."""
        done = self.run(*commands)
        for command, ran in zip(commands, done, strict=True):
            assert ran.code == 0, f"{self.member.handle}: {command}: {ran}"
        return done

    def _answer(self) -> Ran:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the process of {self.member.handle} has ended: {self._process.wait()}"
        return Ran(*json.loads(line))

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()


class Team:
    """A team with one skill, its repository behind a remote, and its members."""

    def __init__(self, remote: Remote, folder: Path, stack: contextlib.ExitStack) -> None:
        self.remote, self._folder, self._stack = remote, folder, stack
        founder = self._member("founder", "founder")
        self.published = founder.skill(SKILL)
        self.worker(founder).ok(
            ["team", "create", "acme", "--remote", remote.url], ["publish", self.published]
        )
        self.base = self.git("rev-parse", "main").strip()

    def git(self, *arguments: str) -> str:
        """Run git in the repository behind the remote and return what it prints."""
        command = ["git", "-C", str(self.remote.repository), *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def join(self, handle: str, *, machine: str | None = None) -> Worker:
        """Return a process of a new member who has the skill.

        Args:
            handle: The member.
            machine: Whose writers take turns with this member's; by default it is one's own.
        """
        member = self._member(handle, machine or handle)
        shutil.copytree(self.published, member.home / "skills" / SKILL)
        worker = self.worker(member)
        worker.ok(["team", "join", self.remote.url])
        self.base = self.git("rev-parse", "main").strip()
        return worker

    def worker(self, member: Member) -> Worker:
        """Return one more process of a member's."""
        return Worker(member, self._stack)

    def _member(self, handle: str, machine: str) -> Member:
        # By the locks in the system's temporary folder one machine's writers know of each other.
        temporary = self._folder / "temporary" / machine
        temporary.mkdir(parents=True, exist_ok=True)
        environment = self.remote.environment
        member = Member(self._folder, handle, TMPDIR=str(temporary), **environment)
        with (member.home / ".gitconfig").open("a") as config:
            config.write(self.remote.git_config)
        return member

    # What has become of the repository.

    def commits(self) -> list[str]:
        """Return what landed since the last member joined, oldest first."""
        return self.git("rev-list", "--reverse", f"{self.base}..main").split()

    def authors(self) -> list[str]:
        """Return who made each of these commits."""
        log = self.git("log", "--reverse", "--format=%ae", f"{self.base}..main")
        return [address.partition("@")[0] for address in log.split()]

    def paths(self, folder: str = "") -> list[str]:
        """Return the files at the tip, or those below a folder."""
        return self.git("ls-tree", "-r", "--name-only", "main", "--", folder or ".").split()

    def document(self, path: str) -> Any:
        """Return a JSON file at the tip."""
        return json.loads(self.git("show", f"main:{path}"))

    def receipts(self) -> list[Any]:
        """Return every receipt at the tip."""
        return [self.document(path) for path in self.paths("evals") if path.endswith(".json")]

    def check(self, *workers: Worker) -> None:
        """Check that history is a line and that nothing is damaged, here or in the mirrors."""
        assert self.git("rev-list", "--merges", "main") == ""
        assert self.git("fsck", "--strict", "--full", "--no-dangling") == ""
        for member in {worker.member for worker in workers}:
            [mirror] = (member.state / "mirrors").glob("*.git")
            command = ["git", "-C", str(mirror), "fsck", "--strict", "--full", "--no-dangling"]
            done = subprocess.run(command, capture_output=True, text=True)
            assert (done.returncode, done.stdout) == (0, ""), done


def together(jobs: Sequence[tuple[Worker, Sequence[Command]]]) -> list[list[Ran]]:
    """Let processes run their commands at the same time; return what each of them did."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: job[0].run(*job[1]), jobs))


def second(number: int) -> str:
    """Return a run id; another number's is at least a minute away."""
    return f"20260916T{number // 60:02d}{number % 60:02d}08Z"


def evaluated(worker: Worker, number: int, skill: Path | None = None) -> Command:
    """Return the command that files a run of a skill's bytes, made in that second."""
    skill = skill or worker.member.home / "skills" / SKILL
    receipt = worker.member.write_receipt(skill, run_id=second(number))
    return ["import", receipt, "--skill", skill]


def publish(worker: Worker, name: str = SKILL) -> Command:
    """Return the command that publishes a member's skill."""
    return ["publish", worker.member.home / "skills" / name, "--json"]
