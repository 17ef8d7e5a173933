"""Which receipt a card shows of a team: one, whole, of exactly these bytes, or an honest word."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from publish.snapshot import Snapshot
from publish.teamcards import Reading, receipts_of, team_card
from receipts.digest import content_digest, content_digest_of
from receipts.errors import TeamError
from store import cards, importing, runs
from store.cards import AMBIGUOUS, LOCAL, NONE, SCORED, STALE, TEAM, UNREADABLE, Card
from store.library import InstalledSkill
from tests.publish import samples
from tests.publish.conftest import Machine, ReadTree
from tests.publish.samples import EXECUTABLE, ID, LINK, OTHER_ID, Files, evals, receipt, skill_md
from tests.store import samples as store_samples

Skill = dict[str, bytes]

A, B, C = "20260901T000000Z", "20260902T000000Z", "20260903T000000Z"
NEVER = "99999999T999999Z"
BASE: Files = {"team.json": samples.team()}
V1: Skill = {"SKILL.md": skill_md(body="one\n"), "a.sh": b"true\n"}
V2: Skill = {"SKILL.md": skill_md(body="two\n"), "a.sh": b"true\n"}
V3: Skill = {"SKILL.md": skill_md(body="three\n"), "b.sh": b"true\n"}


def version(number: int, skill: Skill, name: str = "tdd") -> Files:
    return {f"skills/{name}/v{number}/{path}": data for path, data in skill.items()}


def at(number: int, skill: Skill | str, *run_ids: str, **fields: Any) -> dict[Any, Any]:
    """Return the receipts of a version, each filed where it belongs."""
    skill_id = fields.get("skill_id", ID)
    provenance = store_samples.document()["provenance"]
    return {
        evals(run_id, number, skill_id): receipt(
            skill, run_id, number, provenance=provenance | {"timestamp": _iso(run_id)}, **fields
        )
        for run_id in run_ids
    }


def _iso(run_id: str) -> str:
    return f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T00:00:00.000Z"


def card_of(tree: Snapshot, name: str = "tdd") -> Card:
    return team_card("acme", tree, name)


class TestTeamCard:
    """The card of a published skill."""

    def test_the_latest_version_scored(self, read_tree: ReadTree) -> None:
        files = at(2, V2, A, C, B)
        card = card_of(read_tree(BASE | version(1, V1) | version(2, V2) | files))
        assert card == Card(
            name="tdd", path=None, team="acme", version="v2", latest="v2",
            digest=content_digest_of(V2), state=SCORED, receipt=files[evals(C, 2)],
            source=TEAM, reason="", notes=(),
        )  # fmt: skip

    def test_versions_go_by_number_not_by_text(self, read_tree: ReadTree) -> None:
        tree = BASE | version(9, V1) | version(10, V2) | at(9, V1, C) | at(10, V2, A)
        card = card_of(read_tree(tree))
        assert (card.version, card.latest, card.state) == ("v10", "v10", SCORED)

    def test_an_older_version_is_stale_and_says_what_changed(self, read_tree: ReadTree) -> None:
        files = at(1, V1, A)
        card = card_of(read_tree(BASE | version(1, V1) | version(3, V3) | files))
        assert (card.state, card.version, card.latest) == (STALE, "v1", "v3")
        assert card.digest == content_digest_of(V1)  # of the bytes that the shown receipt measured
        assert (card.receipt, card.source) == (files[evals(A, 1)], TEAM)
        assert card.reason == (
            "scored at v1; since then, up to v3, SKILL.md changed; b.sh was added; a.sh was removed"
        )

    @pytest.mark.parametrize(
        ("latest", "expected"),
        [
            ({"a.sh": b"true\r\n"}, "only the line endings of a.sh changed"),
            ({"a.sh": b"true\r\n", "b": b""}, "b was added; the line endings of a.sh changed"),
            ({"a.sh": b"false\n"}, "a.sh changed"),
            ({}, "nothing that counts changed"),
        ],
    )
    def test_stale_by_little(self, read_tree: ReadTree, latest: Skill, expected: str) -> None:
        tree = BASE | version(1, V1) | version(2, V1 | latest) | at(1, V1, A)
        assert card_of(read_tree(tree)).reason == f"scored at v1; since then, up to v2, {expected}"

    def test_stale_by_the_executable_bit(self, read_tree: ReadTree) -> None:
        executable: Files = {"skills/tdd/v2/a.sh": (EXECUTABLE, V1["a.sh"])}
        card = card_of(
            read_tree(BASE | version(1, V1) | version(2, V1) | executable | at(1, V1, A))
        )
        assert card.reason == (
            "scored at v1; since then, up to v2, only the executable bit of a.sh changed"
        )

    def test_the_newest_version_with_any_usable_receipt_wins(self, read_tree: ReadTree) -> None:
        # However new the receipts of older versions are.
        tree = BASE | version(1, V1) | version(2, V2) | version(3, V3)
        card = card_of(read_tree(tree | at(1, V1, C) | at(2, V2, A)))
        assert (card.version, card.state) == ("v2", STALE)

    def test_nothing_measured_any_version(self, read_tree: ReadTree) -> None:
        card = card_of(read_tree(BASE | version(1, V1) | version(2, V2)))
        assert card == Card(
            name="tdd", path=None, team="acme", version="v2", latest="v2",
            digest=content_digest_of(V2), state=NONE, receipt=None, source=None,
            reason="nothing measured any version", notes=(),
        )  # fmt: skip

    def test_two_receipts_are_never_one_number(self, read_tree: ReadTree) -> None:
        def comparison(win: int, loss: int) -> dict[str, Any]:
            record = {"win": win, "loss": loss, "tie": 0, "net_lift": 0.0, "sign_p": 1.0}
            return {"candidate-vs-baseline": record}

        older = at(1, V1, A, comparisons=comparison(9, 0), verdict="PASS", scored_rows=9)
        newer = at(1, V1, B, comparisons=comparison(1, 2), verdict="NEUTRAL")
        card = card_of(read_tree(BASE | version(1, V1) | older | newer))
        assert card.receipt == newer[evals(B, 1)]
        shown = json.loads(card.receipt or b"")
        assert shown["comparisons"] == comparison(1, 2)
        assert shown["verdict"] == "NEUTRAL"

    def test_an_unknown_skill_is_no_card(self, read_tree: ReadTree) -> None:
        with pytest.raises(TeamError, match="No skill named ship exists in team acme"):
            card_of(read_tree(BASE | version(1, V1)), "ship")

    def test_ids_in_other_cases_are_one_skill(self, read_tree: ReadTree) -> None:
        capitals = skill_md(skill_id=ID.upper(), body="one\n")
        one: Skill = {"SKILL.md": capitals}
        files: Files = {evals(B, 1, ID.upper()): receipt(one, B, skill_id=ID.upper())}
        card = card_of(read_tree(BASE | version(1, one) | at(1, one, A) | files))
        assert card.receipt == files[evals(B, 1, ID.upper())]

    def test_receipts_of_a_skill_whose_newest_version_lost_its_id(
        self, read_tree: ReadTree
    ) -> None:
        without = {"SKILL.md": skill_md(skill_id=None)}
        card = card_of(read_tree(BASE | version(1, V1) | version(2, without) | at(1, V1, A)))
        assert (card.state, card.version) == (STALE, "v1")

    def test_a_skill_without_any_id_has_no_receipts(self, read_tree: ReadTree) -> None:
        without = {"SKILL.md": skill_md(skill_id=None)}
        assert card_of(read_tree(BASE | version(1, without) | at(1, without, A))).state == NONE


# Run id C is the newest file of the version; what stands there, and what is said of it.
BAD_NEWEST: dict[str, tuple[Any, str]] = {
    "empty": (b"", "schema-invalid receipt {}: not JSON"),
    "cut": (receipt(V1, C)[:-20], "schema-invalid receipt {}: not JSON"),
    "conflict": (b"<<<<<<< HEAD\n" + receipt(V1, C), "schema-invalid receipt {}: not JSON"),
    "field": (receipt(V1, C, verdict=None), "schema-invalid receipt {}: verdict: must be"),
    "run id": (receipt(V1, B), "misfiled receipt {}: its skill id, version or run id disagrees."),
    "version": (receipt(V1, C, 9), "misfiled receipt {}: its skill id"),
    "skill id": (receipt(V1, C, skill_id=OTHER_ID), "misfiled receipt {}: its skill id"),
    "local": (receipt(V1, C, skill_id=None), "misfiled receipt {}: its skill id"),
    "bytes": (receipt(V2, C), "{} measured other bytes than tdd v1. Not considered."),
    "schema 3": (
        receipt(V1, C, schema_version=3),
        "{} is newer than this version of receipts. Not considered.",
    ),
    "schema 1": (
        receipt(V1, C, schema_version=1, content_digest="x"), "schema-invalid receipt {}"),
    "link": ((LINK, b"x"), "{} is not a regular file. Not considered."),
}  # fmt: skip


class TestBadReceipts:
    """One bad file hides nothing else, and is named."""

    @pytest.mark.parametrize("name", BAD_NEWEST)
    def test_the_next_one_of_the_version_is_shown(self, read_tree: ReadTree, name: str) -> None:
        bad, why = BAD_NEWEST[name]
        files = at(1, V1, A, B)
        tree = read_tree(BASE | version(1, V1) | files | {evals(C, 1): bad})
        card = card_of(tree)
        assert (card.state, card.receipt, card.reason) == (SCORED, files[evals(B, 1)], "")
        [note] = card.notes
        assert note.startswith(f"acme/tdd: {why.format(evals(C, 1))}")
        assert note.endswith("Not considered.")
        assert len(receipts_of(tree, tree.version("tdd", 1))[0]) == 2

    @pytest.mark.parametrize("name", BAD_NEWEST)
    def test_alone_it_is_unreadable_and_says_why(self, read_tree: ReadTree, name: str) -> None:
        bad, why = BAD_NEWEST[name]
        card = card_of(read_tree(BASE | version(1, V1) | {evals(C, 1): bad}))
        assert (card.state, card.receipt, card.source) == (UNREADABLE, None, None)
        assert (card.version, card.latest, card.digest) == ("v1", "v1", content_digest_of(V1))
        assert card.reason.startswith(f"acme/tdd: {why.format(evals(C, 1))}")
        assert card.notes == (card.reason,)

    @pytest.mark.parametrize("name", BAD_NEWEST)
    def test_of_the_latest_version_the_one_before_is_shown(
        self, read_tree: ReadTree, name: str
    ) -> None:
        bad, _ = BAD_NEWEST[name]
        old = {evals(A, 1): receipt(V2, A)}
        tree = BASE | version(1, V2) | version(2, V1) | old | {evals(C, 2): bad}
        card = card_of(read_tree(tree))
        assert (card.state, card.version, card.receipt) == (STALE, "v1", old[evals(A, 1)])
        assert len([note for note in card.notes if note.endswith("Not considered.")]) == 1

    def test_a_schema_1_receipt_names_no_bytes(self, read_tree: ReadTree) -> None:
        document = json.loads(receipt(V1, C, schema_version=1))
        del document["content_digest"]
        bad = json.dumps(document).encode()
        card = card_of(read_tree(BASE | version(1, V1) | {evals(C, 1): bad}))
        assert card.reason == (
            f"acme/tdd: {evals(C, 1)} measured other bytes than tdd v1. Not considered."
        )

    def test_every_one_is_named_newest_version_first(self, read_tree: ReadTree) -> None:
        bad: Files = {evals(A, 1): b"", evals(B, 2): b"", evals(A, 2): b"", evals(C, 3): b""}
        good = at(2, V2, C)
        tree = BASE | version(1, V1) | version(2, V2) | version(3, V3) | good | bad
        card = card_of(read_tree(tree))
        assert (card.version, card.receipt) == ("v2", good[evals(C, 2)])
        named = [note.split(":")[1].split()[-1] for note in card.notes]
        assert named == [evals(C, 3), evals(A, 2), evals(B, 2)]  # v1 was not looked at

    def test_an_id_that_is_no_time_is_not_the_newest(self, read_tree: ReadTree) -> None:
        never: Files = {evals(NEVER, 1): receipt(V1, NEVER), evals("20991231T000000Z", 1): receipt(
            V1, "20991231T000000Z")}  # fmt: skip
        late = at(1, V1, "20260920T000000Z")
        card = card_of(read_tree(BASE | version(1, V1) | never | late | at(1, V1, A)))
        assert card.receipt == late[evals("20260920T000000Z", 1)]
        assert card_of(read_tree(BASE | version(1, V1) | never)).state == SCORED

    def test_a_latest_version_that_cannot_be_read_is_named(self, read_tree: ReadTree) -> None:
        bad: Files = {"skills/tdd/v2/x": (LINK, b"/etc/passwd")}
        problem = "skills/tdd/v2/x is a symbolic link or a submodule; refused."
        measured: Files = {evals(B, 2): receipt(V2, B, 2)}
        card = card_of(read_tree(BASE | version(1, V1) | bad | at(1, V1, A) | measured))
        assert (card.state, card.version, card.latest) == (STALE, "v1", "v2")
        assert card.reason == "scored at v1; v2 is the latest"
        assert card.notes == (
            f"acme/tdd: {evals(B, 2)} is of a version that cannot be read. Not considered.",
            f"acme/tdd: {problem}",
        )
        card = card_of(read_tree(BASE | version(1, V1) | bad))
        assert (card.state, card.digest, card.version) == (UNREADABLE, None, "v2")
        assert card.reason == f"acme/tdd: {problem}"

    def test_receipts_of_an_unknown_version_or_skill_count_for_none(
        self, read_tree: ReadTree
    ) -> None:
        stray = at(2, V1, C) | {evals(C, 1, OTHER_ID): receipt(V1, C, skill_id=OTHER_ID)}
        card = card_of(read_tree(BASE | version(1, V1) | stray))
        assert (card.state, card.notes) == (NONE, ())

    def test_a_receipt_of_another_skill_with_the_id_is_not_a_bad_one(
        self, read_tree: ReadTree
    ) -> None:
        copy: Files = {"skills/copy/v1/SKILL.md": skill_md("copy", body="copied\n")}
        tree = BASE | version(1, V1) | copy | at(1, V1, A)
        assert card_of(read_tree(tree)).state == SCORED
        card = card_of(read_tree(tree), "copy")
        assert (card.state, card.notes) == (NONE, ())
        assert card.reason == "nothing measured any version"
        stray: Files = {evals(B, 1): receipt(V2, B)}  # of bytes that neither of them has
        for name in ("tdd", "copy"):
            [note] = card_of(read_tree(tree | stray), name).notes
            assert note.endswith(f"measured other bytes than {name} v1. Not considered.")
        assert card_of(read_tree(tree | stray), "copy").state == UNREADABLE

    def test_archived_receipts_are_read_for_nothing(self, read_tree: ReadTree) -> None:
        path = f"evals/{ID}/archive/{'a' * 40}/{A}.json"
        assert card_of(read_tree(BASE | version(1, V1) | {path: receipt(V1, A)})).state == NONE


@pytest.fixture
def tdd(ada: Machine) -> Path:
    """Put V1 into ada's library."""
    folder = ada.library / "tdd"
    folder.mkdir(parents=True)
    write(folder, V1)
    return folder


