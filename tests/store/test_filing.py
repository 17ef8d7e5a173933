"""Filing: never half a run, never a lost one, whoever is killed and whoever comes at once."""

import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from receipts import jsontext
from receipts.digest import MeasuredFile
from receipts.errors import ReceiptError, StoreError
from receipts.receipt import read_receipt
from receipts.stamping import ROOM, stamp
from store import filing, runs
from store.manifest import measured_files
from tests.store.samples import DIGEST, OTHER, ROOT, RUN, receipt

NEXT = "20260916T042109Z"
AFTER = "20260916T042110Z"
SKILL_ID = "7d444840-9dc0-41d1-b245-5ffdce74fad2"
FILES = (MeasuredFile("SKILL.md", "0" * 64, 3, executable=False),)


def local(state: Path, digest: str = DIGEST) -> Path:
    return state / "evals" / "local" / digest.removeprefix("sha256:")


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_receipt_is_filed_byte_for_byte_and_privately(state: Path) -> None:
    data = receipt(extra={"b": 1, "a": [1.50]}).replace(b"1.5", b"1.50")
    filed = filing.file_receipt(data, FILES)
    assert filed == filing.Filed(local(state) / RUN, RUN, already=False, moved_from=None)
    assert (filed.path / "receipt.json").read_bytes() == data
    assert measured_files(filed.path) == {"SKILL.md": "0" * 64}
    for folder in (filed.path, *list(filed.path.parents)[:4]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((filed.path / "receipt.json").stat().st_mode) == 0o600
    assert names(state / "evals" / "local") == ["ab" * 32]


def test_the_same_receipt_is_filed_once_stamped_or_not(state: Path) -> None:
    filing.file_receipt(receipt())
    again = filing.file_receipt(receipt())
    assert again == filing.Filed(local(state) / RUN, RUN, already=True, moved_from=None)
    stamped = stamp(receipt(), skill_id=SKILL_ID, version="v3")
    assert filing.file_receipt(stamped).already
    assert names(local(state)) == [RUN]
    assert (local(state) / RUN / "receipt.json").read_bytes() == receipt()


def test_files_that_become_known_later_are_added(state: Path) -> None:
    filed = filing.file_receipt(receipt())
    assert measured_files(filed.path) is None
    assert filing.file_receipt(receipt(), FILES).already
    assert measured_files(filed.path) == {"SKILL.md": "0" * 64}


def test_another_run_of_the_same_second_moves_on_and_remembers(state: Path) -> None:
    filing.file_receipt(receipt())
    second = receipt(attribution="another run")
    filed = filing.file_receipt(second)
    assert filed == filing.Filed(local(state) / NEXT, NEXT, already=False, moved_from=RUN)
    document = json.loads((filed.path / "receipt.json").read_bytes())
    assert (document["run_id"], document["original_run_id"]) == (NEXT, RUN)
    again = filing.file_receipt(second)
    assert again == filed._replace(already=True)
    third = filing.file_receipt(receipt(attribution="a third"))
    assert third.run_id == AFTER
    assert [run.run_id for run in runs.runs_of(DIGEST)] == [RUN, NEXT, AFTER]


def test_a_run_that_the_team_moved_is_known_again(state: Path) -> None:
    filing.file_receipt(receipt())
    moved = stamp(receipt(), skill_id=SKILL_ID, version="v1", run_id="20260916T050000Z")
    assert filing.file_receipt(moved).already
    filing.file_receipt(receipt(attribution="another run"))
    other = stamp(
        receipt(attribution="another run"),
        skill_id=SKILL_ID,
        version="v1",
        run_id="20260916T050001Z",
    )
    assert filing.file_receipt(other).run_id == NEXT
    assert names(local(state)) == [RUN, NEXT]


def test_a_moved_run_keeps_the_id_it_was_first_run_under(state: Path) -> None:
    filing.file_receipt(receipt())
    moved = receipt(attribution="x", original_run_id="20260101T000000Z")
    filed = filing.file_receipt(moved)
    document = json.loads((filed.path / "receipt.json").read_bytes())
    assert document["original_run_id"] == "20260101T000000Z"
    nonsense = receipt(attribution="y", original_run_id="../../x")
    filed = filing.file_receipt(nonsense)
    assert json.loads((filed.path / "receipt.json").read_bytes())["original_run_id"] == RUN


@pytest.mark.parametrize("taken", ["unfinished", "file", "link", "broken"])
def test_a_taken_place_is_never_touched(state: Path, tmp_path: Path, taken: str) -> None:
    local(state).mkdir(parents=True)
    place = local(state) / RUN
    if taken == "unfinished":
        place.mkdir()
    elif taken == "file":
        place.write_text("")
    elif taken == "link":
        place.symlink_to(tmp_path / "nowhere")
    else:
        place.mkdir()
        (place / "receipt.json").write_bytes(b"{")
    before = os.lstat(place)
    assert filing.file_receipt(receipt()).run_id == NEXT
    assert os.lstat(place) == before
    assert not (tmp_path / "nowhere").exists()


def test_no_second_is_free_behind_the_last(state: Path) -> None:
    last = "99999999T999999Z"
    filing.file_receipt(receipt(run_id=last))
    assert filing.file_receipt(receipt(run_id=last)).already
    with pytest.raises(ReceiptError, match="There is no free run id"):
        filing.file_receipt(receipt(run_id=last, attribution="x"))
    assert names(local(state).parent) == ["ab" * 32]


def test_a_run_that_moved_elsewhere_is_filed_once_whichever_copy_comes_first(state: Path) -> None:
    mine = receipt()
    moved = stamp(mine, skill_id=SKILL_ID, version="v1", run_id=AFTER)  # NEXT stays free
    for digest, copies in ((DIGEST, (mine, moved)), (OTHER, (moved, mine))):
        first, second = (data.replace(DIGEST.encode(), digest.encode()) for data in copies)
        place = filing.file_receipt(first).path
        filed = filing.file_receipt(second)
        assert (filed.path, filed.already) == (place, True)
        assert (place / "receipt.json").read_bytes() == first
        assert names(local(state, digest)) == [place.name]


def test_a_copy_that_a_team_scrubbed_is_no_second_run(state: Path) -> None:
    filing.file_receipt(receipt(attribution="logged in with hunter2"))
    assert filing.file_receipt(receipt(attribution="logged in with [redacted]")).already
    assert filing.file_receipt(receipt(attribution="logged in as [redacted]")).run_id == NEXT


def test_a_receipt_is_filed_only_with_room_for_a_stamp(state: Path) -> None:
    largest = jsontext.LIMIT - ROOM
    fill = "x" * (largest - len(receipt(pad="")))
    with pytest.raises(ReceiptError, match=r"1,047,553 bytes, more than the 1,047,552 that leave"):
        filing.file_receipt(receipt(pad=fill + "x"))
    assert not state.exists()
    filing.file_receipt(receipt(pad=fill))
    moved = filing.file_receipt(receipt(pad=fill[:-1] + "y"))
    assert moved.run_id == NEXT
    stamped = stamp((moved.path / "receipt.json").read_bytes(), skill_id=SKILL_ID, version="v1")
    assert read_receipt(stamped).receipt is not None
    assert len(runs.runs_of(DIGEST)) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "The receipt is not valid: not JSON"),
        (receipt(verdict=5), "The receipt is not valid: verdict"),
        (b'{"schema_version":3}', "names no content digest"),
        (b'{"schema_version":3,"content_digest":"%s"}' % DIGEST.encode(), "names no run id"),
    ],
)
def test_what_names_no_place_is_refused_and_makes_nothing(
    state: Path, data: bytes, said: str
) -> None:
    with pytest.raises(ReceiptError, match=said):
        filing.file_receipt(data)
    assert not state.exists()


