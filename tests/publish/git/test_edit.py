"""Trees made here against trees made by git itself."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from publish.git import EditConflict, File
from publish.git.delta import delta
from publish.git.edit import Edited, edit
from publish.git.objects import EMPTY_TREE, ObjectStore, new_object, object_id
from publish.git.tree import TreeView, tree_entries
from receipts.errors import GuardRefusal
from tests.parts import examples

NAMES = st.sampled_from([b"a", b"b", b"a.b", b"a-b", b"ab", b"a0", b"\xc3\xa9", b"B"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)
FILES = st.none() | st.builds(File, st.binary(max_size=6), st.booleans())
CLEARED = st.sets(PATHS, max_size=1)
STEPS = st.tuples(st.dictionaries(PATHS, FILES, max_size=6), CLEARED)
SCRIPTS = st.lists(STEPS, min_size=1, max_size=5)


class Repository:
    """A bare repository to edit, and git's own answer about it."""

    def __init__(self, path: Path) -> None:
        subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
        self.path = path
        self.store = ObjectStore(str(path / "objects"))

    def edit(
        self, root: bytes | None, changes: dict[bytes, File | None], *cleared: bytes
    ) -> Edited:
        edited = edit(self.store, root, changes, cleared)
        self.store.add(edited.objects)
        return edited

    def git(self, *arguments: str, data: bytes = b"") -> bytes:
        environment = {**os.environ, "GIT_INDEX_FILE": str(self.path / "index")}
        command = ["git", "-C", str(self.path), *arguments]
        done = subprocess.run(command, input=data, capture_output=True, env=environment, check=True)
        return done.stdout

    def tree_of(self, files: dict[bytes, File]) -> bytes:
        """Return the tree that git makes of files."""
        (self.path / "index").unlink(missing_ok=True)
        lines = b"".join(
            b"%s %s\t%s\0"
            % (b"100755" if file.executable else b"100644", object_id(3, file.data), path)
            for path, file in files.items()
        )
        self.git("update-index", "-z", "--index-info", data=lines)
        return self.git("write-tree", "--missing-ok").strip()


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    repository = Repository(tmp_path / "r.git")
    yield repository
    repository.store.close()


def _apply(
    files: dict[bytes, File], changes: dict[bytes, File | None], cleared: set[bytes]
) -> dict[bytes, File] | None:
    """Apply changes to a flat map, or return None where files and folders would collide."""
    before = {
        path: file
        for path, file in files.items()
        if not any(_is_within(path, folder) for folder in cleared)
    }
    everything = {*before, *changes}
    if any(
        path != other and _is_within(other, path)
        for path in everything
        for other in {*everything, *cleared}
    ) or any(_is_within(path, folder) for path in changes for folder in cleared):
        return None
    after = {**before, **changes}
    return {path: file for path, file in after.items() if file is not None}


def _is_within(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder + b"/")


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=SCRIPTS)
def test_every_script_gives_the_tree_that_git_gives(
    repository: Repository, script: list[tuple[dict[bytes, File | None], set[bytes]]]
) -> None:
    root: bytes | None = None
    files: dict[bytes, File] = {}
    for changes, cleared in script:
        after = _apply(files, changes, cleared)
        if after is None:
            continue
        edited = repository.edit(root, changes, *cleared)
        root, files = edited.root, after
        assert root == repository.tree_of(files)
        view_paths = _paths(repository.store, root)
        assert view_paths == {path: file.data for path, file in files.items()}
        for new in edited.objects:
            assert object_id(new.kind, new.data) == new.id
            if new.base is not None:
                assert _patched(new.base[1], delta(new.base[1], new.data)) == new.data


def _paths(store: ObjectStore, root: bytes) -> dict[bytes, bytes]:
    found = {}
    pending = [(b"", root)]
    while pending:
        prefix, tree = pending.pop()
        for name, entry in tree_entries(store, tree):
            if entry.is_tree:
                pending.append((prefix + name + b"/", entry.id))
            else:
                found[prefix + name] = store.read(entry.id)[1]
    return found


def _patched(base: bytes, instructions: bytes) -> bytes:
    from dulwich.pack import apply_delta

    return b"".join(apply_delta(base, instructions))


@given(base=st.binary(max_size=400), new=st.binary(max_size=400))
def test_a_delta_gives_the_new_content(base: bytes, new: bytes) -> None:
    assert _patched(base, delta(base, new)) == new


@given(
    before=st.binary(max_size=200),
    inserted=st.binary(max_size=300),
    repeat=st.integers(0, 500),
    cut=st.integers(0, 200),
)
def test_a_delta_of_an_insertion_is_small(
    before: bytes, inserted: bytes, repeat: int, cut: int
) -> None:
    base = before * (repeat + 1)
    new = base[:cut] + inserted + base[cut:]
    instructions = delta(base, new)
    assert _patched(base, instructions) == new
    assert len(instructions) < len(inserted) + 100


