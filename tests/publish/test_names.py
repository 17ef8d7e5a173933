import pytest

from publish.names import (
    handle_from,
    is_handle,
    is_skill_name,
    is_team_name,
    unsafe_git_path,
)


@pytest.mark.parametrize("path", [b"a/b.md", "é/日本.md".encode(), b"a?b", b".gitignore"])
def test_paths_out_of_a_repository(path: bytes) -> None:
    assert unsafe_git_path(path) is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (b"../a", "../a is absolute or has an empty, `.` or `..` segment"),
        (b"x/.GiT", "x/.GiT has a segment that some systems take for `.git`"),
        (b"a\x80", r"b'a\x80' is not valid UTF-8"),
        (b"a\nb", r"'a\nb' holds a control character"),
    ],
)
def test_unsafe_paths_out_of_a_repository(path: bytes, why: str) -> None:
    assert unsafe_git_path(path) == why


@pytest.mark.parametrize("text", ["a", "commit-style", "a1-2-b", "0", "a" * 39])
def test_skill_names_and_handles(text: str) -> None:
    assert is_skill_name(text)
    assert is_handle(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "-a", "a-", "a--b", "A", "a_b", "a.b", "a\n", "é", "\u0661", "a b", "a" * 65,
        "con", "nul", "com1", "lpt0",
    ],
)  # fmt: skip
def test_what_is_neither(text: str) -> None:
    assert not is_skill_name(text)
    assert not is_handle(text)


def test_a_handle_is_shorter_than_a_skill_name() -> None:
    assert is_skill_name("a" * 64)
    assert not is_handle("a" * 40)


@pytest.mark.parametrize("text", ["Web team", "a.b_c-d", "X", "0", "a" * 64, "-x"])
def test_team_names(text: str) -> None:
    assert is_team_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " a",
        ".a",
        "a.",
        "a ",
        "a/b",
        "a\\b",
        "é",
        "con",
        "Aux.team",
        "a\n",
        "a" * 65,
        "..",
        "a~1",
    ],
)
def test_what_is_no_team_name(text: str) -> None:
    assert not is_team_name(text)


@pytest.mark.parametrize(
    ("name", "email", "handle"),
    [
        ("Ada Lovelace", "123+ada@users.noreply.github.com", "ada"),
        ("Ada", "Ada-L@users.noreply.example.com", "ada-l"),
        ("Ada Lovelace", "ada.lovelace@example.com", "ada-lovelace"),
        ("Ada", "ada+git@example.com", "ada"),
        ("Zoë Müller", "@example.com", "zoe-muller"),
        ("Zoë Müller", "", "zoe-muller"),
        ("", "__@example.com", "member"),
        ("山田", "", "member"),
        ("Connie", "con@example.com", "connie"),
        ("x", "a" * 38 + ".bcd@example.com", "a" * 38),
        ("x", "\x1b[31m@example.com", "31m"),
    ],
)
def test_a_handle_is_proposed(name: str, email: str, handle: str) -> None:
    assert handle_from(name, email) == handle
    assert is_handle(handle)
