from collections.abc import Iterator
from pathlib import Path

import pytest

from publish.git import Entry, FolderTooLarge, MirrorDamaged, TreeView
from publish.git import tree as tree_module
from publish.git.objects import ObjectStore
from receipts.errors import TeamError
from tests.publish.git.samples import git, put_commit, put_object, put_tree

FILE, RUN, LINK, DIR, MODULE = b"100644", b"100755", b"120000", b"40000", b"160000"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "r.git"
    git(tmp_path, "init", "-q", "--bare", str(path))
    return path


@pytest.fixture
def store(repository: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(str(repository / "objects"))
    yield store
    store.close()


def test_what_a_view_shows(repository: Path, store: ObjectStore) -> None:
    blob = put_object(repository, 3, b"content")
    inner = put_tree(repository, (FILE, b"x", blob), (RUN, b"y", blob))
    middle = put_tree(repository, (DIR, b"v1", inner))
    root = put_tree(
        repository,
        (DIR, b"evals", middle),
        (FILE, b"file", blob),
        (LINK, b"link", blob),
        (MODULE, b"module", b"1" * 40),
    )
    view = TreeView(store, put_commit(repository, root))
    assert list(view.entries()) == [b"evals", b"file", b"link", b"module"]
    assert view.entry(b"evals/v1/y") == Entry(0o100755, blob)
    assert view.entry(b"evals/v1/y").executable  # type: ignore[union-attr]
    assert view.entries(b"evals/v1").keys() == {b"x", b"y"}
    for absent in (b"evals/v2", b"file/x", b"link/x", b"module/x", b"evals/", b"/evals", b"a"):
        assert view.entry(absent) is None
        assert view.entries(absent) == {}
    assert view.entries(b"file") == {}
    assert (view.tree_id(), view.tree_id(b"evals/v1"), view.tree_id(b"file")) == (root, inner, None)
    assert view.read(b"evals/v1/x") == view.read(Entry(0o100644, blob)) == b"content"
    walked = [path for path, _ in view.walk()]
    assert walked == [b"evals/v1/x", b"evals/v1/y", b"file", b"link", b"module"]
    assert [path for path, _ in view.walk(b"evals/v1/x")] == [b"evals/v1/x"]
    assert list(view.walk(b"none")) == []
    for odd in (b"none", b"evals", b"link", b"module"):
        with pytest.raises(TeamError):
            view.read(odd)
    assert not view.unsafe


def test_hostile_names_are_not_shown_and_stop_a_walk(repository: Path, store: ObjectStore) -> None:
    blob = put_object(repository, 3, b"x")
    inner = put_tree(repository, (FILE, b".GIT", blob), (FILE, b"ok", blob))
    root = put_tree(
        repository,
        (FILE, b"", blob),
        (FILE, b".", blob),
        (FILE, b"..", blob),
        (DIR, b".git", inner),
        (FILE, b"a/b", blob),
        (DIR, b"dir", inner),
        (FILE, b"twice", blob),
        (DIR, b"twice", inner),
        (FILE, b"\xff\x1b[31m", blob),
    )
    view = TreeView(store, put_commit(repository, root))
    assert list(view.entries()) == [b"dir", b"twice", b"\xff\x1b[31m"]
    assert view.entry(b"twice") == Entry(0o100644, blob)  # the first of two
    assert list(view.entries(b"dir")) == [b"ok"]
    assert sorted(view.unsafe) == [b"", b".", b"..", b".git", b"a/b", b"dir/.GIT", b"twice"]
    assert view.entry(b"..") is None
    assert view.entry(b"a/b") is None
    for folder in (b"", b"dir"):
        with pytest.raises(TeamError, match="holds an unsafe path"):
            list(view.walk(folder))


def test_one_hostile_folder_is_hostile_wherever_it_stands(
    repository: Path, store: ObjectStore
) -> None:
    blob = put_object(repository, 3, b"x")
    bad = put_tree(repository, (FILE, b".git", blob), (FILE, b"ok", blob))
    root = put_tree(repository, (DIR, b"a", bad), (DIR, b"b", bad))
    view = TreeView(store, put_commit(repository, root))
    for folder in (b"a", b"b"):
        assert list(view.entries(folder)) == [b"ok"]
        with pytest.raises(TeamError, match=f"{folder.decode()} holds an unsafe path"):
            list(view.walk(folder))
    assert list(view.unsafe) == [b"a/.git", b"b/.git"]
    view.entries(b"a")
    assert list(view.unsafe) == [b"a/.git", b"b/.git"]


def test_a_folder_of_too_many_names_hides_no_other(
    repository: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "LARGEST_TREE", 3000)
    blob = put_object(repository, 3, b"x")
    wide = put_tree(repository, *((FILE, b"f%04d" % number, blob) for number in range(101)))
    good = put_tree(repository, (FILE, b"f", blob))
    root = put_tree(repository, (DIR, b"good", good), (DIR, b"wide", wide))
    view = TreeView(store, put_commit(repository, root))
    assert view.tree_id(b"wide") == wide
    for look in (view.entries, view.walk, lambda path: view.entry(path + b"/f0001")):
        with pytest.raises(FolderTooLarge, match="wide holds more names than are read"):
            list(look(b"wide"))  # type: ignore[arg-type]
    assert view.read(b"good/f") == b"x"


def test_what_was_looked_into_is_forgotten_before_it_fills_the_memory(
    repository: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "_MOST_KEPT", 5)
    blob = put_object(repository, 3, b"x")
    inside = put_tree(repository, *((FILE, b"f%d" % number, blob) for number in range(4)))
    names = [b"d%d" % number for number in range(9)]
    root = put_tree(repository, *((DIR, name, inside) for name in names))
    view = TreeView(store, put_commit(repository, root))
    for _ in range(2):
        for name in names:
            assert len(view.entries(name)) == 4
            assert view.read(name + b"/f3") == b"x"
    kept = sum(map(len, view._folders.values()))
    assert kept <= 5 + 9


@pytest.mark.parametrize(
    "data",
    [
        b"100644 name",
        b"100644 name\0short",
        b"zzz name\0" + b"1" * 20,
        b"\0" * 30,
        b"100644" + b"9" * 4000,
        b"7777777777777777777777777777 a\0" + b"1" * 20,
    ],
)
def test_malformed_trees(repository: Path, store: ObjectStore, data: bytes) -> None:
    view = TreeView(store, put_commit(repository, put_object(repository, 2, data)))
    with pytest.raises(MirrorDamaged):
        view.entries()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"parent " + b"1" * 40 + b"\n\nx",
        b"tree zz\n\nx",
        b"tree " + b"1" * 39 + b"\n\nx",
        b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent ../../x\n\nx",
    ],
)
def test_malformed_commits(repository: Path, store: ObjectStore, data: bytes) -> None:
    with pytest.raises(MirrorDamaged):
        TreeView(store, put_object(repository, 1, data))


