"""team.json and people files: read permissively, kept whole, and odd ones named, never a crash."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from publish import documents, publishing, teams, unpublishing
from publish.git import Identity
from publish.publishing import Request
from receipts.errors import TeamError
from tests.garbling import garbled
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import ID, OTHER_ID, person, team

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
TEAM_KEYS = ["layout_version", "name", "categories", "projects", "archived", "policy", "x"]
PERSON_KEYS = ["handle", "display_name", "email", "profile", "installed", "x"]


def odd(good: bytes, keys: list[str]) -> st.SearchStrategy[Any]:
    """Return good documents with any values under some of their keys."""
    changes = st.dictionaries(st.sampled_from(keys), JSON, max_size=3)
    return changes.map(lambda change: json.loads(good) | change)


@given(JSON | odd(team(), TEAM_KEYS))
@example({"layout_version": 3, "name": "a", "policy": {"skill_license": " "}})
def test_any_team_document_is_read_or_refused_by_its_field(document: Any) -> None:
    data = json.dumps(document).encode()
    try:
        found = documents.read_team(data)
    except TeamError as error:
        assert error.message.startswith(("team.json", "This team repository has layout"))
        return
    assert found.name.strip()
    assert found.license.strip()
    assert all(isinstance(text, str) for text in [*found.archived, *found.categories])
    assert isinstance(found.category_required, bool)
    for project in found.projects.values():
        assert isinstance(project, dict)
    kept = {key: value for key, value in document.items() if key != "policy"}
    assert found.document.items() >= kept.items()
    assert found.document["policy"].items() >= document.get("policy", {}).items()


@given(JSON | odd(person(profile=[{"id": ID, "k": "v"}]), PERSON_KEYS))
@example({"handle": "ada", "display_name": "A", "profile": 5})
@example({"handle": "ada", "display_name": "A", "profile": "text"})
@example({"handle": "ada", "display_name": "A", "profile": [None, "x", {"id": 5}]})
def test_any_person_is_read_or_refused_and_edited_without_loss(document: Any) -> None:
    try:
        found = documents.read_person(json.dumps(document).encode(), "ada")
        added = documents.with_profile_entry(found, skill_id=OTHER_ID, name="ship", number=2)
    except TeamError as error:
        assert error.message.startswith("people/ada.json")
        return
    assert isinstance(found.email, str)
    before = document.get("profile") or []
    assert added["profile"][:-1] == before
    assert {**added, "profile": None, "handle": "ada"} == {
        **document,
        "profile": None,
        "handle": "ada",
    }
    person = documents.Person(added)
    assert documents.without_profile_entry(person, OTHER_ID.upper()) == {**added, "profile": before}
    documents.read_person(documents.dump(added), "ada")


@given(garbled(team(), person(), team(projects={"p": {"skills": [ID]}})) | st.binary(max_size=40))
def test_no_bytes_make_reading_raise_anything_else(data: bytes) -> None:
    for read in (documents.read_team, lambda data: documents.read_person(data, "ada")):
        try:
            found = read(data)
        except TeamError as error:
            assert error.message.startswith(("team.json", "people/ada.json", "This team"))
            assert len(error.message) < 300
        else:
            assert documents.dump(found.document)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "team.json is not JSON: "),
        (b"\xef\xbb\xbf{}", "team.json is not JSON: "),
        (b"\xff", "team.json is not JSON: "),
        (b"[" * 10_000, "team.json is not JSON: "),
        (b'{"a": ' * 10_000, "team.json is not JSON: "),
        (b" " * (1 << 20) + team(), "team.json is not JSON: "),
        (b"[]", "team.json must hold one JSON object"),
        (team(layout_version=2), "This team repository has layout 2, not 3."),
        (team(layout_version="3"), "This team repository has layout '3', not 3."),
        (team(layout_version="\x1b[31m" * 90), "This team repository has layout "),
        (team(layout_version=None), "This team repository has layout None, not 3."),
        (team(name=""), "team.json: name is missing or malformed."),
        (team(name=5), "team.json: name is missing or malformed."),
        (team(categories="docs"), "team.json: categories is missing or malformed."),
        (team(archived=[1]), "team.json: archived is missing or malformed."),
        (team(policy=[]), "team.json: policy.skill_license is missing or malformed."),
        (team(policy={"skill_license": ""}), "team.json: policy.skill_license is missing"),
        (team(projects=[]), "team.json: projects is missing or malformed."),
        (team(projects={"p": 1}), "team.json: projects is missing or malformed."),
        (team(projects={"p": {"skills": "x"}}), "team.json: projects is missing or malformed."),
    ],
)
def test_each_oddity_of_a_team_is_named(data: bytes, why: str) -> None:
    with pytest.raises(TeamError) as refused:
        documents.read_team(data)
    assert refused.value.message.startswith(why)
    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("data", "handle", "why"),
    [
        (person("bob"), "ada", "people/ada.json: handle is 'bob', unlike the file's name."),
        (person(handle=5), "ada", "people/ada.json: handle is 5, unlike the file's name."),
        (person("a--b"), "a--b", "people/a--b.json: handle is 'a--b', unlike the file's name."),
        (person(display_name=" "), "ada", "people/ada.json: display_name is missing"),
        (b"{", "ada", "people/ada.json is not JSON: "),
    ],
)
def test_each_oddity_of_a_person_is_named(data: bytes, handle: str, why: str) -> None:
    with pytest.raises(TeamError) as refused:
        documents.read_person(data, handle)
    assert refused.value.message.startswith(why)


def test_a_handle_is_read_as_the_other_client_reads_it() -> None:
    found = documents.read_person(person("ada", handle=" ADA "), "ada")
    assert found.handle == "ada"


def test_the_least_that_a_team_needs() -> None:
    found = documents.read_team(b'{"layout_version": 3.0, "name": "a"}')
    assert (found.name, found.license, found.categories) == ("a", "UNLICENSED", [])
    assert (found.projects, found.archived, found.category_required) == ({}, frozenset(), False)
    required = documents.read_team(team(policy={"skill_license": "MIT", "category": "required"}))
    assert required.category_required


def test_documents_are_written_as_every_client_writes_them() -> None:
    written = documents.dump({"name": "Zoë", "list": [], "deep": {"a": [1, 1.5, None]}})
    assert (
        written
        == (
            '{\n  "name": "Zoë",\n  "list": [],\n  "deep": {\n    "a": [\n      1,\n      1.5,\n'
            "      null\n    ]\n  }\n}\n"
        ).encode()
    )


@pytest.mark.parametrize("number", ["1e400", "9007199254740993", "1.10", "-0", "9" * 5_000])
def test_a_number_that_python_would_write_otherwise_survives_a_rewrite(number: str) -> None:
    data = person(x=0).replace(b'"x": 0', f'"x": {number}'.encode())
    mine = documents.read_person(data, "ada")
    assert documents.dump(mine.document) == data


def test_every_change_of_the_team_keeps_the_numbers_of_what_it_does_not_change(
    ada: Machine, hosted: Hosted
) -> None:
    numbers = ["1e400", "9007199254740993", "1.10", "-0", "9" * 5_000]
    odd = f'"x": [{", ".join(numbers)}]'
    tree = team(archived=["ada"], projects={"web": {"remotes": [], "x": 0}})

    def kept() -> bool:
        text = " ".join(hosted.git("show", "main:team.json").split())
        return text.count(odd.replace("[", "[ ").replace("]", " ]")) == 1

    hosted.put({"team.json": tree.replace(b'"x": 0', odd.encode())})
    assert documents.read_team(hosted.git("show", "main:team.json").encode()).archived == set()
    assert kept()
    publishing.publish(Request(ada.skill(), project="web"), lambda _: True)
    assert kept()
    unpublishing.unpublish("tdd", None, lambda *_: True)
    assert kept()
    teams.leave(None, local_only=False)
    assert kept()
    assert documents.read_team(hosted.git("show", "main:team.json").encode()).archived == {"ada"}


def test_half_a_surrogate_pair_survives_a_rewrite() -> None:
    data = team(unknown=0).replace(b'"unknown": 0', b'"un\\udc00known": "\\ud83d"')
    found = documents.read_team(data)
    assert json.loads(documents.dump(found.document)) == json.loads(data)


def test_a_profile_entry_is_updated_in_place_and_nothing_else() -> None:
    first = {"id": ID.upper(), "name": "old", "version": "v1", "added": "then", "via": "install"}
    mine = documents.read_person(person(profile=[first, {"id": OTHER_ID}]), "ada")
    after = documents.with_profile_entry(mine, skill_id=ID, name="tdd", number=3)
    assert after["profile"] == [
        {**first, "id": ID, "name": "tdd", "version": "v3"},
        {"id": OTHER_ID},
    ]
    again = documents.Person(after)
    assert documents.with_profile_entry(again, skill_id=ID, name="tdd", number=3) is after
    new = documents.new_person("ada", Identity("Ada", "ada@example.com"))
    [entry] = documents.with_profile_entry(
        documents.Person(new), skill_id=ID, name="tdd", number=1
    )["profile"]
    assert entry.pop("added").endswith(".000Z")
    assert entry == {"id": ID, "name": "tdd", "version": "v1", "via": "publish"}
    assert documents.without_profile_entry(documents.Person(new), ID) is None
