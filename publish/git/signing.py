"""Commits signed as the user has told git to sign theirs (`commit.gpgsign`)."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from typing import IO

from publish.git import environment, process, words
from publish.git.identity import Identity
from publish.git.objects import COMMIT, NewObject, new_object
from publish.git.settings import Settings
from receipts import terminal
from receipts.errors import TeamError

Signer = Callable[[NewObject], NewObject]

_PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}
_HINT = "Check that `git commit -S` works here without a question, or set commit.gpgsign to false."


def signer(user: Settings, author: Identity) -> Signer | None:
    """Return what signs a commit, or None when the user's commits are not signed.

    The signature is made by the program and over the bytes that git would use; so it needs no git.

    Args:
        user: The user's configuration. A repository's own may choose the key, not the program.
        author: Whose key it is when none is named.

    Raises:
        TeamError: A kind of signature is asked for that does not exist.
    """
    if not user.is_true("commit.gpgsign"):
        return None
    kind = (user.get("gpg.format") or "openpgp").lower()
    if kind not in _PROGRAMS:
        raise TeamError(
            f"git's configuration asks for signatures of an unknown kind, {words.clean(kind)}.",
            "Set gpg.format to openpgp, x509 or ssh.",
        )
    program = user.get(f"gpg.{kind}.program", own=True)
    if kind == "openpgp":
        program = program or user.get("gpg.program", own=True)
    program = os.path.expanduser(program or _PROGRAMS[kind])
    key = user.get("user.signingkey") or ""
    if kind == "ssh":
        key = key or _default_key(user)
        return lambda commit: _with_signature(commit, _by_ssh(program, key, commit.data))
    key = key or author.line().decode()
    return lambda commit: _with_signature(commit, _by_gpg(program, key, commit.data))


def _with_signature(commit: NewObject, signature: bytes) -> NewObject:
    header, _, message = commit.data.partition(b"\n\n")
    lines = signature.replace(b"\r", b"").strip(b"\n").replace(b"\n", b"\n ")
    return new_object(COMMIT, b"%s\ngpgsig %s\n\n%s" % (header, lines, message))


def _by_gpg(program: str, key: str, data: bytes) -> bytes:
    name = os.path.basename(program).lower().removesuffix(".exe")
    # Without a terminal nobody is there to answer, so the agent must not open a window either.
    mute = not terminal.is_interactive() and name in ("gpg", "gpg2", "gpgsm")
    quiet = ["--pinentry-mode=error"] if mute else []
    with tempfile.TemporaryFile() as payload:
        payload.write(data)
        payload.seek(0)
        done = _run([program, "--status-fd=2", *quiet, "-bsau", key], payload)
    if done.code != 0 or "[GNUPG:] SIG_CREATED " not in done.stderr:
        lines = [line for line in words.git_lines(done.stderr) if "[GNUPG:]" not in line]
        raise _failed(words.summary(lines))
    return done.stdout


def _by_ssh(program: str, key: str, data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        payload, place = os.path.join(folder, "commit"), os.path.expanduser(key)
        with open(payload, "wb") as stream:
            stream.write(data)
        literal = key.removeprefix("key::") if key.startswith(("key::", "ssh-")) else ""
        if literal:
            place = os.path.join(folder, "key.pub")
            with open(place, "w", encoding="utf-8") as stream:
                stream.write(literal + "\n")
        agent = ["-U"] if literal else []
        done = _run([program, "-Y", "sign", "-n", "git", "-f", place, *agent, payload])
        try:
            with open(payload + ".sig", "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            raise _failed(words.summary(words.git_lines(done.stderr))) from None


def _default_key(user: Settings) -> str:
    """Return the key that `gpg.ssh.defaultKeyCommand` prints first."""
    command = user.get("gpg.ssh.defaultkeycommand", own=True)
    if not command:
        raise _failed("gpg.format is ssh, and user.signingkey names no key")
    line = _run(shlex.split(command)).stdout.decode("utf-8", "replace").partition("\n")[0].strip()
    if not line.startswith(("key::", "ssh-")):
        raise _failed("gpg.ssh.defaultKeyCommand printed no key")
    return line


def _run(command: list[str], stdin: IO[bytes] | None = None) -> process.Finished:
    try:
        return process.run(
            command,
            env=environment.base_environment(),
            limit=process.SILENCE_SECONDS,
            silence=process.SILENCE_SECONDS,
            stdin=stdin,
        )
    except process.TimedOut as error:
        raise _failed(f"{command[0]} did not finish within {error.seconds:.0f} s") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise _failed(f"{command[0]} cannot be run") from error


def _failed(why: str) -> TeamError:
    return TeamError(f"The commit could not be signed: {why or 'no reason was given'}.", _HINT)
