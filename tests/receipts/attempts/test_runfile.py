import json
from pathlib import Path

import pytest

from receipts.attempts import runfile
from receipts.errors import ResultsError
from tests.receipts.attempts import cases


@pytest.mark.parametrize("name", cases.names("refused"))
def test_what_cannot_be_is_refused_in_one_sentence(name: str) -> None:
    path = cases.folder() / "refused" / f"{name}.json"
    with pytest.raises(ResultsError) as refused:
        runfile.read(path)
    assert str(path) in refused.value.message
    assert "\n" not in refused.value.message
    assert "pydantic" not in refused.value.message


@pytest.mark.parametrize("name", [f"accepted/{name}" for name in cases.names("accepted")])
def test_what_looks_odd_is_read_and_its_derived_numbers_computed_anew(name: str) -> None:
    _assert_read_as_recorded(cases.folder() / name)


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("name", cases.names("pairs"))
def test_every_run_is_read(name: str, side: str) -> None:
    _assert_read_as_recorded(cases.folder() / "pairs" / name / side)


def _assert_read_as_recorded(stem: Path) -> None:
    run = runfile.read(stem.with_suffix(".json"))
    recorded = stem.with_suffix(".report.json")
    theirs = cases.load(recorded)
    del theirs["usage_totals"]
    cases.assert_same(json.loads(run.model_dump_json(exclude={"receipts"})), theirs)


def test_what_only_we_record_is_read_back() -> None:
    text = (cases.folder() / "good.json").read_text("utf-8")
    document = json.loads(text) | {"receipts": {"version": "1", "timeout_seconds": 90}}
    run = runfile.RunFile.model_validate_json(json.dumps(document))
    assert run.receipts == runfile.Beyond(version="1", timeout_seconds=90)
    assert runfile.RunFile.model_validate_json(text).receipts is None


def test_a_path_without_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"There is no file .*nothing\.json\."):
        runfile.read(tmp_path / "nothing.json")
    with pytest.raises(ResultsError, match="is a folder"):
        runfile.read(tmp_path)
