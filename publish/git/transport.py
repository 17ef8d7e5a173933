"""How a mirror and its remote exchange objects, and which way is taken for which remote."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from publish.git import environment, settings
from publish.git.mirror import Mirror
from publish.git.objects import NewObject
from publish.git.remote import Remote
from publish.git.settings import Settings


class RemoteState(NamedTuple):
    """What a remote holds: the commit of `main`, if any, and the names of all its branches."""

    tip: bytes | None
    branches: tuple[str, ...]


class Transport(Protocol):
    """One way to a remote. Every method ends within the limits of `publish.git.process`."""

    def fetch(self, mirror: Mirror) -> bytes | None:
        """Bring what the remote's `main` needs, and nothing else, into the mirror.

        Returns:
            The commit that the remote's `main` names, or None when it has no `main`. The mirror's
            tip stays as it is.

        Raises:
            RemoteError: The remote cannot be reached or read.
            MirrorDamaged: What the mirror has does not fit what the remote sent.
            StoreError, OSError: The mirror cannot be written.
        """

    def push(
        self, mirror: Mirror, old: bytes | None, new: bytes, objects: Sequence[NewObject]
    ) -> None:
        """Move the remote's `main` from one commit to the next, or raise and leave it as it is.

        Args:
            mirror: It holds everything that `old` needs. Its tip stays as it is.
            old: The commit that `main` must name, or None when there must be no `main`.
            new: A commit whose parent is `old`.
            objects: Every object that `new` needs and `old` does not.

        Raises:
            Race: `main` names another commit, or was being written.
            UnknownOutcome: The connection ended before the answer.
            RefusedByServer: The server refused.
            RemoteError: The remote cannot be reached.
        """

    def state(self, remote: Remote) -> RemoteState:
        """Return what the remote holds.

        Raises:
            RemoteError: The remote cannot be reached or read.
        """


def for_remote(remote: Remote, user: Settings | None = None) -> Transport:
    """Choose the way to a remote.

    git itself is the way for https and ssh, because it alone knows the user's credential helpers,
    proxies and certificates. For folders and git:// dulwich is quicker, and there is nothing to
    know; unless the user's configuration rewrites the address, which git then does.

    Args:
        remote: The remote.
        user: The user's configuration; it is read when it is needed and not given.
    """
    if environment.git_path() is None:
        if remote.is_local:
            from publish.git.direct import DirectTransport

            return DirectTransport()
    elif remote.kind in ("http", "https", "ssh") or _is_rewritten(remote, user):
        from publish.git.command import CommandTransport

        return CommandTransport(user)
    from publish.git.wire import WireTransport

    return WireTransport()


def _is_rewritten(remote: Remote, user: Settings | None) -> bool:
    return (settings.here() if user is None else user).rewrites(remote.url)


def remote_state(remote: Remote) -> RemoteState:
    """Return what a remote holds, without a mirror.

    Raises:
        RemoteError: The remote cannot be reached or read.
    """
    if environment.git_path() is not None:
        from publish.git.command import CommandTransport

        return CommandTransport().state(remote)
    return for_remote(remote).state(remote)
