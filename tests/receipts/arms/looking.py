"""Makes checks of real sandboxes and of transcripts that are at hand."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from receipts.arms.checks import CheckResult, evaluate, read
from receipts.jsyaml import load


@dataclass
class Transcript:
    """A session's transcript that counts how often it is read."""

    said: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)

    def pieces(self) -> Iterator[str]:
        self.readings.append("pieces")
        return iter(self.said)

    def commands(self) -> Iterator[str]:
        self.readings.append("commands")
        return iter(self.ran)


ENVIRONMENT = {"PATH": os.environ["PATH"]}


def result(sandbox: Path, spec: str, seen: Transcript | None = None) -> CheckResult:
    """Return what a check that is written as YAML comes to."""
    check = read(load(spec))
    assert check.problem is None, check.problem
    found = evaluate(check, sandbox, seen or Transcript(), ENVIRONMENT)
    assert found.name == check.name
    return found


def passes(sandbox: Path, spec: str, seen: Transcript | None = None) -> bool:
    """Say whether a check that is written as YAML passes."""
    return result(sandbox, spec, seen).passed
