import json
from pathlib import Path
from typing import Any

import pytest

from receipts.errors import CannotCompare
from receipts.golden import committed, gate
from tests.receipts.golden.cases import GOLDEN
from tests.shared import shared

KEPT = sorted((GOLDEN / "gate").iterdir())


def outcome(folder: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate says of a folder's two files, as `expected.json` has it."""
    previous = folder / "previous.jsonl"
    try:
        current = committed.tallies_of(folder / "current.jsonl")
        is_given = wanted["previous"] == "previous.jsonl"
        found = gate.compare(current, committed.tallies_of(previous) if is_given else None)
    except CannotCompare:
        return {
            "kind": gate.CANNOT_COMPARE, "exit": 2, "findings": [],
            "categories_compared": None, "not_in_baseline": [],
        }  # fmt: skip
    names = ("axis", "category", "before", "after", "scored_before", "scored_after")
    findings = [finding.document() for finding in found.findings]
    return {
        "kind": found.kind,
        "exit": gate.EXIT_CODES[found.kind],
        "findings": [
            {
                name: value
                for name, value in finding.items()
                if name in (*names, "errored_after")
                and (finding["axis"] != gate.VANISHED or name in names[:2])
            }
            for finding in findings
        ],
        "categories_compared": found.compared,
        "not_in_baseline": list(found.new),
    }


def check(folder: Path, *, contested: bool) -> bool:
    """Hold a folder to what is wanted; say whether it belongs to the group."""
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    if expected["contested"] is not contested:
        return False
    want = dict(expected["want"])
    want.pop("only_required", None)
    assert outcome(folder, expected) == want, folder.name
    return True


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_a_kept_pair_of_runs(folder: Path) -> None:
    assert check(folder, contested=False) != check(folder, contested=True)


def test_every_shared_pair_of_runs() -> None:
    folders = sorted(shared("golden", "gate").iterdir())
    assert sum(check(folder, contested=False) for folder in folders) >= 34


def test_every_shared_pair_that_another_reading_judges_otherwise() -> None:
    folders = sorted(shared("golden", "gate").iterdir())
    assert sum(check(folder, contested=True) for folder in folders) >= 7


def record(name: str, **changes: Any) -> str:
    return json.dumps({"id": name, "category": "edge", "status": "scored", "pass": True, **changes})


@pytest.mark.parametrize(
    "line",
    [
        *("[]", "7", "", "{", '{"id": "a"} x', "\ufeff{}", "null", "[" * 100_000),
        record("b", status=None),
        record("b", status=["scored"]),
        record("b", status="Scored"),
        record("b", **{"pass": 1}),
        record("b", **{"pass": "false"}),
        record("a"),
        json.dumps({"status": "scored", "pass": True}),
        record("b", id=7),
    ],
)
def test_what_cannot_be_counted_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(f"{record('a')}\n{line}\n", "utf-8")
    if not line:  # a blank line is none
        assert committed.tallies_of(file)["edge"].scored == 1
        return
    with pytest.raises(CannotCompare, match=r"r\.jsonl cannot be compared: line 2 "):
        committed.tallies_of(file)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_bytes(b"\xff\xfe{}")
    with pytest.raises(CannotCompare, match="it is not UTF-8"):
        committed.tallies_of(file)
    with pytest.raises(CannotCompare, match="cannot be read"):
        committed.tallies_of(tmp_path / "none.jsonl")


def test_line_separators_inside_a_text_end_no_line() -> None:
    line = json.dumps({**json.loads(record("a")), "actual": "x\u2028y\u0085z"}, ensure_ascii=False)
    assert gate.tallied([line + "\r\n"])["edge"].scored == 1


def test_a_finding_says_both_rates_with_their_counts() -> None:
    before = gate.Tally(scored=3, passed=3)
    after = gate.Tally(scored=3, passed=1)
    found = gate.compare({"refusal": after}, {"refusal": before})
    assert str(found.findings[0]) == "refusal fell from 3/3 (100.0%) to 1/3 (33.3%)"


def test_cases_left_out_on_purpose_are_named() -> None:
    after = gate.Tally(scored=2, passed=2, left_out=["ed-003"])
    found = gate.compare({"edge": after}, {"edge": gate.Tally(scored=3, passed=2)})
    assert str(found.findings[0]) == (
        "edge lost coverage: 3 cases were scored, 2 are now (0 cases crashed, left out on "
        "purpose: ed-003)"
    )
