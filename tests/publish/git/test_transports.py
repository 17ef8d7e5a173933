"""The same promises over every transport, with git and without it, against real servers."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from publish.git import Change, File, Mirror, Remote, TreeView, fetch, remote_state, safe_write
from receipts.errors import LostRace, RefusedByServer, RemoteError
from tests.parts import require_part
from tests.publish.git.samples import AUTHOR, add, allow, paths
from tests.servers.fixtures import KINDS, TeamServer

pytestmark = pytest.mark.usefixtures("home")

WITH_AND_WITHOUT = [(kind, True) for kind in KINDS] + [(kind, False) for kind in KINDS]
everywhere = pytest.mark.parametrize(
    ("team_server", "has_git"),
    WITH_AND_WITHOUT,
    indirect=["team_server"],
    ids=[f"{kind}-{'git' if git else 'no-git'}" for kind, git in WITH_AND_WITHOUT],
)
# A folder on a machine without git is written directly; no server sees it.
through_a_server = pytest.mark.parametrize(
    ("team_server", "has_git"),
    [pair for pair in WITH_AND_WITHOUT if pair[1] or pair[0] not in ("path", "file")],
    indirect=["team_server"],
    ids=str,
)


@pytest.fixture
def hide_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that leaves ssh as the only program on the path."""

    def hide() -> None:
        programs = tmp_path / "programs"
        programs.mkdir()
        ssh = shutil.which("ssh")
        if ssh is not None:
            (programs / "ssh").symlink_to(ssh)
        monkeypatch.setenv("PATH", str(programs))

    return hide


@pytest.fixture
def mirror_of(tmp_path: Path) -> Callable[[str, TeamServer], Mirror]:
    def mirror_of(name: str, server: TeamServer) -> Mirror:
        return Mirror.open(tmp_path / "mirrors" / f"{name}.git", Remote.parse(server.url))

    return mirror_of


Open = Callable[[str, TeamServer], Mirror]


