"""The card of a skill folder, from what this machine alone knows. Teams: tests/publish."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from receipts import difference
from receipts.difference import Difference
from receipts.digest import content_digest, measure
from store import cards, importing, runs
from store.cards import AMBIGUOUS, LOCAL, NONE, SCORED, STALE, UNREADABLE, Card
from store.library import InstalledSkill
from tests.store import samples
from tests.store.samples import put

ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
OTHER_ID = "0d3c1c52-77c5-4d3b-9a35-6c7f1f6a2b11"
FIRST, SECOND, THIRD = "20260901T000000Z", "20260902T000000Z", "20260903T000000Z"
NEVER = "99999999T999999Z"


@pytest.fixture
def tdd(tmp_path: Path) -> Path:
    folder = samples.skill(tmp_path / "library" / "tdd")
    (folder / "a.sh").write_bytes(b"one\ntwo\n")
    return folder


def card_of(folder: Path, declared_id: str | None = None) -> Card:
    skill = InstalledSkill(folder.name, folder, folder.parent)
    return cards.library_card(skill, declared_id, runs.survey(), [])


def receipt(folder: Path, run_id: str = FIRST, **fields: Any) -> bytes:
    time = f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T{run_id[9:11]}:{run_id[11:13]}:00.000Z"
    provenance = samples.document()["provenance"] | {"timestamp": time}
    named = {"skill_name": folder.name, "provenance": provenance, **fields}
    return samples.receipt(content_digest(folder), run_id, **named)


def measured_here(folder: Path, run_id: str = FIRST, **fields: Any) -> bytes:
    """File a receipt of a folder's bytes, with the hash of each file beside it."""
    data = receipt(folder, run_id, **fields)
    importing.import_receipt(data, folder)
    return data


def without_manifest(folder: Path, run_id: str = FIRST, **fields: Any) -> Path:
    """File a receipt as another client does, which keeps no hashes of files."""
    data = receipt(folder, run_id, **fields)
    place = Path(os.environ["RECEIPTS_HOME"])
    return put(place, data, content_digest(folder), run_id)


class TestScored:
    def test_the_receipt_is_shown_whole_and_byte_for_byte(self, tdd: Path) -> None:
        data = measured_here(tdd, unknown={"kept": [1.50, "é"]})
        assert card_of(tdd) == Card(
            name="tdd", path=str(tdd), team=None, version=None, latest=None,
            digest=content_digest(tdd), state=SCORED, receipt=data, source=LOCAL, reason="",
        )  # fmt: skip

    def test_the_newest_counts_alone_whatever_it_says(self, tdd: Path) -> None:
        rows: dict[str, Any] = {}
        for run_id, verdict, (win, loss) in [
            (THIRD, "FAIL", (0, 3)), (FIRST, "PASS", (9, 0)), (SECOND, "PASS", (8, 0)),
        ]:  # fmt: skip
            comparison = {"win": win, "loss": loss, "tie": 0, "net_lift": 1.0, "sign_p": 1.0}
            rows[run_id] = measured_here(
                tdd, run_id, verdict=verdict, comparisons={"candidate-vs-baseline": comparison}
            )
        card = card_of(tdd)
        assert card.receipt == rows[THIRD]
        document = json.loads(card.receipt or b"")
        assert (document["verdict"], document["run_id"]) == ("FAIL", THIRD)
        assert document["comparisons"]["candidate-vs-baseline"]["loss"] == 3

    def test_an_id_that_is_no_time_is_not_the_newest(self, tdd: Path) -> None:
        for run_id in (NEVER, "20991231T000000Z"):
            without_manifest(tdd, run_id, provenance=samples.document()["provenance"] | {
                "timestamp": "2026-08-01T00:00:00Z"})  # fmt: skip
        newest = measured_here(tdd)
        assert card_of(tdd).receipt == newest

    def test_a_receipt_of_another_name_counts_by_its_bytes(self, tdd: Path) -> None:
        data = measured_here(tdd, skill_name="other", skill_id=OTHER_ID, version="v7")
        card = card_of(tdd, ID)
        assert (card.state, card.receipt, card.version) == (SCORED, data, None)

    @pytest.mark.parametrize("execution", ["partial", "failed"])
    def test_a_partial_run_is_a_score(self, tdd: Path, execution: str) -> None:
        data = measured_here(tdd, execution_status=execution, scored_rows=0, verdict="NEUTRAL")
        assert card_of(tdd).receipt == data

    def test_what_does_not_count_blanks_nothing(self, tdd: Path) -> None:
        data = measured_here(tdd)
        (tdd / "evals" / "cases").mkdir(parents=True)
        (tdd / "evals" / "cases" / "a.yaml").write_text("task: x\n")
        (tdd / "evals" / "triggers.yaml").write_text("should_trigger: []\n")
        (tdd / ".DS_Store").write_text("x")
        (tdd / "a.sh").chmod(0o755)
        os.utime(tdd / "a.sh", (0, 0))
        text = (tdd / "SKILL.md").read_text()
        (tdd / "SKILL.md").write_text(
            text.replace("description: d\n", "license: MIT\ndescription: 'd'\n")
        )
        card = card_of(tdd)
        assert (card.state, card.reason, card.receipt) == (SCORED, "", data)


