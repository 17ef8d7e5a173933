"""The printed comparison, and numbers as it prints them."""

import io
import sys

import pytest

from receipts import terminal
from receipts.attempts import cells, runfile
from receipts.attempts.comparing.printed import notes, print_comparison
from receipts.attempts.comparing.several import several
from receipts.attempts.comparing.table import print_several
from receipts.attempts.outcomes import Outcome
from receipts.attempts.printed import print_report
from receipts.attempts.runfile import TaskResult
from receipts.compare import compare
from receipts.errors import ResultsError
from receipts.intervals import Interval
from tests.receipts.attempts import cases, samples


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_a_comparison_goes_into_a_pipe_in_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    a = [samples.task("alpha", "pass", "pass", "pass"), samples.task("gone", "pass")]
    b = [samples.task("alpha", "task_fail", "cheat", "pass"), samples.task("new", "timeout")]
    print_comparison(compare(samples.run(*a), samples.run(*b, model="large")))
    found = lines(capsys)
    assert "engine\tclaude-code, default model\tclaude-code, large" in found
    assert "spec\tdemo\tsame" in found
    assert "task\tA before\tB after\tΔ\t95 %" in found
    assert "alpha\t100% ✓ ✓ ✓\t33.3% ✗ ⚠ ✓\t-66.7 pp\t-95.4 to +13 pp" in found
    assert "success\t100% 3/3 ✓\t33.3% 1/3 ✓\t-66.7 pp\t-95.4 to +13 pp" in found
    assert "regressions: 1 (alpha); none of them beyond chance" in found
    assert "note: in A alone: 1 (gone)" in found
    assert "note: the model changed: the default model in A, large in B" in found
    assert any(line.endswith("takes 10 attempts a side, not 3") for line in found)


def test_a_regression_beyond_chance_is_told_from_the_others() -> None:
    a = [samples.task("alpha", *["pass"] * 8), samples.task("bravo", *["pass"] * 8)]
    b = [
        samples.task("alpha", *["task_fail"] * 8),
        samples.task("bravo", "task_fail", *["pass"] * 7),
    ]
    found = notes(compare(samples.run(*a), samples.run(*b)))
    assert found[0] == "regressions: 2 (alpha, bravo); beyond chance: 1 (alpha)"
    assert found[1].startswith("success: moved, by ")


def activating(*passed: bool) -> TaskResult:
    attempts = [
        samples.attempt(number, activated=[], activation_passed=one)
        for number, one in enumerate(passed, 1)
    ]
    return samples.task("a", attempts=attempts, activation_expected=[])


def test_activation_has_a_table_only_where_it_moved(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = samples.run(activating(True, False)), samples.run(activating(False, False))
    print_comparison(compare(a, b))
    found = lines(capsys)
    assert any(line.startswith("a\t50%\t0%\t-50 pp") for line in found)
    assert "activation\t50% 1/2 ✓\t0% 0/2 ✓\t-50 pp\t" in found
    assert "activation regressions: 1 (a)" in found
    print_comparison(compare(a, samples.run(activating(False, True))))
    found = lines(capsys)
    assert "activation: nothing moved in 1 task(s)" in found
    assert not any(line.startswith("activation\t") for line in found)


@pytest.mark.parametrize("name", cases.names("pairs"))
def test_every_comparison_can_be_printed_on_any_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cases.folder() / "pairs" / name
    try:
        a, b = (runfile.read(folder / f"{side}.json") for side in "ab")
        comparison = compare(a, b)
    except ResultsError:
        return
    monkeypatch.setattr(terminal, "is_shown", lambda: True)
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stdout", stream)
        print_comparison(comparison, verbose=True)
        text = stream.getvalue()
        for row in comparison.rows:
            assert terminal.one_line(row.name) in text
        for warning in comparison.warnings:
            assert warning.text in text


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "—"), (0.6, "60%"), (2 / 3, "66.7%"), (0.9996, "100%"), (0.9994, "99.9%"), (0, "0%")],
)
def test_rates(share: float | None, text: str) -> None:
    assert cells.percent(share) == text


def test_marks_become_a_tally_above_five() -> None:
    some = [Outcome.PASS, Outcome.CHEAT, Outcome.TIMEOUT, Outcome.NOT_CHECKED]
    assert cells.marks(some, 5) == "✓ ⚠ ⊘ — ·"
    assert cells.marks([Outcome.PASS] * 4 + [Outcome.TASK_FAIL], 9) == "✓4 ✗1 ·4"
    assert cells.marks([Outcome.PASS] * 7, 3) == "✓7"
    assert cells.marks([], 2) == "· ·"
    assert cells.marks([Outcome.PASS], 10**30) == f"✓1 ·{10**30 - 1}"


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [(10, 7, "-30%"), (10, 10, "—"), (0, 5, "+5K"), (3, 10, "+233%"), (float("inf"), 1, "—")],
)
def test_costs_move_by_shares(before: float, after: float, text: str) -> None:
    assert cells.relative(before, after, "5K").text == text


def test_amounts() -> None:
    assert [cells.tokens(count) for count in (None, 0, 999, 27_400, 1_540_000, 10**10)] == [
        *("—", "0", "999", "27K", "1.5M", "10.0G")
    ]
    times = (None, 0.0, 59.94, 60.0, 378.2, 7500.0, float("inf"))
    assert [cells.seconds(time) for time in times] == [
        *("—", "0.0s", "59.9s", "1m 00s", "6m 18s", "2h 05m", "—")
    ]
    assert cells.points(0.4).text == "+40 pp"
    assert cells.points(1e-10).text == cells.points(None).text == "—"
    assert cells.interval(Interval(-0.905, 0.1934)) == "-90.5 to +19.3 pp"


def test_no_name_can_forge_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    forged = "success: moved"
    name = f"a\n{forged}"
    a = samples.run(samples.task(name, "pass", activation_expected=[name]), spec=name, model=name)
    b = samples.run(
        samples.task(name, "task_fail", activation_expected=[name]),
        samples.task(f"b{name}", "pass"),
    )
    print_comparison(compare(a, b), verbose=True)
    print_several(several([a, b, a]), verbose=True)
    print_report(a, verbose=True)
    found = lines(capsys)
    assert any(forged in line for line in found)
    assert [line for line in found if line.strip().startswith(forged)] == []
