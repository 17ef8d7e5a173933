"""Every recorded spec: what another program accepts and refuses, and what it counts in it."""

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from receipts.attempts.specs.validating import validate
from receipts.errors import SpecError
from tests.receipts.attempts.specs.conftest import Written
from tests.shared import DATA, shared

COPIED: dict[str, Any] = json.loads((DATA / "caliper" / "specs.json").read_text("utf-8"))


def everything() -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(shared("caliper", "specs.json").read_text("utf-8"))
    except pytest.skip.Exception:
        return COPIED
    return found


CASES = everything()


def content(value: Any) -> str | bytes:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else str(value)


def facts(message: str) -> dict[str, Any]:
    """Return what a recorded message says of a spec that was accepted."""
    lines = message.splitlines()
    row = {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines if " " in line}
    skills = re.search(r"^\(bare agent", row["skills"]) or re.search(r"(\d+) git", row["skills"])
    tasks = re.match(r"(\d+) \((\d+) asserting", row["tasks"])
    assert tasks
    return {
        "name": lines[1],
        "skills": [] if skills else row["skills"].split(", "),
        "uncached": int(skills[1]) if skills and skills.re.groups else 0,
        "tasks": int(tasks[1]),
        "asserting": int(tasks[2]),
        "plants a turn": "plants a turn" in message,
        "user": "loads the runner's own" in message,
    }


def test_the_copied_cases_are_those_recorded() -> None:
    assert {name: CASES[name] for name in COPIED} == COPIED


@pytest.mark.parametrize("name", CASES)
def test_a_spec_is_accepted_or_refused_as_recorded(name: str, project: Written) -> None:
    case = CASES[name]
    project({path: content(value) for path, value in case["files"].items()})
    if case["validate.exit"]:
        with pytest.raises(SpecError) as caught:
            validate(case["spec"])
        assert caught.value.exit_code == case["validate.exit"] == case["run.exit"]
        assert all("\n" not in problem for problem in caught.value.problems)
        return
    found = validate(Path(os.curdir) / case["spec"])
    assert facts(case["message"]) == {
        "name": found.spec.name,
        "skills": list(found.neighbourhood.names),
        "uncached": len(found.neighbourhood.uncached),
        "tasks": len(found.spec.tasks),
        "asserting": found.asserting,
        "plants a turn": any("plants a turn" in warning for warning in found.warnings),
        "user": found.spec.user_customizations is True,
    }
