"""Who a member is in git: the name and address that their other commits bear."""

import os
import re
from typing import NamedTuple

from publish.git import environment, process
from receipts.errors import TeamError

_IDENT = re.compile(r"(?P<name>.*) <(?P<email>[^<>]*)> \d+ [+-]\d{4}")
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f<>]+")
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
        TeamError: Neither says who the user is.
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
    text = done.stdout.decode("utf-8", "replace").strip() if done and done.code == 0 else ""
    match = _IDENT.fullmatch(text)
    return (match["name"], match["email"]) if match else ("", "")


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