@everywhere
def test_writes_reach_the_other_mirror(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    git = shutil.which("git") or ""
    if not has_git:
        hide_git()
    remote = Remote.parse(team_server.url)
    assert remote_state(remote) == (None, ())
    with mirror_of("one", team_server) as one, mirror_of("two", team_server) as two:
        assert fetch(one) is None
        first = add(one, "skills/a/v1/SKILL.md", b"a" * 5000)
        assert (first.tip, first.attempts) == (first.commit, 1)
        assert fetch(two) == first.commit
        for number in range(4):
            add(two if number % 2 else one, f"evals/{number}/v1/r.json", b"%d" % number)
        tip = fetch(one)
        assert fetch(two) == tip
        assert two.view().read(b"skills/a/v1/SKILL.md") == b"a" * 5000
        assert len(paths(one)) == 5
        again = add(one, "evals/0/v1/r.json", b"0")
        assert (again.commit, again.tip, again.attempts) == (None, tip, 0)
        assert remote_state(remote) == (tip, ("main",))
    os.environ["PATH"] = f"{Path(git).parent}:{os.environ['PATH']}"
    assert team_server.git("fsck", "--strict") == ""
    assert team_server.git("rev-list", "--count", "main") == "5\n"
    assert team_server.git("log", "-1", "--format=%an|%ae|%cn|%s", "main") == (
        "Ada Member|ada@example.com|Ada Member|add evals/3/v1/r.json\n"
    )
    for name in ("one", "two"):
        folder = str(team_server.repository.parent.parent / "mirrors" / f"{name}.git")
        subprocess.run(["git", "-C", folder, "fsck", "--strict"], check=True, capture_output=True)


@everywhere
def test_a_lost_race_is_redone_on_the_new_tip(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    if not has_git:
        hide_git()
    with mirror_of("one", team_server) as one, mirror_of("two", team_server) as two:
        add(one, "start")
        seen: list[set[bytes]] = []

        def build(view: TreeView) -> Change:
            seen.append(set(view.entries()))
            if len(seen) < 3:  # a teammate is faster, twice
                _behind_our_back(two, f"theirs-{len(seen)}")
            return Change({b"ours": File(b"x")}, "ours")

        written = safe_write(one, build, author=AUTHOR, guard=allow)
        assert written.attempts == 3
        assert seen == [
            {b"start"},
            {b"start", b"theirs-1"},
            {b"start", b"theirs-1", b"theirs-2"},
        ]
        assert paths(one) == ["ours", "start", "theirs-1", "theirs-2"]


def _behind_our_back(mirror: Mirror, path: str) -> None:
    """Write from a thread of its own: the lock on turns is this thread's already."""
    from publish.git import sync, transport
    from publish.git.commits import new_commit, read_commit
    from publish.git.edit import edit

    way = transport.for_remote(mirror.remote)
    tip = sync.fetch_locked(mirror, way, said=None)
    assert tip is not None
    edited = edit(mirror.store, read_commit(mirror.store, tip).tree, {path.encode(): File(b"")})
    commit = new_commit(mirror.store, tree=edited.root, parent=tip, author=AUTHOR, message=path)
    way.push(mirror, tip, commit.id, [*edited.objects, commit])
    mirror.advance(commit.id, [*edited.objects, commit])


@through_a_server
def test_a_race_inside_the_server_is_retried(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    """`main` moves after it was advertised and before it is swapped: the server's own lock sees."""
    with mirror_of("one", team_server) as one, mirror_of("two", team_server) as two:
        tip = add(one, "start").commit or b""
        theirs = add(two, "theirs").commit or b""
        team_server.git("update-ref", "refs/heads/main", tip.decode())
        once = team_server.repository / "once"
        team_server.hook(
            "pre-receive",
            f"test -e {once} && exit 0\ntouch {once}\n"
            f"env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main {theirs.decode()}",
        )
        if not has_git:
            hide_git()
        assert add(one, "ours").attempts == 2
        assert paths(one) == ["ours", "start", "theirs"]


@through_a_server
def test_a_hook_refuses_in_its_own_words(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    with mirror_of("one", team_server) as one:
        tip = add(one, "start").commit
        log = team_server.repository / "log"
        team_server.hook(
            "pre-receive",
            f"echo run >> {log}\n"
            r"printf 'GH013: \033[31mno\033[0m \033]0;title\007receipts on Fridays\n' >&2"
            "\necho 'non-fast-forward, fetch first' >&2\nexit 1",
        )
        if not has_git:
            hide_git()
        with pytest.raises(RefusedByServer) as caught:
            add(one, "ours")
        assert "pre-receive hook declined" in caught.value.message
        assert "GH013" in caught.value.hint
        assert "receipts on Fridays" in caught.value.hint
        assert "\x1b" not in str(caught.value)
        assert log.read_text() == "run\n"  # asked once: a rule is no race
        assert one.tip == tip
        assert fetch(one) == tip


def test_a_folder_with_a_hook_is_not_written_around_it(
    repository: Path, tmp_path: Path, hide_git: Callable[[], None]
) -> None:
    server = TeamServer("path", str(repository), repository)
    server.hook("pre-receive", "exit 1")
    hide_git()
    with Mirror.open(tmp_path / "m.git", Remote.parse(server.url)) as mirror:
        with pytest.raises(RefusedByServer, match="has the hook pre-receive"):
            add(mirror, "a")
        assert fetch(mirror) is None


@through_a_server
def test_a_budget_that_is_used_up(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    with mirror_of("one", team_server) as one:
        add(one, "start")
        # Whoever pushes finds that main has just moved on.
        team_server.hook(
            "pre-receive",
            "unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
            "new=$(git -c user.name=x -c user.email=x@example.com"
            " commit-tree -p main -m theirs 'main^{tree}')\n"
            "git update-ref refs/heads/main $new",
        )
        if not has_git:
            hide_git()
        with pytest.raises(LostRace, match="kept moving ahead") as caught:
            add(one, "ours", budget=1.5)
        assert "Nothing was published" in caught.value.hint


@everywhere
def test_there_is_no_repository(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    if not has_git:
        hide_git()
    away = TeamServer(team_server.kind, team_server.url + "-none", team_server.repository)
    with pytest.raises(RemoteError, match=r"no (git )?repository at"):
        remote_state(Remote.parse(away.url))
    with mirror_of("one", away) as one:
        with pytest.raises(RemoteError, match=r"no (git )?repository at"):
            fetch(one)
        with pytest.raises(RemoteError):
            add(one, "a")


@everywhere
def test_a_repository_that_names_its_objects_by_sha256(
    team_server: TeamServer, has_git: bool, hide_git: Callable[[], None], mirror_of: Open
) -> None:
    """Nothing that it cannot hold is written there, and why is said where the server says it."""
    is_silent = team_server.kind == "git" or (team_server.kind == "http" and not has_git)
    place = team_server.repository
    shutil.rmtree(place)
    made = ["git", "init", "-q", "--bare", "--object-format=sha256", "-b", "main", str(place)]
    subprocess.run(made, check=True)
    if not has_git:
        hide_git()
    with mirror_of("one", team_server) as one:
        with pytest.raises(RemoteError, match="failed: " if is_silent else "SHA-256"):
            add(one, "a")
        assert not list(place.glob("objects/??/*"))


@pytest.mark.parametrize("team_server", ["path"], indirect=True)
def test_a_shortened_history_is_read_through_git_alone(
    team_server: TeamServer, hide_git: Callable[[], None], mirror_of: Open, tmp_path: Path
) -> None:
    with mirror_of("one", team_server) as one:
        add(one, "a")
        add(one, "b")
    short = tmp_path / "short.git"
    source = f"file://{team_server.repository}"
    subprocess.run(["git", "clone", "-q", "--bare", "--depth=1", source, str(short)], check=True)
    remote = Remote.parse(str(short))
    with Mirror.open(tmp_path / "mirrors" / "short.git", remote) as mirror:
        assert paths(mirror) == []
        fetch(mirror)
        assert {"a", "b"} <= {path.rpartition("/")[2] for path in paths(mirror)}
    hide_git()
    with (
        Mirror.open(tmp_path / "mirrors" / "again.git", remote) as mirror,
        pytest.raises(RemoteError, match="no whole history"),
    ):
        fetch(mirror)


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize(
    "url", ["http://nowhere.invalid/r", "git://nowhere.invalid/r", "http://127.0.0.1:1/r"]
)
def test_an_unreachable_host(
    url: str, has_git: bool, hide_git: Callable[[], None], tmp_path: Path
) -> None:
    require_part(shutil.which("git") is not None, "git")
    if not has_git:
        hide_git()
    remote = Remote.parse(url)
    with pytest.raises(RemoteError) as caught:
        remote_state(remote)
    assert url in caught.value.message
    with Mirror.open(tmp_path / "m.git", remote) as mirror, pytest.raises(RemoteError):
        add(mirror, "a")
