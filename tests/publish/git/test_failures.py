"""Lost answers, missing credentials, silence, damage on the way: what the user is told, when."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publish.git import Mirror, Remote, fetch, process, remote_state
from receipts.errors import ReceiptsError, RefusedByServer, RemoteError, TeamError
from tests.parts import require_part
from tests.publish.git.samples import add, git, paths
from tests.servers.smart_http import Handler, basic, smart_http

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "mirrors" / "team.git"


@pytest.fixture(params=["git", "no git"])
def may_hide_git(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Return a function that hides git in the second of two runs."""

    def hide() -> None:
        if request.param == "no git":
            monkeypatch.setenv("PATH", str(tmp_path))

    return hide


def _is_push(handler: Handler) -> bool:
    return handler.command == "POST" and handler.path.endswith("/git-receive-pack")


class LosesAnswers:
    """Hangs up on pushes: after git took them, or before it saw them."""

    def __init__(self, times: int, *, applied: bool) -> None:
        self.left, self.applied = times, applied

    def __call__(self, handler: Handler) -> bool:
        if not _is_push(handler) or not self.left:
            return False
        self.left -= 1
        if self.applied:
            handler.backend(handler.body)
        handler.close_connection = True
        with contextlib.suppress(OSError):
            handler.connection.shutdown(socket.SHUT_RDWR)
        return True


@pytest.mark.parametrize("applied", [True, False])
def test_an_answer_that_is_lost(
    repository: Path, place: Path, may_hide_git: Callable[[], None], applied: bool
) -> None:
    loses = LosesAnswers(0, applied=applied)
    with smart_http(meddle=loses) as server:
        may_hide_git()
        with Mirror.open(place, Remote.parse(server.url_of(repository))) as mirror:
            add(mirror, "start")
            loses.left = 1
            written = add(mirror, "ours")
            # git's own HTTP library sends a push again when the connection breaks.
            assert written.attempts in ((1, 2) if not applied else (1,))
            assert written.commit == mirror.tip
            assert paths(mirror) == ["ours", "start"]
            loses.left = 1
            assert add(mirror, "third").commit is not None
    os.environ["PATH"] = os.defpath
    assert git(repository, "rev-list", "--count", "main") == b"3\n"
    git(repository, "fsck", "--strict")


def test_answers_that_are_always_lost(
    repository: Path, place: Path, may_hide_git: Callable[[], None]
) -> None:
    with smart_http(meddle=LosesAnswers(99, applied=False)) as server:
        may_hide_git()
        remote = Remote.parse(server.url_of(repository))
        with Mirror.open(place, remote) as mirror, pytest.raises(RemoteError):
            add(mirror, "ours")


def test_the_remote_is_gone_after_a_lost_answer(
    repository: Path, place: Path, may_hide_git: Callable[[], None]
) -> None:
    gone = [False]

    def meddle(handler: Handler) -> bool:
        gone[0] = gone[0] or _is_push(handler)
        if gone[0]:
            handler.close_connection = True
            with contextlib.suppress(OSError):
                handler.connection.shutdown(socket.SHUT_RDWR)
        return gone[0]

    with smart_http(meddle=meddle) as server:
        may_hide_git()
        remote = Remote.parse(server.url_of(repository))
        with Mirror.open(place, remote) as mirror, pytest.raises(RemoteError) as caught:
            add(mirror, "ours")
    assert "may have been published" in caught.value.message
    assert "receipts sync" in caught.value.hint


def test_no_credentials_in_any_message(
    repository: Path, place: Path, home: Path, may_hide_git: Callable[[], None]
) -> None:
    with smart_http(basic("me", "right")) as server:
        authority = server.url.removeprefix("http://")
        with (home / ".gitconfig").open("a") as config:
            config.write(f'[url "http://me:hunter2@{authority}/"]\n\tinsteadOf = {server.url}/\n')
        may_hide_git()
        remote = Remote.parse(f"http://me:hunter2@{authority}{repository}")
        assert remote.stripped
        messages = []
        with Mirror.open(place, remote) as mirror:
            for work in (
                lambda: remote_state(remote),
                lambda: fetch(mirror),
                lambda: add(mirror, "a"),
            ):
                with pytest.raises(ReceiptsError) as caught:
                    work()
                error: BaseException | None = caught.value
                messages.append(str(error))
        assert messages
        assert not [text for text in messages if "hunter2" in text]
    everything = b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
    assert b"hunter2" not in everything


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Listen, accept, and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepted = []
        server.settimeout(0.1)
        ended = threading.Event()

        def accept() -> None:
            while not ended.is_set():
                with contextlib.suppress(TimeoutError):
                    accepted.append(server.accept()[0])

        thread = threading.Thread(target=accept)
        thread.start()
        yield int(server.getsockname()[1])
        ended.set()
        thread.join()
        for connection in accepted:
            connection.close()


