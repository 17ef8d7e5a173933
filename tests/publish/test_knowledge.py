"""What reading found out is kept: believed only where nothing can have changed since."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from publish import knowledge, syncing
from publish.git import MirrorDamaged
from publish.knowledge import Knowledge
from publish.known import (
    BROKEN,
    NEWER,
    USABLE,
    Judged,
    KnownFolder,
    KnownReceipt,
    KnownVersion,
)
from publish.layout import ReceiptPath
from publish.showing import all_cards
from publish.snapshot import Snapshot
from receipts.digest import content_digest_of
from receipts.errors import StoreError
from tests.members import ROOT, Member
from tests.publish.conftest import Hosted, Machine, ReadTree
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

Host = Callable[[str], Hosted]

GOOD: Files = {"team.json": team(), "people/ada.json": person()}
SKILL = {"SKILL.md": skill_md(), "a.sh": b"true\n"}
TDD: Files = {f"skills/tdd/v1/{path}": data for path, data in SKILL.items()}
RUN = "20260916T042108Z"
SECOND = "20260916T042109Z"
PLACE = ReceiptPath(ID, 1, RUN)
TREE, BELOW, BLOB = "a" * 40, "b" * 40, "c" * 40
NAMES = ["tdd", "odd", "é", "x" * 64]
Found = dict[str, object]


def filled(folder: Path | None = None) -> Knowledge:
    """Know something of each kind, of several skills."""
    found = Knowledge(folder)
    for name in NAMES:
        versions: KnownFolder[KnownVersion] = KnownFolder(TREE, {1: BELOW, 2: "", 3: BELOW})
        versions.found[1] = KnownVersion(content_digest_of(SKILL), ID, None, ("é\u2028",))
        versions.found[2] = KnownVersion(None, None, f'no "é\ud800\u2028" there in {name}.')
        found.versions.put(name, versions)
        receipts: KnownFolder[tuple[Judged, ...]] = KnownFolder(TREE, {1: BELOW, 7: BELOW})
        good = KnownReceipt.of(receipt(SKILL), evals(), PLACE)
        bad = KnownReceipt.problem_of(f"broken {name}.")
        receipts.found[1] = Judged(RUN, BLOB, good), Judged(RUN, TREE, bad)
        found.receipts.put(name, receipts)
        found.consistent.put(name, BLOB)
    return found


def contents(found: Knowledge) -> Found:
    """Return all that is known by the names."""

    def plain(folder: KnownFolder[KnownVersion] | KnownFolder[tuple[Judged, ...]] | None) -> object:
        return folder and (folder.tree, dict(folder.numbers), dict(folder.found))

    shelves: Found = {}
    for name in NAMES:
        shelves[f"versions of {name}"] = plain(found.versions.get(name))
        shelves[f"receipts of {name}"] = plain(found.receipts.get(name))
        shelves[f"consistent {name}"] = found.consistent.get(name)
    return {what: known for what, known in shelves.items() if known is not None}


def kept(folder: Path) -> Found:
    return contents(Knowledge(folder))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "acme"
    filled(path).save()
    return path


def test_what_is_kept_comes_back_whole(folder: Path) -> None:
    assert kept(folder) == contents(filled())
    assert len(contents(filled())) == 3 * len(NAMES)
    found = Knowledge(folder).receipts.get("tdd")
    assert found is not None
    [(run_id, blob, known), bad] = found.found[1]
    assert (run_id, blob, bad.known.problem) == (RUN, BLOB, "broken tdd.")
    assert (known.state, known.digest, known.verdict, known.runner) == (
        USABLE, content_digest_of(SKILL), "PASS", "ana",
    )  # fmt: skip
    assert os.name != "posix" or {p.stat().st_mode & 0o777 for p in folder.iterdir()} == {0o600}


def test_only_what_is_new_is_written(folder: Path) -> None:
    def written() -> dict[str, tuple[int, int]]:
        return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.iterdir()}

    before = written()
    found = Knowledge(folder)
    assert not found.has_grown
    found.save()
    assert written() == before
    found.consistent.put("new", BLOB)
    found.versions.put("new", KnownFolder(TREE, {}))
    assert found.has_grown
    found.save()
    assert not found.has_grown
    changed = {name for name, state in written().items() if before[name] != state}
    assert changed == {"versions", "consistent"}
    assert kept(folder) == contents(filled())
    assert Knowledge(folder).consistent.get("new") == BLOB


def test_no_more_is_read_than_is_asked_for(folder: Path) -> None:
    parts = {p.name for p in folder.iterdir()}
    assert len([name for name in parts if name.startswith("receipts-")]) == len(NAMES)
    for path in folder.iterdir():
        if not path.name.startswith("receipts-"):
            path.unlink()
    found = Knowledge(folder)
    assert found.versions.get("tdd") is None
    assert found.receipts.get("tdd") is not None
    for path in folder.iterdir():
        path.unlink()
    assert found.receipts.get("tdd") is not None  # in memory
    assert found.receipts.get("odd") is None


def test_a_name_that_was_not_asked_for_is_kept_all_the_same(folder: Path) -> None:
    found = Knowledge(folder)
    for name in NAMES[:2]:
        found.receipts.put(name, KnownFolder("d" * 40, {}))
    found.save()
    assert contents(found).keys() == kept(folder).keys() == contents(filled()).keys()
    assert [kept(folder)[f"receipts of {name}"] for name in NAMES] == [
        ("d" * 40, {}, {}),
        ("d" * 40, {}, {}),
        *(contents(filled())[f"receipts of {name}"] for name in NAMES[2:]),
    ]


def test_nothing_is_written_where_nothing_is_known(tmp_path: Path) -> None:
    Knowledge(tmp_path / "none").save()
    assert not (tmp_path / "none").exists()
    filled(None).save()  # nowhere to keep it
    assert os.listdir(tmp_path) == []


def test_every_damaged_byte_is_found(folder: Path) -> None:
    whole = contents(filled())
    count = 0
    for path in folder.iterdir():
        # Without this file, and whatever that file holds, nothing else is known than was.
        good = path.read_bytes()
        path.unlink()
        without = kept(folder)
        assert without.items() < whole.items()
        damaged = [good[:end] for end in range(0, len(good), 5)]
        damaged += [good + b"\n", good + good, b"\n" + good, good.replace(b"\n", b"\r\n")]
        for position in range(0, len(good), 3):
            flipped = bytearray(good)
            flipped[position] ^= 0x01  # the digit of a digest becomes its neighbour
            damaged.append(bytes(flipped))
        for data in damaged:
            path.write_bytes(data)
            assert kept(folder) == without, data
        count += len(damaged)
        path.write_bytes(good)
    assert count > 1_000
    assert kept(folder) == whole


DOCUMENT = json.dumps({"tdd": [TREE, [[1, BELOW, [None, None, None]]]]}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\0" * 4096,
        b"\xff\xfe\n{}",
        b"{}",
        b"[" * 200_000,  # deeper than Python's own reader goes
        b'{"format":' + b"9" * 5000 + b"}",
        DOCUMENT,
        b"0" * 64 + b"\n" + DOCUMENT,
        b'{"format":"1 of 0.1.0","versions":{},"receipts":{}}',  # as it was written once
        b"SQLite format 3\0",
    ],
    ids=lambda data: repr(data[:20]),
)
def test_files_of_others_are_read_as_nothing_and_replaced(folder: Path, data: bytes) -> None:
    for path in folder.iterdir():
        path.write_bytes(data)
    assert kept(folder) == {}
    filled(folder).save()
    assert kept(folder) == contents(filled())


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of POSIX")
@pytest.mark.parametrize("body", [b"[]", b'{"tdd": 7}', b'{"tdd": [1, [2]]}', b"[" * 100_000])
def test_another_shape_under_our_seal_is_read_as_nothing(folder: Path, body: bytes) -> None:
    for path in folder.iterdir():
        if path.name != "consistent":
            path.write_bytes(knowledge._seal_of(body) + b"\n" + body)
    found = Knowledge(folder)
    assert (found.versions.get("tdd"), found.receipts.get("tdd")) == (None, None)
    filled(folder).save()
    assert kept(folder) == contents(filled())


def test_what_is_no_file_is_read_as_nothing(tmp_path: Path, folder: Path) -> None:
    for path in list(folder.iterdir()):
        os.replace(path, tmp_path / path.name)
        path.mkdir()
    assert kept(folder) == {}
    with pytest.raises(StoreError, match="Cannot write"):
        filled(folder).save()
    for path in list(folder.iterdir()):
        path.rmdir()
        path.symlink_to(tmp_path / path.name)
    assert kept(folder) == {}
    filled(folder).save()
    assert not any(path.is_symlink() for path in folder.iterdir())
    for path in list(folder.iterdir()):
        path.unlink()
        os.mkfifo(path)  # opening it would wait for ever
    assert kept(folder) == {}
    for place in (tmp_path / "none", tmp_path / "none" / "x", tmp_path / "versions"):
        assert kept(place) == {}, place
    with pytest.raises(StoreError):
        filled(tmp_path / "versions").save()  # a file


def test_another_release_judges_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = KnownReceipt.of(receipt(SKILL, schema_version=3), evals(), PLACE)
    assert newer.state == NEWER
    with monkeypatch.context() as patch:
        patch.setattr(knowledge, "_FORMAT", knowledge._FORMAT + "rc1")
        assert kept(folder) == {}  # that release may know what schema 3 means
        filled(folder).save()
        assert kept(folder) == contents(filled())
    assert kept(folder) == {}  # and back: what a later one judged counts as little here


def test_judging_a_receipt_names_what_is_wrong() -> None:
    def judged(data: bytes) -> KnownReceipt:
        return KnownReceipt.of(data, "P", PLACE)

    assert judged(receipt(SKILL)).problem is None
    assert judged(receipt(SKILL, skill_id=ID.upper())).state == USABLE
    misfiled = "misfiled receipt P: its skill id, version or run id disagrees."
    for fields in ({"skill_id": OTHER_ID}, {"skill_id": None}, {"version": 2}):
        assert judged(receipt(SKILL, **fields)) == (BROKEN, misfiled, None, "", "", "")
    assert judged(receipt(SKILL, "20260916T042109Z")).problem == misfiled
    newer = judged(receipt(SKILL, schema_version=7, verdict="EXCELLENT"))
    assert newer.problem == "P is newer than this version of receipts."
    assert (newer.state, newer.digest, newer.verdict) == (NEWER, content_digest_of(SKILL), "")
    broken = judged(receipt(SKILL)[:-9]).problem or ""
    assert broken.startswith("schema-invalid receipt P: not JSON")


class TestKeys:
    def test_what_is_known_is_not_read_again(self, tmp_path: Path, read_tree: ReadTree) -> None:
        first = read_tree(GOOD | TDD | {evals(): receipt(SKILL)})
        [version], [one] = list(first.versions("tdd")), first.receipts(ID, 1)
        _lose_blobs(tmp_path / "tree.git")
        again = Snapshot(first.view, first.known)
        assert (list(again.versions("tdd")), again.receipts(ID, 1)) == ([version], [one])
        with pytest.raises(MirrorDamaged):
            list(Snapshot(first.view).versions("tdd"))

    def test_one_changed_byte_is_another_key(self, read_tree: ReadTree) -> None:
        first = read_tree(GOOD | TDD | {evals(): receipt(SKILL)})
        assert first.receipts(ID, 1)[0].known.state == USABLE
        assert first.version("tdd", 1).digest == content_digest_of(SKILL)
        changed: Files = {"skills/tdd/v1/a.sh": b"false\n", evals(): receipt(SKILL)[:-9]}
        second = read_tree(GOOD | TDD | changed)
        second.known = first.known
        expected = content_digest_of({**SKILL, "a.sh": b"false\n"})
        assert second.version("tdd", 1).digest == expected
        assert second.receipts(ID, 1)[0].known.state == BROKEN

    def test_a_problem_names_the_version_that_has_it(self, read_tree: ReadTree) -> None:
        # The same tree in two places, and at a third one later.
        bad = LINK, b"/etc/passwd"
        found = read_tree(GOOD | {"skills/a/v1/x": bad, "skills/b/v1/x": bad})
        later = read_tree(GOOD | {"skills/c/v7/x": bad})
        later.known = found.known
        versions = [found.version("a", 1), found.version("b", 1), later.version("c", 7)]
        assert [version.problem for version in versions] == [
            f"skills/{place}/x is a symbolic link or a submodule; refused."
            for place in ("a/v1", "b/v1", "c/v7")
        ]

    @pytest.mark.parametrize("mode", [LINK, SUBMODULE])
    def test_the_same_blob_as_a_link_is_no_receipt(self, read_tree: ReadTree, mode: bytes) -> None:
        data = receipt(SKILL)
        regular = read_tree(GOOD | TDD | {evals(): data})
        [good] = regular.receipts(ID, 1)
        odd: Files = {evals(): (mode, good.blob if mode == SUBMODULE else data)}
        linked = read_tree(GOOD | TDD | odd)
        for first, second in ((regular, linked), (linked, regular)):
            known = Knowledge()
            for tree in (first, second, first):
                [item] = Snapshot(tree.view, known).receipts(ID, 1)
                assert item.blob == good.blob
                is_good = tree is regular
                assert item.known.state == (USABLE if is_good else BROKEN)
                problem = None if is_good else f"{evals()} is not a regular file."
                assert item.known.problem == problem

    def test_a_submodule_with_the_id_of_a_known_tree_is_no_folder(
        self, read_tree: ReadTree
    ) -> None:
        good = read_tree(GOOD | TDD | {evals(): receipt(SKILL)})
        ids = [good.view.tree_id(path) for path in (b"skills/tdd/v1", b"evals/%s/v1" % ID.encode())]
        modules = dict(zip(("skills/tdd/v1", f"evals/{ID}/v1"), ids, strict=True))
        odd: Files = {path: (SUBMODULE, name) for path, name in modules.items() if name}
        assert len(odd) == 2
        linked = read_tree(GOOD | odd)
        for first, second in ((good, linked), (linked, good)):
            known = Knowledge()
            for tree in (first, second, first):
                found = Snapshot(tree.view, known)
                version = found.version("tdd", 1)
                assert len(found.receipts(ID, 1)) == (tree is good)
                assert version.digest == (content_digest_of(SKILL) if tree is good else None)
                assert version.problem == (
                    None if tree is good else "skills/tdd/v1 is not a folder."
                )

    def test_what_is_past_is_not_kept(self, read_tree: ReadTree) -> None:
        old = read_tree(GOOD | TDD | {evals(): receipt(SKILL)})
        new = read_tree(
            GOOD | TDD | {evals(): receipt(SKILL), evals(SECOND): receipt(SKILL, SECOND)}
        )
        known = Knowledge()
        for view, is_past, count in ((new.view, False, 2), (old.view, True, 1)):
            found = Snapshot(view, known, is_past=is_past)
            assert len(found.receipts(ID, 1)) == count
            kept = known.receipts.get(ID)
            assert kept is not None
            assert len(kept.found[1]) == 2

    def test_executable_and_plain_are_one_receipt(self, read_tree: ReadTree) -> None:
        found = read_tree(GOOD | TDD | {evals(): (EXECUTABLE, receipt(SKILL))})
        assert found.receipts(ID, 1)[0].known.state == USABLE

    def test_a_huge_skill_md_hides_no_other_version(self, read_tree: ReadTree) -> None:
        huge = skill_md(skill_id=OTHER_ID) + b"x" * (17 << 20)
        found = read_tree(GOOD | TDD | {"skills/big/v1/SKILL.md": huge})
        assert found.skills() == ["big", "tdd"]
        problem = found.version("big", 1).problem or ""
        assert problem.startswith("big v1: SKILL.md is 17825")
        assert problem.endswith("bytes, more than the 8388608 that can be measured.")
        assert found.owner_of(ID) == "tdd"


def _lose_blobs(repository: Path) -> None:
    for path in repository.glob("objects/??/*"):
        name = path.parent.name + path.name
        done = subprocess.run(
            ["git", "-C", str(repository), "cat-file", "-t", name], capture_output=True, text=True
        )
        if done.stdout == "blob\n":
            path.unlink()


class TestOnThisMachine:
    """The file where commands keep it."""

    def test_sync_and_cards_keep_what_they_find(self, ada: Machine, host: Host) -> None:
        host("acme").commit(GOOD | TDD | {evals(): receipt(SKILL)})
        path = ada.state / "cache" / "known" / "acme"
        assert knowledge.folder_of("acme") == path
        syncing.sync(None)
        found = Knowledge(path)
        versions, receipts = found.versions.get("tdd"), found.receipts.get(ID)
        assert versions is not None
        assert receipts is not None
        assert versions.found[1].digest == content_digest_of(SKILL)
        assert [item.known.verdict for item in receipts.found[1]] == ["PASS"]
        shutil.rmtree(path)
        assert all_cards(None, None)[0][0].state == "scored"
        assert contents(Knowledge(path)) == contents(found)
        assert Knowledge(path).consistent.get("tdd") is not None
        before = {p: p.stat().st_ino for p in path.iterdir()}
        assert all_cards(None, None)[0][0].state == "scored"
        assert {p: p.stat().st_ino for p in path.iterdir()} == before

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
    def test_cards_say_nothing_where_nothing_can_be_kept(
        self, ada: Machine, host: Host, capsys: pytest.CaptureFixture[str]
    ) -> None:
        host("acme").commit(GOOD | TDD | {evals(): receipt(SKILL)})
        syncing.sync(None)
        shutil.rmtree(ada.state / "cache")
        ada.state.chmod(0o500)
        assert all_cards(None, None)[0][0].state == "scored"
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize(
        "data", [b"", b"[" * 100_000, b"\0" * 99, DOCUMENT, None], ids=lambda data: repr(data)[:9]
    )
    def test_a_bad_file_changes_no_answer(
        self, host: Host, capsys: pytest.CaptureFixture[str], data: bytes | None
    ) -> None:
        acme = host("acme")
        acme.commit(GOOD | TDD | {evals(): receipt(SKILL)})
        syncing.sync(None)
        before = all_cards(None, None)
        kept = [path for path in knowledge.folder_of("acme").iterdir() if path.is_file()]
        for path in kept:
            if data is None:
                path.unlink()
                path.mkdir()
            else:
                path.write_bytes(data)
        assert all_cards(None, None) == before
        acme.commit(GOOD | TDD | {evals(): receipt(SKILL), "people/bob.json": b"{"})
        [news] = syncing.sync(None)
        assert news.failure is None
        assert [line.split(" ")[0] for line in news.unreadable] == ["people/bob.json"]
        acme.commit(GOOD | TDD | {evals(): receipt(SKILL), evals(SECOND): receipt(SKILL, SECOND)})
        [news] = syncing.sync(None)
        assert [item.verdicts for item in news.new_receipts] == [{"PASS": 1}]
        said = capsys.readouterr().err
        if data is None:
            assert "note: Cannot write" in said
            assert "The next reading will be slower." in said
        else:
            assert said == ""
            assert len(all_cards(None, None)[0]) == len(before[0])

    def test_a_team_of_the_same_name_elsewhere_inherits_no_judgement(
        self, ada: Machine, host: Host, tmp_path: Path
    ) -> None:
        first = host("acme")
        first.commit(GOOD | TDD | {evals(): receipt(SKILL)})
        syncing.sync(None)
        second = Hosted(tmp_path / "elsewhere")
        second.commit(GOOD | TDD | {evals(): receipt(SKILL, verdict="FAIL")})
        # What an unclean leave would keep: the cache of another repository under this name.
        path = knowledge.folder_of("acme")
        old = {file: file.read_bytes() for file in path.iterdir()}
        config_file = ada.state / "config.json"
        config_file.write_text(config_file.read_text().replace(str(first.path), str(second.path)))
        for folder in (ada.state / "mirrors").glob("acme.git"):
            folder.rename(tmp_path / "old-mirror")
        for file, data in old.items():
            file.write_bytes(data)
        [news] = syncing.sync(None)
        assert [item.verdicts for item in news.new_receipts] == [{"FAIL": 1}]


WRITER = """
import sys
from pathlib import Path
from publish.knowledge import Knowledge
from publish.known import KnownFolder, KnownVersion

