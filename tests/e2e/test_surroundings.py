"""What the person is told when ssh, git or the repository around a skill is not as it should be."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.members import Member
from tests.servers.daemons import SshServer


def error_of(member: Member, *arguments: str | Path, cwd: Path | None = None) -> list[str]:
    """Run a command that must fail and return the lines about it, with full paths."""
    done = member.run(*arguments, cwd=cwd)
    assert (done.code, done.out) == (1, ""), done
    return done.err.replace(" ~/", f" {member.home}/").splitlines()


def has_only(member: Member, *programs: str) -> None:
    """Leave a member these programs, and no other on the path."""
    folder = member.home / "programs"
    folder.mkdir()
    for program in programs:
        (folder / program).symlink_to(shutil.which(program) or program)
    member.environment["PATH"] = str(folder)


@pytest.mark.parametrize("has_git", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize("form", ["ssh", "scp-like"])
def test_an_unknown_host_key_names_the_whole_command_to_run(
    bob: Member, acme: Path, ssh_server: SshServer, form: str, has_git: bool
) -> None:
    unknown = ssh_server.command.replace(str(ssh_server.known), str(bob.home / "known"))
    bob.environment["GIT_SSH_COMMAND"] = unknown
    address, login = f"{ssh_server.url}{acme}", f"ssh -p {ssh_server.port} {ssh_server.host}"
    if form == "scp-like":
        bob.environment["GIT_SSH_COMMAND"] += f" -p {ssh_server.port}"
        address, login = f"{ssh_server.host}:{acme}", f"ssh {ssh_server.host}"
    has_only(bob, "ssh", *(["git"] if has_git else []))
    assert error_of(bob, "team", "join", address) == [
        "error: The key of 127.0.0.1 is not known to this machine, or has changed.",
        f"  Run `{login}` once and check the key that it shows.",
    ]


def test_a_refused_key_names_the_whole_command_to_try(
    bob: Member, acme: Path, ssh_server: SshServer
) -> None:
    other = bob.home / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    bob.environment["GIT_SSH_COMMAND"] = ssh_server.command.replace(
        f"{ssh_server.folder}/user", str(other)
    )
    _, hint = error_of(bob, "team", "join", f"{ssh_server.url}{acme}")
    login = f"ssh -p {ssh_server.port} {ssh_server.host}"
    assert hint == f"  Check that `{login}` works without a question, then try again."


@pytest.mark.parametrize("programs", [["git"], []], ids=["git", "no git"])
@pytest.mark.parametrize("address", ["git@host.invalid:skills.git", "ssh://git@host.invalid/x"])
def test_without_ssh_the_program_is_named(bob: Member, address: str, programs: list[str]) -> None:
    has_only(bob, *programs)
    assert error_of(bob, "team", "join", address) == [
        f"error: {address} is reached with ssh, which cannot be run: there is no such program.",
        "  Install OpenSSH's client, then run the command again.",
    ]
    bob.environment["GIT_SSH_COMMAND"] = "/nowhere/my-ssh -v"
    message, hint = error_of(bob, "team", "join", address)
    assert "is reached with /nowhere/my-ssh, which cannot be run: there is no such" in message
    assert "correct GIT_SSH_COMMAND" in hint


def test_a_git_that_cannot_be_started_is_named(bob: Member) -> None:
    has_only(bob)
    git = bob.home / "programs" / "git"
    git.write_text("#!/nowhere/interpreter\n")
    git.chmod(0o755)
    assert error_of(bob, "team", "join", "https://host.invalid/x.git") == [
        "error: git cannot be run, and it is asked who you are.",
        "  Check that `git --version` works.",
    ]
    entry = {"remote": "https://host.invalid/x.git", "handle": "bob"}
    bob.state.mkdir()
    (bob.state / "config.json").write_text(json.dumps({"teams": {"acme": entry}}))
    assert error_of(bob, "sync") == [
        "acme: not refreshed — https://host.invalid/x.git is reached with git, which cannot be "
        "run: there is no such program. Install git, then run the command again.",
    ]


@pytest.mark.parametrize("content", ["gitdir: /nowhere/.git/worktrees/x\n", "garbage\n"])
def test_a_skill_below_a_broken_link_to_a_repository(ada: Member, acme: Path, content: str) -> None:
    skill = ada.skill("tdd")
    link = skill.parent / ".git"
    link.write_text(content)
    before = (skill / "SKILL.md").read_bytes()
    for cwd in (None, skill):
        message, hint = error_of(ada, "publish", skill, cwd=cwd)
        assert message.startswith(f"error: git cannot say who you are in {skill}: ")
        assert hint.startswith(f"  {link} points at a repository that is not there: bring that ")
        assert hint.endswith(", or delete this file.")
    assert (skill / "SKILL.md").read_bytes() == before
    link.unlink()
    assert "Published tdd as Version 1" in ada.ok("publish", skill)


def test_a_skill_in_a_repository_whose_configuration_is_broken(ada: Member, acme: Path) -> None:
    skill = ada.skill("tdd")
    subprocess.run(["git", "init", "-q", str(skill)], check=True, env=os.environ | ada.environment)
    (skill / ".git" / "config").write_text("[broken\n")
    message, hint = error_of(ada, "publish", skill)
    assert message.endswith("bad config line 1 in file .git/config.")
    assert hint == "  Mend what it names, then run the command again."
