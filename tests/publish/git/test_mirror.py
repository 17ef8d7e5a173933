import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publish.git import (
    Mirror,
    MirrorBusy,
    MirrorDamaged,
    Remote,
    Rewritten,
    create_bare,
    fetch,
    repaired,
)
from publish.git import sync as sync_module
from receipts.errors import RemoteError, TeamError
from tests.publish.git.samples import add, git, paths

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def remote(repository: Path) -> Remote:
    return Remote.parse(str(repository))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "mirrors" / "team.git"


def test_an_empty_team(remote: Remote, place: Path) -> None:
    with pytest.raises(TeamError, match="not been fetched yet"):
        Mirror.open(place, remote, create=False)
    assert not place.parent.exists()
    with Mirror.open(place, remote) as mirror:
        assert (mirror.tip, mirror.synced, fetch(mirror)) == (None, None, None)
        assert paths(mirror) == []
    with Mirror.open(place, remote, create=False) as mirror:
        assert mirror.tip is None
    assert place.stat().st_mode & 0o777 == 0o700
    assert git(place, "config", "gc.auto") == b"0\n"
    assert git(place, "config", "repack.writeBitmaps") == b"false\n"
    assert git(place, "config", "core.fsyncObjectFiles") == b"true\n"
    assert git(place, "config", "remote.origin.url").decode().strip() == remote.url
    git(place, "fsck", "--strict")


def test_what_was_told_survives_and_vanishes_with_its_commit(remote: Remote, place: Path) -> None:
    with Mirror.open(place, remote) as mirror:
        first = add(mirror, "a").commit
        assert first is not None
        mirror.mark_synced(first)
        add(mirror, "b")
    with Mirror.open(place, remote) as mirror:
        assert mirror.synced == first != mirror.tip
        assert [path for path, _ in mirror.view(first).walk()] == [b"a"]
        mirror.mark_synced(b"1" * 40)
        assert mirror.synced is None
        fetch(mirror)
        git(place, "fsck")


def test_only_main_is_fetched(remote: Remote, repository: Path, place: Path) -> None:
    with Mirror.open(place, remote) as mirror:
        add(mirror, "a")
    git(repository, "branch", "other", "main")
    git(repository, "tag", "v1", "main")
    with Mirror.open(place.with_name("second.git"), remote) as mirror:
        fetch(mirror)
        assert git(Path(mirror.path), "for-each-ref", "--format=%(refname)") == b"refs/heads/main\n"


def test_another_repository_is_refused(remote: Remote, place: Path, tmp_path: Path) -> None:
    create_bare(tmp_path / "other.git")
    Mirror.open(place, remote).close()
    same = Remote.parse(f"file://{remote.path}/")
    Mirror.open(place, same).close()
    with pytest.raises(TeamError, match=r"points at .*team.git, not .*other.git; refusing"):
        Mirror.open(place, Remote.parse(str(tmp_path / "other.git")))


