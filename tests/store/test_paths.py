import stat
from pathlib import Path

import pytest

from receipts.errors import StoreError
from store import paths


def test_the_state_is_below_home_when_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RECEIPTS_HOME")
    assert paths.state_root() == tmp_path / "home" / ".terum" / "skills"
    assert not (tmp_path / "home" / ".terum").exists()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "RECEIPTS_HOME is empty."),
        ("state", "RECEIPTS_HOME is the relative path 'state'."),
        ("~/state", "RECEIPTS_HOME is the relative path '~/state'."),
    ],
)
def test_a_home_that_is_no_full_path_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.setenv("RECEIPTS_HOME", value)
    with pytest.raises(StoreError) as error:
        paths.state_root()
    assert error.value.message == said
    assert "full path" in error.value.hint


def test_a_file_or_dead_link_in_the_place_of_the_state_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dead").symlink_to("nowhere")
    for name in ("file", "dead"):
        monkeypatch.setenv("RECEIPTS_HOME", str(tmp_path / name))
        with pytest.raises(StoreError, match="is not a folder"):
            paths.runs_root()


def test_no_home_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECEIPTS_HOME")
    monkeypatch.setenv("HOME", "nowhere")
    with pytest.raises(StoreError, match="no home folder"):
        paths.state_root()


def test_the_state_folder_is_private_and_explains_itself(state: Path) -> None:
    assert paths.create_state_root() == state
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert "config.json" in (state / "README").read_text()
    (state / "README").write_text("mine")
    paths.create_state_root()
    assert (state / "README").read_text() == "mine"


def test_disposable_folders_carry_the_tag_that_backup_tools_know(state: Path) -> None:
    paths.create_disposable(paths.cache())
    tag = (state / "cache" / "CACHEDIR.TAG").read_bytes()
    assert tag.startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")


def test_a_team_cannot_name_a_folder_outside(state: Path) -> None:
    assert paths.mirror_path("my team.v2") == state / "mirrors" / "my team.v2.git"
    for name in ("", ".", "..", ".hidden", "a/b", "a\\b", "a:b", "a\nb", "a\0b", "/etc"):
        with pytest.raises(StoreError, match="cannot name a folder"):
            paths.mirror_path(name)


def test_every_path_is_below_the_state_folder(state: Path) -> None:
    for path in (
        paths.config_file(),
        paths.runs_root(),
        paths.mirrors(),
        paths.cache(),
        paths.keys(),
        paths.aside(),
        paths.repositories(),
        paths.locks(),
    ):
        assert state in path.parents
    assert not state.exists()