class TestNothingUsable:
    def test_nothing_measured_anything(self, tdd: Path) -> None:
        card = card_of(tdd, ID)
        assert (card.state, card.reason) == (NONE, "nothing measured these bytes")
        assert (card.receipt, card.source, card.notes) == (None, None, ())
        assert card.digest == content_digest(tdd)

    def test_a_corrupt_newest_is_named_and_the_one_before_is_shown(self, tdd: Path) -> None:
        good = measured_here(tdd)
        (without_manifest(tdd, SECOND) / "receipt.json").write_bytes(b'{"schema_version": 2')
        put(Path(os.environ["RECEIPTS_HOME"]), samples.receipt(), content_digest(tdd), THIRD)
        card = card_of(tdd)
        assert (card.state, card.receipt, card.source) == (SCORED, good, LOCAL)
        assert card.notes == (
            f"2 local eval run(s) of these exact bytes could not be read ({SECOND}, {THIRD}), "
            "so they were not considered.",
        )

    def test_only_corrupt_ones_are_unreadable_not_none(self, tdd: Path) -> None:
        (without_manifest(tdd) / "receipt.json").write_bytes(b"")
        card = card_of(tdd)
        assert (card.state, card.receipt, card.source) == (UNREADABLE, None, None)
        assert card.reason == card.notes[0]
        assert f"could not be read ({FIRST})" in card.reason

    def test_an_unfinished_run_is_no_evidence(self, tdd: Path) -> None:
        (without_manifest(tdd) / "receipt.json").unlink()
        assert card_of(tdd)[6:] == (NONE, None, None, "nothing measured these bytes", ())

    def test_bad_runs_of_other_bytes_are_not_this_cards(self, tdd: Path) -> None:
        state = Path(os.environ["RECEIPTS_HOME"])
        put(state, b"{", samples.OTHER, FIRST)
        put(state, samples.receipt(schema_version=3), samples.DIGEST, samples.RUN)
        assert card_of(tdd).notes == ()

    def test_a_newer_receipt_is_shown_as_newer_and_never_as_a_score(self, tdd: Path) -> None:
        newer = f"local run {SECOND} is newer than this version of receipts."
        without_manifest(tdd, SECOND, schema_version=3)
        card = card_of(tdd)
        assert (card.state, card.receipt, card.reason, card.notes) == (
            UNREADABLE, None, newer, (newer,),
        )  # fmt: skip
        good = measured_here(tdd)
        card = card_of(tdd)
        assert (card.state, card.receipt, card.reason) == (SCORED, good, "")
        assert card.notes == (newer,)

    def test_another_word_for_the_verdict_is_newer_too(self, tdd: Path) -> None:
        without_manifest(tdd, verdict="EXCELLENT")
        assert card_of(tdd).reason.endswith("is newer than this version of receipts.")

    @pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
    def test_a_folder_that_cannot_be_measured_says_why(self, tdd: Path) -> None:
        measured_here(tdd)
        (tdd / "x").symlink_to("a.sh")
        card = card_of(tdd)
        assert (card.state, card.digest, card.receipt) == (UNREADABLE, None, None)
        assert card.reason == "Skill folder contains symlink x."
        (tdd / "x").unlink()
        (tdd / os.fsdecode(b"caf\xe9")).write_text("")
        assert "not valid UTF-8" in card_of(tdd).reason
        shutil.rmtree(tdd)
        assert card_of(tdd).reason == f"{tdd} does not exist."

    def test_there_is_no_ambiguity_without_teams(self, tdd: Path) -> None:
        assert card_of(tdd).state != AMBIGUOUS


