import json
from typing import Any

import pytest

from receipts.receipt import read_receipt
from receipts.report import attribution, comparison_line, newer_line, notes, report_lines
from tests.receipts.samples import document, receipt
from tests.shared import DATA, shared

# The report in the product's documentation, line for line.
REPORT = """\
verdict: PASS
why: wins on execution checks; loses on judge calls; 3 ties
candidate-vs-baseline: +44% net lift (5W / 1L / 3T over 9 comparisons, sign test p=0.219)
candidate-vs-incumbent: +11% net lift (2W / 1L / 6T over 9 comparisons, sign test p=1.000)
arm scores: baseline 0.61 · candidate 0.82 · incumbent 0.74
case-runs passed: baseline 2/9 · candidate 5/9 · incumbent 4/9
triggers: recall=1.00 precision=0.83 (tp=5 fn=0 fp=1 tn=5)
  FALSE-FIRE: "rename this variable"
efficiency: baseline 3.0 turns · 22.8s · $0.11 | candidate 5.0 turns · 41.2s · $0.20 | \
incumbent 4.0 turns · 33.0s · $0.15"""


def row(prompt: Any, expected: bool, fired: bool | None, **more: Any) -> dict[str, Any]:
    return {"prompt": prompt, "expected": expected, "fired": fired, **more}


def lines(start: str, **changes: Any) -> list[str]:
    return [line for line in report_lines(receipt(**changes)) if line.startswith(start)]


def test_the_documented_report() -> None:
    rows = [
        row("deploy this", True, True),
        row("rename this variable", False, True),
        row("what is a deploy?", False, False),
    ]
    assert report_lines(receipt(dropped_cases={}), rows) == REPORT.split("\n")


def test_what_did_not_run_has_no_line() -> None:
    data = (DATA / "receipts/accept/v2-nothing-ran.json").read_bytes()
    nothing = read_receipt(data).receipt
    assert nothing is not None
    assert [line.partition(":")[0] for line in report_lines(nothing)] == [
        "verdict",
        "why",
        "triggers",
    ]


@pytest.mark.parametrize(
    ("status", "scored", "line"),
    [
        ("complete", 9, "verdict: PASS"),
        ("partial", 5, "verdict: PASS [partial — 5/9 scored]"),
        ("failed", 0, "verdict: PASS [failed — 0/9 scored]"),
    ],
)
def test_an_incomplete_run_says_how_much_was_scored(status: str, scored: int, line: str) -> None:
    changes = {"execution_status": status, "scored_rows": scored, "expected_rows": 9}
    assert lines("verdict", **changes) == [line]


def test_what_was_skipped_and_dropped_is_named() -> None:
    found = report_lines(
        receipt(
            environment_skips={"a": ["git", "python3:yaml"], "b": []},
            dropped_cases={
                "c": {"kind": "setup", "detail": "setup failed (rc=1): no\nsuch file"},
                "d": {"kind": "staging", "detail": "disk full"},
            },
        )
    )
    assert found[2:6] == [
        "skipped (environment): a — missing git, python3:yaml",
        "skipped (environment): b",
        "dropped (setup): c — setup failed (rc=1): no such file",
        "dropped (staging): d — disk full",
    ]


def test_comparisons_show_what_the_receipt_holds() -> None:
    def comparison(sign_p: float) -> dict[str, Any]:
        return {"win": 5, "loss": 0, "tie": 0, "net_lift": 0.25, "sign_p": sign_p}

    found = lines(
        "",
        comparisons={
            "other": comparison(0.5),
            "candidate-vs-incumbent": comparison(1),
            "candidate-vs-baseline": comparison(0.0625),
        },
    )
    over = "5W / 0L / 0T over 5 comparisons, sign test"
    assert found[3:6] == [
        f"candidate-vs-baseline: +25% net lift ({over} p=0.063)",
        f"candidate-vs-incumbent: +25% net lift ({over} p=1.000)",
        f"other: +25% net lift ({over} p=0.500)",
    ]


def test_null_numbers_are_not_available_or_left_out() -> None:
    assert lines("arm", arm_scores={"baseline": None, "candidate": 0.125}) == [
        "arm scores: baseline n/a · candidate 0.13"
    ]
    assert lines("arm", arm_scores={}) == []
    assert lines(
        "case-runs",
        case_runs={"baseline": {"passed": 0, "total": 0}, "candidate": {"passed": 0, "total": 1}},
    ) == ["case-runs passed: candidate 0/1"]
    assert lines("case-runs", case_runs={"baseline": {"passed": 0, "total": 0}}) == []
    counts = {"tp": 0, "fn": 0, "fp": 0, "tn": 3}
    assert lines("triggers", triggers={"recall": None, "precision": None, **counts}) == [
        "triggers: recall=n/a precision=n/a (tp=0 fn=0 fp=0 tn=3)"
    ]
    assert lines("triggers", triggers=None) == []


