import json
from datetime import UTC, datetime
from typing import Any

import pytest

from receipts.check import problems, repeated_keys
from receipts.receipt import Receipt, read_receipt
from receipts.stats import net_lift, sign_test, verdict
from tests.receipts.samples import document, receipt
from tests.shared import DATA, shared

NOW = datetime(2026, 11, 30, tzinfo=UTC)
BASELINE = "candidate-vs-baseline"


def found(**changes: Any) -> list[str]:
    return problems(receipt(**changes), now=NOW)


def comparison(wins: int, losses: int, ties: int, **changes: Any) -> dict[str, Any]:
    counts = wins, losses, ties
    numbers = {"net_lift": net_lift(*counts), "sign_p": sign_test(*counts)}
    return {"win": wins, "loss": losses, "tie": ties, **numbers, **changes}


def against_baseline(wins: int, losses: int, ties: int, **changes: Any) -> dict[str, Any]:
    """Return the fields of a whole run with these counts and nothing listed per case."""
    rows = wins + losses + ties
    return {
        "verdict": verdict(wins, losses, ties),
        "comparisons": {BASELINE: comparison(wins, losses, ties, **changes)},
        "expected_rows": rows,
        "scored_rows": rows,
        "per_case": [],
        "case_runs": {},
    }


def test_a_key_that_stands_twice_is_named_at_every_level() -> None:
    data = json.dumps(document()).encode()
    assert repeated_keys(data) == []
    for key in (b'"verdict": "FAIL", ', b'"\\u0076erdict": "PASS", '):
        twice = data.replace(b'"verdict"', key + b'"verdict"', 1)
        assert read_receipt(twice).kind == "usable"
        assert repeated_keys(twice) == ["verdict: stands here 2 times, and only the last counts"]
    deep = b'{"a": [{"b\\n\\u001b": 1, "b\\n\\u001b": 1, "b\\n\\u001b": 1}]}'
    assert repeated_keys(deep) == ["a[0].b \\x1b: stands here 3 times, and only the last counts"]
    assert repeated_keys(b'{"a": 1, "a": 2') == []


def test_of_very_many_repeated_keys_the_first_are_named() -> None:
    pairs = ", ".join(f'"{n}": 0, "{n}": 0' for n in range(90))
    found = repeated_keys(f"{{{pairs}}}".encode())
    assert len(found) == 51
    assert found[-1] == "and 40 more problems"


def test_an_honest_receipt_has_none() -> None:
    assert found() == []


def test_shared_cases_have_none_but_those_made_odd() -> None:
    # What these were made to show contradicts the rest of them.
    odd = {"v2-case-runs-odd", "v2-largest-integer", "v2-nothing-ran", "v2-minus-zero"}
    for path in sorted((shared("receipts") / "accept").iterdir()):
        file = read_receipt(path.read_bytes())
        assert file.receipt is not None
        if path.stem not in odd:
            assert problems(file.receipt, now=NOW) == [], path.stem


