import time

import pytest

from receipts.filenames import problems, shortened, shown, unsafe_path, warnings

UNSAFE = [
    ("", "empty"),
    ("/etc/passwd", "absolute"),
    ("a//b", "empty"),
    ("a/", "empty"),
    ("./a", "`.`"),
    ("a/../b", "`..`"),
    ("..", "`..`"),
    ("a\x00b", "control"),
    ("a\nb", "control"),
    ("a\x7f", "control"),
    ("a\x9bb", "control"),
    ("a\\b", "Windows"),
    ("C:/a", "Windows"),
    ("a.md:stream", "Windows"),
    (".git::$INDEX_ALLOCATION/x", "Windows"),
    ("a./b", "dot or blank"),
    ("a /b", "dot or blank"),
    (".git.", "dot or blank"),
    (".git/config", "`.git`"),
    ("x/.GiT", "`.git`"),
    ("git~1/x", "`.git`"),
    ("GIT~2", "`.git`"),
    (".g\u200cit/hooks", "`.git`"),
    ("\ufeff.git", "`.git`"),
    (".g\u0131t\u206f", None),
    (".gitignore", None),
    ("git", None),
    ("x.git", None),
    ("nul", "device"),
    ("NUL.txt", "device"),
    ("a/Con/b", "device"),
    ("aux .tar.gz", "device"),
    ("COM0", "device"),
    ("com¹.md", "device"),
    ("LPT9.x", "device"),
    ("conin$", "device"),
    ("CONOUT$.x", "device"),
    ("nulls", None),
    ("com10", None),
    ("console.md", None),
    ("con-x", None),
    ("a.nul", None),
    ("é/日本.md", None),
    ("a b.md", None),
]


@pytest.mark.parametrize(("path", "why"), UNSAFE)
def test_unsafe_paths_are_refused_everywhere(path: str, why: str | None) -> None:
    reason = unsafe_path(path)
    listed = problems([path])
    if why is None:
        assert reason is None
        assert listed == []
    else:
        assert reason is not None
        assert why in reason
        assert listed == [f"{shown(path)} {reason}."]
        assert listed[0].isprintable()


@pytest.mark.parametrize("char", list('<>"|?*'))
def test_a_name_that_windows_cannot_hold_is_a_problem_and_not_unsafe(char: str) -> None:
    assert "Windows does not allow" in problems([f"a/b{char}c"])[0]
    assert unsafe_path(f"a/b{char}c") is None


def test_long_segments_are_counted_in_bytes() -> None:
    assert problems(["é" * 127 + "x"]) == []
    assert "255 bytes" in problems(["a/" + "é" * 128])[0]
    assert problems(["/".join(["abcdefgh"] * 60)]) == []


def test_names_that_are_not_utf8() -> None:
    assert problems(["a\udc80"]) == [r"'a\udc80' is not valid UTF-8."]


@pytest.mark.parametrize(
    "paths",
    [
        ["README.md", "readme.md"],
        ["Docs/a.md", "docs/b.md"],
        ["docs", "Docs/b.md"],
        ["x/caf\u00e9.md", "x/cafe\u0301.md"],
        ["x/STRASSE", "x/stra\u00dfe"],
        ["\u03c3", "\u03c2"],
        ["\u212b", "\u00e5"],
        ["K", "\u212a"],
        ["a\u200db", "ab"],
        ["\u0345\u03b1", "\u03b9\u03b1"],
    ],
)
def test_one_name_on_a_folding_file_system(paths: list[str]) -> None:
    for order in (paths, paths[::-1]):
        found = problems(order)
        assert len(found) == 1
        assert all(path in found[0] or repr(path) in found[0] for path in paths)
        assert "rename one" in found[0]


def test_a_file_is_not_also_a_folder() -> None:
    for order in (["a", "a/b"], ["a/b", "a"]):
        assert problems(order) == ["a is a file, and a/b needs a folder of that name."]


def test_names_in_different_folders_do_not_collide() -> None:
    assert problems(["a/README.md", "b/readme.md", "a/b/readme.md", "A.md"]) == []
    assert problems(["a", "a"]) == []


def test_a_folder_in_two_spellings_is_named_once() -> None:
    found = problems(["Docs/1", "Docs/2", "docs/1", "docs/2"])
    assert len(found) == 1
    assert "docs/1 and Docs/1" in found[0]


def test_hostile_sets_take_little_time() -> None:
    start = time.monotonic()
    assert problems(["a/" * 50_000 + "a"]) == []
    assert len(problems([f"x{number}/a" for number in range(10_000)])) == 0
    assert len(problems(["NUL", "q" + "\u0307\u0323" * 400_000])) == 2
    assert unsafe_path("aux" + " " * 1_000_000 + "x") is not None
    assert time.monotonic() - start < 10


def test_a_long_name_is_shown_short() -> None:
    for name in ("a" * 5000, "\x1b" * 5000):
        [sentence] = problems([name])
        assert len(sentence) < 300
    assert shortened("a\nb\x07" + "c" * 500) == f"a b\\x07{'c' * 193}…"
    assert shortened("short") == "short"


def test_a_decomposed_name_is_a_warning() -> None:
    found = warnings(["cafe\u0301.md", "caf\u00e9.md", "a.md"])
    assert len(found) == 1
    assert found[0].startswith("cafe\u0301.md is not in composed Unicode form (NFC);")
    assert problems(["cafe\u0301.md"]) == []