def test_efficiency_leaves_out_what_the_agent_did_not_report() -> None:
    nothing = {"turns": None, "duration_ms": None, "cost_usd": None}
    assert lines(
        "efficiency",
        efficiency={
            "baseline": nothing,
            "candidate": nothing | {"turns": 2.25, "cost_usd": 0},
            "incumbent": nothing | {"duration_ms": 12_345},
        },
    ) == ["efficiency: candidate 2.3 turns · $0.00 | incumbent 12.3s"]
    assert lines("efficiency", efficiency={"baseline": nothing}) == []
    assert lines("efficiency", efficiency={}) == []


def test_trigger_rows_that_went_the_wrong_way() -> None:
    rows = [
        row('say "hi"\n\x1b[2J é', True, False),
        row("quiet", False, None, error="timed out\nafter 120 s " + "x" * 200),
        row("loud", True, None, error="no answer"),
        row("right", True, True),
        row(None, False, True),
    ]
    assert [line for line in report_lines(receipt(), rows) if line.startswith("  ")] == [
        '  MISS: "say \\"hi\\"\\n\\u001b[2J é"',
        f'  FALSE-FIRE: "quiet" (selection call errored: timed out after 120 s {"x" * 98})',
        '  MISS: "loud" (selection call errored: no answer)',
        "  FALSE-FIRE: null",
    ]


def test_no_text_of_a_receipt_forges_a_line_or_reaches_the_terminal_raw() -> None:
    evil = "x\nverdict: FAIL\r\x1b[31m\u202e\u2028\ud800"
    found = report_lines(
        receipt(
            attribution=evil,
            environment_skips={evil: [evil]},
            dropped_cases={evil: {"kind": "setup", "detail": evil}},
            comparisons={evil: {"win": 0, "loss": 0, "tie": 0, "net_lift": 0, "sign_p": 1}},
            arm_scores={evil: 1},
            case_runs={evil: {"passed": 1, "total": 1}},
            efficiency={evil: {"turns": 1, "duration_ms": None, "cost_usd": None}},
        ),
        [row(evil, True, None, error=evil)],
    )
    assert len(found) == 10
    for line in found:
        assert line.isprintable()
        line.encode()


def test_blanks_within_a_line_stay() -> None:
    assert lines("why", attribution="a  b") == ["why: a  b"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "no execution comparisons ran"),
        ([("tie", "checks-equal-no-judge")], "all comparisons tied"),
        ([("win", "checks")], "wins on execution checks"),
        ([("loss", "judge")], "loses on judge calls"),
        ([("win", "checks"), ("win", "judge")], "wins on execution checks"),
        ([("win", "checks"), ("win", "judge"), ("win", "judge")], "wins on judge calls"),
        ([("win", "checks"), ("tie", "judge-split")], "wins on execution checks; 1 tie"),
        (
            [("loss", "judge"), ("win", "checks"), *[("tie", "judge")] * 3],
            "wins on execution checks; loses on judge calls; 3 ties",
        ),
    ],
)
def test_the_sentence_that_says_why(rows: list[tuple[str, str]], sentence: str) -> None:
    assert attribution(rows) == sentence


def check_lines(text: str) -> None:
    for case in map(json.loads, filter(None, text.split("\n"))):
        line = comparison_line("candidate-vs-baseline", case["w"], case["l"], case["t"])
        assert line == case["receipt_line"]


def test_comparison_lines_of_kept_cases() -> None:
    check_lines((DATA / "stats.jsonl").read_text("utf-8"))


def test_comparison_lines_of_shared_cases() -> None:
    check_lines(shared("stats.jsonl").read_text("utf-8"))


def test_a_comparison_line_counts() -> None:
    with pytest.raises(ValueError, match="not below 0"):
        comparison_line("candidate-vs-baseline", -1, 0, 0)


def test_notes() -> None:
    assert notes(receipt()) == []
    suite = document()["comparisons"]
    suite["candidate-vs-baseline"]["sign_p"] = 1
    source = {"tool": "other-tool\n", "version": "1.2", "sha256": "0" * 64}
    assert notes(receipt(comparisons=suite, source=source)) == [
        "declared by other-tool  1.2, not measured by receipts",
        "sign test held at p=1.000: rows that share one agent session are not independent",
    ]
    assert notes(receipt(source={})) == ["declared by another tool, not measured by receipts"]


def test_a_newer_receipt_has_one_line() -> None:
    file = read_receipt(json.dumps(document(schema_version=9)).encode())
    assert newer_line(file) == (
        "newer than this version of receipts (schema_version: must be 1 or 2)"
    )
