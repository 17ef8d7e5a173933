"""Where a team repository is: the ways of writing it down that are accepted, and no other."""

import os
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from publish.git.words import without_credentials
from receipts import terminal
from receipts.errors import UsageError

_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"(?:(?P<user>[^@/:]+)@)?(?P<host>\[[^\]/]+\]|[^:/\[\]@]+):(?P<path>.*)")
_DRIVE = re.compile(r"[A-Za-z]:")
_HOST = re.compile(r"[\w][\w.-]*|[0-9A-Fa-f:.]+(?:%\w+)?")
_TOKEN_AS_NAME = re.compile(r"gh[pousr]_|github_pat_|glpat-|gldt-|ATBB|[^@%]{40}")
_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}
_FORMS = "Give a folder, or an https://, ssh://, git:// or file:// address, or user@host:path."


@dataclass(frozen=True, slots=True)
class Remote:
    """A team repository's address.

    Attributes:
        url: The address as git takes it; a folder's is absolute. It never holds a password.
        kind: `path`, `file`, `http`, `https`, `ssh` or `git`.
        user: The user name in it, or an empty text.
        host: The host, or an empty text for a folder.
        port: The port when one is given.
        path: The folder on this machine, or the path on the host.
        stripped: Whether credentials were removed; the caller says so, and they are kept nowhere.
    """

    url: str
    kind: str
    path: str
    user: str = ""
    host: str = ""
    port: int | None = None
    stripped: bool = False

    @classmethod
    def parse(cls, text: str) -> "Remote":
        """Read an address as a person or a configuration file gives it.

        Raises:
            UsageError: It is none of the accepted forms, or one that could run a program.
        """
        text = text.strip()
        if not text:
            raise UsageError("The team repository's address is empty.", _FORMS)
        if text != terminal.printable(text) or "\n" in text or "\t" in text:
            raise UsageError(f"The address {_shown(text)} holds control characters.", _FORMS)
        if text.startswith("-"):
            raise UsageError(f"The address {_shown(text)} looks like an option.", _FORMS)
        if _HELPER.match(text):
            raise UsageError(
                f"The address {_shown(text)} names a remote helper, which could run any program.",
                _FORMS,
            )
        if scheme := _SCHEME.match(text):
            return _from_url(text, scheme[1].lower())
        if (os.name != "nt" or not _DRIVE.match(text)) and (scp := _SCP.fullmatch(text)):
            return _from_scp(text, scp)
        path = os.path.abspath(os.path.expanduser(text))
        return cls(url=path, kind="path", path=path)

    @property
    def is_local(self) -> bool:
        """Whether the repository is a folder that this machine sees."""
        return self.kind in ("path", "file")

    def same_as(self, other: "Remote") -> bool:
        """Say whether two addresses name one repository, however they are written."""
        return self.key() == other.key()

    def key(self) -> tuple[str, str, int, str]:
        """Return what is equal for every way of writing down one repository."""
        if self.is_local:
            return ("local", "", 0, os.path.normcase(os.path.realpath(existing(self.path))))
        path = self.path.strip("/")
        path = path.removeprefix("~/").removesuffix(".git").rstrip("/")
        return (self.kind, self.host.lower(), self.port or _PORTS[self.kind], path)

    def __str__(self) -> str:
        return self.url


def existing(path: str) -> str:
    """Return a folder as git finds it: `team` stands for `team.git` when only that exists."""
    path = path.rstrip("/") or "/"
    return path + ".git" if not os.path.exists(path) and os.path.isdir(path + ".git") else path


def _from_url(text: str, scheme: str) -> Remote:
    if scheme not in ("file", *_PORTS):
        raise UsageError(f"The address {_shown(text)} has an unknown scheme, {scheme}://.", _FORMS)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"The address {_shown(text)} is malformed: {error}.", _FORMS) from None
    if scheme == "file":
        if parts.netloc.lower() not in ("", "localhost") or not parts.path:
            raise UsageError(f"The address {_shown(text)} names a host.", "Use file:///folder.")
        return Remote(url=f"file://{parts.path}", kind="file", path=unquote(parts.path))
    host = _checked_host(parts.hostname or "", text)
    if not parts.path.strip("/"):
        raise UsageError(f"The address {_shown(text)} names no repository.", _FORMS)
    user = _checked_user(parts.username or "", text)
    secret = parts.password is not None or bool(_TOKEN_AS_NAME.match(user))
    if secret and scheme != "ssh":
        user = ""
    if scheme == "git":
        user = ""
    shown_host = f"[{host}]" if ":" in host else host
    place = (f"{user}@" if user else "") + shown_host + (f":{port}" if port else "")
    query = f"?{parts.query}" if parts.query else ""
    return Remote(
        url=f"{scheme}://{place}{parts.path}{query}",
        kind=scheme,
        path=parts.path if scheme in ("http", "https") else unquote(parts.path),
        user=unquote(user),
        host=host,
        port=port,
        stripped=secret or bool(parts.username and not user),
    )


def _from_scp(text: str, match: re.Match[str]) -> Remote:
    host = _checked_host(match["host"].strip("[]"), text)
    user = _checked_user(match["user"] or "", text)
    path = match["path"]
    if not path.strip("/") or path.startswith("-"):
        raise UsageError(f"The address {_shown(text)} names no repository.", _FORMS)
    return Remote(url=text, kind="ssh", path=path, user=user, host=host)


def _checked_host(host: str, text: str) -> str:
    # A host that starts with a hyphen would be an option of ssh.
    if not _HOST.fullmatch(host):
        raise UsageError(f"The address {_shown(text)} has no valid host.", _FORMS)
    return host


def _checked_user(user: str, text: str) -> str:
    if user.startswith("-") or unquote(user) != terminal.one_line(unquote(user)):
        raise UsageError(f"The address {_shown(text)} has no valid user name.", _FORMS)
    return user


def _shown(text: str) -> str:
    return repr(terminal.one_line(without_credentials(text))[:200])
