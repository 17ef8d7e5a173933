"""git's protocol spoken by dulwich: for folders and git://, and for all where git is missing."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dulwich.client import HTTPProxyUnauthorized, HTTPUnauthorized
from dulwich.errors import GitProtocolError, HangupException, NotGitRepository, SendPackError
from dulwich.objects import ZERO_SHA, ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import Ref

from publish.git import bare, classify, process, words
from publish.git.delta import delta
from publish.git.failures import MirrorDamaged, Race, UnknownOutcome
from publish.git.ingest import check_arrived, ingest
from publish.git.mirror import Mirror
from publish.git.objects import NewObject, is_object_id
from publish.git.remote import Remote
from publish.git.transport import RemoteState
from publish.git.watchdog import Watchdog
from publish.git.wire_clients import Connection, connect
from receipts.errors import AuthenticationError, ReceiptsError, RemoteError

MAIN = Ref(bare.MAIN.encode())
_REF_DELTA = 7
# What a conversation can end in: said by the other side, or by a socket or pipe that was closed,
# perhaps by our own watchdog. ValueError covers a reply that is not git's protocol at all.
_BROKEN = (GitProtocolError, HangupException, OSError, ValueError, AssertionError, EOFError)


class _OneTip:
    """Offers the remote the one commit that the mirror has; history is a line, so one will do."""

    shallow: frozenset[bytes] = frozenset()

    def __init__(self, tip: bytes | None) -> None:
        self._tip = tip

    def __next__(self) -> Any:  # noqa: ANN401 - dulwich's own type of an id
        tip, self._tip = self._tip, None
        return tip

    next = __next__

    def ack(self, _: bytes, /) -> None:
        """The remote has it: nothing else to offer."""
        self._tip = None

    def nak(self) -> None:
        """Nothing else to offer."""


class WireTransport:
    """Exchanges objects in one conversation each way, with packs made and taken apart here."""

    def fetch(self, mirror: Mirror) -> bytes | None:
        """As `Transport.fetch`."""
        known = mirror.tip
        seen: list[bytes | None] = [None]

        def wants(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
            del depth
            # The tip of this very conversation; a later answer may name what was not sent. That
            # its commit is here proves nothing: whoever fetched it may have been killed before
            # the rest was written. What the mirror's own reference names is whole.
            tip = seen[0] = refs.get(MAIN)
            if tip is not None and not is_object_id(tip):
                raise classify.other_object_format(mirror.remote)
            return [tip] if tip is not None and tip != known else []

        limit = process.STEP_SECONDS if known else process.FIRST_FETCH_SECONDS
        with tempfile.TemporaryFile(dir=mirror.path) as pack:
            _converse(
                mirror.remote,
                limit,
                lambda connection: connection.client.fetch_pack(
                    connection.path, wants, _OneTip(known), pack.write, ref_prefix=[MAIN]
                ),
            )
            ingest(mirror, pack)
        tip = seen[0]
        if tip is not None and tip != known:
            check_arrived(mirror.store, known, tip)
        return tip

    def push(
        self, mirror: Mirror, old: bytes | None, new: bytes, objects: Sequence[NewObject]
    ) -> None:
        """As `Transport.push`."""
        sent = [False]
        said: list[bytes] = []

        def update(refs: Mapping[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            # dulwich would push over whatever is there; only this comparison stops it.
            if refs.get(MAIN, ZERO_SHA) != (old or ZERO_SHA):
                raise Race("main moved before the push")
            sent[0] = True
            return {MAIN: ObjectID(new)}

        def pack(*_: object, **__: object) -> tuple[int, Iterator[UnpackedObject]]:
            return len(objects), _records(objects)

        try:
            result = _converse(
                mirror.remote,
                process.STEP_SECONDS,
                lambda connection: connection.client.send_pack(
                    connection.path, update, pack, progress=said.append
                ),
                pushing=True,
            )
        except (RemoteError, SendPackError) as error:
            raise _after_failure(error, sent=sent[0], said=said) from error
        _judge(result.ref_status, mirror.remote, said)

    def state(self, remote: Remote) -> RemoteState:
        """As `Transport.state`."""
        answer = _converse(
            remote,
            process.STEP_SECONDS,
            lambda connection: connection.client.get_refs(connection.path),
        )
        heads = {
            name.removeprefix(b"refs/heads/").decode("utf-8", "replace"): commit
            for name, commit in answer.refs.items()
            if name.startswith(b"refs/heads/") and commit and is_object_id(commit)
        }
        return RemoteState(heads.get("main"), tuple(heads))


def _records(objects: Sequence[NewObject]) -> Iterator[UnpackedObject]:
    """Yield the entries of the pack; a changed tree goes as the difference from what it was."""
    for new in objects:
        if new.base is not None:
            difference = delta(new.base[1], new.data)
            if len(difference) < len(new.data) // 2:
                yield UnpackedObject(
                    _REF_DELTA,
                    delta_base=bytes.fromhex(new.base[0].decode()),
                    sha=bytes.fromhex(new.id.decode()),
                    decomp_chunks=[difference],
                )
                continue
        yield UnpackedObject(new.kind, sha=bytes.fromhex(new.id.decode()), decomp_chunks=[new.data])


def _converse(
    remote: Remote,
    limit: float,
    talk: Callable[[Connection], Any],
    *,
    pushing: bool = False,
) -> Any:  # noqa: ANN401 - whatever the conversation gives
    """Run one conversation within its limits and turn its failures into our errors."""
    with (
        Watchdog(limit, process.SILENCE_SECONDS) as watchdog,
        connect(remote, watchdog, pushing=pushing) as connection,
    ):
        try:
            return talk(connection)
        except HTTPUnauthorized as error:
            raise AuthenticationError(
                f"{remote} asks for credentials, and without git no helper can give them.",
                "Install git, or use the repository's ssh:// address.",
            ) from error
        except HTTPProxyUnauthorized as error:
            raise classify.explain("error: 407", remote, pushing=pushing) from error
        except NotGitRepository as error:
            raise RemoteError(
                f"There is no repository at {remote}, or you may not see it.", "Check the address."
            ) from error
        except SendPackError:
            raise
        except _BROKEN as error:
            if watchdog.expired is not None:
                raise classify.timed_out(remote, watchdog.expired) from error
            text = connection.stderr() or _origin(error)
            if text == "timed out":  # the socket's own limit, a moment before the watchdog's
                raise classify.timed_out(remote, process.SILENCE_SECONDS) from error
            raise classify.explain(text, remote, pushing=pushing) from error


def _origin(error: BaseException) -> str:
    """Return what the system said first; whoever passed it on wrapped it in names of classes."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {error}"


