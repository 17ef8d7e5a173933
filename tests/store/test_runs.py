import os
from pathlib import Path

import pytest

from receipts.errors import ReceiptError
from store import runs
from tests.store.samples import DIGEST, OTHER, RUN, put, receipt

EARLIER = "20260101T000000Z"
LATER = "20260917T000000Z"


def kinds(found: runs.Survey) -> list[tuple[str, str]]:
    return [(item.kind, item.why) for item in found.left_out]


def test_an_empty_store_is_empty_and_reading_makes_nothing(state: Path) -> None:
    assert runs.survey() == runs.Survey([], [])
    assert runs.runs_of(DIGEST) == runs.all_runs() == runs.find_run(RUN) == []
    assert not state.exists()


def test_runs_are_found_by_digest_and_run_id_newest_last(state: Path) -> None:
    for digest, run_id in [(DIGEST, LATER), (DIGEST, EARLIER), (OTHER, RUN), (OTHER, EARLIER)]:
        put(state, receipt(digest, run_id), digest, run_id)
    assert [run.run_id for run in runs.runs_of(DIGEST)] == [EARLIER, LATER]
    assert [run.run_id for run in runs.all_runs()] == [EARLIER, EARLIER, RUN, LATER]
    assert [run.digest for run in runs.find_run(EARLIER)] == [DIGEST, OTHER]
    run = runs.runs_of(OTHER)[-1]
    assert run.file.data == receipt(OTHER, RUN)
    assert run.path == state / "evals" / "local" / ("cd" * 32) / RUN


def test_a_run_id_that_is_no_time_is_not_the_newest(state: Path) -> None:
    for run_id in ("99999999T999999Z", "29990101T000000Z"):
        put(state, receipt(run_id=run_id, provenance=PROVENANCE), run_id=run_id)
    put(state, receipt())
    assert runs.runs_of(DIGEST)[-1].run_id == RUN


def test_a_newer_receipt_is_kept_and_says_so(state: Path) -> None:
    put(state, receipt(schema_version=3))
    (run,) = runs.runs_of(DIGEST)
    assert run.file.newer
    assert run.file.receipt is None


def test_unfinished_runs_are_named(state: Path) -> None:
    place = put(state, receipt())
    (place / "receipt.json").unlink()
    (place / "run.jsonl").write_text("{}")
    leftover = state / "evals" / "local" / ".filing-12"
    leftover.mkdir()
    found = runs.survey()
    assert found.runs == []
    assert [(item.path, item.kind) for item in found.left_out] == [
        (leftover, runs.UNFINISHED),
        (place, runs.UNFINISHED),
    ]
    assert "killed" in found.left_out[0].why
    assert found.left_out[1].run_id == RUN
    assert runs.unreadable_line(found.left_out) is None


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (b"", runs.UNREADABLE, "not JSON"),
        (b"[]", runs.UNREADABLE, "the document: must be a map"),
        (b"{}", runs.UNREADABLE, "is missing"),
        (receipt()[:200], runs.UNREADABLE, "not JSON"),
        (b"\xef\xbb\xbf" + receipt(), runs.UNREADABLE, "byte order mark"),
        (receipt(verdict=5), runs.UNREADABLE, "verdict"),
        (b" " * (1 << 20) + receipt(), runs.UNREADABLE, "more than the 1,048,576 bytes"),
        (b"\x00" * 100, runs.UNREADABLE, "not JSON"),
        (b"[" * 100_000, runs.UNREADABLE, "nested"),
        (receipt(OTHER), runs.MISFILED, f"its receipt is of other bytes ({OTHER})"),
        (receipt(run_id=LATER), runs.MISFILED, f"its receipt has another run id ({LATER})"),
        (b'{"schema_version":3}', runs.MISFILED, "its receipt names no content digest"),
    ],
)
def test_a_bad_receipt_is_named_and_hides_nothing(
    state: Path, data: bytes, kind: str, said: str
) -> None:
    put(state, data)
    put(state, receipt(run_id=EARLIER), run_id=EARLIER)
    found = runs.survey(DIGEST)
    assert [run.run_id for run in found.runs] == [EARLIER]
    ((found_kind, why),) = kinds(found)
    assert found_kind == kind
    assert said in why
    assert runs.unreadable_line(found.left_out) == (
        f"1 local eval run(s) of these exact bytes could not be read ({RUN}), "
        "so they were not considered."
    )


def test_a_schema_1_receipt_can_match_no_bytes(state: Path) -> None:
    data = receipt(schema_version=1).replace(f'"content_digest": "{DIGEST}",'.encode(), b"")
    put(state, data)
    assert kinds(runs.survey()) == [(runs.MISFILED, "its receipt names no content digest")]


def test_links_are_refused(state: Path, tmp_path: Path) -> None:
    elsewhere = put(tmp_path / "elsewhere", receipt())
    place = put(state, receipt(run_id=EARLIER), run_id=EARLIER)
    (place.parent / RUN).symlink_to(elsewhere)
    (place.parent.parent / ("cd" * 32)).symlink_to(elsewhere.parent)
    (place.parent / LATER).mkdir()
    (place.parent / LATER / "receipt.json").symlink_to(elsewhere / "receipt.json")
    found = runs.survey()
    assert [run.run_id for run in found.runs] == [EARLIER]
    assert [kind for kind, _ in kinds(found)] == [runs.MISFILED, runs.UNREADABLE, runs.MISFILED]


def test_strangers_are_named_and_desktop_files_are_not(state: Path) -> None:
    place = put(state, receipt())
    for folder in (place.parent, place.parent.parent):
        (folder / ".DS_Store").write_text("")
        (folder / "Thumbs.db").write_text("")
        (folder / "notes").write_text("")
        (folder / ("AB" * 32)).mkdir()
    os.mkfifo(place.parent / LATER)
    found = runs.survey()
    assert len(found.runs) == 1
    assert sorted(item.path.name for item in found.left_out) == [
        LATER,
        "AB" * 32,
        "AB" * 32,
        "notes",
        "notes",
    ]
    assert {item.kind for item in found.left_out} == {runs.MISFILED}


def test_a_file_in_the_place_of_a_folder_is_named(state: Path) -> None:
    local = state / "evals" / "local"
    local.mkdir(parents=True)
    (local / ("ab" * 32)).write_text("")
    ((kind, why),) = kinds(runs.survey())
    assert kind == runs.UNREADABLE
    assert why == "cannot be read: Not a directory"


def test_what_is_no_digest_is_refused() -> None:
    for text in ("", "sha256:", "sha256:../..", "ab" * 32, "sha256:" + "AB" * 32, DIGEST + "\n"):
        with pytest.raises(ReceiptError, match="is not a content digest"):
            runs.survey(text)


PROVENANCE = {
    "engine_version": "",
    "engine_commit": "",
    "cc_version": "",
    "model": "",
    "judge_model": "",
    "k": 1,
    "cases": [],
    "arm_skill_lists": {},
    "runner_handle": "",
    "timestamp": "?",
}
