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
_TOKEN_AS_NAME = re.compile(r"gh[pousr]_|github_pat_|glpat-|gldt-|ATBB")
_LONG = re.compile(r"[^@%]{40}")  # no web host has user names of this length
_PERHAPS_USERINFO = re.compile(r"(?<=://).*@", re.DOTALL)  # a password may hold any character
_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}
_FORMS = "Give a folder, or an https://, ssh://, git:// or file:// address, or user@host:path."


@dataclass(frozen=True, slots=True)
class Remote:
    """A team repository's address.

    Attributes:
        url: The address as git takes it; a folder's is absolute. It never holds a password, nor a
            query or a fragment, in which some hosts take tokens.
        kind: `path`, `file`, `http`, `https`, `ssh` or `git`.
        user: The user name in it, or an empty text.
        host: The host, or an empty text for a folder.
        port: The port when one is given.
        path: The folder on this machine, or the path on the host.
        stripped: Whether a password, token, query or fragment was removed; the caller says so, and
            it is kept nowhere.
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
    rest = text.partition("://")[2]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    place = rest[len(authority) :]
    if scheme == "file":
        if authority.lower() not in ("", "localhost") or not place.startswith("/"):
            raise UsageError(f"The address {_shown(text)} names a host.", "Use file:///folder.")
        return Remote(url=f"file://{place}", kind="file", path=unquote(place))
    try:
        parts = urlsplit(f"{scheme}://{authority}")
        port = parts.port
    except ValueError:  # its text may quote a piece of the password
        raise UsageError(f"The address {_shown(text)} has no valid host or port.", _FORMS) from None
    host = _checked_host(parts.hostname or "", text)
    path = _without_query(place, scheme)
    if not path.strip("/"):
        raise UsageError(f"The address {_shown(text)} names no repository.", _FORMS)
    user = _kept_user(_checked_user(parts.username or "", text), scheme)
    if scheme in ("http", "https") and parts.password is not None:
        user = ""  # either half of the pair may be the token
    shown_host = f"[{host}]" if ":" in host else host
    before = (f"{user}@" if user else "") + shown_host + (f":{port}" if port else "")
    return Remote(
        url=f"{scheme}://{before}{path}",
        kind=scheme,
        path=path if scheme in ("http", "https") else unquote(path),
        user=unquote(user),
        host=host,
        port=port,
        stripped=parts.password is not None or user != (parts.username or "") or path != place,
    )


def _from_scp(text: str, match: re.Match[str]) -> Remote:
    host = _checked_host(match["host"].strip("[]"), text)
    named = _checked_user(match["user"] or "", text)
    user = _kept_user(named, "ssh")
    path = _without_query(match["path"], "ssh")
    if not path.strip("/") or path.startswith("-"):
        raise UsageError(f"The address {_shown(text)} names no repository.", _FORMS)
    url = f"{user}@" * bool(user) + f"{match['host']}:{path}"
    stripped = (user, path) != (named, match["path"])
    return Remote(url=url, kind="ssh", path=path, user=user, host=host, stripped=stripped)


def _without_query(path: str, scheme: str) -> str:
    """Return a path without query and fragment: no repository needs them, and tokens stand there.

    Off the web git takes a `#` for a letter like any other, as in a folder called `c#`.
    """
    path = path.partition("?")[0]
    return path.partition("#")[0] if scheme in ("http", "https") else path


def _kept_user(user: str, scheme: str) -> str:
    """Return the user name of an address, or an empty text where it is a token or means nothing."""
    is_token = _TOKEN_AS_NAME.match(user) or (scheme != "ssh" and _LONG.match(user))
    return "" if is_token or scheme == "git" else user


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
    """Return an address for a message, without anything that may be a password in it."""
    place = _without_query(_PERHAPS_USERINFO.sub("", text), "https")
    return repr(terminal.one_line(without_credentials(place))[:200])