def _after_failure(
    error: RemoteError | SendPackError, *, sent: bool, said: list[bytes]
) -> Exception:
    if isinstance(error, SendPackError):
        reason = b"".join(arg for arg in error.args if isinstance(arg, bytes))
        return classify.refused(reason.decode("utf-8", "replace"), _lines(said))
    if sent and not isinstance(error, AuthenticationError):
        return UnknownOutcome(error)
    return error


def _judge(status: Mapping[bytes, str | None] | None, remote: Remote, said: list[bytes]) -> None:
    """Return when a push succeeded: the server named our reference and no error with it."""
    if not status or MAIN not in status:
        failure: ReceiptsError = RemoteError(f"{remote} did not say whether it took the push.")
        raise UnknownOutcome(failure)
    reason = status[MAIN]
    if reason is None:
        return
    if classify.is_race(reason):
        raise Race(words.clean(reason))
    if "missing necessary objects" in reason:
        raise MirrorDamaged("the remote lacks objects that it should have")
    refusal = classify.refused(reason, _lines(said))
    raise UnknownOutcome(refusal) if classify.is_passing(reason) else refusal


def _lines(said: list[bytes]) -> list[str]:
    text = b"".join(said).decode("utf-8", "replace")
    return [line.strip() for line in text.split("\n") if line.strip()]
