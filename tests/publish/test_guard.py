"""What each action may touch: the table, row by row, and the sentence of each refusal."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from publish import documents, guard
from publish.git import Change, File
from publish.guard import CREATE, EVAL, JOIN, LEAVE, PUBLISH, UNPUBLISH, Action
from publish.snapshot import Snapshot
from receipts.errors import GuardRefusal
from tests.publish.conftest import ReadTree, reading
from tests.publish.samples import (
    ID,
    LINK,
    OTHER_ID,
    Files,
    evals,
    person,
    plain,
    receipt,
    skill_md,
    team,
)

LATER = "20260917T000000Z"
OTHER_MD = skill_md("ship", OTHER_ID)
PROJECTS: dict[str, dict[str, Any]] = {
    "web": {"remotes": ["git@h:w"], "skills": [OTHER_ID], "x": 1},
    "api": {"skills": []},
}
# A team of two members and two skills, one of which is in a project and in both profiles.
TREE: Files = {
    "team.json": team(archived=["cy"], projects=PROJECTS, unknown={"kept": [1, None]}),
    "README.md": b"# acme\n",
    "people/ada.json": person("ada", profile=[{"id": ID.upper()}, {"id": OTHER_ID}], x=1),
    "people/bob.json": person("bob", profile=[{"id": ID}]),
    "skills/tdd/v1/SKILL.md": skill_md(),
    "skills/tdd/v1/notes.md": b"n\n",
    "skills/tdd/evals/cases/a.yaml": b"task: x\n",
    "skills/tdd/later.txt": b"of a later version of the program\n",
    "skills/ship/v1/SKILL.md": OTHER_MD,
    f"evals/{ID}/archive/{'a' * 40}/{LATER}.json": b"{}\n",
    evals(): receipt({"SKILL.md": skill_md(), "notes.md": b"n\n"}),
    evals(skill_id=OTHER_ID): receipt({"SKILL.md": OTHER_MD}, skill_id=OTHER_ID),
}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    with reading(tmp_path_factory.mktemp("guard")) as read:
        yield read(TREE)


def changed_team(**fields: Any) -> bytes:
    document = json.loads(TREE["team.json"])  # type: ignore[arg-type]  # it is bytes
    return documents.dump({**document, **fields})


def projects(**changes: Any) -> bytes:
    return changed_team(projects={**PROJECTS, **changes})


def without_entry(handle: str, skill_id: str = ID) -> bytes:
    found = documents.read_person(TREE[f"people/{handle}.json"], handle)  # type: ignore[arg-type]
    document = documents.without_profile_entry(found, skill_id)
    assert document is not None
    return documents.dump(document)


WEB: dict[str, Any] = PROJECTS["web"]
GONE = None
NEW = b"new\n"
# Action, path, new content (None removes), and whether it is allowed.
ROWS: list[tuple[str, str, bytes | None, bool]] = [
    # a': a version is added whole, once
    (PUBLISH, "skills/tdd/v2/SKILL.md", NEW, True),
    (PUBLISH, "skills/tdd/v2/a/b.md", NEW, True),
    (PUBLISH, "skills/tdd/v1/SKILL.md", NEW, False),
    (PUBLISH, "skills/tdd/v1/another.md", NEW, False),
    (PUBLISH, "skills/tdd/v1/SKILL.md", GONE, False),
    (PUBLISH, "skills/ship/v2/SKILL.md", NEW, False),
    (PUBLISH, "skills/tdd/v03/SKILL.md", NEW, False),
    (PUBLISH, "skills/tdd/v0/SKILL.md", NEW, False),
    (PUBLISH, "skills/tdd/V2/SKILL.md", NEW, False),
    (PUBLISH, "skills/tdd/v2", NEW, False),
    (EVAL, "skills/tdd/v2/SKILL.md", NEW, False),
    (JOIN, "skills/tdd/v2/SKILL.md", NEW, False),
    # a'': evaluation assets are added and modified
    (PUBLISH, "skills/tdd/evals/cases/b.yaml", NEW, True),
    (PUBLISH, "skills/tdd/evals/cases/a.yaml", NEW, True),
    (PUBLISH, "skills/tdd/evals/cases/a.yaml", GONE, False),
    (PUBLISH, "skills/ship/evals/cases/a.yaml", NEW, False),
    (EVAL, "skills/tdd/evals/cases/b.yaml", NEW, False),
    # g: a receipt is written once, under the skill's own id
    (PUBLISH, evals(LATER), NEW, True),
    (EVAL, evals(LATER), NEW, True),
    (EVAL, evals(LATER, skill_id=ID.upper()), NEW, True),
    (PUBLISH, evals(), NEW, False),
    (EVAL, evals(), NEW, False),
    (EVAL, evals(), GONE, False),
    (PUBLISH, evals(LATER, skill_id=OTHER_ID), NEW, False),
    (EVAL, evals(LATER, skill_id=OTHER_ID), NEW, False),
    (EVAL, f"evals/{ID}/v1/latest.json", NEW, False),
    (EVAL, f"evals/{ID}/v1/{LATER}.json.sig", NEW, False),
    (EVAL, f"evals/{ID}/v01/{LATER}.json", NEW, False),
    (EVAL, f"evals/{ID}/archive/{'a' * 40}/{LATER}.json", NEW, False),
    (EVAL, f"evals/tdd/v1/{LATER}.json", NEW, False),
    (JOIN, evals(LATER), NEW, False),
    # b: one's own file
    (PUBLISH, "people/ada.json", person("ada", bio="new"), True),
    (JOIN, "people/ada.json", person("ada"), True),
    (PUBLISH, "people/ada.json", GONE, False),
    (PUBLISH, "people/ada.json", person("bob"), False),
    (PUBLISH, "people/ada.json", b"{", False),
    (PUBLISH, "people/bob.json", person("bob", bio="new"), False),
    (JOIN, "people/bob.json", person("bob"), False),
    (EVAL, "people/ada.json", person("ada"), False),
    (LEAVE, "people/ada.json", GONE, False),
    # c, c': of team.json only the skills of its projects
    (PUBLISH, "team.json", projects(web={**WEB, "skills": [OTHER_ID, ID]}), True),
    (PUBLISH, "team.json", projects(api={"skills": [ID]}), True),
    (UNPUBLISH, "team.json", projects(web={**WEB, "skills": []}), True),
    (PUBLISH, "team.json", projects(web={**WEB, "remotes": []}), False),
    (PUBLISH, "team.json", projects(web={**WEB, "x": 2}), False),
    (PUBLISH, "team.json", projects(more={"skills": [ID]}), False),
    (PUBLISH, "team.json", changed_team(projects={}), False),
    (PUBLISH, "team.json", changed_team(unknown={}), False),
    (PUBLISH, "team.json", changed_team(name="evil"), False),
    (PUBLISH, "team.json", changed_team(policy={"skill_license": "MIT0"}), False),
    (PUBLISH, "team.json", changed_team(archived=[]), False),
    (PUBLISH, "team.json", b"[]", False),
    (PUBLISH, "team.json", b"\xff", False),
    (PUBLISH, "team.json", b"[" * 10_000, False),
    (PUBLISH, "team.json", GONE, False),
    (EVAL, "team.json", projects(api={"skills": [ID]}), False),
    # d, e, for oneself: leaving archives, joining undoes it
    (LEAVE, "team.json", changed_team(archived=["cy", "ada"]), True),
    (LEAVE, "team.json", changed_team(archived=["cy", "bob"]), False),
    (LEAVE, "team.json", changed_team(archived=["ada"]), False),
    (LEAVE, "team.json", changed_team(archived=["cy", "ada"], name="evil"), False),
    (JOIN, "team.json", changed_team(archived=[]), False),
    # k: unpublish removes whole folders, see below, and single files never
    (UNPUBLISH, "skills/tdd/v1/SKILL.md", GONE, False),
    (UNPUBLISH, "skills/tdd/later.txt", GONE, False),
    (UNPUBLISH, evals(), GONE, False),
    (UNPUBLISH, evals(), NEW, False),
    (UNPUBLISH, "people/bob.json", without_entry("bob"), True),
    (UNPUBLISH, "people/ada.json", without_entry("ada"), True),
    (UNPUBLISH, "people/ada.json", without_entry("ada", OTHER_ID), False),
    (UNPUBLISH, "people/ada.json", person("ada"), False),
    (UNPUBLISH, "people/bob.json", GONE, False),
    (UNPUBLISH, "people/new.json", person("new"), False),
    # paths of no row
    *((verb, path, NEW, False) for verb in (PUBLISH, EVAL, JOIN, LEAVE, UNPUBLISH, CREATE)
      for path in ("x", "README.md", ".gitattributes", ".github/workflows/x.yml", "skills/.gitkeep",
                   "skills/tdd/x", "people/ada.txt", "people/a/b.json", "TEAM.json", "evals/x")),
    *((verb, "README.md", GONE, False) for verb in (PUBLISH, UNPUBLISH)),
    # a team is created where nothing stands
    (CREATE, "team.json", team(), False),
    (CREATE, "people/ada.json", person("ada"), False),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "path", "data", "allowed"), ROWS)
def test_each_row(
    before: Snapshot, verb: str, path: str, data: bytes | None, allowed: bool
) -> None:
    action = Action(verb, "ada", "tdd", ID)
    change = Change({path.encode(): None if data is None else File(data)}, "m")
    if allowed:
        guard.check(action, before.view, change)
        return
    with pytest.raises(GuardRefusal) as refused:
        guard.check(action, before.view, change)
    assert str(refused.value) == f"Write guard refused {path} for {verb} by ada."


FOLDERS = [
    (UNPUBLISH, b"skills/tdd", True),
    (UNPUBLISH, f"evals/{ID}".encode(), True),
    (UNPUBLISH, f"evals/{ID.upper()}".encode(), True),
    (UNPUBLISH, b"skills/ship", False),
    (UNPUBLISH, f"evals/{OTHER_ID}".encode(), False),
    *((UNPUBLISH, folder, False) for folder in (
        b"", b"skills", b"evals", b"people", b"skills/", b"evals/", b"skills/tdd/v1",
        b"skills/tdd/", b"skills/../skills/tdd", b"skills/\xff", f"evals/{ID}/v1".encode())),
    *((verb, b"skills/tdd", False) for verb in (PUBLISH, EVAL, JOIN, LEAVE, CREATE)),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "folder", "allowed"), FOLDERS)
def test_only_unpublish_removes_folders_and_only_its_skills(
    before: Snapshot, verb: str, folder: bytes, allowed: bool
) -> None:
    action, change = Action(verb, "ada", "tdd", ID), Change({}, "m", frozenset([folder]))
    if allowed:
        guard.check(action, before.view, change)
        return
    with pytest.raises(GuardRefusal, match=rf"^Write guard refused .* for {verb} by ada\.$"):
        guard.check(action, before.view, change)


def test_a_skill_without_an_id_takes_no_receipts_along(before: Snapshot) -> None:
    for folder in (b"evals/", b"evals"):
        with pytest.raises(GuardRefusal):
            guard.check(
                Action(UNPUBLISH, "ada", "tdd"), before.view, Change({}, "m", frozenset([folder]))
            )


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"/team.json",
        b"../team.json",
        b"skills/tdd/v2/../../../x",
        b"skills/tdd/v2/./x",
        b"skills//v2/x",
        b"skills/tdd/v2/.git/config",
        b"skills/tdd/v2/.GIT/config",
        b"skills/tdd/v2/git~1",
        "skills/tdd/v2/.g\u200cit/config".encode(),
        b"skills/tdd/v2/a\\b",
        b"skills/tdd/v2/a:b",
        b"skills/tdd/v2/aux.md",
        b"skills/tdd/v2/\xff",
        b"skills/tdd/v2/a\nb",
        b"skills/tdd/v2/dot.",
    ],
)
@pytest.mark.parametrize("verb", [PUBLISH, UNPUBLISH, CREATE])
def test_an_unsafe_path_is_refused_before_any_row(before: Snapshot, verb: str, path: bytes) -> None:
    with pytest.raises(GuardRefusal, match=r"^Refusing to write an unsafe path: .*\."):
        guard.check(Action(verb, "ada", "tdd", ID), before.view, Change({path: File(NEW)}, "m"))


def test_one_refused_path_refuses_the_change(before: Snapshot) -> None:
    files = {b"skills/tdd/v2/SKILL.md": File(NEW), b"skills/tdd/v1/notes.md": File(NEW)}
    with pytest.raises(GuardRefusal, match=r"refused skills/tdd/v1/notes\.md for publish by ada"):
        guard.check(Action(PUBLISH, "ada", "tdd", ID), before.view, Change(files, "m"))


def test_a_team_is_created_in_an_empty_repository(read_tree: ReadTree) -> None:
    files = {
        b"team.json": plain(team()),
        b".gitattributes": plain(b"* -text\n"),
        b"README.md": plain(b""),
        b"people/ada.json": plain(person()),
    }
    empty = read_tree({}).view
    guard.check(Action(CREATE, "ada"), empty, Change(files, "m"))
    with pytest.raises(GuardRefusal, match=r"people/bob\.json"):
        guard.check(
            Action(CREATE, "ada"), empty, Change({b"people/bob.json": plain(person("bob"))}, "m")
        )


def test_a_number_beyond_what_a_double_tells_apart_may_not_change(read_tree: ReadTree) -> None:
    def with_number(digits: str, **fields: Any) -> bytes:
        return team(**fields, x=0).replace(b'"x": 0', f'"x": {digits}'.encode())

    before = read_tree({"team.json": with_number("9007199254740993")})
    for digits, allowed in {"9007199254740993": True, "9007199254740992": False}.items():
        change = Change({b"team.json": plain(with_number(digits, archived=["ada"]))}, "m")
        if allowed:
            guard.check(Action(LEAVE, "ada"), before.view, change)
        else:
            with pytest.raises(GuardRefusal):
                guard.check(Action(LEAVE, "ada"), before.view, change)


def test_joining_undoes_leaving(read_tree: ReadTree) -> None:
    before = read_tree({"team.json": team(archived=["cy", "ada", "bob"])})
    change = Change({b"team.json": plain(team(archived=["cy", "bob"]))}, "m")
    guard.check(Action(JOIN, "ada"), before.view, change)
    with pytest.raises(GuardRefusal):
        guard.check(Action(JOIN, "bob"), before.view, change)


@pytest.mark.parametrize(
    ("versions", "new", "allowed"),
    [
        ({1: ID}, {}, True),
        ({1: ID.upper()}, {}, True),
        ({1: ID, 2: None}, {}, True),  # an older version says whose the receipts are
        ({1: None}, {}, False),
        ({1: OTHER_ID}, {}, False),
        ({}, {}, False),
        ({}, {"skills/tdd/v1/SKILL.md": ID}, True),  # by the version of the same commit
        ({}, {"skills/tdd/v1/SKILL.md": OTHER_ID}, False),
        ({}, {"skills/tdd/v1/sub/SKILL.md": ID}, False),
    ],
)
def test_a_receipt_needs_a_version_that_declares_its_id(
    read_tree: ReadTree, versions: dict[int, str | None], new: dict[str, str], allowed: bool
) -> None:
    tree: Files = {"team.json": team()}
    for number, skill_id in versions.items():
        tree[f"skills/tdd/v{number}/SKILL.md"] = skill_md(skill_id=skill_id)
    files = {path.encode(): plain(skill_md(skill_id=skill_id)) for path, skill_id in new.items()}
    change = Change({**files, evals().encode(): plain(b"{}")}, "m")
    action = Action(PUBLISH, "ada", "tdd", ID)
    if allowed:
        guard.check(action, read_tree(tree).view, change)
    else:
        with pytest.raises(GuardRefusal, match="evals/"):
            guard.check(action, read_tree(tree).view, change)


@pytest.mark.parametrize(
    "old", [b"[]", b"\xff", b"{}", b'{"projects": []}', b'{"projects": {"web": 5}}', b"[" * 10_000]
)
def test_a_team_document_that_nobody_can_read_is_not_changed(
    read_tree: ReadTree, old: bytes
) -> None:
    before = read_tree({"team.json": old})
    for verb, new in ((PUBLISH, team()), (LEAVE, team(archived=["ada"])), (JOIN, team())):
        with pytest.raises(GuardRefusal, match=r"refused team\.json"):
            guard.check(Action(verb, "ada"), before.view, Change({b"team.json": plain(new)}, "m"))


LINKED: dict[str, tuple[str, str, bytes]] = {
    "team.json": (UNPUBLISH, "team.json", team(projects={})),
    "people/ada.json": (UNPUBLISH, "people/ada.json", without_entry("ada")),
    "skills/tdd/v2": (PUBLISH, "skills/tdd/v2/SKILL.md", NEW),
    evals(): (PUBLISH, evals(), NEW),
}


@pytest.mark.parametrize("link", LINKED)
def test_nothing_is_written_over_or_through_a_link(read_tree: ReadTree, link: str) -> None:
    verb, path, data = LINKED[link]
    before = read_tree({**TREE, link: (LINK, b"../ship/v1")})
    change = Change({path.encode(): File(data)}, "m")
    with pytest.raises(GuardRefusal, match="Write guard refused"):
        guard.check(Action(verb, "ada", "tdd", ID), before.view, change)