path, letter, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    known = Knowledge(path)
    for row in range(400):
        folder = KnownFolder(letter * 40, {1: letter * 40})
        folder.found[1] = KnownVersion(letter * 64, None, None)
        known.versions.put(f"s{row}", folder)
    known.save()
"""


def test_two_processes_that_write_leave_one_of_their_files(tmp_path: Path) -> None:
    path = tmp_path / "acme"
    command = [sys.executable, "-c", WRITER, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [subprocess.Popen([*command, letter, "60"], env=environment) for letter in ("a", "b")]
    seen = []
    deadline = time.monotonic() + 60
    while any(writer.poll() is None for writer in writers) and time.monotonic() < deadline:
        was_there = (path / "versions").exists()
        found = Knowledge(path)
        trees = [known.tree for row in range(400) if (known := found.versions.get(f"s{row}"))]
        assert len(trees) == 400 if was_there else len(trees) in (0, 400)  # always whole
        seen.append(set(trees))
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen
    assert all(len(trees) <= 1 for trees in seen)
    assert os.listdir(path) == ["versions"]


def test_syncs_at_once_leave_a_whole_cache(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "acme")
    skills: Files = {
        f"skills/s{number}/v1/SKILL.md": skill_md(f"s{number}", None) for number in range(20)
    }
    hosted.commit(GOOD | skills)
    ada = Member(tmp_path, "ada")
    ada.state.mkdir()
    teams = {"acme": {"remote": str(hosted.path), "handle": "ada"}}
    (ada.state / "config.json").write_text(json.dumps({"teams": teams}))
    with ThreadPoolExecutor() as pool:
        ran = list(pool.map(lambda _: ada.run("sync", "--json"), range(3)))
    # On a busy machine one waits for the others long enough to say so.
    said = [
        line
        for done in ran
        for line in done.err.splitlines()
        if not line.startswith("Waiting for another")
    ]
    assert ([done.code for done in ran], said) == ([0, 0, 0], [])
    found = Knowledge(ada.state / "cache" / "known" / "acme")
    assert all(found.versions.get(f"s{number}") for number in range(20))
    assert sorted(os.listdir(ada.state / "cache")) == ["CACHEDIR.TAG", "known"]
    assert len(ada.json("cards")["cards"]) == 20
