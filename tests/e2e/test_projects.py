"""Publishing under a project that a teammate removes at that very moment."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.repositories import document, git
from tests.members import Member

# Somebody else's push, once, between the look at the team and the push that this hook sees.
OVERTAKEN = """\
#!/bin/sh
[ -e overtaken ] && exit 0
: > overtaken
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
exec git update-ref refs/heads/main refs/heads/theirs
"""


def edit_by_hand(
    member: Member, repository: Path, branch: str, change: Callable[[Any], None]
) -> None:
    """Push a change of team.json to a branch, with plain git."""
    work = member.home / "clone"
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", str(repository), str(work)], check=True)
    team = json.loads((work / "team.json").read_text())
    change(team)
    (work / "team.json").write_text(json.dumps(team))
    for arguments in (["commit", "-qam", "by hand"], ["push", "-q", "origin", f"HEAD:{branch}"]):
        command = ["git", "-C", str(work), *arguments]
        subprocess.run(command, check=True, capture_output=True, env=member.environment)


def test_a_project_that_is_gone_before_the_push_is_an_error_of_one_sentence(
    ada: Member, bob: Member, acme: Path
) -> None:
    edit_by_hand(bob, acme, "main", lambda team: team["projects"].update(web={}, api={}))
    edit_by_hand(bob, acme, "theirs", lambda team: team["projects"].pop("web"))
    hook = acme / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(OVERTAKEN)
    hook.chmod(0o755)
    skill = ada.skill("tdd")
    before = (skill / "SKILL.md").read_bytes()
    done = ada.run("publish", skill, "--project", "web")
    assert (acme / "overtaken").exists()
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: Unknown project web.\n  Known projects: api.\n"
    assert git(acme, "rev-parse", "main") == git(acme, "rev-parse", "theirs")
    assert (skill / "SKILL.md").read_bytes() == before
    done = ada.run("publish", skill, "--project", "nosuch")
    assert done.err == "error: Unknown project nosuch.\n  Known projects: api.\n"
    assert "marketplace and api." in ada.ok("publish", skill, "--project", "api")
    assert len(document(acme, "team.json")["projects"]["api"]["skills"]) == 1
