"""A hostile repository, read: each bad thing is named, left out, and hides nothing else."""

from pathlib import Path
from typing import Any

import pytest

from publish import oddities
from publish.git import MirrorDamaged
from publish.knowledge import Knowledge
from publish.known import BROKEN, NEWER, USABLE
from publish.snapshot import Snapshot, Version
from receipts.digest import content_digest_of
from receipts.errors import TeamError
from tests.publish.conftest import ReadTree
from tests.publish.samples import (
    EXECUTABLE,
    ID,
    LINK,
    OTHER_ID,
    SUBMODULE,
    Files,
    evals,
    person,
    receipt,
    skill_md,
    team,
)

GOOD: Files = {"team.json": team(), "people/ada.json": person()}
SKILL = {"SKILL.md": skill_md(), "a.sh": b"true\n"}
TDD: Files = {f"skills/tdd/v1/{path}": data for path, data in SKILL.items()}
GONE = b"1" * 40


def test_a_good_team_is_read_whole(read_tree: ReadTree) -> None:
    found = read_tree({
        **GOOD, **TDD, "skills/tdd/v1/a.sh": (EXECUTABLE, b"true\n"), "skills/.gitkeep": b"",
        "evals/.gitkeep": b"", "people/.gitkeep": b"", "people/bob.json": person("bob"),
        "team.json": team(archived=["BOB"]), "skills/tdd/evals/a.yaml": b"task: x\n",
        evals(): receipt(SKILL), evals().replace(".json", ".json.sig"): b"sig",
        f"evals/{ID}/archive/{'a' * 40}/20260101T000000Z.json": b"old",
    })  # fmt: skip
    assert found.team.name == "acme"
    assert ([p.handle for p in found.people()[0]], found.people()[1]) == (["ada", "bob"], [])
    assert [person.handle for person in found.members()] == ["ada"]
    assert found.skills() == ["tdd"]
    [version] = found.versions("tdd")
    assert version == Version("tdd", 1, content_digest_of(SKILL), ID, None, ())
    script = found.files("tdd", 1)["a.sh"]
    assert (script.data, script.executable) == (b"true\n", True)
    assert [f.executable for f in found.measure("tdd", 1).files] == [False, True]
    [(path, asset)] = found.assets("tdd").items()
    assert (path, asset.data, asset.executable) == ("a.yaml", b"task: x\n", False)
    assert found.description("tdd", 1)["name"] == "tdd"
    [one] = found.receipts(ID.upper(), 1)
    assert (one.path, one.known.state, one.known.verdict) == (evals(), USABLE, "PASS")
    assert oddities.everything(found) == []


def test_versions_are_counted_by_number_and_odd_names_are_none(read_tree: ReadTree) -> None:
    odd = ["v0", "v03", "V3", "v1.0", "v", "v-1", "v1e3", "v\u0661", "9", "v9007199254740992"]
    names = ["v1", "v9", "v10", "v11", "v9007199254740991", *odd]
    found = read_tree(GOOD | {f"skills/tdd/{name}/SKILL.md": skill_md() for name in names})
    assert found.numbers("tdd") == [9007199254740991, 11, 10, 9, 1]
    assert sorted(oddities.everything(found)) == sorted(
        f"skills/tdd/{name} is not a version; ignored." for name in odd
    )


