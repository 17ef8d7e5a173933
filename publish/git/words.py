"""What git and a server say, fit for a message: no control characters, no credentials, short."""

import re

from receipts import terminal

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]"
)
_USERINFO = re.compile(r"(?<=://)[^\s/'\"<>]*@")
_QUERY = re.compile(
    r"(?i)([?&][\w.-]*(?:token|key|secret|passw|pwd|auth|credential)[\w.-]*=)[^\s&'\"<>]+"
)
_AUTHORIZATION = re.compile(r"(?i)\b(authorization:\s*\w+|bearer|basic)\s+[\w.~+/=-]{8,}")
_PREFIXES = re.compile(r"^(?:(?:fatal|error|warning|ERROR): )+")
_PROGRESS = re.compile(
    r"(Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Writing) (objects|deltas)\b"
    r"|Total \d+ \(delta "
)
# git says these whatever went wrong; they only push the reason out of sight.
_NOISE = (
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
    "error: failed to push some refs to",
    "hint:",
    "warning:",
    "Warning: Permanently added",
    "To ",
)
MAX_LENGTH = 600


def without_credentials(text: str) -> str:
    """Return text without user info and tokens of URLs and without authorization headers."""
    plain = _QUERY.sub(r"\1[removed]", _USERINFO.sub("", text))
    return _AUTHORIZATION.sub(r"\1 [removed]", plain)


def clean(text: str) -> str:
    """Return foreign text as one printable line of at most `MAX_LENGTH` characters."""
    line = terminal.one_line(_ESCAPE_SEQUENCE.sub("", without_credentials(text)))
    return line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 1] + "…"


def server_lines(text: str) -> list[str]:
    """Return what the server itself said: the lines that git marks with `remote:`."""
    lines = [line.removeprefix("remote:").strip() for line in _lines(text, remote=True)]
    return [line for line in lines if line and not _PROGRESS.match(line)]


def git_lines(text: str) -> list[str]:
    """Return what git on this machine said, without progress, advice and the server's lines."""
    lines = [line.strip() for line in _lines(text, remote=False)]
    lines = [line for line in lines if line and not _PROGRESS.match(line)]
    return [line for line in lines if not line.startswith(_NOISE)]


def summary(lines: list[str]) -> str:
    """Return the last lines joined into one clean line, without a closing full stop."""
    joined = "; ".join(_PREFIXES.sub("", line).rstrip(" .") for line in lines[-6:])
    return clean(joined)


def _lines(text: str, *, remote: bool) -> list[str]:
    # Progress is drawn over itself with carriage returns; only the last state of a line is meant.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    return [line for line in lines if line.startswith("remote:") is remote]