def test_a_newer_receipt_is_kept_and_moves_like_any_other(state: Path) -> None:
    filing.file_receipt(receipt())
    newer = receipt(schema_version=3, verdict="GREAT")
    assert filing.file_receipt(newer).run_id == NEXT
    assert [run.file.newer for run in runs.runs_of(DIGEST)] == [False, True]


def test_a_claim_is_exclusive_and_unfinished_until_it_has_a_receipt(state: Path) -> None:
    first = filing.claim(DIGEST, RUN)
    second = filing.claim(DIGEST, RUN)
    other = filing.claim(OTHER, RUN)
    assert [place.name for place in (first, second, other)] == [RUN, NEXT, RUN]
    assert {item.kind for item in runs.survey().left_out} == {runs.UNFINISHED}
    assert filing.file_receipt(receipt()).run_id == AFTER
    assert names(first) == []
    with pytest.raises(ReceiptError, match="is not a run id"):
        filing.claim(DIGEST, "../x")
    with pytest.raises(ReceiptError, match="is not a content digest"):
        filing.claim("../x", RUN)


def test_a_failed_write_leaves_nothing(state: Path) -> None:
    filing.file_receipt(receipt())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(StoreError, match="larger than is allowed"):
            filing.file_receipt(receipt(OTHER, pad="x" * 20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(local(state).parent) == ["ab" * 32, "cd" * 32]
    assert names(local(state, OTHER)) == []
    assert runs.survey(OTHER) == runs.Survey([], [])
    assert not filing.file_receipt(receipt(OTHER, pad="x" * 20_000)).already


def test_a_file_where_the_store_should_be_is_said(state: Path) -> None:
    state.mkdir()
    (state / "evals").write_text("")
    with pytest.raises(StoreError, match=r"Cannot make the folder .*evals: file exists"):
        filing.file_receipt(receipt())


FILE_ONE = """
import sys
from store import filing
data = open(sys.argv[1], 'rb').read()
print('ready', flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    filed = filing.file_receipt(data)
print(filed.run_id, filed.already)
"""


def start(path: Path, times: int) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-c", FILE_ONE, str(path), str(times)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_different_runs_filed_at_once_are_all_kept(state: Path, tmp_path: Path) -> None:
    inputs = []
    for number in range(6):
        inputs.append(tmp_path / f"{number}.json")
        inputs[-1].write_bytes(receipt(attribution=f"run {number % 3}"))
    processes = [start(path, 5) for path in inputs]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        _, stderr = process.communicate(timeout=60)
        # On a busy machine a writer waits for the others long enough to say so.
        said = [line for line in stderr.splitlines() if not line.startswith(b"Waiting for another")]
        assert (process.returncode, said) == (0, [])
    found = runs.survey()
    assert found.left_out == []
    assert [run.run_id for run in found.runs] == [RUN, NEXT, AFTER]
    texts = {json.loads(run.file.data)["attribution"] for run in found.runs}
    assert texts == {"run 0", "run 1", "run 2"}


def test_filing_killed_200_times_never_loses_or_half_shows_a_run(
    state: Path, tmp_path: Path
) -> None:
    """Each kill falls at another instant: in the write, the rename, the lock or between them."""
    (tmp_path / "in.json").write_bytes(receipt(pad="x" * 50_000))
    done, kills, seen = 0, 0, 0
    while kills < 200:
        # A process of its own for every kill would spend its time starting; the children of one
        # that has imported everything already start at once.
        forker = subprocess.Popen(
            [sys.executable, "-c", FORKER, str(tmp_path / "in.json"), str(done), "40"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        stdout, stderr = forker.communicate(timeout=120)
        assert (forker.returncode, stderr) == (0, b"")
        reported = [int(line) for line in stdout.split()]
        done = max(reported, default=done - 1) + 1
        kills += 40
        found = runs.survey()
        assert {item.kind for item in found.left_out} <= {runs.UNFINISHED}
        assert all(item.path.name.startswith(".filing-") for item in found.left_out)
        texts = [json.loads(run.file.data)["attribution"] for run in found.runs]
        assert len(set(texts)) == len(texts)
        assert {f"run {number}" for number in reported} <= set(texts)
        seen = len(texts)
    assert seen >= done > 0
    filing.file_receipt(receipt(OTHER))
    assert runs.survey().left_out == []


FORKER = """
import json, os, signal, sys, time
import filelock
from store import filing, runs
document = json.load(open(sys.argv[1]))
number, kills = int(sys.argv[2]), int(sys.argv[3])
import receipts.receipt
for kill in range(kills):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        while True:
            document['attribution'] = f'run {number}'
            filing.file_receipt(json.dumps(document).encode())
            os.write(writer, f'{number}\\n'.encode())
            number += 1
    os.close(writer)
    time.sleep(0.004 + kill * 0.0007)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reader) as lines:
        finished = [int(line) for line in lines]
    # The one that was being filed may or may not have arrived; filing it again must find it.
    number = finished[-1] + 1 if finished else number
    for done in finished:
        print(done)
"""
