"""Where a demonstration plays: members whose commands are shown, and held against what is claimed.

Each has a home of their own. Nothing of the person's own machine is read or written.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from receipts import terminal
from receipts.errors import ReceiptsError, UsageError

_SECONDS_PER_STEP = 600  # a machine may be busy, and an evaluation is one step
# What ties git to a repository, sets this program up, or leads an agent to somebody's account.
_NOT_INHERITED = ("GIT_", "RECEIPTS_", "ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_")


class Step(NamedTuple):
    """One command that ran, and how it differed from what was claimed, if it did."""

    who: str
    command: str
    exit_code: int
    output: str
    difference: str | None


class Member(NamedTuple):
    """A member with a home, a temporary folder, a state root and a git identity of their own.

    Attributes:
        handle: The member's handle.
        home: The member's home.
        more: What this member's commands find in their environment beside the usual.
    """

    handle: str
    home: Path
    more: Mapping[str, str]

    @property
    def temporary(self) -> Path:
        """The folder for temporary files, so that none stays behind elsewhere: locks do."""
        return self.home / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        """What this member's commands run in."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(_NOT_INHERITED) and not name.lower().endswith("_proxy")
        }
        return kept | {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self.temporary)),
            "RECEIPTS_HOME": str(self.home / "state"),
            "GIT_CONFIG_GLOBAL": str(self.home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
            **self.more,
        }


class DiffersError(ReceiptsError):
    """A step did not do what the demo claims; the rest makes no sense."""


@contextmanager
def place(keep: Path | None) -> Iterator[Path]:
    """Give a folder to play in.

    Args:
        keep: An empty or new folder, which stays; None gives one that is removed again.

    Raises:
        UsageError: `keep` is not an empty folder.
    """
    if keep is None:
        folder = Path(tempfile.mkdtemp(prefix="receipts-demo-")).resolve()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"{keep} is not an empty folder.", "Name a new one with --keep.")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


class Stage:
    """Runs what members do, and prints it unless it is quiet.

    Attributes:
        steps: The commands that ran so far.
    """

    def __init__(self, folder: Path, *, quiet: bool) -> None:
        self.steps: list[Step] = []
        self._folder = folder
        self._quiet = quiet
        self._members: list[Member] = []

    def member(self, handle: str, name: str, **more: str) -> Member:
        """Return a new member; `more` is set in the environment of this one's commands."""
        member = Member(handle, self._folder / handle, more)
        member.temporary.mkdir(parents=True)
        identity = f"[user]\n\tname = {name}\n\temail = {handle}@example.com\n"
        write(member.home / "gitconfig", identity)
        self._members.append(member)
        return member

    def tell(self, *lines: str) -> None:
        """Say what is going to happen."""
        self.show("\n" + "\n".join(f"# {line}" for line in lines))

    def show(self, text: str) -> None:
        """Print something to look at."""
        if not self._quiet:
            terminal.print_text(text.rstrip("\n"))

    def do(self, member: Member, command: str, *says: str, exit_code: int = 0) -> None:
        """Run one command, print it with its output, and hold it against the claim.

        Args:
            member: Who runs it.
            command: What stands behind `receipts`, as a shell takes it.
            says: Texts that its output holds.
            exit_code: What it ends with.

        Raises:
            DiffersError: It does otherwise.
        """
        self.show(f"{member.handle}$ receipts {command}")
        code, out, err = self._run(member, command)
        output = self._shortened((err + out).rstrip("\n"), member)
        difference = None
        if code != exit_code:
            difference = f"exit code {code} instead of {exit_code}"
        elif missing := next((text for text in says if text not in output), None):
            difference = f"does not say {missing!r}"
        self.steps.append(Step(member.handle, f"receipts {command}", code, output, difference))
        self.show(output)
        if difference:
            raise DiffersError(
                f"The demo differs from what it claims: receipts {command}: {difference}."
            )

    def card(
        self, member: Member, skill: str, *, state: str, verdict: str | None, reason: str = ""
    ) -> None:
        """Show the card of a member's skill, and hold it against the claim.

        Raises:
            DiffersError: It shows something else.
        """
        self.do(member, f"cards {skill} --library", state)
        cards = self.document(member, f"cards {skill} --library")["cards"]
        shown = [(card["state"], (card["receipt"] or {}).get("verdict")) for card in cards]
        if shown != [(state, verdict)] or reason not in cards[0]["reason"]:
            raise DiffersError(
                f"The card of {member.handle} is {shown}, not {state} and {verdict}."
            )

    def document(self, member: Member, command: str) -> Any:  # noqa: ANN401 - a JSON document
        """Return what a command prints with `--json`, without showing it."""
        return json.loads(self._run(member, f"{command} --json")[1])

    def _shortened(self, output: str, member: Member) -> str:
        """Write the members' homes as a shell would: `~`, and `~ada` for another's."""
        homes = {str(m.home): "~" if m is member else f"~{m.handle}" for m in self._members}
        for home, short in homes.items():
            output = output.replace(home, short)
        return output

    @staticmethod
    def _run(member: Member, command: str) -> tuple[int, str, str]:
        try:
            done = subprocess.run(
                [sys.executable, "-m", "receipts", *shlex.split(command)],
                cwd=member.home,
                env=member.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS_PER_STEP,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise DiffersError(
                f"receipts {command} did not end in {_SECONDS_PER_STEP} s."
            ) from error
        return done.returncode, done.stdout, done.stderr


def write(path: Path, text: str) -> None:
    """Write a file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
