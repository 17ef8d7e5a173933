import json
import os
from pathlib import Path

import pytest

from receipts.errors import SkillError, StoreError, UsageError
from store import library
from store.library import Root


def skill(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("# s")
    return folder


def names(*roots: Path) -> list[str]:
    found = library.skills_in([Root(root, registered=True) for root in roots])
    assert found.problems == []
    return [item.name for item in found.skills]


def test_the_default_library_is_there_while_it_exists(tmp_path: Path) -> None:
    assert library.roots() == []
    default = tmp_path / "home" / ".claude" / "skills"
    default.mkdir(parents=True)
    assert library.roots() == [Root(default, registered=False)]


def test_roots_are_registered_once_and_forgotten(tmp_path: Path, state: Path) -> None:
    skill(tmp_path / "mine" / "tdd")
    (tmp_path / "link").symlink_to("mine")
    assert library.add_root(str(tmp_path / "mine"))
    assert not library.add_root(str(tmp_path / "mine" / ".." / "mine"))
    assert not library.add_root(str(tmp_path / "link"))
    assert library.roots() == [Root(tmp_path / "mine", registered=True)]
    assert json.loads((state / "config.json").read_text())["library"] == [str(tmp_path / "mine")]
    library.remove_root(str(tmp_path / "link"))
    assert library.roots() == []
    assert (tmp_path / "mine" / "tdd" / "SKILL.md").exists()


def test_a_relative_root_is_kept_as_a_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    library.add_root("mine")
    monkeypatch.chdir("/")
    assert library.roots() == [Root(tmp_path / "mine", registered=True)]


def test_a_library_that_vanished_is_named_and_can_be_forgotten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    library.add_root(str(tmp_path / "mine"))
    (tmp_path / "mine").rmdir()
    found = library.skills_in(library.roots())
    assert found.skills == []
    assert found.problems == [
        f"The library {tmp_path / 'mine'} cannot be read: No such file or directory."
    ]
    library.remove_root(str(tmp_path / "mine"))
    assert library.roots() == []


def test_what_cannot_be_a_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a folder"):
        library.add_root(str(tmp_path / "absent"))
    with pytest.raises(UsageError, match=f"is itself a skill.*{tmp_path}"):
        library.add_root(str(skill(tmp_path / "tdd")))
    with pytest.raises(StoreError, match="is not a registered library"):
        library.remove_root(str(tmp_path / "absent"))
    default = tmp_path / "home" / ".claude" / "skills"
    default.mkdir(parents=True)
    assert not library.add_root(str(default))
    with pytest.raises(UsageError, match="is always a library"):
        library.remove_root(str(default))


def test_registering_keeps_a_broken_configuration(tmp_path: Path, state: Path) -> None:
    state.mkdir()
    (state / "config.json").write_text('{"library": 5}')
    with pytest.raises(StoreError, match="library in"):
        library.add_root(str(tmp_path))
    assert (state / "config.json").read_text() == '{"library": 5}'


def test_only_direct_children_with_a_skill_md_are_skills(tmp_path: Path) -> None:
    root = tmp_path / "mine"
    skill(root / "b-skill")
    skill(root / "a-skill")
    skill(root / "group" / "deeper")
    (root / "empty").mkdir()
    (root / "file").write_text("")
    skill(root / ".being-installed")
    assert names(root) == ["a-skill", "b-skill"]


def test_a_skill_is_found_by_path_or_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = skill(tmp_path / "home" / ".claude" / "skills" / "tdd")
    assert library.find("tdd") == installed
    assert library.find(str(installed)) == installed
    here = skill(tmp_path / "here" / "tdd")
    monkeypatch.chdir(here.parent)
    assert library.find("tdd") == Path("tdd")
    (here.parent / "file").write_text("")
    for reference, said in [
        ("file", "file is not a folder"),
        ("absent/tdd", "absent/tdd does not exist"),
        ("absent", "No skill called absent is here or in a library"),
        ("", "does not exist"),
    ]:
        with pytest.raises(SkillError, match=said):
            library.find(reference)
    (here.parent / "notes").mkdir()
    assert library.find_folder("notes") == Path("notes")
    with pytest.raises(SkillError, match=r"notes has no SKILL\.md, so it is not a skill"):
        library.find("notes")
    library.add_root(str(here.parent))
    monkeypatch.chdir("/")
    with pytest.raises(UsageError, match="Several libraries hold tdd") as several:
        library.find("tdd")
    assert str(installed) in several.value.message
    assert str(here) in several.value.message


def test_links_are_followed_once_and_real_folders_listed_once(tmp_path: Path) -> None:
    skill(tmp_path / "elsewhere" / "real")
    root = tmp_path / "mine"
    root.mkdir()
    (root / "linked").symlink_to(tmp_path / "elsewhere" / "real")
    (root / "twice").symlink_to("linked")
    (root / "up").symlink_to("..")
    assert names(root) == ["linked"]
    assert names(root, tmp_path / "elsewhere") == ["linked"]
    assert names(tmp_path / "elsewhere", root) == ["real"]


def test_what_cannot_be_read_is_named_and_hides_nothing(tmp_path: Path) -> None:
    root = tmp_path / "mine"
    skill(root / "good")
    (root / "dead").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    found = library.skills_in([Root(root / "absent", registered=True), Root(root, registered=True)])
    assert [item.name for item in found.skills] == ["good"]
    assert found.problems == [
        f"The library {root / 'absent'} cannot be read: No such file or directory.",
        f"{root / 'dead'} cannot be read: No such file or directory.",
        f"{root / 'loop'} cannot be read: Too many levels of symbolic links.",
    ]


def test_a_name_that_is_no_text_survives(tmp_path: Path) -> None:
    root = os.path.join(os.fsencode(tmp_path), b"b\xff")
    try:
        os.mkdir(root)
    except OSError:
        pytest.skip("this file system has only names that are text")
    library.add_root(os.fsdecode(root))
    assert library.roots() == [Root(Path(os.fsdecode(root)), registered=True)]
