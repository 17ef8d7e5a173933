"""What a failure of git or of the connection means, read from its words, which are English."""

import re
import shlex
from collections.abc import Callable

from publish.git import process, words
from publish.git.remote import Remote
from receipts.errors import (
    AuthenticationError,
    ReceiptsError,
    RefusedByServer,
    RemoteError,
    StoreError,
    TeamError,
)

# The only refusals that a retry can cure. A rule of the server is not among them, whatever it says.
_RACES = (
    "fetch first",
    "non-fast-forward",
    "stale info",
    "failed to update ref",
    "cannot lock ref",
    "failed to lock",
    "incorrect old value",
    "remote ref updated since checkout",
    "reference already exists",
    "unable to set",
)
_RULES = ("hook declined", "protected branch", "GH006", "GH013", "denied", "not allowed")
_DUBIOUS = r"dubious ownership in repository at '([^']*)'"


def is_race(reason: str) -> bool:
    """Say whether a server's reason for refusing a push means that somebody was faster."""
    lowered = reason.lower()
    if any(rule.lower() in lowered for rule in _RULES):
        return False
    return any(race in lowered for race in _RACES)


def is_passing(reason: str) -> bool:
    """Say whether a push may succeed a moment later: the server's folders were being tidied.

    `git gc` and `git repack` remove an empty folder of objects at the moment that git moves those
    of a push into it.
    """
    return "unable to migrate objects" in reason.lower()


def refused(reason: str, server: list[str]) -> RefusedByServer:
    """Return the error for a push that the server refused, in its own words.

    Args:
        reason: The reason that it gave for the reference.
        server: What it wrote besides.
    """
    said = words.summary(server)
    return RefusedByServer(
        f"The remote refused the push: {words.clean(reason) or 'it gave no reason'}.",
        f"It said: {said}" if said else "Ask whoever administers the repository.",
    )


def timed_out(remote: Remote, seconds: float) -> RemoteError:
    """Return the error for a remote that did not answer in time."""
    return RemoteError(
        f"{remote} did not answer within {seconds:.0f} s.",
        "Check your connection, then run the command again.",
    )


def cannot_run(program: str, remote: Remote, error: OSError | None = None) -> RemoteError:
    """Return the error for a program that the way to a remote needs and that did not start.

    Args:
        program: The program, as it was to be run.
        remote: The remote.
        error: What the system said; None when all that is known is that there is no such program.
    """
    why = "there is no such program"
    if error is not None and not isinstance(error, FileNotFoundError):
        why = error.strerror or str(error)
    install = {"ssh": "Install OpenSSH's client", "git": "Install git"}.get(
        program, "Install it, or correct GIT_SSH_COMMAND, GIT_SSH or core.sshCommand"
    )
    return RemoteError(
        f"{remote} is reached with {words.clean(program)}, which cannot be run: {why}.",
        f"{install}, then run the command again.",
    )


def explain(text: str, remote: Remote, *, pushing: bool) -> ReceiptsError:
    """Return the error that a failed git command, or connection, means.

    Args:
        text: All that git wrote on stderr, or what the connection's failure says.
        remote: The remote that it spoke to.
        pushing: Whether it was a push.
    """
    own = "\n".join(words.git_lines(text))
    server = words.server_lines(text)
    said = words.summary(server or words.git_lines(text)) or "it gave no reason"
    for pattern, error in _MEANINGS:
        if match := re.search(pattern, own, re.IGNORECASE | re.MULTILINE):
            return error(match, remote, said, pushing)
    return RemoteError(f"The connection to {remote} failed: {said}.")


_Meaning = Callable[[re.Match[str], Remote, str, bool], ReceiptsError]


def _dubious(match: re.Match[str], *_: object) -> ReceiptsError:
    folder = words.clean(match[1])
    return RemoteError(
        f"git does not trust {folder}, because it belongs to another user.",
        f"If you do, run `git config --global --add safe.directory '{folder}'`.",
    )


def other_object_format(remote: Remote) -> RemoteError:
    """Return the error for a repository whose objects are named by SHA-256."""
    return RemoteError(
        f"The repository at {remote} names its objects by SHA-256, which is not supported.",
        "Make the team's repository with `git init --bare --object-format=sha1`.",
    )


def _object_format(_: re.Match[str], remote: Remote, *__: object) -> ReceiptsError:
    return other_object_format(remote)


def _configuration(match: re.Match[str], *_: object) -> ReceiptsError:
    return TeamError(f"git's configuration cannot be read: {words.clean(match[0])}.", "Correct it.")


def _credentials(match: re.Match[str], remote: Remote, said: str, _: object) -> ReceiptsError:
    # The words decide, not the address: git's configuration may turn https into ssh.
    if match[0].startswith(("Permission denied", "Too many")):
        hint = f"Check that `{_login(remote)}` works without a question, then try again."
    else:
        hint = (
            "Store credentials for it with git's credential helper (for GitHub: `gh auth login`), "
            "then run the command again."
        )
    return AuthenticationError(f"{remote} did not accept you: {said}.", hint)