def test_objects_name_only_what_changed(repository: Repository) -> None:
    first = repository.edit(None, {b"evals/%d/r.json" % n: File(b"%d" % n) for n in range(50)})
    second = repository.edit(first.root, {b"evals/7/s.json": File(b"new")})
    kinds = [new.kind for new in second.objects]
    assert sorted(kinds) == [2, 2, 2, 3]
    bases = [new.base for new in second.objects if new.kind == 2]
    assert all(base is not None for base in bases)
    assert repository.edit(second.root, {b"evals/7/s.json": File(b"new")}) == (second.root, [])
    assert repository.edit(second.root, {b"nothing/there": None}) == (second.root, [])


def test_a_folder_is_cleared_whatever_is_in_it(repository: Repository) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", data=b"x").strip()
    entry = b"100644 %s\0" + bytes.fromhex(blob.decode())
    names = (b"..", b".git", b"a/b", b"\xff\n", b"twice", b"twice")
    bad = new_object(2, b"".join(entry % name for name in names))
    repository.store.add([bad])
    listing = b"040000 tree %s\tbad\n100644 blob %s\tfile\n120000 blob %s\tlink\n"
    root = repository.git("mktree", data=listing % (bad.id, blob, blob)).strip()
    outer = repository.edit(root, {b"d/e": File(b"y")}).root
    for cleared, left in (
        ([b"bad"], [b"d", b"file", b"link"]),
        ([b"link", b"none", b"d/none", b"file/none"], [b"bad", b"d", b"file"]),
        ([b"d"], [b"bad", b"file", b"link"]),
    ):
        after = repository.edit(outer, {}, *cleared).root
        assert [name for name, _ in tree_entries(repository.store, after)] == left
    both: list[dict[bytes, File | None]] = [{b"bad/x": File(b"x")}, {b"bad": None}]
    for changes in both:
        with pytest.raises(EditConflict, match="of the same change"):
            repository.edit(outer, changes, b"bad")
    with pytest.raises(GuardRefusal):
        repository.edit(outer, {}, b"d/..")


def test_the_last_file_takes_its_folders_with_it(repository: Repository) -> None:
    root = repository.edit(None, {b"a/b/c/d": File(b"x"), b"e": File(b"y")}).root
    root = repository.edit(root, {b"a/b/c/d": None}).root
    assert [name for name, _ in tree_entries(repository.store, root)] == [b"e"]
    assert repository.edit(root, {b"e": None}).root == EMPTY_TREE


@pytest.mark.parametrize(
    "changes",
    [
        {b"dir": File(b"x")},
        {b"dir": None},
        {b"file/below": File(b"x")},
        {b"link/below": File(b"x")},
        {b"module/below": File(b"x")},
        {b"new": File(b"x"), b"new/below": File(b"y")},
    ],
)
def test_types_do_not_change(repository: Repository, changes: dict[bytes, File | None]) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", data=b"x").strip()
    inner = repository.git("mktree", data=b"100644 blob %s\tf\n" % blob).strip()
    listing = b"040000 tree %s\tdir\n100644 blob %s\tfile\n120000 blob %s\tlink\n"
    listing += b"160000 commit %s\tmodule\n"
    root = repository.git(
        "mktree", "--missing", data=listing % (inner, blob, blob, b"1" * 40)
    ).strip()
    with pytest.raises(EditConflict):
        repository.edit(root, changes)
    kept = repository.edit(root, {b"file": None, b"other": File(b"z")}).root
    assert {name for name, _ in tree_entries(repository.store, kept)} == {
        b"dir",
        b"link",
        b"module",
        b"other",
    }


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"/a",
        b"a/",
        b"a//b",
        b"./a",
        b"a/../b",
        b"..",
        b".git/hooks/x",
        b"a/.GIT/x",
        b"a/.git. /x",
        b"GIT~1/x",
        b".git::$INDEX_ALLOCATION/x",
        b"a/.g\xe2\x80\x8cit/x",
        b"a\\b",
        b"a\x00b",
        b"a\nb",
        b"\xff",
        b"a/" * 70 + b"b",
        b"a" * 5000,
    ],
)
def test_unsafe_paths_are_refused(repository: Repository, path: bytes) -> None:
    for change in (File(b"x"), None):
        with pytest.raises(GuardRefusal):
            repository.edit(None, {path: change})


def test_views_of_an_empty_repository(repository: Repository) -> None:
    view = TreeView(repository.store, None)
    assert (view.entries(), view.entry(b"a"), view.tree_id(), list(view.walk())) == (
        {},
        None,
        None,
        [],
    )