@pytest.mark.parametrize("scheme", ["http", "git", "ssh"])
def test_a_silent_remote(
    scheme: str,
    silent_port: int,
    place: Path,
    may_hide_git: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if scheme == "ssh" and "no git" in request.node.name:
        pytest.skip("ssh is hidden along with git")
    monkeypatch.setattr(process, "SILENCE_SECONDS", 1.5)
    may_hide_git()
    remote = Remote.parse(f"{scheme}://127.0.0.1:{silent_port}/team.git")
    began = time.monotonic()
    with Mirror.open(place, remote) as mirror, pytest.raises(RemoteError, match="did not answer"):
        fetch(mirror)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("kind", ["path", "http"])
def test_a_push_that_hangs_is_given_up_and_looked_for(
    kind: str, repository: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with smart_http() as server:
        url = server.url_of(repository) if kind == "http" else str(repository)
        with Mirror.open(place, Remote.parse(url)) as mirror:
            add(mirror, "start")
            hook = repository / "hooks" / "pre-receive"
            hook.parent.mkdir(exist_ok=True)
            hook.write_text("#!/bin/sh\nexec sleep 5\n")
            hook.chmod(0o755)
            monkeypatch.setattr(process, "STEP_SECONDS", 1.5)
            began = time.monotonic()
            with pytest.raises(RemoteError, match="did not answer within"):
                add(mirror, "slow", budget=1.0)
            assert time.monotonic() - began < 25


@pytest.mark.parametrize("kind", ["path", "http"])
@pytest.mark.parametrize(("times", "lands"), [(2, True), (9, False)])
def test_a_push_whose_objects_could_not_be_moved_into_place_is_repeated(
    kind: str, times: int, lands: bool, repository: Path, place: Path
) -> None:
    """As when the server's `git gc` removes a folder that they were to be moved into."""
    with smart_http() as server:
        url = server.url_of(repository) if kind == "http" else str(repository)
        with Mirror.open(place, Remote.parse(url)) as mirror:
            tip = add(mirror, "start").commit
            counter = repository / "pushes"
            hook = repository / "hooks" / "pre-receive"
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(
                f"#!/bin/sh\necho >> {counter}\n"
                f'[ $(wc -l < {counter}) -gt {times} ] || rm -rf "$GIT_QUARANTINE_PATH"\n'
            )
            hook.chmod(0o755)
            if lands:
                assert add(mirror, "a").attempts == times + 1
            else:
                with pytest.raises(RefusedByServer, match="unable to migrate objects"):
                    add(mirror, "a")
                assert fetch(mirror) == tip


def test_a_repository_of_another_user(repository: Path, place: Path) -> None:
    require_part(os.geteuid() == 0, "the right to give files away")
    os.chown(repository, 12345, 12345)
    remote = Remote.parse(str(repository))
    with Mirror.open(place, remote) as mirror:
        for work in (
            lambda: fetch(mirror),
            lambda: add(mirror, "a"),
            lambda: remote_state(remote),
        ):
            with pytest.raises(RemoteError, match="belongs to another user") as caught:
                work()
            assert f"safe.directory '{repository}'" in caught.value.hint


def test_a_mistake_in_the_users_own_configuration(
    repository: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither the mirror that is damaged nor the remote."""
    config = tmp_path / "mistaken"
    config.write_text("[user\n")
    with smart_http() as server:
        for url in (str(repository), server.url_of(repository)):
            said: list[str] = []
            with Mirror.open(place.with_name(f"{len(url)}.git"), Remote.parse(url)) as mirror:
                tip = fetch(mirror)
                with monkeypatch.context() as patch:
                    patch.setenv("GIT_CONFIG_GLOBAL", str(config))
                    with pytest.raises(TeamError, match="git's configuration cannot be read: bad"):
                        fetch(mirror, said=said.append)
                assert (said, mirror.tip) == ([], tip)


FULL_DISK = """
import resource, sys
from publish.git import Mirror, Remote
from receipts.errors import StoreError
from tests.publish.git.samples import add
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
with Mirror.open(sys.argv[1], Remote.parse(sys.argv[2])) as mirror:
    try:
        add(mirror, "large", __import__("os").urandom(200000))
    except StoreError as error:
        print(error)
"""


def test_a_file_that_cannot_be_written(repository: Path, place: Path) -> None:
    """A limit on the size of files stands in for a full disk."""
    with smart_http() as server:
        url = server.url_of(repository)
        with Mirror.open(place, Remote.parse(url)) as mirror:
            add(mirror, "start")
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", FULL_DISK, str(place), url],
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith(f"Cannot write the copy of the team repository at {place}")
        assert (done.returncode, done.stderr) == (0, "")
        assert git(repository, "rev-list", "--count", "main") == b"1\n"
        assert not list(place.glob("objects/??/tmp_*"))
        with Mirror.open(place, Remote.parse(url)) as mirror:
            add(mirror, "large", os.urandom(200000))
            assert paths(mirror) == ["large", "start"]


def test_a_server_that_speaks_another_language(
    repository: Path, place: Path, may_hide_git: Callable[[], None]
) -> None:
    answers = [
        (200, {"Content-Type": "text/html"}, b"<h1>Log in</h1>" * 100),
        (200, {"Content-Type": "application/x-git-upload-pack-advertisement"}, b"\xff" * 3000),
        (200, {"Content-Type": "application/x-git-upload-pack-advertisement"}, b"0004"),
        (200, {"Content-Type": "application/x-git-upload-pack-advertisement"}, b"fffeERR \x1b[2J"),
        (
            200,
            {"Content-Type": "application/x-git-upload-pack-advertisement"},
            b"001e# service=git-upload-pack\n0000000dERR \x1b[31m",
        ),
        (500, {}, b"\x1b]0;owned\x07 oops"),
        (503, {}, b"later"),
        (429, {}, b"slow down"),
        (403, {}, b"no"),
        (302, {"Location": "file:///etc/passwd"}, b""),
    ]
    for number, answer in enumerate(answers):

        def meddle(handler: Handler, answer: tuple[int, dict[str, str], bytes] = answer) -> bool:
            handler.reply(*answer)
            return True

        with smart_http(meddle=meddle) as server, pytest.MonkeyPatch.context():
            may_hide_git()
            remote = Remote.parse(server.url_of(repository))
            with Mirror.open(place.with_name(f"{number}.git"), remote) as mirror:
                with pytest.raises(RemoteError) as caught:
                    fetch(mirror)
                assert "\x1b" not in str(caught.value)
                with pytest.raises((RemoteError, RefusedByServer)):
                    add(mirror, "a")


@pytest.mark.parametrize("has_room", [True, False])
def test_what_the_remote_sends_is_checked(
    repository: Path, place: Path, may_hide_git: Callable[[], None], has_room: bool
) -> None:
    """A pack with a flipped bit, and one that is cut short."""
    spoil = [False]

    def meddle(handler: Handler) -> bool:
        if not spoil[0] or handler.command != "POST":
            return False
        status, headers, body = handler.backend(handler.body)
        at = body.find(b"PACK")
        if at < 0:
            handler.reply(status, headers, body)
            return True
        bad = body[: at + 40] if has_room else body[: at + 30] + b"\x55" + body[at + 31 :]
        handler.reply(status, headers, bad)
        return True

    with smart_http(meddle=meddle) as server:
        may_hide_git()
        remote = Remote.parse(server.url_of(repository))
        with Mirror.open(place, remote) as mirror:
            add(mirror, "start")
        with Mirror.open(place.with_name("second.git"), remote) as mirror:
            spoil[0] = True
            with pytest.raises(RemoteError):
                fetch(mirror)
            assert mirror.tip is None
            spoil[0] = False
            fetch(mirror)
            assert paths(mirror) == ["start"]