def test_kept_odd_case() -> None:
    file = read_receipt((DATA / "receipts/accept/v2-case-runs-odd.json").read_bytes())
    assert file.receipt is not None
    assert [line.partition(":")[0] for line in problems(file.receipt, now=NOW)] == [
        "case_runs.candidate.passed"
    ]


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (
            against_baseline(0, 9, 0) | {"verdict": "PASS"},
            ["verdict: PASS, but 0W / 9L / 0T against the baseline is FAIL"],
        ),
        (against_baseline(1, 0, 2), []),
        (
            against_baseline(1, 0, 3) | {"verdict": "PASS"},
            ["verdict: PASS, but 1W / 0L / 3T against the baseline is NEUTRAL"],
        ),
        (
            against_baseline(0, 0, 0) | {"comparisons": {}, "verdict": "FAIL"},
            ["verdict: FAIL, but nothing was compared with the baseline"],
        ),
        (against_baseline(0, 0, 0) | {"comparisons": {}}, []),
        (
            against_baseline(5, 1, 3, net_lift=0.5),
            [f"comparisons.{BASELINE}.net_lift: 0.5, but 5W / 1L / 3T is 0.4444"],
        ),
        (against_baseline(5, 1, 3, net_lift=0.44444444444444), []),
        (
            against_baseline(5, 1, 3, sign_p=42),
            [f"comparisons.{BASELINE}.sign_p: 42, but 5W / 1L / 3T is 0.219"],
        ),
        (against_baseline(5, 1, 3, sign_p=1.0), []),
        (against_baseline(2**52, 0, 0, sign_p=0.0), []),
        (
            against_baseline(2**52, 0, 0, sign_p=0.5),
            [f"comparisons.{BASELINE}.sign_p: 0.5, but 4503599627370496W / 0L / 0T is 0.000"],
        ),
        ({"scored_rows": 17}, None),
        ({"expected_rows": 17}, ["scored_rows: 18, more than the 17 expected"]),
        (
            {"execution_status": "partial"},
            ["execution_status: partial, but 18 of 18 rows scored is complete"],
        ),
        (
            against_baseline(0, 0, 0) | {"expected_rows": 3},
            ["execution_status: complete, but 0 of 3 rows scored is failed"],
        ),
        (
            against_baseline(1, 0, 0) | {"expected_rows": 3},
            ["execution_status: complete, but 1 of 3 rows scored is partial"],
        ),
        (
            {"scored_rows": 20, "expected_rows": 20},
            ["scored_rows: 20, but the comparisons add up to 18"],
        ),
        ({"arm_scores": {"x": 1.5}}, ["arm_scores.x: 1.5, which is no share of checks"]),
        ({"arm_scores": {"x": None, "y": 0, "z": 1}}, []),
        (
            {"efficiency": {"x": {"turns": 1, "duration_ms": None, "cost_usd": -0.5}}},
            ["efficiency.x.cost_usd: -0.5, below 0"],
        ),
    ],
)
def test_numbers(changes: dict[str, Any], lines: list[str] | None) -> None:
    if lines is None:
        assert len(found(**changes)) == 2
    else:
        assert found(**changes) == lines


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        ({"recall": 1, "precision": 5 / 6, "tp": 5, "fn": 0, "fp": 1, "tn": 5}, []),
        ({"recall": None, "precision": None, "tp": 0, "fn": 0, "fp": 0, "tn": 5}, []),
        ({"recall": 0, "precision": None, "tp": 0, "fn": 2, "fp": 0, "tn": 5}, []),
        (
            {"recall": 0.9, "precision": 1, "tp": 1, "fn": 1, "fp": 1, "tn": 0},
            ["triggers.recall: 0.9, but 1 of 2 is 0.5", "triggers.precision: 1, but 1 of 2 is 0.5"],
        ),
        (
            {"recall": 0, "precision": None, "tp": 0, "fn": 0, "fp": 1, "tn": 0},
            ["triggers.recall: 0, but 0 of 0 is null", "triggers.precision: null, but 0 of 1 is 0"],
        ),
    ],
)
def test_trigger_rates(counts: dict[str, Any], lines: list[str]) -> None:
    assert found(triggers=counts) == lines


def case(
    name: str = "a", rep: int = 0, outcome: str = "win", passed: bool | None = True
) -> dict[str, Any]:
    arm = {"passed": passed, "checks": [["c", True], ["d", passed is not False]]}
    return {"case": name, "rep": rep, "arms": {"candidate": arm}, "outcomes": {BASELINE: outcome}}


def test_per_case_within_itself() -> None:
    wrong = case("b", 3, passed=False)
    wrong["arms"]["candidate"]["passed"] = True
    right = case("c")
    right["arms"] = {"candidate": {"passed": False, "checks": [["c", True]]}}
    assert found(per_case=[case(), case(), wrong, right], case_runs={}) == [
        "per_case[1]: a rep 0 stands here a second time",
        "per_case[2].rep: 3, but provenance.k is 3",
        "per_case[2].arms.candidate.passed: true, but a check failed",
        "per_case[3].arms.candidate.passed: false, but every check passed",
    ]


def test_per_case_with_nothing_known_of_an_arm() -> None:
    assert found(per_case=[case(passed=None)]) == []
    nothing = case()
    nothing["arms"]["candidate"] = {"passed": True, "checks": []}
    assert found(per_case=[nothing]) == []


def test_per_case_against_the_comparisons() -> None:
    rows = [case("a", rep, outcome) for rep, outcome in enumerate(["win", "win", "loss"])]
    run = against_baseline(2, 1, 0) | {"per_case": rows, "verdict": "PASS"}
    assert found(**run) == []
    assert found(**run | against_baseline(1, 1, 1) | {"per_case": rows}) == [
        f"comparisons.{BASELINE}.win: 1, but per_case lists 2"
    ]
    assert found(**run | against_baseline(2, 0, 3) | {"per_case": rows}) == [
        f"comparisons.{BASELINE}.loss: 0, but per_case lists 1"
    ]
    ties = [case("a", rep, "tie") for rep in range(3)]
    assert found(**run | {"per_case": ties}) == [
        f"comparisons.{BASELINE}.win: 2, but per_case lists 0",
        f"comparisons.{BASELINE}.loss: 1, but per_case lists 0",
    ]