def edited(folder: Path, **files: str | bytes | None) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def label(folder_digest: str) -> str:
    return f"sha256:{folder_digest[7:15]}…"


MARKDOWN = "---\nname: tdd\ndescription: d\n---\n# s\n"
# What is edited, and what the card says of it.
EDITS: dict[str, tuple[dict[str, str | bytes | None], str]] = {
    "changed": ({"a_sh": "1\n"}, "a.sh changed"),
    "skill": ({"SKILL_md": MARKDOWN + "more\n"}, "SKILL.md changed"),
    "two": ({"a_sh": "1", "SKILL_md": MARKDOWN + "x"}, "SKILL.md and a.sh changed"),
    "added": ({"b_md": "x"}, "b.md was added"),
    "two added": ({"b_md": "x", "c__d_md": ""}, "b.md and c/d.md were added"),
    "removed": ({"a_sh": None}, "a.sh was removed"),
    "renamed": ({"a_sh": None, "b_sh": "one\ntwo\n"}, "b.sh was added; a.sh was removed"),
    "all": (
        {"a_sh": "1", "b_md": "x", "SKILL_md": MARKDOWN.replace("\n", "\r\n")},
        "a.sh changed; b.md was added; the line endings of SKILL.md changed",
    ),
    "many": (
        {f"{letter}_md": "x" for letter in "bcdefg"}, "b.md, c.md, d.md and 3 more were added"),
    "Windows": ({"a_sh": b"one\r\ntwo\r\n"}, "only the line endings of a.sh changed"),
    "Windows skill": (
        {"SKILL_md": MARKDOWN.replace("\n", "\r\n")}, "only the line endings of SKILL.md changed"),
    "all on Windows": (
        {"SKILL_md": MARKDOWN.replace("\n", "\r\n"), "a_sh": b"one\r\ntwo\r\n"},
        "only the line endings of SKILL.md and a.sh changed",
    ),
    "half on Windows": ({"a_sh": b"one\r\ntwo\n"}, "only the line endings of a.sh changed"),
    "a lone CR is content": ({"a_sh": b"one\rtwo\r"}, "a.sh changed"),
    "a last line end is content": ({"a_sh": b"one\ntwo"}, "a.sh changed"),
    "a key moved": (
        {"SKILL_md": "---\ndescription: d\nname: tdd\n---\n# s\n"}, "SKILL.md changed"),
}  # fmt: skip


