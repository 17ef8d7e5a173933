"""A team member for end-to-end tests: a home, a state folder and the real command line."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from receipts import cli, runid, stats
from receipts.digest import content_digest
from tests.store import samples

ROOT = Path(__file__).parents[1]


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Member:
    """One person on one machine."""

    def __init__(self, folder: Path, handle: str, **environment: str) -> None:
        self.handle = handle
        self.home = folder / handle
        self.home.mkdir(parents=True)
        self.state = self.home / "state"
        self.library = self.home / ".claude" / "skills"
        config = self.home / ".gitconfig"
        config.write_text(f"[user]\n\tname = {handle.title()}\n\temail = {handle}@example.com\n")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "RECEIPTS_HOME": str(self.state),
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            **environment,
        }

    def run(self, *arguments: str | Path, cwd: Path | None = None) -> Ran:
        """Run `receipts` with these arguments."""
        done = subprocess.run(
            [sys.executable, "-m", "receipts", *map(str, arguments)],
            cwd=cwd or self.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
        )
        assert "--debug" in arguments or "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    def here(self, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
        """Run `receipts` in this process, as this member, and return its exit code."""
        with monkeypatch.context() as patch:
            for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
                patch.delenv(name, raising=False)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return cli.run(arguments)

    def called(self, *arguments: str | Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
        """As `run`, in this process: several times quicker, and its limits can be changed."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = self.here([*map(str, arguments)], monkeypatch)
        return Ran(code, out.getvalue(), err.getvalue())

    def ok(self, *arguments: str | Path) -> str:
        """Run a command that must succeed, and return what it prints on stdout."""
        done = self.run(*arguments)
        assert done.code == 0, f"{arguments}: {done}"
        return done.out

    def json(self, *arguments: str | Path) -> Any:
        """Run a command that must succeed with `--json`, and return its document."""
        return json.loads(self.ok(*arguments, "--json"))

    def skill(self, name: str, files: dict[str, str] | None = None) -> Path:
        """Write a skill below this member's own `skills/` and return its folder."""
        folder = self.home / "skills" / name
        body = f"---\nname: {name}\ndescription: Does {name}.\n---\n\n# {name}\n"
        for path, text in {"SKILL.md": body, **(files or {})}.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        return folder

    def evaluate(
        self,
        skill: Path,
        record: tuple[int, int, int] = (2, 0, 1),
        run_id: str = samples.RUN,
        **fields: Any,
    ) -> dict[str, Any]:
        """File a receipt for a skill's bytes as an evaluation elsewhere would have written it."""
        file = self.write_receipt(skill, record, run_id, **fields)
        self.ok("import", file, "--skill", skill)
        document: dict[str, Any] = json.loads(file.read_bytes())
        return document

    def write_receipt(
        self,
        skill: Path,
        record: tuple[int, int, int] = (2, 0, 1),
        run_id: str = samples.RUN,
        **fields: Any,
    ) -> Path:
        """Write a receipt for a skill's bytes beside it and return the file."""
        wins, losses, ties = record
        rows = wins + losses + ties
        time = runid.to_time(run_id).isoformat()
        document = samples.document(
            content_digest(skill),
            run_id,
            skill_name=skill.name,
            verdict=stats.verdict(*record),
            expected_rows=rows,
            scored_rows=rows,
            comparisons={
                "candidate-vs-baseline": {
                    "win": wins,
                    "loss": losses,
                    "tie": ties,
                    "net_lift": stats.net_lift(*record),
                    "sign_p": stats.sign_test(*record),
                }
            },
            **fields,
        )
        document["provenance"] |= {"timestamp": time, "runner_handle": self.handle}
        file = self.home / f"{skill.name}-{run_id}.json"
        file.write_text(json.dumps(document, indent=2) + "\n")
        return file
