"""The whole job on a throwaway team: two members, one skill, real git, every command shown.

Each step runs the command line as a member would, in a process of its own, and is held against what
the demo claims about it. Nothing of the person's own machine is read or written.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from receipts import stats, terminal
from receipts.digest import content_digest
from receipts.errors import ReceiptsError, UsageError

_SECONDS_PER_STEP = 120
_SKILL = "changelog"
_SKILL_MD = """\
---
name: changelog
description: Writes a changelog entry from the commits since the last tag. Use before a release.
---

# Changelog

1. Run `scripts/since-tag.sh` to list the commits since the last tag.
2. Group them under Added, Changed and Fixed; leave out what no user can see.
3. Write one line each, in the present tense, with the issue it closes.
"""
_SCRIPT = """\
#!/bin/sh
git log --oneline "$(git describe --tags --abbrev=0)..HEAD"
"""


class Step(NamedTuple):
    """One command that ran, and how it differed from what was claimed, if it did."""

    who: str
    command: str
    exit_code: int
    output: str
    difference: str | None


class _Member(NamedTuple):
    """A member with a home, a temporary folder, a state root and a git identity of their own."""

    handle: str
    home: Path

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
            if not name.startswith(("GIT_", "RECEIPTS_"))
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
        }


class _DiffersError(ReceiptsError):
    """A step did not do what the demo claims; the rest makes no sense."""


def run(keep: Path | None, *, quiet: bool) -> list[Step]:
    """Run the demo and return its steps.

    Args:
        keep: An empty or new folder to leave everything in; None leaves nothing behind.
        quiet: Print nothing while running.

    Raises:
        UsageError: `keep` is not an empty folder.
        ReceiptsError: A step differs from what the demo claims.
    """
    with _place(keep) as place:
        demo = _Demo(place, quiet=quiet)
        demo.play()
        return demo.steps


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        place = Path(tempfile.mkdtemp(prefix="receipts-demo-")).resolve()
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"{keep} is not an empty folder.", "Name a new one with --keep.")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


class _Demo:
    def __init__(self, place: Path, *, quiet: bool) -> None:
        self.steps: list[Step] = []
        self._quiet = quiet
        self._ada = _member(place, "ada", "Ada Lovelace")
        self._bob = _member(place, "bob", "Bob Babbage")
        self._members = (self._ada, self._bob)

    def play(self) -> None:
        """Play the whole story; each line of it is one claim."""
        ada, bob = self._ada, self._bob
        mine = ada.home / "skills" / _SKILL
        theirs = bob.home / ".claude" / "skills" / _SKILL

        self._tell("Ada creates a team. Its repository is a bare one on this disk.")
        self._do(ada, "team create acme", says="Created team acme as @ada")
        self._tell("Ada writes a skill, and registers the folder it is in.")
        _write(mine / "SKILL.md", _SKILL_MD)
        _write(mine / "scripts" / "since-tag.sh", _SCRIPT)
        digest = content_digest(mine)
        self._do(ada, "library add skills", says="skills")
        self._do(ada, f"digest skills/{_SKILL}", says=digest)
        self._tell(
            "An evaluation ends in a receipt; this one is a sample, for exactly these bytes."
        )
        _receipt(ada.home / "pass.json", digest, wins=5, losses=1, ties=3)
        self._do(ada, f"import pass.json --skill skills/{_SKILL}", says="of these exact bytes")
        self._do(
            ada,
            f"publish skills/{_SKILL}",
            says="as Version 1 to the acme marketplace. Attached 1 eval run(s).",
        )
        if content_digest(mine) != digest:
            raise _DiffersError("Publishing changed the digest of the skill.")

        self._tell("Bob joins from a machine of his own, syncs, and installs what he found.")
        repository = os.path.relpath(ada.home / "state" / "repositories" / "acme.git", bob.home)
        self._do(bob, f"team join {repository}", says="Joined team acme as @bob")
        self._do(bob, "sync", says="1 new receipt for changelog v1 by ada (1 PASS)")
        self._do(bob, f"install {_SKILL}", says="Copied 1 receipt(s)")
        self._tell(
            "Both hold the same bytes, and both see the one score that was measured on them."
        )
        self._card(ada, state="scored", verdict="PASS", reason="")
        self._card(bob, state="scored", verdict="PASS", reason="")

        self._tell("Bob edits one byte. Nothing measured what he holds now, and the card says so.")
        script = theirs / "scripts" / "since-tag.sh"
        _write(script, _SCRIPT.replace("--oneline", "--Oneline"))
        self._card(bob, state="stale", verdict=None, reason="scripts/since-tag.sh changed")

        self._tell("Ada edits her skill too, and the evaluation of the new bytes fails.")
        _write(mine / "SKILL.md", (mine / "SKILL.md").read_text("utf-8") + "4. Add a joke.\n")
        _receipt(ada.home / "fail.json", content_digest(mine), wins=0, losses=4, ties=1)
        self._do(ada, f"import fail.json --skill skills/{_SKILL}", says="of these exact bytes")
        self._tell(
            "Publishing asks first. Here nobody can answer, so it refuses; then Ada says no."
        )
        asks = "Your latest eval of these exact bytes failed against"
        self._do(ada, f"publish skills/{_SKILL}", says=asks, exit_code=1)
        self._do(ada, f"publish skills/{_SKILL} --no", says="Publish was cancelled.", exit_code=1)
        self._do(ada, "verify --team acme", says="0 problems")

    def _card(self, member: _Member, *, state: str, verdict: str | None, reason: str) -> None:
        self._do(member, f"cards {_SKILL} --library", says=state)
        cards = json.loads(self._run(member, f"cards {_SKILL} --library --json")[1])["cards"]
        shown = [(card["state"], (card["receipt"] or {}).get("verdict")) for card in cards]
        if shown != [(state, verdict)] or reason not in cards[0]["reason"]:
            raise _DiffersError(
                f"The card of {member.handle} is {shown}, not {state} and {verdict}."
            )

    def _do(self, member: _Member, command: str, *, says: str, exit_code: int = 0) -> None:
        """Run one command, print it with its output, and hold it against the claim."""
        if not self._quiet:
            terminal.print_text(f"{member.handle}$ receipts {command}")
        code, out, err = self._run(member, command)
        output = self._shortened((out + err).rstrip("\n"), member)
        difference = None
        if code != exit_code:
            difference = f"exit code {code} instead of {exit_code}"
        elif says not in output:
            difference = f"does not say {says!r}"
        self.steps.append(Step(member.handle, f"receipts {command}", code, output, difference))
        if not self._quiet:
            terminal.print_text(output)
        if difference:
            raise _DiffersError(
                f"The demo differs from what it claims: receipts {command}: {difference}."
            )

    def _shortened(self, output: str, member: _Member) -> str:
        """Write the members' homes as a shell would: `~`, and `~ada` for another's."""
        homes = {str(m.home): "~" if m is member else f"~{m.handle}" for m in self._members}
        for home, short in homes.items():
            output = output.replace(home, short)
        return output

    @staticmethod
    def _run(member: _Member, command: str) -> tuple[int, str, str]:
        try:
            done = subprocess.run(
                [sys.executable, "-m", "receipts", *command.split()],
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
            raise _DiffersError(
                f"receipts {command} did not end in {_SECONDS_PER_STEP} s."
            ) from error
        return done.returncode, done.stdout, done.stderr

    def _tell(self, sentence: str) -> None:
        if not self._quiet:
            terminal.print_text(f"\n# {sentence}")


def _member(place: Path, handle: str, name: str) -> _Member:
    member = _Member(handle, place / handle)
    member.temporary.mkdir(parents=True)
    identity = f"[user]\n\tname = {name}\n\temail = {handle}@example.com\n"
    _write(member.home / "gitconfig", identity)
    return member


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def _receipt(path: Path, digest: str, *, wins: int, losses: int, ties: int) -> None:
    """Write a sample receipt as an evaluation by arms would write it."""
    now = datetime.now(UTC)
    rows = wins + losses + ties
    record: dict[str, Any] = {
        "win": wins,
        "loss": losses,
        "tie": ties,
        "net_lift": stats.net_lift(wins, losses, ties),
        "sign_p": stats.sign_test(wins, losses, ties),
    }
    document = {
        "schema_version": 2,
        "skill_id": None,
        "skill_name": _SKILL,
        "version": None,
        "content_digest": digest,
        "run_id": now.strftime("%Y%m%dT%H%M%SZ"),
        "verdict": stats.verdict(wins, losses, ties),
        "attribution": f"wins on execution checks; loses on execution checks; {ties} ties"
        if wins
        else "loses on execution checks; 1 tie",
        "execution_status": "complete",
        "expected_rows": rows,
        "scored_rows": rows,
        "comparisons": {"candidate-vs-baseline": record},
        "arm_scores": {"baseline": 0.61, "candidate": 0.82 if wins else 0.2},
        "triggers": None,
        "efficiency": {
            "baseline": {"turns": 3, "duration_ms": 22800, "cost_usd": 0.11},
            "candidate": {"turns": 5, "duration_ms": 41200, "cost_usd": 0.2},
        },
        "provenance": {
            "engine_version": "demo",
            "engine_commit": "unknown",
            "cc_version": "demo",
            "model": "sonnet",
            "judge_model": "sonnet",
            "k": rows,
            "cases": ["release-notes"],
            "arm_skill_lists": {"baseline": [], "candidate": [_SKILL]},
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "runner_handle": "ada",
        },
    }
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
