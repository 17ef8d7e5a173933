"""Who a member is in git: the name and address that their other commits bear."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from publish.git import environment, process, words
from receipts.errors import TeamError

_IDENT = re.compile(r"(?P<name>.*) <(?P<email>[^<>]*)> \d+ [+-]\d{4}")
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f<>]+")
# What git says where nothing is broken and nobody is named.
_NOBODY = re.compile(r"tell me who you are|consists only of disallowed")
# git trims these from both ends of a name.
_CRUD = " .,:;<>\"\\'"


class Identity(NamedTuple):
    """A name and an e-mail address, fit for a commit."""

    name: str
    email: str

    def line(self) -> bytes:
        """Return `Name <email>` as a commit holds it."""
        return f"{_fit(self.name)} <{_fit(self.email)}>".encode("utf-8", "replace")


def member_identity(cwd: str | os.PathLike[str] | None = None) -> Identity:
    """Return who the user is, as git resolves it in a folder of theirs.

    That honours `GIT_AUTHOR_NAME` and `GIT_AUTHOR_EMAIL`, conditional includes and the repository's
    own configuration. Without git installed its configuration files are read, without conditions.

    Args:
        cwd: The folder; the current one by default.

    Raises:
        TeamError: Neither says who the user is, git cannot be run, or the folder is in a repository
            that git cannot read.
    """
    folder = os.fspath(cwd) if cwd is not None else None
    if folder is not None and not os.path.isdir(folder):
        folder = None
    name, email = _asked(folder) if environment.git_path() else _read()
    name, email = _fit(name), _fit(email)
    if not name or not email:
        raise TeamError(
            "git does not know who you are, and every commit names its author.",
            'Run `git config --global user.name "Your Name"` and '
            "`git config --global user.email you@example.com`.",
        )
    return Identity(name, email)


def _asked(folder: str | None) -> tuple[str, str]:
    # useConfigOnly: no name made up from the user database and the machine's name.
    done = process.local_git(
        ["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"], cwd=folder
    )
    if done is None:
        raise TeamError(
            "git cannot be run, and it is asked who you are.", "Check that `git --version` works."
        )
    if done.code != 0 and not _NOBODY.search(done.stderr):
        raise _unreadable(folder or os.getcwd(), done.stderr)
    text = done.stdout.decode("utf-8", "replace").strip() if done.code == 0 else ""
    match = _IDENT.fullmatch(text)
    return (match["name"], match["email"]) if match else ("", "")


def _unreadable(folder: str, said: str) -> TeamError:
    """Return the error for a folder whose repository git cannot read.

    Not the user's identity outside of it: the repository may name another, and commits stay.
    """
    why = words.summary(words.git_lines(said)) or "it gave no reason"
    hint = "Mend what it names, then run the command again."
    if "gitfile" in said or "not a git repository" in said:
        hint = (
            f"{_dot_git(folder)} points at a repository that is not there: bring that back (of a "
            "work tree that was moved, with `git worktree repair`), or delete this file."
        )
    return TeamError(f"git cannot say who you are in {folder}: {why}.", hint)


def _dot_git(folder: str) -> Path:
    """Return what git takes for the repository of a folder, by its name alone."""
    here = Path(folder).resolve()
    places = (above / ".git" for above in (here, *here.parents))
    return next(filter(os.path.lexists, places), here / ".git")


def _read() -> tuple[str, str]:
    config = environment.user_config()

    def value(key: bytes) -> str:
        try:
            return config.get((b"user",), key).decode("utf-8", "replace")
        except KeyError:
            return ""

    name = os.environ.get("GIT_AUTHOR_NAME") or value(b"name")
    email = os.environ.get("GIT_AUTHOR_EMAIL") or value(b"email") or os.environ.get("EMAIL", "")
    return name, email


def _fit(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    return " ".join(_UNFIT.sub(" ", text).split()).strip(_CRUD)
