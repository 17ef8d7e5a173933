"""Packs from a remote that may be hostile."""

import os
from pathlib import Path

import pytest

from publish.git import Mirror, Remote, create_bare, fetch
from publish.git.objects import inflated_size
from tests.publish.git.samples import git, put_commit, put_object, put_tree

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
