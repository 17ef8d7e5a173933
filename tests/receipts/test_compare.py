"""Two results of one method from Python, and what a document is taken for."""

import json
from pathlib import Path

import pytest

from receipts import compare as module
from receipts.arms.comparing import ArmsComparison
from receipts.attempts import saving
from receipts.attempts.comparing.comparison import Comparison
from receipts.compare import compare
from receipts.documents import Kind, kind_of, kind_of_file
from receipts.errors import ReceiptError, ResultsError
from receipts.jsontext import LIMIT
from tests.receipts.attempts import samples as runs
from tests.receipts.samples import document, receipt


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return two receipts, two saved runs, and what is neither."""
    contents = {
        "first": json.dumps(document()).encode(),
        "second": json.dumps(document(verdict="NEUTRAL")).encode(),
        "golden": json.dumps(document(method="golden")).encode(),
        "bad": b'{"schema_version": 2}',
        "run": saving.content(runs.run(runs.task("a", "pass"))),
        "other": saving.content(runs.run(runs.task("a", "task_fail"))),
    }
    for name, data in contents.items():
        (tmp_path / f"{name}.json").write_bytes(data)
    return {name: tmp_path / f"{name}.json" for name in contents}


def test_results_of_one_method_compare_by_path_and_by_value(files: dict[str, Path]) -> None:
    found = compare(files["first"], files["second"])
    assert isinstance(found, ArmsComparison)
    assert found.document()["comparable"] is True
    assert compare(receipt(), receipt(verdict="FAIL")).document()["b"]["verdict"] == "FAIL"
    attempts = compare(files["run"], files["other"])
    assert isinstance(attempts, Comparison)
    assert attempts.regressions == ["a"]


@pytest.mark.parametrize(
    ("first", "second", "error", "words"),
    [
        ("first", "golden", ResultsError, "the method arms and B of golden"),
        ("golden", "run", ResultsError, "A saved run and a receipt do not compare."),
        ("first", "bad", ReceiptError, "is no valid receipt"),
        ("run", "run", ResultsError, "are one run"),
    ],
)
def test_others_are_refused(
    first: str, second: str, error: type[Exception], words: str, files: dict[str, Path]
) -> None:
    with pytest.raises(error, match=words):
        compare(files[first], files[second])


def test_a_method_without_a_comparison_says_what_to_do_instead() -> None:
    for method, words in (("golden", "receipts gate"), ("attempts", "receipts compare RUN RUN")):
        with pytest.raises(ResultsError, match=words):
            module.compare_receipts(receipt(method=method), receipt(method=method))
    with pytest.raises(ResultsError, match="of the method other are not compared"):
        module.compare_receipts(receipt(method="other"), receipt(method="other"))


def test_another_method_is_added_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.METHODS, "golden", module.METHODS["arms"])
    both = receipt(method="golden"), receipt(method="golden")
    assert module.compare_receipts(*both).document()["method"] == "golden"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"schema_version": 3}', Kind.RECEIPT),
        (b'{"content_digest": null}', Kind.RECEIPT),
        (b'{"task_results": null, "schema_version": 2}', Kind.RUN),
        (b'{"run": 1, "aggregate": 2}', Kind.RUN),
        (b'{"metadata": {}, "runs": 3}', Kind.BENCHMARK),
        (b'{"metadata": [], "runs": []}', Kind.OTHER),
        (b'{"run": 1}', Kind.OTHER),
        (b"[]", Kind.OTHER),
        (b"{", Kind.OTHER),
        (b"\xff", Kind.OTHER),
        (b"[" * 100_000, Kind.OTHER),
        (b"", Kind.OTHER),
    ],
)
def test_a_document_is_known_by_its_keys(data: bytes, kind: Kind, tmp_path: Path) -> None:
    assert kind_of(data) is kind
    (tmp_path / "file").write_bytes(data)
    assert kind_of_file(tmp_path / "file") is kind


def test_a_file_that_no_receipt_can_be_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b" " * (LIMIT + 1))
    assert kind_of_file(tmp_path / "large") is Kind.RUN
    assert kind_of_file(tmp_path / "nothing") is Kind.OTHER
    assert kind_of_file(tmp_path) is Kind.OTHER