def write(folder: Path, skill: Skill) -> None:
    for path, data in skill.items():
        (folder / path).write_bytes(data)


def library_card(
    folder: Path,
    *trees: Snapshot,
    declared: str | None = ID,
    names: tuple[str, ...] = ("acme", "b"),
) -> Card:
    readings = [Reading(name, tree) for name, tree in zip(names, trees, strict=False)]
    skill = InstalledSkill(folder.name, folder, folder.parent)
    return cards.library_card(skill, declared, runs.survey(), readings)


def measured_here(folder: Path, run_id: str = A, **fields: Any) -> bytes:
    data = store_samples.receipt(
        content_digest(folder), run_id, **{"skill_name": folder.name, "skill_id": ID, **fields}
    )
    importing.import_receipt(data, folder)
    return data


class TestLibraryCard:
    """The card of a folder: its exact bytes, this machine first and the team second."""

    def test_the_teams_newest_when_this_machine_has_none(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        files = at(1, V1, A, C, B)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | files))
        assert card == Card(
            name="tdd", path=str(tdd), team="acme", version="v1", latest=None,
            digest=content_digest_of(V1), state=SCORED, receipt=files[evals(C, 1)], source=TEAM,
            reason="", notes=(),
        )  # fmt: skip

    def test_this_machines_comes_first_however_old(self, tdd: Path, read_tree: ReadTree) -> None:
        mine = measured_here(tdd, A, verdict="FAIL")
        tree = read_tree(BASE | version(1, V1) | at(1, V1, C))
        card = library_card(tdd, tree)
        assert (card.receipt, card.source, card.version) == (mine, LOCAL, "v1")

    def test_a_corrupt_one_of_this_machine_gives_way_to_the_teams(
        self, ada: Machine, tdd: Path, read_tree: ReadTree
    ) -> None:
        measured_here(tdd, C)
        [place] = ada.state.glob("evals/local/*/*/receipt.json")
        place.write_bytes(b"{")
        files = at(1, V1, A)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | files))
        assert (card.state, card.source, card.receipt) == (SCORED, TEAM, files[evals(A, 1)])
        assert card.notes == (
            f"1 local eval run(s) of these exact bytes could not be read ({C}), "
            "so they were not considered.",
        )

    def test_a_newer_one_of_this_machine_gives_way_too(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        measured_here(tdd, C, schema_version=3)
        files = at(1, V1, A)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | files))
        assert (card.source, card.receipt) == (TEAM, files[evals(A, 1)])
        assert card.notes == (f"local run {C} is newer than this version of receipts.",)

    @pytest.mark.parametrize("name", BAD_NEWEST)
    def test_a_bad_one_of_the_team_is_named(
        self, tdd: Path, read_tree: ReadTree, name: str
    ) -> None:
        bad, why = BAD_NEWEST[name]
        files = at(1, V1, B)
        tree: Files = BASE | version(1, V1) | {evals(C, 1): bad}
        note = f"acme/tdd: {why.format(evals(C, 1))}"
        card = library_card(tdd, read_tree(tree | files))
        assert (card.state, card.receipt) == (SCORED, files[evals(B, 1)])
        assert [text.startswith(note) for text in card.notes] == [True]
        card = library_card(tdd, read_tree(tree))
        assert (card.state, card.receipt, card.source) == (UNREADABLE, None, None)
        assert card.reason.startswith(note)
        assert card.version == "v1"

    def test_a_bad_one_of_the_team_is_no_matter_when_this_machine_has_one(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        mine = measured_here(tdd)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | {evals(C, 1): b""}))
        assert (card.receipt, card.notes) == (mine, ())

    def test_a_receipt_is_matched_on_bytes_not_on_names(
        self, ada: Machine, read_tree: ReadTree
    ) -> None:
        folder = ada.library / "renamed"
        folder.mkdir(parents=True)
        write(folder, V1)
        files = at(1, V1, A)
        card = library_card(folder, read_tree(BASE | version(1, V1) | files))
        assert (card.name, card.version, card.receipt) == ("renamed", "v1", files[evals(A, 1)])

    def test_bytes_of_two_versions_take_the_newest_receipt_of_either(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        older, newer = at(2, V1, A), at(1, V1, C)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | version(2, V1) | older | newer))
        assert card.receipt == newer[evals(C, 1)]
        assert card.version == "v2"

    def test_bytes_of_two_skills_prefer_the_folders_name(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        tree = read_tree(BASE | version(3, V1, "aaa") | version(1, V1) | at(1, V1, A))
        assert library_card(tdd, tree).version == "v1"
        assert Reading("acme", tree).labels_of(content_digest_of(V1), "aaa") == ["v3", "v1"]
        assert Reading("acme", tree).labels_of(content_digest_of(V1), "x") == ["v3", "v1"]
        assert Reading("acme", tree).labels_of(content_digest_of(V2), "tdd") == []

    def test_eval_assets_blank_nothing_and_a_byte_does(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        tree = read_tree(BASE | version(1, V1) | at(1, V1, A))
        (tdd / "evals").mkdir()
        (tdd / "evals" / "triggers.yaml").write_text("x")
        (tdd / "a.sh").chmod(0o755)
        assert library_card(tdd, tree).state == SCORED
        (tdd / "a.sh").write_bytes(b"false\n")
        card = library_card(tdd, tree)
        assert (card.state, card.receipt, card.source, card.team, card.version) == (
            STALE, None, None, None, None,
        )  # fmt: skip
        assert card.reason == "scored at v1; since then a.sh changed"

    def test_a_windows_checkout_of_the_teams_version_says_so(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        write(tdd, {path: data.replace(b"\n", b"\r\n") for path, data in V1.items()})
        card = library_card(tdd, read_tree(BASE | version(1, V1) | at(1, V1, A)))
        assert card.reason == (
            "scored at v1; since then only the line endings of SKILL.md and a.sh changed"
        )


class TestStale:
    """Other bytes of the same skill were measured."""

    def test_the_newest_anywhere_is_what_it_was_scored_at(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        tree = read_tree(BASE | version(1, V1) | version(2, V2) | at(1, V1, A) | at(2, V2, B))
        write(tdd, {"SKILL.md": skill_md(body="mine\n")})
        assert library_card(tdd, tree).reason == "scored at v2; since then SKILL.md changed"
        measured_here(tdd, C)
        measured = content_digest(tdd)
        write(tdd, {"a.sh": b"false\n"})
        assert library_card(tdd, tree).reason == (
            f"scored at sha256:{measured[7:15]}…; since then a.sh changed"
        )

    def test_bytes_measured_here_that_are_a_version_go_by_its_label(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        # Another client filed it, which keeps no hashes; the team's version tells what changed.
        data = store_samples.receipt(content_digest(tdd), A, skill_id=ID)
        store_samples.put(tdd.parents[2] / "state", data, content_digest(tdd), A)
        write(tdd, {"a.sh": b"false\n"})
        tree = read_tree(BASE | version(7, V1))
        assert library_card(tdd, tree).reason == "scored at v7; since then a.sh changed"
        assert library_card(tdd).reason.endswith("since then its bytes changed")

    def test_a_team_that_measured_nothing_usable_scored_nothing(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        write(tdd, V2)
        newer = receipt(V1, B, schema_version=3)
        tree = read_tree(BASE | version(1, V1) | {evals(A, 1): b"{", evals(B, 1): newer})
        card = library_card(tdd, tree)
        assert (card.state, card.reason) == (NONE, "nothing measured these bytes")

    @pytest.mark.parametrize(
        ("declared", "folder", "state"),
        [
            (ID, "tdd", STALE),
            (ID, "renamed", STALE),
            (None, "tdd", STALE),
            (None, "renamed", NONE),
            (OTHER_ID, "tdd", NONE),  # another skill that happens to have this name
        ],
    )
    def test_the_same_skill_is_known_by_its_id_or_else_its_name(
        self, ada: Machine, read_tree: ReadTree, declared: str | None, folder: str, state: str
    ) -> None:
        place = ada.library / folder
        place.mkdir(parents=True)
        write(place, V2)
        tree = read_tree(BASE | version(1, V1) | at(1, V1, A))
        assert library_card(place, tree, declared=declared).state == state

    def test_an_unpublished_version_of_these_bytes_is_not_its_skills_score(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        # v2 is what the folder holds, and only v1 was measured.
        write(tdd, V2)
        card = library_card(tdd, read_tree(BASE | version(1, V1) | version(2, V2) | at(1, V1, A)))
        assert (card.state, card.team, card.version) == (STALE, "acme", "v2")
        assert card.reason == "scored at v1; since then SKILL.md changed"


class TestSeveralTeams:
    def test_bytes_of_two_teams_are_ambiguous(self, tdd: Path, read_tree: ReadTree) -> None:
        tree = BASE | version(1, V1)
        both = read_tree(tree | at(1, V1, A)), read_tree(tree | at(1, V1, B, verdict="FAIL"))
        card = library_card(tdd, *both)
        assert card == Card(
            name="tdd", path=str(tdd), team=None, version=None, latest=None,
            digest=content_digest_of(V1), state=AMBIGUOUS, receipt=None, source=None,
            reason="identical bytes exist in more than one team; no version is shown", notes=(),
        )  # fmt: skip

    def test_a_receipt_of_this_machine_resolves_the_score_not_the_version(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        mine = measured_here(tdd)
        tree = read_tree(BASE | version(1, V1) | at(1, V1, C))
        card = library_card(tdd, tree, tree)
        assert (card.state, card.receipt, card.source) == (SCORED, mine, LOCAL)
        assert (card.team, card.version) == (None, None)

    def test_an_unreadable_run_of_this_machine_is_named_beside_the_ambiguity(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        measured_here(tdd, schema_version=3)
        tree = read_tree(BASE | version(1, V1))
        card = library_card(tdd, tree, tree)
        assert card.state == AMBIGUOUS
        assert card.notes == (f"local run {A} is newer than this version of receipts.",)

    def test_the_one_team_that_has_these_bytes_is_asked(
        self, tdd: Path, read_tree: ReadTree
    ) -> None:
        files = at(4, V1, A)
        other = read_tree(BASE | version(1, V2) | at(1, V2, C))
        card = library_card(tdd, other, read_tree(BASE | version(4, V1) | files))
        assert (card.team, card.version, card.receipt) == ("b", "v4", files[evals(A, 4)])

    def test_stale_by_the_newest_of_all_teams(self, tdd: Path, read_tree: ReadTree) -> None:
        write(tdd, V3)
        one = read_tree(BASE | version(1, V1) | at(1, V1, A))
        two = read_tree(BASE | version(5, V2) | at(5, V2, B))
        for pair in ((one, two), (two, one)):
            card = library_card(tdd, *pair)
            assert card.state == STALE
            assert card.reason.startswith("scored at v5; since then SKILL.md changed")

    def test_a_team_without_the_skill_changes_nothing(self, tdd: Path, read_tree: ReadTree) -> None:
        tree, empty = read_tree(BASE | version(1, V1) | at(1, V1, A)), read_tree(BASE)
        assert library_card(tdd, tree, empty) == library_card(tdd, tree)


def test_reading_twice_gives_the_same(tdd: Path, read_tree: ReadTree) -> None:
    tree = read_tree(BASE | version(1, V1) | version(2, V2) | at(1, V1, A, B) | {evals(C, 1): b""})
    again = Snapshot(tree.view, tree.known)
    assert library_card(tdd, tree) == library_card(tdd, again)
    assert card_of(tree) == card_of(again)
    shutil.rmtree(tdd)
    assert library_card(tdd, tree).state == UNREADABLE