class TestStale:
    @pytest.mark.parametrize("name", EDITS)
    def test_the_card_says_what_changed_since(self, tdd: Path, name: str) -> None:
        edits, expected = EDITS[name]
        measured_here(tdd)
        old = content_digest(tdd)
        edited(tdd, **edits)
        assert content_digest(tdd) != old
        card = card_of(tdd)
        assert card.reason == f"scored at {label(old)}; since then {expected}"
        assert (card.state, card.receipt, card.source, card.notes) == (STALE, None, None, ())
        assert card.digest == content_digest(tdd)

    def test_line_endings_of_a_windows_checkout_that_was_measured(self, tdd: Path) -> None:
        edited(tdd, a_sh=b"one\r\ntwo\r\n", SKILL_md=MARKDOWN.replace("\n", "\r\n"))
        measured_here(tdd)
        edited(tdd, a_sh=b"one\ntwo\n", SKILL_md=MARKDOWN)
        expected = "only the line endings of SKILL.md and a.sh changed"
        assert card_of(tdd).reason.endswith(f"; since then {expected}")

    def test_bytes_that_look_like_line_endings_in_a_picture_are_content(self, tdd: Path) -> None:
        png = b"\x89PNG\r\n\x1a\n" + b"\x00\r\n\n" * 20
        edited(tdd, a_png=png)
        measured_here(tdd)
        edited(tdd, a_png=png.replace(b"\r\n", b"\n") + b"\x00")
        assert card_of(tdd).reason.endswith("; since then a.png changed")

    def test_a_huge_file_is_not_read_to_compare_line_endings(
        self, tdd: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        measured_here(tdd)
        edited(tdd, a_sh=b"one\r\ntwo\r\n")
        monkeypatch.setattr(cards, "_LARGEST_TEXT", 9)
        assert card_of(tdd).reason.endswith("; since then a.sh changed")
        monkeypatch.setattr(cards, "_LARGEST_TEXT", 10)
        assert card_of(tdd).reason.endswith("; since then only the line endings of a.sh changed")

    def test_undoing_the_edit_brings_the_score_back(self, tdd: Path) -> None:
        data = measured_here(tdd)
        before = card_of(tdd)
        text = (tdd / "SKILL.md").read_bytes()
        edited(tdd, SKILL_md=text + b"\n")
        assert card_of(tdd).state == STALE
        edited(tdd, SKILL_md=text)
        assert card_of(tdd) == before
        assert before.receipt == data

    def test_the_executable_bit_and_assets_never_make_it_stale(self, tdd: Path) -> None:
        data = measured_here(tdd)
        for mode in (0o755, 0o644, 0o700):
            (tdd / "a.sh").chmod(mode)
            assert card_of(tdd)[6:8] == (SCORED, data)
        assert [file.executable for file in measure(tdd).files] == [False, True]

    def test_without_hashes_of_the_files_none_is_named(self, tdd: Path) -> None:
        place = without_manifest(tdd)
        old = content_digest(tdd)
        edited(tdd, a_sh="1")
        expected = f"scored at {label(old)}; since then its bytes changed"
        assert card_of(tdd).reason == expected
        for bad in (b"", b"{", b'{"files": [{"path": "a.sh", "sha256": "0"}]}', b'{"files": []}'):
            (place / "files.json").write_bytes(bad)
            assert card_of(tdd).reason == expected

    def test_another_run_of_those_bytes_may_know_the_files(self, tdd: Path) -> None:
        without_manifest(tdd, THIRD)
        measured_here(tdd, FIRST)
        edited(tdd, a_sh="1")
        assert card_of(tdd).reason.endswith("since then a.sh changed")

    def test_the_newest_of_several_earlier_bytes_is_compared_with(self, tdd: Path) -> None:
        measured_here(tdd, SECOND)
        edited(tdd, a_sh="newest")
        newest = content_digest(tdd)
        measured_here(tdd, THIRD)
        edited(tdd, a_sh="oldest", b_md="")
        measured_here(tdd, FIRST)
        edited(tdd, a_sh="now", b_md=None)
        assert card_of(tdd).reason == f"scored at {label(newest)}; since then a.sh changed"

    def test_a_version_that_was_measured_is_called_by_its_label(self, tdd: Path) -> None:
        measured_here(tdd, skill_id=ID, version="v12")
        edited(tdd, a_sh="1")
        assert card_of(tdd, ID).reason == "scored at v12; since then a.sh changed"

    def test_broken_and_newer_receipts_of_other_bytes_were_no_score(self, tdd: Path) -> None:
        without_manifest(tdd, FIRST, schema_version=3)
        (without_manifest(tdd, SECOND) / "receipt.json").write_bytes(b"{")
        edited(tdd, a_sh="1")
        assert card_of(tdd).state == NONE

    def test_hostile_names_of_files_are_told_as_they_are_and_printed_by_others(
        self, tdd: Path
    ) -> None:
        place = without_manifest(tdd)
        row = {"path": "x\x1b[2J{were}\n", "sha256": "0" * 64}
        rows = [{"path": f.path, "sha256": f.sha256} for f in measure(tdd).files]
        (place / "files.json").write_text(json.dumps({"files": [row, *rows]}))
        edited(tdd, a_sh="1")
        expected = "a.sh changed; x\x1b[2J{were}\n was removed"
        assert card_of(tdd).reason.endswith(expected)


# Skill id and name of the earlier receipt, id that the folder declares, and whether it is stale.
KIN: dict[str, tuple[str | None, str, str | None, bool]] = {
    "same id, other name": (ID, "old-name", ID, True),
    "same id in capitals": (ID.upper(), "tdd", ID, True),
    "same name, receipt without id": (None, "tdd", ID, True),
    "same name, folder without id": (ID, "tdd", None, True),
    "same name, neither has one": (None, "tdd", None, True),
    "same name, other id": (OTHER_ID, "tdd", ID, False),
    "other name, no ids": (None, "old-name", None, False),
    "other name, folder without id": (ID, "old-name", None, False),
    "other name, receipt without id": (None, "old-name", ID, False),
    "name in another case": (None, "TDD", None, False),
}


@pytest.mark.parametrize("name", KIN)
def test_stale_needs_a_receipt_of_the_same_skill(tdd: Path, name: str) -> None:
    skill_id, skill_name, declared, stale = KIN[name]
    measured_here(tdd, skill_id=skill_id, skill_name=skill_name)
    edited(tdd, a_sh="1")
    card = card_of(tdd, declared)
    assert card.state == (STALE if stale else NONE)
    assert card.reason.startswith("scored at " if stale else "nothing measured these bytes")


class TestWords:
    def test_nothing(self) -> None:
        assert cards.describe_changes([]) == "nothing that counts changed"

    def test_a_name_is_no_template(self) -> None:
        found = [Difference("{files}", difference.CHANGED), Difference("%s", difference.ADDED)]
        assert cards.describe_changes(found) == "{files} changed; %s was added"

    @pytest.mark.parametrize(
        ("count", "expected"),
        [
            (1, "a changed"),
            (2, "a and b changed"),
            (3, "a, b and c changed"),
            (4, "a, b, c and 1 more changed"),
            (9, "a, b, c and 6 more changed"),
        ],
    )
    def test_three_names_at_most(self, count: int, expected: str) -> None:
        found = [Difference(path, difference.CHANGED) for path in "abcdefghi"[:count]]
        assert cards.describe_changes(found) == expected

    def test_bits_and_line_endings_are_only_that_when_alone(self) -> None:
        bit, ends = difference.EXECUTABLE, difference.LINE_ENDINGS
        assert cards.describe_changes([Difference("a", bit), Difference("b", bit)]) == (
            "only the executable bit of a and b changed"
        )
        assert cards.describe_changes([Difference("a", bit), Difference("b", ends)]) == (
            "the line endings of b changed; the executable bit of a changed"
        )


def test_reading_cards_writes_nothing(tdd: Path, state: Path) -> None:
    card_of(tdd)
    assert not state.exists()
    measured_here(tdd)
    before = {path: hashlib.sha256(path.read_bytes()).digest() for path in _files(state)}
    edited(tdd, a_sh="1")
    card_of(tdd)
    assert {path: hashlib.sha256(path.read_bytes()).digest() for path in _files(state)} == before


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