def test_per_case_may_list_some_rows_and_unscored_ones() -> None:
    run = against_baseline(2, 0, 0)
    assert found(**run | {"per_case": [case()]}) == []
    rows = [case(), case("b"), case("c", outcome="tie", passed=None)]
    assert found(**run | {"per_case": rows}) == []


def test_case_runs() -> None:
    rows = [case(), case("b"), case("c", passed=False), case("d", passed=None)]
    tally = {"candidate": {"passed": 1, "total": 2}, "gone": {"passed": 3, "total": 2}}
    assert found(per_case=rows, case_runs=tally) == [
        "case_runs.candidate.passed: 1, but per_case lists 2",
        "case_runs.candidate.total: 2, but per_case lists 3",
        "case_runs.gone.passed: 3, more than the total of 2",
    ]


@pytest.mark.parametrize("method", ["attempts", "golden", "someone-elses"])
def test_other_methods_have_verdicts_and_rows_of_their_own(method: str) -> None:
    run = against_baseline(0, 0, 0) | {"comparisons": {}, "verdict": "PASS", "expected_rows": 5}
    assert found(**run, method=method) == []
    assert found(**against_baseline(0, 3, 0) | {"verdict": "PASS"}, method=method) == [
        "verdict: PASS, but 0W / 3L / 0T against the baseline is FAIL"
    ]


def test_run_id_and_timestamp() -> None:
    def lines(run_id: str, timestamp: str = "", **more: Any) -> list[str]:
        provenance = document()["provenance"] | {"timestamp": timestamp}
        return found(run_id=run_id, provenance=provenance, **more)

    assert lines("20260916T042108Z", "2026-09-16T04:21:08.113Z") == []
    assert lines("20260916T042108Z", "2026-09-16T05:21:08.113+09:00") == []
    assert lines("20260916T042108Z", "2026-09-15T04:21:09") == []
    assert lines("20260916T042108Z", "yesterday") == []
    (line,) = lines("20260916T042108Z", "2026-09-15T04:21:07Z")
    assert line.endswith("more than a day from provenance.timestamp 2026-09-15T04:21:07+00:00")
    assert lines("20260916T042108Z", "0001-01-01T00:00:00+23:59", source={}) == []
    assert len(lines("20260916T042108Z", "0001-01-01T00:00:00+23:59")) == 1
    assert lines("99999999T999999Z") == ["run_id: 99999999T999999Z names no second of the calendar"]
    assert lines("20261231T000000Z") == ["run_id: 20261231T000000Z is before 2020 or in the future"]
    assert lines("19991231T000000Z") == ["run_id: 19991231T000000Z is before 2020 or in the future"]


def test_the_place_where_it_stands() -> None:
    sample = receipt()
    here: dict[str, Any] = {
        "skill_id": str(sample.skill_id).upper(),
        "version": "v3",
        "run_id": sample.run_id,
        "content_digest": sample.content_digest,
    }
    assert problems(sample, **here, now=NOW) == []
    elsewhere = dict.fromkeys(here, "x\n\x1b")
    assert problems(sample, **elsewhere, now=NOW) == [
        f"{field}: {getattr(sample, field)}, but it stands under x \\x1b" for field in here
    ]
    local = receipt(skill_id=None, version=None)
    assert problems(local, skill_id=here["skill_id"], now=NOW) == [
        f"skill_id: null, but it stands under {sample.skill_id}"
    ]


def test_hostile_names_and_many_problems() -> None:
    scores = {f"\n\x1b[{n}" + "x" * 500: -1 for n in range(1000)}
    lines = found(arm_scores=scores)
    assert len(lines) == 51
    assert lines[-1] == "and 950 more problems"
    assert all(line.isprintable() and len(line) < 120 for line in lines)


def test_the_present_is_the_default() -> None:
    old = Receipt.model_validate(document(run_id="20200101T000000Z"))
    assert [line.partition(",")[0] for line in problems(old)] == ["run_id: 20200101T000000Z"]
