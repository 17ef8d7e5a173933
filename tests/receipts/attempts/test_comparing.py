"""Comparisons, held against what the reference made of the same files."""

import json
import math

import pytest

from receipts.attempts import runfile, usage
from receipts.compare import compare
from receipts.errors import ResultsError
from tests.receipts.attempts import cases


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_a_comparison_is_the_recorded_one(name: str) -> None:
    folder = cases.folder() / "pairs" / name
    if not (folder / "compare.json").exists():
        with pytest.raises(ResultsError, match="do not compare"):
            compare(folder / "a.json", folder / "b.json")
        return
    document = compare(folder / "a.json", folder / "b.json").document()
    cases.assert_as_recorded(document, cases.load(folder / "compare.json"))


@pytest.mark.parametrize("name", cases.names("accepted"))
def test_odd_runs_compare_as_recorded(name: str) -> None:
    folder = cases.folder() / "accepted"
    good = cases.folder() / "good.json"
    recorded = folder / f"{name}.compare.json"
    if not recorded.exists():
        with pytest.raises(ResultsError, match="do not compare"):
            compare(good, folder / f"{name}.json")
        return
    document = compare(good, folder / f"{name}.json").document()
    cases.assert_as_recorded(document, cases.load(recorded))


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("name", cases.names("pairs"))
def test_totals_of_use_are_the_recorded_ones(name: str, side: str) -> None:
    folder = cases.folder() / "pairs" / name
    run = runfile.read(folder / f"{side}.json")
    theirs = cases.load(folder / f"{side}.report.json")["usage_totals"]
    finite = {
        key: None if isinstance(value, float) and math.isinf(value) else value
        for key, value in theirs.items()
    }
    cases.assert_same(usage.totals(run.attempts).document(), finite)


def test_a_document_is_json() -> None:
    folder = cases.folder() / "pairs" / "durations-overflow-to-infinity"
    document = compare(folder / "a.json", folder / "b.json").document()
    json.dumps(document, allow_nan=False)
    assert None in (document["a_usage"]["wall_seconds"], document["b_usage"]["wall_seconds"])
    assert document["wall_delta"] is None


def test_one_file_is_not_two_runs() -> None:
    good = cases.folder() / "good.json"
    with pytest.raises(ResultsError, match="are one run"):
        compare(good, good)
