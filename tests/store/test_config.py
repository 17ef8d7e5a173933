import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from receipts.errors import StoreError, UsageError
from store import config, library
from store.config import TeamEntry
from tests.parts import examples

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

NUMBERS = (
    *("1234567890123456789", "-9007199254740993", "1.10", "1e400", "-1e400", "-0", "1E2", "0.0"),
    *("1e-7", "12345678901234567890.5", "9" * 5_000),
)


def write(state: Path, text: str) -> Path:
    state.mkdir(exist_ok=True)
    (state / "config.json").write_bytes(text.encode())
    return state / "config.json"


def add(name: str, remote: str = "r", handle: str = "me") -> None:
    def change(document: dict[str, Any]) -> None:
        document["teams"][name] = {"remote": remote, "handle": handle}

    config.update(change)


def test_nothing_is_configured_and_nothing_made_by_reading(state: Path) -> None:
    assert config.teams() == []
    assert config.load().library() == []
    assert config.load().text("email") is None
    assert not state.exists()


def test_a_first_team_is_written_privately_as_both_clients_read_it(state: Path) -> None:
    add("myteam", "https://example.com/t.git", "ana")
    assert config.team() == TeamEntry("myteam", "https://example.com/t.git", "ana")
    path = state / "config.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().endswith("}\n")
    assert json.loads(path.read_text()) == {
        "teams": {"myteam": {"remote": "https://example.com/t.git", "handle": "ana"}},
        "approvals": {},
        "pending": [],
        "placements": {},
        "projects": [],
    }


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    top=st.dictionaries(st.text().filter(lambda k: k not in ("teams", "library")), JSON),
    inner=st.dictionaries(st.text().filter(lambda k: k not in ("remote", "handle")), JSON),
)
def test_what_is_not_understood_survives_a_rewrite(
    state: Path, top: dict[str, Any], inner: dict[str, Any]
) -> None:
    document = {**top, "teams": {"old": {"remote": "r", "handle": "h", **inner}}}
    write(state, json.dumps(document))
    add("new")
    written = json.loads((state / "config.json").read_text())
    assert written["teams"].pop("new") == {"remote": "r", "handle": "me"}
    assert written == document
    assert list(written) == list(document)


def test_a_rewrite_that_changes_nothing_leaves_the_bytes(state: Path) -> None:
    path = write(state, '{ "teams":{} ,\r\n"x":1.50}')
    config.update(lambda document: document.update(x=1.5))
    assert path.read_bytes() == b'{ "teams":{} ,\r\n"x":1.50}'


def test_a_change_that_raises_leaves_the_bytes(state: Path) -> None:
    path = write(state, '{"teams":{}}')

    def change(document: dict[str, Any]) -> None:
        document["teams"] = 1
        raise UsageError("no")

    with pytest.raises(UsageError):
        config.update(change)
    assert path.read_bytes() == b'{"teams":{}}'


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"x"', "\ufeff{}", "{}x", "[" * 5000, '{"a":NaN}', "\0" * 10, "{}" * 2],
)
def test_a_broken_file_is_named_and_never_overwritten(state: Path, text: str) -> None:
    path = write(state, text)
    for act in (config.load, lambda: add("t")):
        with pytest.raises(StoreError) as error:
            act()
        assert str(path) in error.value.message
        assert "by hand" in error.value.hint
    assert path.read_bytes() == text.encode()


def test_bytes_that_are_no_text_are_named(state: Path) -> None:
    path = write(state, "")
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(StoreError, match="not UTF-8"):
        config.load()


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_python_would_write_otherwise_survives_a_rewrite(
    state: Path, number: str
) -> None:
    path = write(
        state, f'{{"x":{number},"teams":{{"a":{{"remote":"r","handle":"h","y":[{number}]}}}}}}'
    )
    add("t")
    assert path.read_text().count(f": {number},") + path.read_text().count(f"  {number}\n") == 2
    assert [entry.name for entry in config.teams()] == ["a", "t"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"teams":[]}', "teams in .* is not a map"),
        ('{"teams":{"a":1}}', r"teams\.a\.remote in .* is not"),
        ('{"teams":{"a":{"remote":""}}}', r"teams\.a\.remote in .* is not"),
        ('{"teams":{"a":{"remote":"r","handle":null}}}', r"teams\.a\.handle in .* is not"),
    ],
)
def test_a_wrong_entry_is_named_by_its_field(state: Path, text: str, said: str) -> None:
    write(state, text)
    with pytest.raises(StoreError, match=said):
        config.team()


def test_library_has_to_be_a_list_of_paths(state: Path) -> None:
    for text in ('{"library":{}}', '{"library":[1]}'):
        write(state, text)
        with pytest.raises(StoreError, match=r"library in .* is not a list"):
            config.load().library()


@pytest.mark.parametrize("text", ["\\u0000", "/a\\u0000b", "\\ud800", ""])
def test_a_library_that_can_be_no_path_is_named_and_opened_by_nobody(
    state: Path, text: str
) -> None:
    write(state, f'{{"library":["/a", "{text}"]}}')
    with pytest.raises(StoreError, match=r"library in .* is not a list of paths"):
        library.roots()
    with pytest.raises(StoreError, match=r"library in .* is not a list of paths"):
        library.remove_root("/a")


def test_the_team_is_the_only_one_or_the_named_one() -> None:
    with pytest.raises(UsageError) as none:
        config.team()
    assert "receipts team create" in none.value.hint
    assert "receipts team join" in none.value.hint
    add("a")
    assert config.team().name == "a"
    add("b")
    with pytest.raises(UsageError, match=r"several teams: a, b. Name one with --team") as several:
        config.team()
    assert several.value.exit_code == 2
    assert config.team("b").name == "b"
    with pytest.raises(UsageError, match=r"No team c .* Known: a, b"):
        config.team("c")


def test_identity_is_read_as_text_only(state: Path) -> None:
    write(state, '{"email":"a@example.com","github":5}')
    assert config.load().text("email") == "a@example.com"
    assert config.load().text("github") is None


def test_a_linked_file_stays_a_link(state: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.json").write_text('{"teams":{}}')
    state.mkdir()
    (state / "config.json").symlink_to(tmp_path / "dotfiles.json")
    add("a")
    assert (state / "config.json").is_symlink()
    assert "a" in json.loads((tmp_path / "dotfiles.json").read_text())["teams"]


def test_processes_that_write_at_once_lose_nothing(state: Path) -> None:
    code = (
        "import sys\n"
        "from store import config\n"
        "for n in range(10):\n"
        "    config.update(lambda d: d['teams'].update({f'{sys.argv[1]}-{n}':"
        " {'remote': 'r', 'handle': 'h'}}))\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, name],
            cwd=Path(__file__).parents[2],
            env={**os.environ},
            stderr=subprocess.PIPE,
        )
        for name in ("a", "b", "c")
    ]
    for writer in writers:
        _, stderr = writer.communicate(timeout=60)
        assert (writer.returncode, stderr) == (0, b"")
    assert len(config.teams()) == 30
    assert (state / "locks" / "config.lock").exists()
    assert sorted(os.listdir(state)) == ["README", "config.json", "locks"]
