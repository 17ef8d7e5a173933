"""Packs from a remote that may be hostile."""

import os
import zlib
from pathlib import Path

import pytest

from publish.git import Mirror, Remote, create_bare, fetch
from publish.git.packentry import inflated_size, object_sizes
from receipts.errors import RemoteError
from tests.publish.git.samples import git, put_commit, put_object, put_tree
from tests.servers.smart_http import smart_http

ZEROS = 100 << 20


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A repository whose only file is a hundred megabytes of zeros; packed, it is small."""
    place = tmp_path / "remote.git"
    create_bare(place)
    blob = put_object(place, 3, bytes(ZEROS))
    put_commit(place, put_tree(place, (b"100644", b"big", blob)))
    return place


def pack_of(repository: Path) -> bytes:
    names = git(repository, "rev-list", "--objects", "main")
    return git(repository, "pack-objects", "--stdout", "-q", data=names)


def test_a_small_pack_that_inflates_hugely_is_never_inflated_whole(
    tmp_path: Path, remote: Path
) -> None:
    pack = pack_of(remote)
    assert len(pack) < 1 << 20
    assert inflated_size(pack, limit=1 << 20) > 1 << 20
    with Mirror.open(tmp_path / "mirror.git", Remote.parse(str(remote))) as mirror:
        tip = fetch(mirror)
        view = mirror.view(tip)
        entry = view.entry(b"big")
        assert entry is not None
        assert entry.id in mirror.store
        assert mirror.store.size(entry.id) == ZEROS
    packs = os.listdir(tmp_path / "mirror.git" / "objects" / "pack")
    assert any(name.endswith(".pack") for name in packs)


def test_sizes_add_up_over_deltas(tmp_path: Path) -> None:
    place = tmp_path / "r.git"
    create_bare(place)
    text = b"".join(b"line %d\n" % number for number in range(5_000))
    first = put_object(place, 3, text)
    second = put_object(place, 3, text + b"more\n")
    put_commit(place, put_tree(place, (b"100644", b"a", first), (b"100644", b"b", second)))
    pack = pack_of(place)
    assert len(pack) < len(text)  # the second is a delta against the first
    assert 2 * len(text) < inflated_size(pack, limit=1 << 30) < 3 * len(text)


@pytest.mark.parametrize("cut", [20, 40])
def test_a_cut_pack_is_refused(remote: Path, cut: int) -> None:
    with pytest.raises((ValueError, IndexError)):
        inflated_size(pack_of(remote)[:cut], limit=1 << 30)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("kind", ["path", "http"])
def test_a_file_that_only_git_can_stream_is_refused_without_git(
    tmp_path: Path, remote: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hundred megabytes are never in memory, nor is the mirror any the worse."""
    with smart_http() as server:
        url = str(remote) if kind == "path" else server.url_of(remote)
        git_is_at = os.environ["PATH"]
        with Mirror.open(tmp_path / "mirror.git", Remote.parse(url)) as mirror:
            monkeypatch.setenv("PATH", str(tmp_path))
            with pytest.raises(RemoteError, match="a file of more than 64 MB, which cannot") as no:
                fetch(mirror)
            assert no.value.hint == "Install git."
            assert mirror.tip is None
            monkeypatch.setenv("PATH", git_is_at)
            assert fetch(mirror) is not None


@pytest.mark.parametrize("cut", [12, 13, 20, 40, 60])
def test_sizes_of_a_garbled_pack(remote: Path, cut: int) -> None:
    pack = pack_of(remote)
    longer = pack[:12] + bytes([pack[12] ^ 0x01]) + pack[13:]
    for spoilt in (pack[:cut], longer):
        with pytest.raises((ValueError, IndexError, zlib.error)):
            list(object_sizes(spoilt))
