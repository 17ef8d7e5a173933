"""The journal, whole and torn."""

import threading
from pathlib import Path

from receipts.arms.journal import NAME, Journal
from receipts.arms.samples import CheckOutcome, Ran
from tests.receipts.arms.test_tally import ran


def test_records_come_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.records() == []
    journal.append({"kind": "start", "name": "é\ud800\n"})
    journal.append({"kind": "session"})
    assert [record["kind"] for record in Journal(tmp_path).records()] == ["start", "session"]
    assert journal.records()[0]["name"] == "é\ud800\n"


def test_a_torn_line_is_passed_over_and_ended(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append({"n": 1})
    with open(tmp_path / NAME, "ab") as stream:
        stream.write(b'{"n": 2, "tor')
    journal.append({"n": 3})
    assert [record["n"] for record in journal.records()] == [1, 3]


def test_threads_append_whole_lines(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    threads = [
        threading.Thread(target=lambda i=i: journal.append({"i": i, "text": "x" * 5000}))
        for i in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(record["i"] for record in journal.records()) == list(range(20))


def test_a_session_comes_back_as_it_was(tmp_path: Path) -> None:
    one = ran(
        "candidate", dead=True, checks={"c": (CheckOutcome("file_exists:a", True, "there"),)},
        skills=("a", "b"), tokens=(1, 2, 3, 4), oddities=("line 3",),
    )  # fmt: skip
    journal = Journal(tmp_path)
    journal.append(one.record())
    assert Ran.of_record(journal.records()[0]) == one
