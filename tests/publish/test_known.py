"""What reading found out is kept: believed only where nothing can have changed since."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from publish import known, syncing
from publish.git import MirrorDamaged
from publish.known import BROKEN, NEWER, USABLE, Known, KnownReceipt, KnownVersion
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
PLACE = ReceiptPath(ID, 1, RUN)
TREE = "skills/tdd/v1:" + "a" * 40
BLOB = f"{evals()}:{'b' * 40}"


def filled() -> Known:
    found = Known()
    found.versions[TREE] = KnownVersion(content_digest_of(SKILL), ID, None, ("é\u2028",))
    found.versions[TREE + "1"] = KnownVersion(None, None, 'no "é\ud800\u2028" there.')
    found.receipts[BLOB] = KnownReceipt.of(receipt(SKILL), evals(), PLACE)
    found.receipts[BLOB + "1"] = KnownReceipt.problem_of("broken.")
    return found


def kept(path: Path) -> tuple[dict[str, KnownVersion], dict[str, KnownReceipt]]:
    found = Known.load(path)
    return found.versions, found.receipts


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "acme.known"
    filled().save(path)
    return path


def test_what_is_kept_comes_back_whole(file: Path) -> None:
    assert kept(file) == (filled().versions, filled().receipts)
    found = Known.load(file).receipts[BLOB]
    assert (found.state, found.digest, found.verdict, found.runner) == (
        USABLE, content_digest_of(SKILL), "PASS", "ana",
    )  # fmt: skip
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o600


def test_only_what_is_new_is_written(file: Path) -> None:
    before = file.stat().st_ino, file.stat().st_mtime_ns
    found = Known.load(file)
    found.save(file)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == before
    found.versions["skills/x/v1:0"] = KnownVersion(None, None, "odd.")
    found.save(file)
    assert Known.load(file).versions == {
        **filled().versions,
        "skills/x/v1:0": (None, None, "odd.", ()),
    }


def test_nothing_is_written_where_nothing_is_known(tmp_path: Path) -> None:
    Known().save(tmp_path / "none.known")
    assert not (tmp_path / "none.known").exists()


def test_every_damaged_byte_is_found(file: Path) -> None:
    whole = file.read_bytes()
    damaged = [whole[:end] for end in range(0, len(whole), 3)]
    damaged += [whole + b"\n", whole + whole, b"\n" + whole, whole.replace(b"\n", b"\r\n")]
    for position in range(0, len(whole), 2):
        flipped = bytearray(whole)
        flipped[position] ^= 0x01  # the digit of a digest becomes its neighbour
        damaged.append(bytes(flipped))
    assert len(damaged) > 300
    for data in damaged:
        file.write_bytes(data)
        assert kept(file) == ({}, {}), data


DOCUMENT = json.dumps({"versions": {TREE: [None, None, None]}, "receipts": {}}).encode()


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
def test_files_of_others_are_read_as_nothing_and_replaced(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    found = Known.load(file)
    assert (found.versions, found.receipts) == ({}, {})
    found.versions |= filled().versions
    found.receipts |= filled().receipts
    found.save(file)
    assert kept(file) == (filled().versions, filled().receipts)


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of POSIX")
def test_what_is_no_file_is_read_as_nothing(tmp_path: Path, file: Path) -> None:
    folder, link, pipe = (tmp_path / name for name in ("folder", "link", "pipe"))
    folder.mkdir()
    link.symlink_to(file)
    os.mkfifo(pipe)  # opening it would wait for ever
    for path in (folder, link, pipe, tmp_path / "none", tmp_path / "none" / "x", file / "x"):
        assert kept(path) == ({}, {}), path
    with pytest.raises(StoreError, match="Cannot write"):
        filled().save(folder)
    filled().save(link)
    assert not link.is_symlink()


def test_another_release_judges_anew(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = Known()
    newer.receipts[BLOB] = KnownReceipt.of(receipt(SKILL, schema_version=3), evals(), PLACE)
    assert newer.receipts[BLOB].state == NEWER
    newer.save(file)
    assert kept(file)[1] == newer.receipts
    with monkeypatch.context() as patch:
        patch.setattr(known, "_FORMAT", known._FORMAT + "rc1")
        assert kept(file) == ({}, {})  # that release may know what schema 3 means
        filled().save(file)
        assert kept(file)[1] == filled().receipts
    assert kept(file) == ({}, {})  # and back: what a later one judged counts as little here


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
            second.known = first.known
            for snapshot in (second, first):
                [item] = snapshot.receipts(ID, 1)
                assert item.blob == good.blob
                is_good = snapshot is regular
                assert item.known.state == (USABLE if is_good else BROKEN)
                problem = None if is_good else f"{evals()} is not a regular file."
                assert item.known.problem == problem

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

    def test_sync_fills_it_and_cards_leave_it_alone(self, ada: Machine, host: Host) -> None:
        host("acme").commit(GOOD | TDD | {evals(): receipt(SKILL)})
        path = ada.state / "cache" / "acme.known"
        assert known.path_of("acme") == path
        syncing.sync(None)
        assert [v.digest for v in Known.load(path).versions.values()] == [content_digest_of(SKILL)]
        assert [r.verdict for r in Known.load(path).receipts.values()] == ["PASS"]
        path.unlink()
        assert all_cards(None, None)[0][0].state == "scored"
        assert not path.exists()  # reading writes nothing

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
        path = known.path_of("acme")
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
        said = capsys.readouterr().err
        if data is None:
            assert "note: Cannot write" in said
            assert "The next reading will be slower." in said
        else:
            assert said == ""
            assert Known.load(path).versions

    def test_a_team_of_the_same_name_elsewhere_inherits_no_judgement(
        self, ada: Machine, host: Host, tmp_path: Path
    ) -> None:
        first = host("acme")
        first.commit(GOOD | TDD | {evals(): receipt(SKILL)})
        syncing.sync(None)
        second = Hosted(tmp_path / "elsewhere")
        second.commit(GOOD | TDD | {evals(): receipt(SKILL, verdict="FAIL")})
        # What an unclean leave would keep: the cache of another repository under this name.
        path = known.path_of("acme")
        old = path.read_bytes()
        config_file = ada.state / "config.json"
        config_file.write_text(config_file.read_text().replace(str(first.path), str(second.path)))
        for folder in (ada.state / "mirrors").glob("acme.git"):
            folder.rename(tmp_path / "old-mirror")
        path.write_bytes(old)
        [news] = syncing.sync(None)
        assert [item.verdicts for item in news.new_receipts] == [{"FAIL": 1}]


WRITER = """
import sys
from pathlib import Path
from publish.known import Known, KnownVersion

