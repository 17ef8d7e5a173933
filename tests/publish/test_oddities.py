"""What is named of a team beside its bad versions, receipts and people: each thing once."""

import json

import pytest

from publish import oddities
from publish.git import tree
from tests.publish.conftest import ReadTree
from tests.publish.samples import ID, LINK, OTHER_ID, SUBMODULE, Files, skill_md, team

GOOD: Files = {"team.json": team(), "skills/tdd/v1/SKILL.md": skill_md()}
GONE = b"1" * 40


def test_what_is_no_folder_where_one_should_be(read_tree: ReadTree) -> None:
    found = read_tree(GOOD | {
        "skills/a": b"x", "skills/b": (LINK, b"tdd"), "skills/c": (SUBMODULE, GONE),
        f"evals/{OTHER_ID}": (LINK, b"x"), f"evals/{ID}/v1": b"x", f"evals/{ID}/v2": (LINK, b"v1"),
    })  # fmt: skip
    assert oddities.everything(found) == [
        *(f"skills/{name} is not a folder; ignored." for name in "abc"),
        f"evals/{OTHER_ID} is not a folder; ignored.",
        f"evals/{ID}/v1 is not a folder; ignored.",
        f"evals/{ID}/v2 is not a folder; ignored.",
    ]
    assert found.skills() == ["tdd"]


def test_what_team_json_says_twice_and_filters(read_tree: ReadTree) -> None:
    twice = team().replace(b'"name"', b'"name": "other",\n  "name"')
    found = read_tree(GOOD | {"team.json": twice, ".gitattributes": b"* filter=lfs\n"})
    first, second = oddities.at_the_top(found)
    assert first == "team.json: name: stands here 2 times, and only the last counts."
    assert second.startswith(".gitattributes line 1 has git pass files through the filter lfs: ")
    assert json.loads(twice)["name"] == found.team.name


@pytest.mark.parametrize("data", [b"\xff", b"x" * (2 << 20), (LINK, b"team.json")])
def test_attributes_that_nobody_can_read_ask_for_nothing(read_tree: ReadTree, data: bytes) -> None:
    assert oddities.at_the_top(read_tree(GOOD | {".gitattributes": data})) == []


def test_a_version_that_can_be_read_and_is_odd(read_tree: ReadTree) -> None:
    found = read_tree(GOOD | {
        "skills/bad/v1/SKILL.md": b"---\na: b: c\n---\n",
        "skills/bad/v1/A": b"", "skills/bad/v1/a": b"",
        "skills/bad/v1/sub/.gitattributes": b"* filter=lfs\n",
    })  # fmt: skip
    [version] = found.versions("bad")
    assert version.digest
    yaml, twins, filtered = oddities.everything(found)
    assert yaml.startswith("skills/bad/v1/SKILL.md line 2: ")
    assert yaml.endswith("is measured as raw text, so id, author and license count.")
    assert twins == (
        "skills/bad/v1 cannot be installed: a and A take the same name on systems that ignore case "
        "or Unicode form; rename one."
    )
    assert filtered.startswith("skills/bad/v1/sub/.gitattributes line 1 has git pass files through")
    assert version.doubts == (yaml, twins, filtered)


def test_a_folder_of_too_many_names_is_named_and_hides_no_other(
    read_tree: ReadTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    many: Files = {f"evals/{ID}/v1/f{number:04}": b"" for number in range(40)}
    found = read_tree(GOOD | many | {f"skills/tdd/w{number:04}": b"" for number in range(40)})
    monkeypatch.setattr(tree, "LARGEST_TREE", 1000)
    assert found.skills() == []
    assert found.receipts(ID, 1) == []
    too_many = "holds more names than are read."
    assert oddities.unlisted(found) == [f"skills/tdd {too_many}", f"evals/{ID}/v1 {too_many}"]
    assert oddities.everything(found) == oddities.unlisted(found)