def _forbidden(match: re.Match[str], remote: Remote, said: str, pushing: bool) -> ReceiptsError:  # noqa: FBT001 - one row of the table
    return refused(said, []) if pushing else _credentials(match, remote, said, pushing)


def _host_key(_: re.Match[str], remote: Remote, *__: object) -> ReceiptsError:
    return AuthenticationError(
        f"The key of {remote.host} is not known to this machine, or has changed.",
        f"Run `{_login(remote)}` once and check the key that it shows.",
    )


def _login(remote: Remote) -> str:
    """Return the command that reaches a remote's host as git does, for a person to type."""
    if remote.kind != "ssh":  # git's configuration makes an ssh address of it: port and user differ
        return f"ssh {remote.host}"
    port = ["-p", str(remote.port)] if remote.port else []
    target = f"{remote.user}@{remote.host}" if remote.user else remote.host
    return shlex.join(["ssh", *port, target])


def _no_program(match: re.Match[str], remote: Remote, *_: object) -> ReceiptsError:
    return cannot_run(match[1] or match[2], remote)


def _certificate(_: re.Match[str], remote: Remote, said: str, __: object) -> ReceiptsError:
    return RemoteError(
        f"The certificate of {remote.host} cannot be verified: {said}.",
        "If your organisation signs its own, name the file with its certificate: "
        "`git config --global http.sslCAInfo FILE`.",
    )


def _proxy(_: re.Match[str], remote: Remote, said: str, __: object) -> ReceiptsError:
    return RemoteError(
        f"The proxy on the way to {remote} does not let you through: {said}.",
        "Check http.proxy in git's configuration and the variables https_proxy, http_proxy and "
        "all_proxy; a user name and password stand in its address.",
    )


def _missing(_: re.Match[str], remote: Remote, said: str, __: object) -> ReceiptsError:
    return RemoteError(
        f"There is no repository at {remote}, or you may not see it: {said}.",
        "Check the address, and that you are a member.",
    )


def _unreachable(_: re.Match[str], remote: Remote, said: str, __: object) -> ReceiptsError:
    return RemoteError(f"{remote} cannot be reached: {said}.", "Check your connection.")


def _silent(_: re.Match[str], remote: Remote, *__: object) -> ReceiptsError:
    return timed_out(remote, process.SILENCE_SECONDS)


def _cannot_write(match: re.Match[str], *_: object) -> ReceiptsError:
    # git does not say why it could not.
    return StoreError(
        f"Cannot write the copy of the team repository: git {words.clean(match[0])}.",
        "The disk is full, or may not be written: mend that, then run the command again.",
    )


def _disk_full(*_: object) -> ReceiptsError:
    return StoreError(
        "Cannot write the copy of the team repository: the disk is full.",
        "Free some space, then run the command again.",
    )


_AUTHENTICATION = (
    r"Authentication failed|could not read (Username|Password)|terminal prompts disabled"
    r"|Permission denied \(|returned error: 401|Access denied|Too many authentication"
    r"|invalid (username|credentials)"
)
_ABSENT = (
    r"does not appear to be a git repository|Repository .*not found|returned error: 404"
    r"|not found: did you run|no such repository|repository not exported|not a git repository"
)
# What git says when its own limit on silence, which is ours, is reached.
SILENT = r"Operation too slow|Operation timed out after"
_UNVERIFIED = (
    r"certificate verification failed|certificate problem|CERTIFICATE_VERIFY_FAILED"
    r"|certificate (subject|has expired|is not)|no alternative certificate"
)
_BARRED = r"(code|error:|response|failed:|resp) 407|from proxy after CONNECT|Proxy CONNECT aborted"
_DOWN = (
    r"Could not resolve host|Name or service not known|name resolution|nodename nor servname"
    r"|Connection refused|Failed to connect|Couldn't connect|unreachable|No route to host"
    r"|Connection timed out|Operation timed out|unable to connect"
)
# Said by git where it starts the program itself, else by the shell. What the shell of the other
# side does not find is one of git's own programs.
_NO_PROGRAM = (
    r"cannot run ([^:\n]+): No such file"
    r"|(?:\d|\bsh): (?:exec: )?(?!git-)([^\s:]+): ((command )?not found|No such file or directory)$"
)
_MEANINGS: tuple[tuple[str, _Meaning], ...] = (
    (_DUBIOUS, _dubious),
    (
        r"unsupported object format|mismatched algorithms|not our ref 0{64}"
        r"|does not support this repository's hash algorithm",
        _object_format,
    ),
    (r"bad (config|numeric config|boolean config) [^\n]*", _configuration),
    (r"Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED", _host_key),
    (SILENT, _silent),
    (_UNVERIFIED, _certificate),
    (_BARRED, _proxy),
    (_ABSENT, _missing),
    (_AUTHENTICATION, _credentials),
    (r"returned error: 403|ERROR: (Permission|You (do not|don't)|Write access)", _forbidden),
    (_NO_PROGRAM, _no_program),
    (_DOWN, _unreachable),
    (r"No space left on device|Disk quota exceeded", _disk_full),
    (r"couldn't write '[^']*\.lock'", _cannot_write),
)