BAD_VERSIONS: dict[str, tuple[Files, str]] = {
    "link": ({"x": (LINK, b"/etc/passwd")}, "skills/tdd/v2/x is a symbolic link or a submodule"),
    "submodule": ({"x": (SUBMODULE, GONE)}, "skills/tdd/v2/x is a symbolic link or a submodule"),
    "up": ({b"..": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "up deep": ({b"a/../../x": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "git": ({".git/hooks/x": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "git on a Mac": ({".g\u200cIt": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "git on NTFS": ({"GIT~1": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "device": ({"sub/NUL.txt": b"x"}, "skills/tdd/v2 holds an unsafe path: sub/NUL.txt"),
    "backslash": ({"a\\..\\b": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "drive": ({"C:x": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "control": ({"a\x1b[31m": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "latin-1": ({b"caf\xe9": b"x"}, "skills/tdd/v2 holds an unsafe path"),
    "deep": ({"/".join("a" * 70): b"x"}, "The team repository nests folders too deeply"),
}


@pytest.mark.parametrize("name", BAD_VERSIONS)
def test_a_bad_version_is_named_and_the_others_are_read(read_tree: ReadTree, name: str) -> None:
    bad, why = BAD_VERSIONS[name]
    raw = {path if isinstance(path, bytes) else path.encode(): data for path, data in bad.items()}
    tree = GOOD | TDD | {b"skills/tdd/v2/" + path: data for path, data in raw.items()}
    tree |= {"skills/tdd/v2/SKILL.md": skill_md(skill_id=OTHER_ID), "skills/ok/v1/a": b"x"}
    found = read_tree(tree)
    second, first = found.versions("tdd")
    assert (second.digest, second.skill_id) == (None, None)
    assert why in (second.problem or "")
    assert "\x1b" not in (second.problem or "")
    assert (first.digest, first.problem) == (content_digest_of(SKILL), None)
    assert found.skill_id("tdd") is None
    assert found.skill_id("tdd", or_older=True) == ID
    assert found.owner_of(ID) == "tdd"
    assert found.skills() == ["ok", "tdd"]
    with pytest.raises(TeamError, match=r"skills/tdd/v2|too deeply"):
        found.files("tdd", 2)


@pytest.mark.parametrize("what", [b"text", (LINK, b"v1"), (SUBMODULE, GONE)])
def test_a_version_that_is_no_folder_is_named(read_tree: ReadTree, what: Any) -> None:
    found = read_tree(GOOD | TDD | {"skills/tdd/v2": what, "skills/x/v1": what})
    problem = "skills/tdd/v2 is not a folder."
    assert next(found.versions("tdd")) == Version("tdd", 2, None, None, problem, ())
    assert next(found.versions("x")).problem == "skills/x/v1 is not a folder."
    with pytest.raises(TeamError, match=problem):
        found.files("tdd", 2)
    assert found.skill_id("tdd", or_older=True) == ID


def test_names_that_no_skill_or_id_can_have_are_named(read_tree: ReadTree) -> None:
    found = read_tree(GOOD | TDD | {
        "skills/Tdd/v1/SKILL.md": b"", b"skills/t\xff/v1/a": b"", "skills/a b/v1/a": b"",
        "skills/x\n\x1b[31mfake: y/v1/a": b"", "skills/readme.md": b"", "evals/tdd/v1/a": b"",
        "evals/x.json": b"", "skills/tdd/notes.md": b"",
        f"evals/{ID}/v0/20260101T000000Z.json": b"", f"evals/{ID}/v1/latest.json": b"",
        f"evals/{ID}/v1/2026.json.sig": b"", f"evals/{ID}/v1/sub/20260101T000000Z.json": b"",
        b"evals/.git/x": b"", b"people/..": b"",
    })  # fmt: skip
    assert found.skills() == ["tdd"]
    assert sorted(found.people()[1] + oddities.everything(found)) == [
        "evals/.git is an unsafe name; ignored.",
        f"evals/{ID}/v0 is not a version; ignored.",
        f"evals/{ID}/v1/2026.json.sig is not a receipt; ignored.",
        f"evals/{ID}/v1/latest.json is not a receipt; ignored.",
        f"evals/{ID}/v1/sub is not a receipt; ignored.",
        "evals/tdd is not a skill's id; ignored.",
        "evals/x.json is not a skill's id; ignored.",
        "people/.. is an unsafe name; ignored.",
        "skills/Tdd is not a skill's folder; ignored.",
        "skills/a b is not a skill's folder; ignored.",
        "skills/readme.md is not a skill's folder; ignored.",
        "skills/t\\xff is not a skill's folder; ignored.",
        "skills/tdd/notes.md is not a version; ignored.",
        "skills/x \\x1b[31mfake: y is not a skill's folder; ignored.",
    ]


def test_people_who_cannot_be_read_are_named(read_tree: ReadTree) -> None:
    found = read_tree(GOOD | {
        "people/bob.json": person("eve"), "people/Cy.json": person("cy"), "people/d.txt": b"",
        "people/eve.json": (LINK, b"ada.json"), "people/fay.json/x": b"", "people/gus.json": b"{",
        "people/big.json": b" " * (1 << 21),
    })  # fmt: skip
    good, problems = found.people()
    assert [person.handle for person in good] == ["ada"]
    assert [problem.split()[0].rstrip(":") for problem in problems] == [
        "people/Cy.json", "people/big.json", "people/bob.json", "people/d.txt",
        "people/eve.json", "people/fay.json", "people/gus.json",
    ]  # fmt: skip
    with pytest.raises(TeamError, match=r"people/bob\.json"):
        found.person("bob")
    assert found.person("nobody") is None


OTHER_BYTES = "sha256:" + "0" * 64
# Run id to the file there; its state; and what is said of it.
RECEIPTS: dict[str, tuple[Any, str, str]] = {
    "20260101T000000Z": (receipt(SKILL, "20260101T000000Z"), USABLE, ""),
    "20260101T000001Z": (b"", BROKEN, "schema-invalid receipt {}: not JSON"),
    "20260101T000002Z": (b"\xff\xfe", BROKEN, "schema-invalid receipt {}: not JSON"),
    "20260101T000003Z": (b"[" * 10_000, BROKEN, "schema-invalid receipt {}: not JSON"),
    "20260101T000004Z": (b'{"a":' * 10_000, BROKEN, "schema-invalid receipt {}: not JSON"),
    "20260101T000005Z": (receipt(SKILL, "20260101T000005Z")[:-9], BROKEN, "schema-invalid"),
    "20260101T000006Z": (
        receipt(SKILL, "20260101T000006Z", scored_rows=-1), BROKEN, "schema-invalid receipt {}"),
    "20260101T000007Z": (receipt(SKILL, "20260101T000000Z"), BROKEN, "misfiled receipt {}"),
    "20260101T000008Z": (receipt(SKILL, "20260101T000008Z", 2), BROKEN, "misfiled receipt {}"),
    "20260101T000009Z": (
        receipt(SKILL, "20260101T000009Z", skill_id=OTHER_ID), BROKEN, "misfiled receipt {}"),
    "20260101T000010Z": (
        receipt(SKILL, "20260101T000010Z", skill_id=None), BROKEN, "misfiled receipt {}"),
    "20260101T000012Z": (receipt(SKILL, "20260101T000012Z", skill_id=ID.upper()), USABLE, ""),
    "20260101T000013Z": (receipt(OTHER_BYTES, "20260101T000013Z"), USABLE, ""),
    "20260101T000014Z": (
        receipt(SKILL, "20260101T000014Z", schema_version=3), NEWER, "{} is newer than this"),
    "20260101T000015Z": (b" " * (50 << 20), BROKEN, "{} in the team repository has 52,428,800"),
    "20260101T000016Z": ((LINK, b"20260101T000000Z.json"), BROKEN, "{} is not a regular file."),
    "20260101T000017Z": ((SUBMODULE, GONE), BROKEN, "{} is not a regular file."),
    "99999999T999999Z": (receipt(SKILL, "99999999T999999Z"), USABLE, ""),
}  # fmt: skip


def test_each_bad_receipt_is_named_and_hides_no_other(read_tree: ReadTree) -> None:
    tree = GOOD | TDD | {evals(run_id): data for run_id, (data, _, _) in RECEIPTS.items()}
    tree |= {evals("20260101T000018Z", skill_id=ID.upper()): receipt(SKILL, "20260101T000018Z")}
    found = read_tree(tree)
    read = {item.run_id: item.known for item in found.receipts(ID, 1)}
    assert read.pop("20260101T000018Z").state == USABLE  # under the same id in capitals
    assert list(read) == list(RECEIPTS)
    for run_id, (_, state, why) in RECEIPTS.items():
        known = read[run_id]
        assert known.state == state, run_id
        assert (known.problem or "").startswith(why.format(evals(run_id))), known.problem
        assert bool(known.problem) == (state != USABLE)
        assert len(known.problem or "") < 300
    assert read["20260101T000013Z"].digest == OTHER_BYTES
    assert found.receipt_numbers(ID) == [1]
    assert found.skill_ids_with_receipts() == [ID]


def test_what_is_no_team_says_so(read_tree: ReadTree) -> None:
    trees: list[tuple[dict[str | bytes, Any], str]] = [
        ({}, "has no team.json, so it is not a team repository"),
        ({"README.md": b""}, "has no team.json"),
        ({"team.json": (LINK, b"x")}, "team.json in the team repository is not a regular file"),
        ({"team.json/x": b""}, "not a regular file"),
        ({"team.json": b"{"}, "team.json is not JSON"),
    ]
    for tree, why in trees:
        with pytest.raises(TeamError, match=why):
            _ = read_tree(tree).team


def test_a_damaged_mirror_is_no_property_of_the_team(tmp_path: Path, read_tree: ReadTree) -> None:
    found = read_tree(GOOD | TDD | {evals(): receipt(SKILL)})
    blobs = {path: found.view.entry(path.encode()) for path in ("skills/tdd/v1/a.sh", evals())}
    for entry in [*blobs.values(), found.view.entry(b"people/ada.json")]:
        assert entry is not None
        name = entry.id.decode()
        (tmp_path / "tree.git" / "objects" / name[:2] / name[2:]).unlink()
    known = Knowledge()
    fresh = Snapshot(found.view, known)
    for read in (
        lambda: list(fresh.versions("tdd")),
        lambda: fresh.receipts(ID, 1),
        fresh.people,
    ):
        with pytest.raises(MirrorDamaged):
            read()
    [of_versions, of_receipts] = known.versions.get("tdd"), known.receipts.get(ID)
    assert of_versions is not None
    assert of_receipts is not None
    assert (of_versions.found, of_receipts.found) == ({}, {})