path, letter, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    known = Known()
    for row in range(400):
        known.versions[f"{letter}{row}"] = KnownVersion(letter * 64, None, None)
    known.save(path)
"""


def test_two_processes_that_write_leave_one_of_their_files(tmp_path: Path) -> None:
    path = tmp_path / "acme.known"
    command = [sys.executable, "-c", WRITER, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [subprocess.Popen([*command, letter, "60"], env=environment) for letter in ("a", "b")]
    seen = []
    deadline = time.monotonic() + 60
    while any(writer.poll() is None for writer in writers) and time.monotonic() < deadline:
        found = Known.load(path).versions
        assert len(found) in (0, 400)
        seen.append({key[0] for key in found})
        assert path.exists() or not found
        if path.exists():
            assert len(Known.load(path).versions) == 400  # once there, it is always whole
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen
    assert all(len(letters) <= 1 for letters in seen)
    assert os.listdir(tmp_path) == ["acme.known"]


def test_two_syncs_at_once_leave_a_whole_cache(tmp_path: Path) -> None:
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
    found = Known.load(ada.state / "cache" / "acme.known").versions
    assert len(found) == 20
    assert sorted(os.listdir(ada.state / "cache")) == ["CACHEDIR.TAG", "acme.known"]
    assert len(ada.json("cards")["cards"]) == 20
