"""The files of a version: which are handed out, and that none is read before it is asked for."""

import pytest

from publish import stored
from publish.git import Entry
from receipts.digest import content_digest_of
from receipts.errors import TeamError
from tests.publish.conftest import ReadTree
from tests.publish.samples import EXECUTABLE, LINK, Files

VERSION: Files = {"v/SKILL.md": b"a", "v/sub/b": (EXECUTABLE, b"bb"), "v/c": b"ccc", "other": b"d"}
PLAIN = {"SKILL.md": b"a", "sub/b": b"bb", "c": b"ccc"}


def test_files_and_their_measure(read_tree: ReadTree) -> None:
    files = stored.files_below(read_tree(VERSION).view, "v")
    assert {path: file.data for path, file in files.items()} == PLAIN
    assert [path for path, file in files.items() if file.executable] == ["sub/b"]
    measured = stored.measured(files)
    assert measured.digest == content_digest_of(PLAIN)
    assert [file.executable for file in measured.files] == [False, False, True]
    assert stored.files_below(read_tree(VERSION).view, "none") == {}


def test_nothing_is_read_to_list_files_and_nothing_is_kept(
    read_tree: ReadTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = read_tree(VERSION).view
    reads: list[bytes] = []
    content = view.content

    def counted(entry: Entry, name: str) -> bytes:
        reads.append(entry.id)
        return content(entry, name)

    monkeypatch.setattr(view, "content", counted)
    files = stored.files_below(view, "v")
    assert reads == []
    for times in (1, 2):
        assert stored.measured(files).digest == content_digest_of(PLAIN)
        assert len(reads) == 3 * times


@pytest.mark.parametrize(
    ("limit", "most", "sentence"),
    [
        ("LARGEST_FILE", 2, r"v/c has 3 bytes, more than the 2 that are read\."),
        ("_MOST_FILES", 2, r"v holds more than 2 files or 256 MB; it is not read\."),
        ("_MOST_BYTES", 5, r"v holds more than 10,000 files or 0 MB; it is not read\."),
    ],
)
def test_what_is_too_much(
    read_tree: ReadTree, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, sentence: str
) -> None:
    view = read_tree(VERSION).view
    monkeypatch.setattr(stored, limit, most + 1)
    assert len(stored.files_below(view, "v")) == 3
    monkeypatch.setattr(stored, limit, most)
    with pytest.raises(TeamError, match=sentence):
        stored.files_below(view, "v")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"v": b"x"}, r"^v is not a folder\.$"),
        ({"v/a/l": (LINK, b"x")}, r"^v/a/l is a symbolic link or a submodule; refused\.$"),
        ({"v/a/nul": b"x"}, r"^v holds an unsafe path: a/nul has a segment that names a Windows"),
        ({b"v/a/.git": b"x"}, r"^v holds an unsafe path: v/a/\.git\.$"),
    ],
)
def test_what_must_not_be_copied(read_tree: ReadTree, files: Files, sentence: str) -> None:
    with pytest.raises(TeamError, match=sentence):
        stored.files_below(read_tree(files).view, "v")