def test_a_file_above_the_limit_is_refused_with_its_size(
    repository: Path, store: ObjectStore
) -> None:
    blob = put_object(repository, 3, b"x" * 5001)
    view = TreeView(store, put_commit(repository, put_tree(repository, (FILE, b"f", blob))))
    assert len(view.read(b"f", limit=5001)) == 5001
    with pytest.raises(TeamError, match="5,001 bytes, more than the 5,000"):
        view.read(b"f", limit=5000)


def test_sizes_are_read_from_packs_too(repository: Path, store: ObjectStore) -> None:
    text = b"".join(b"line %d of many\n" % n for n in range(4000))
    sizes = {}
    entries = []
    for number in range(6):
        data = text + b"tail %d\n" % number
        sizes[blob := put_object(repository, 3, data)] = len(data)
        entries.append((FILE, b"f%d" % number, blob))
    sizes[blob := put_object(repository, 3, b"")] = 0
    put_commit(repository, put_tree(repository, (FILE, b"e", blob), *entries))
    for repack in (["repack", "-adfq"], ["repack", "-adfq", "--no-write-bitmap-index"]):
        git(repository, *repack)
        with open(repository / "config", "a") as config:
            config.write("[repack]\n\tusedeltabaseoffset = false\n")
        assert not list((repository / "objects").glob("??/*"))
        assert {blob: store.size(blob) for blob in sizes} == sizes
        assert all(len(store.read(blob)[1]) == size for blob, size in sizes.items())


def test_a_tree_bomb_ends(
    repository: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "MAX_ENTRIES", 10_000)
    inside = put_object(repository, 3, b"x")
    mode = FILE
    for _ in range(12):
        inside = put_tree(repository, *((mode, b"%02d" % n, inside) for n in range(10)))
        mode = DIR
    view = TreeView(store, put_commit(repository, inside))
    with pytest.raises(TeamError, match="more than 10,000 files"):
        list(view.walk())


def test_a_deep_tree_ends(repository: Path, store: ObjectStore) -> None:
    inside = put_tree(repository, (FILE, b"f", put_object(repository, 3, b"x")))
    for _ in range(3000):
        inside = put_tree(repository, (DIR, b"d", inside))
    view = TreeView(store, put_commit(repository, inside))
    with pytest.raises(TeamError, match="too deeply"):
        list(view.walk())


def test_missing_and_exchanged_objects(repository: Path, store: ObjectStore) -> None:
    good = put_object(repository, 3, b"good")
    evil = put_object(repository, 3, b"evil")
    place = repository / "objects" / good[:2].decode() / good[2:].decode()
    original = place.read_bytes()
    inner = put_tree(repository, (FILE, b"f", good))
    commit = put_commit(repository, put_tree(repository, (DIR, b"d", inner)))
    other = repository / "objects" / evil[:2].decode() / evil[2:].decode()
    for damage in (other.read_bytes(), b"", original[:-9], b"\0" * 40, b"x" + original):
        place.write_bytes(damage)
        with pytest.raises(MirrorDamaged):
            TreeView(store, commit).read(b"d/f")
    place.unlink()
    with pytest.raises(MirrorDamaged, match="is missing"):
        TreeView(store, commit).read(b"d/f")
    place.write_bytes(original)
    assert TreeView(store, commit).read(b"d/f") == b"good"


def test_every_single_damaged_byte_of_a_pack_is_noticed(repository: Path) -> None:
    blobs = {
        put_object(repository, 3, b"number %d\n" % n * 9): b"number %d\n" % n * 9 for n in range(9)
    }
    tree = put_tree(repository, *((FILE, b"%d" % n, blob) for n, blob in enumerate(blobs)))
    commit = put_commit(repository, tree)
    git(repository, "repack", "-adfq")
    (pack,) = (repository / "objects" / "pack").glob("*.pack")
    pack.chmod(0o600)
    good = pack.read_bytes()
    for position in range(0, len(good), 7):
        pack.write_bytes(good[:position] + bytes([good[position] ^ 0x55]) + good[position + 1 :])
        store = ObjectStore(str(repository / "objects"))
        try:
            view = TreeView(store, commit)
            assert {entry.id: view.read(entry) for _, entry in view.walk()} == blobs
        except MirrorDamaged:
            pass
        finally:
            store.close()