def _through_git(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewrite the address in the user's configuration, which only the git command reads."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{remote.path}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", remote.path)


def _roll_back(repository: Path, first: str) -> None:
    git(repository, "update-ref", "refs/heads/main", first)


def _rewrite(repository: Path, first: str) -> None:
    tree = git(repository, "rev-parse", "main^{tree}").decode().strip()
    other = git(repository, "commit-tree", "-m", "other", "-p", first, tree)
    git(repository, "update-ref", "refs/heads/main", other.decode().strip())


def _empty(repository: Path, first: str) -> None:
    git(repository, "update-ref", "-d", "refs/heads/main")


LOSSES = {
    r"went back from commit \w{12} to \w{12}\.": _roll_back,
    r"was rewritten: commit \w{12} is no longer part of its history\.": _rewrite,
    r"has no branch main any more, which held commit \w{12}\.": _empty,
}


@pytest.mark.parametrize("damaged", [False, True], ids=["whole", "damaged"])
@pytest.mark.parametrize("kind", ["path", "command"])
@pytest.mark.parametrize("sentence", LOSSES)
def test_a_remote_that_lost_what_was_seen_is_not_followed_unasked(
    remote: Remote,
    repository: Path,
    place: Path,
    sentence: str,
    kind: str,
    damaged: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind == "command":
        _through_git(remote, monkeypatch)
    with Mirror.open(place, remote) as mirror:
        first, seen = add(mirror, "a").commit or b"", add(mirror, "b").commit or b""
        LOSSES[sentence](repository, first.decode())
        if damaged:
            _cut_loose(place)
        lost = sentence if not damaged or "any more" in sentence else "was rewritten: commit"
        for attempt in (fetch, lambda mirror: add(mirror, "c")):
            with pytest.raises(Rewritten, match=lost) as caught:
                attempt(mirror)
            assert str(remote) in caught.value.message
            assert "--accept-rewrite" in caught.value.hint
            assert mirror.tip == seen
        theirs = git(repository, "for-each-ref", "--format=%(objectname)", "refs/heads/main")
        said: list[str] = []
        tip = fetch(mirror, said=said.append, accept_rewrite=True)
        assert (tip or b"") == theirs.strip()
        assert mirror.tip == tip
        if not damaged:
            kept = f"refs/receipts/replaced/{seen[:12].decode()}"
            assert said == [f"What {remote} lost is kept as {kept} in {mirror.path}."]
            assert git(place, "rev-parse", kept).strip() == seen
            assert git(place, "ls-tree", "--name-only", kept).split() == [b"a", b"b"]
        assert add(mirror, "c").attempts == 1


def test_a_merge_of_what_was_seen_is_no_rewrite(
    remote: Remote, repository: Path, place: Path
) -> None:
    with Mirror.open(place, remote) as mirror:
        first, seen = add(mirror, "a").commit or b"", add(mirror, "b").commit or b""
        tree = git(repository, "rev-parse", "main^{tree}").decode().strip()
        parents = ("-p", first.decode(), "-p", seen.decode())
        merge = git(repository, "commit-tree", "-m", "merge", *parents, tree).strip()
        git(repository, "update-ref", "refs/heads/main", merge.decode())
        assert fetch(mirror) == merge


def _cut_loose(place: Path) -> None:
    for path in place.glob("objects/??/*"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:5])


def _remove_loose(place: Path) -> None:
    for path in place.glob("objects/??/*"):
        path.unlink()


def _pack(place: Path) -> Path:
    git(place, "repack", "-adfq")
    (pack,) = place.glob("objects/pack/*.pack")
    pack.chmod(0o600)
    return pack


def _cut_pack(place: Path) -> None:
    pack = _pack(place)
    with pack.open("r+b") as stream:
        stream.truncate(pack.stat().st_size // 2)


def _lose_index(place: Path) -> None:
    _pack(place).with_suffix(".idx").unlink()


def _lose_pack(place: Path) -> None:
    _pack(place).unlink()


def _write(name: str, data: bytes) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        (place / name).write_bytes(data)

    return damage


def _remove(name: str) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        path = place / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def _half_made(place: Path) -> None:
    shutil.rmtree(place)
    (place / "objects").mkdir(parents=True)


def _bare_folder(place: Path) -> None:
    shutil.rmtree(place)
    place.mkdir()


DAMAGES = {
    "objects cut": _cut_loose,
    "objects gone": _remove_loose,
    "pack cut": _cut_pack,
    "pack gone": _lose_pack,
    "index gone": _lose_index,
    "reference empty": _write("refs/heads/main", b""),
    "reference garbage": _write("refs/heads/main", b"\0" * 41),
    "reference to nothing": _write("refs/heads/main", b"1" * 40 + b"\n"),
    "HEAD empty": _write("HEAD", b""),
    "HEAD gone": _remove("HEAD"),
    "config empty": _write("config", b""),
    "config garbage": _write("config", b"\xff[[["),
    "config gone": _remove("config"),
    "objects folder gone": _remove("objects"),
    "refs folder gone": _remove("refs"),
    "half made": _half_made,
    "an empty folder": _bare_folder,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("kind", ["path", "command"])
def test_a_damaged_mirror_is_made_again(
    remote: Remote,
    place: Path,
    damage: Callable[[Path], None],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind == "command":
        _through_git(remote, monkeypatch)
    with Mirror.open(place, remote) as mirror:
        add(mirror, "skills/a/v1/SKILL.md")
        told = add(mirror, "b").commit
        assert told is not None
        mirror.mark_synced(told)
    damage(place)
    said: list[str] = []
    with Mirror.open(place, remote) as mirror:
        assert fetch(mirror, said=said.append) == told
        read = lambda: [mirror.view().read(path) for path, _ in mirror.view().walk()]  # noqa: E731
        assert repaired(mirror, read, said=said.append) == [b"{}\n", b"{}\n"]
        assert len(said) == 1
        assert "damaged" in said[0]
        assert add(mirror, "c").attempts == 1
        assert paths(mirror) == ["b", "c", "skills/a/v1/SKILL.md"]
    git(place, "fsck", "--strict")
    assert not [name for name in os.listdir(place.parent) if name.startswith(".")]


def test_a_write_over_damaged_objects(remote: Remote, place: Path) -> None:
    with Mirror.open(place, remote) as mirror:
        add(mirror, "d/a")
        tree = mirror.view().tree_id(b"d")
        assert tree is not None
        name = tree.decode()
        (place / "objects" / name[:2] / name[2:]).unlink()
        with pytest.raises(MirrorDamaged):
            mirror.view().entries(b"d")
        assert add(mirror, "d/b").commit == mirror.tip
        assert paths(mirror) == ["d/a", "d/b"]


def test_damage_without_a_remote_keeps_what_is_there(
    remote: Remote, repository: Path, place: Path
) -> None:
    with Mirror.open(place, remote) as mirror:
        add(mirror, "a")
        (place / "HEAD").write_bytes(b"")
        repository.rename(repository.with_name("away.git"))
        with pytest.raises(RemoteError, match="no repository"):
            fetch(mirror)
        assert paths(mirror) == ["a"]
        repository.with_name("away.git").rename(repository)
        fetch(mirror)
        assert paths(mirror) == ["a"]


def test_a_damaged_remote_is_not_taken_for_the_copy_on_this_machine(
    remote: Remote, repository: Path, place: Path
) -> None:
    with Mirror.open(place, remote) as mirror:
        add(mirror, "a")
    _remove_loose(repository)
    second = place.with_name("second.git")
    with Mirror.open(second, remote) as mirror, pytest.raises(RemoteError) as refused:
        fetch(mirror)
    assert str(repository) in str(refused.value)
    assert "this machine" not in str(refused.value)


def test_litter_of_killed_processes_is_cleared(remote: Remote, place: Path) -> None:
    with Mirror.open(place, remote) as mirror:
        add(mirror, "a")
        tip = mirror.tip
    litter = [
        "refs/heads/main.lock",
        "HEAD.lock",
        "config.lock",
        "packed-refs.lock",
        "objects/pack/tmp_pack_abc",
        "objects/pack/tmp_idx_abc",
        "objects/tmp_pack_x",
        "objects/ab/tmp_obj_x",
        f"objects/ab/{'c' * 38}.lock",
        "refs/heads/.0123456789abcdef.tmp",
        f"../.{place.name}.0123456789ab.new/objects/x",
        f"../.{place.name}.0123456789ab.old/HEAD",
    ]
    for name in litter:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"x")
    with Mirror.open(place, remote) as mirror:
        assert fetch(mirror) == tip
        add(mirror, "b")
    assert not [name for name in litter if (place / name).exists()]
    assert sorted(os.listdir(place.parent)) == ["team.git", "team.git.lock"]


HOLDER = """
import sys, time
from publish.git import Mirror, Remote
with Mirror.open(sys.argv[1], Remote.parse(sys.argv[2])) as mirror, mirror.locked():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(remote: Remote, place: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(place), remote.url], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_one_writer_at_a_time(remote: Remote, place: Path, holder: "subprocess.Popen[str]") -> None:
    waited: list[float] = []
    with Mirror.open(place, remote) as mirror:
        with pytest.raises(MirrorBusy, match="holds the write lock on team"):
            fetch(mirror, lock_limit=1.3, waiting=waited.append)
        assert [round(seconds) for seconds in waited] == [1]
        with pytest.raises(MirrorBusy):
            fetch(mirror, lock_limit=0)
        assert paths(mirror) == []  # reading waits for nobody


def test_the_lock_ends_with_its_holder(
    remote: Remote, place: Path, holder: "subprocess.Popen[str]"
) -> None:
    threading.Timer(0.3, holder.kill).start()
    began = time.monotonic()
    with Mirror.open(place, remote) as mirror:
        assert add(mirror, "a").commit
    assert time.monotonic() - began < 20
    assert (place.parent / "team.git.lock").exists()


def test_many_loose_objects_become_a_pack(
    remote: Remote, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_module, "_MOST_LOOSE", 20)
    with Mirror.open(place, remote) as mirror:
        for number in range(12):
            add(mirror, f"evals/{number}")
        reader = mirror.view()
        assert list(place.glob("objects/pack/*.pack"))
        assert len(list(place.glob("objects/??/*"))) < 40
        assert len(list(reader.walk())) == len(paths(mirror)) == 12
        assert not list(place.glob("objects/pack/*.bitmap"))
    git(place, "fsck", "--strict")


def test_a_large_fetch_stays_a_pack(remote: Remote, repository: Path, place: Path) -> None:
    stream = b"".join(
        b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\n"
        b"M 100644 inline evals/%d/r.json\ndata 2\n%02d\n\n" % (1_700_000_000 + n, n, n)
        for n in range(99)
    )
    git(repository, "fast-import", "--quiet", data=stream)
    with Mirror.open(place, remote) as mirror:
        fetch(mirror)
        assert len(paths(mirror)) == 99
        assert not list(place.glob("objects/??/*"))
        assert len(list(place.glob("objects/pack/*.pack"))) == 1
    git(place, "fsck", "--strict")


def test_nothing_is_said_when_the_interpreter_ends(remote: Remote, place: Path) -> None:
    script = (
        "import sys; from publish.git import *;"
        "m = Mirror.open(sys.argv[1], Remote.parse(sys.argv[2]));"
        "print(fetch(m)); list(m.view().walk()); m.close()"
    )
    with Mirror.open(place, remote) as mirror:
        add(mirror, "a")
    _pack(place)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(place), remote.url],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bare_team_repository(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "new" / "team.git", tmp_path / "empty"):
        create_bare(path)
        assert git(path, "symbolic-ref", "HEAD") == b"refs/heads/main\n"
        assert git(path, "config", "receive.denyNonFastForwards") == b"true\n"
        assert git(path, "config", "receive.denyDeletes") == b"true\n"
        git(path, "fsck", "--strict")
        with pytest.raises(TeamError, match="exists already"):
            create_bare(path)
