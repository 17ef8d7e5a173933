"""What policy does to a digest is said before the digest is taken, and never gets in the way."""

from pathlib import Path
from typing import Any

import pytest

from publish import teams
from publish.policy import category_notices
from store import config
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import Files, person, team

SENTENCE = (
    "acme requires a category and SKILL.md declares none: publishing there will add one, which "
    "changes the digest, so receipts of these bytes will not be attached. Declare it first, in "
    "metadata.terum-category."
)


def create(name: str, *, require_category: bool) -> None:
    teams.create(name, remote=None, handle=None, license=None, require_category=require_category)


def with_metadata(ada: Machine, metadata: str) -> Path:
    text = f"---\nname: tdd\ndescription: d\nmetadata:{metadata}\n---\n"
    return ada.skill("tdd", **{"SKILL.md": text})


def test_a_required_category_that_is_not_declared_is_said_for_each_team(ada: Machine) -> None:
    skill = ada.skill()
    assert category_notices(skill) == []
    create("acme", require_category=True)
    assert category_notices(skill) == [SENTENCE]
    create("open", require_category=False)
    create("zoo", require_category=True)
    assert category_notices(skill) == [SENTENCE, SENTENCE.replace("acme", "zoo")]


@pytest.mark.parametrize(
    ("metadata", "notices"),
    [
        ("\n  terum-category: docs", 0),
        ("\n  terum-category: 'not on any list'", 0),
        (" {terum-category: x}", 0),
        ("\n  terum-category: ''", 1),
        ("\n  terum-category: '  '", 1),
        ("\n  terum-category: 5", 1),
        ("\n  terum-category: [docs]", 1),
        ("\n  Terum-Category: docs", 1),
        ("\n  id: x", 1),
        (" docs", 1),
        ("", 1),
    ],
)
def test_only_a_text_declares_a_category(ada: Machine, metadata: str, notices: int) -> None:
    create("acme", require_category=True)
    assert len(category_notices(with_metadata(ada, metadata))) == notices


def test_a_folder_that_cannot_be_read_is_left_to_what_comes_next(ada: Machine) -> None:
    create("acme", require_category=True)
    folder = ada.home / "folder"
    assert category_notices(folder) == []
    folder.mkdir()
    assert category_notices(folder) == []
    skill_md = folder / "SKILL.md"
    skill_md.mkdir()
    assert category_notices(folder) == []
    skill_md.rmdir()
    skill_md.symlink_to(ada.skill() / "SKILL.md")
    assert category_notices(folder) == []
    skill_md.unlink()
    skill_md.write_bytes(b"---\n\xff\n---\n")
    assert category_notices(folder) == []
    skill_md.write_bytes(b"---\nname: [\n---\n")
    assert category_notices(folder) == [SENTENCE]
    assert category_notices(skill_md) == []


def test_a_team_that_cannot_be_read_hides_no_other(ada: Machine, hosted: Hosted) -> None:
    files: Files = {"people/ada.json": person()}
    required = team(policy={"skill_license": "MIT", "category": "required"})
    hosted.put({**files, "team.json": required})
    skill = ada.skill()

    def entry(**fields: Any) -> None:
        config.update(lambda document: document["teams"].update(a=fields))

    for remote in (
        "https://never.invalid/fetched",
        "gopher://unknown/scheme",
        "--upload-pack=touch x",
    ):
        entry(remote=remote, handle="ada")
        assert category_notices(skill) == [SENTENCE], remote
    config.update(lambda document: document["teams"].update({"a/b": document["teams"]["a"]}))
    assert category_notices(skill) == [SENTENCE]


def test_a_broken_configuration_is_said_and_keeps_nobody_from_measuring(ada: Machine) -> None:
    create("acme", require_category=True)
    skill = ada.skill()
    path = config.load().path
    for text in ("{", "[]", '{"teams": []}', '{"teams": {"acme": {"remote": 1}}}'):
        path.write_text(text)
        [notice] = category_notices(skill)
        assert str(path) in notice
        assert category_notices(with_metadata(ada, " {terum-category: x}")) == []
        skill = ada.skill()


def test_what_a_teammate_changed_counts_once_it_was_fetched(ada: Machine, hosted: Hosted) -> None:
    files: Files = {"people/ada.json": person()}
    hosted.put({**files, "team.json": team()})
    skill = ada.skill()
    required = team(policy={"skill_license": "MIT", "category": "required"})
    hosted.commit({**files, "team.json": required})
    assert category_notices(skill) == []
    hosted.put({**files, "team.json": required})
    assert category_notices(skill) == [SENTENCE]
    hosted.path.rename(f"{hosted.path}.away")  # read without any network
    assert category_notices(skill) == [SENTENCE]
