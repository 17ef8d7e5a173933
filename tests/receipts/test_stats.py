import json
import math
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.numbers import fixed, percent
from receipts.stats import EXACT_ROWS, exact_sign_test, net_lift, sign_test, verdict
from tests.shared import DATA, shared

COUNTS = st.integers(0, 60)


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def check(case: dict[str, Any]) -> None:
    counts = case["w"], case["l"], case["t"]
    rows = sum(counts)
    assert Fraction(case["w"] - case["l"], rows or 1) == Fraction(case["net_lift_fraction"])
    assert net_lift(*counts) == float(Fraction(case["net_lift_fraction"]))
    assert exact_sign_test(*counts[:2]) == Fraction(case["sign_p_fraction"])
    assert sign_test(*counts) == float(Fraction(case["sign_p_fraction"]))
    assert verdict(*counts) == case["verdict"]
    assert percent(net_lift(*counts)) == case["percent"]
    assert fixed(sign_test(*counts), 3) == case["p_text"]


def test_kept_cases() -> None:
    kept = cases(DATA / "stats.jsonl")
    assert len(kept) == 39
    for case in kept:
        check(case)


def test_shared_cases() -> None:
    for case in cases(shared("stats.jsonl")):
        check(case)


@given(COUNTS, COUNTS, COUNTS)
def test_symmetry_and_bounds(wins: int, losses: int, ties: int) -> None:
    assert net_lift(wins, losses, ties) == -net_lift(losses, wins, ties)
    assert sign_test(wins, losses, ties) == sign_test(losses, wins, 0)
    assert 0 < sign_test(wins, losses, ties) <= 1
    mirrored = {"PASS": "FAIL", "FAIL": "PASS", "NEUTRAL": "NEUTRAL"}
    assert verdict(losses, wins, ties) == mirrored[verdict(wins, losses, ties)]


@given(st.integers(0, 16), st.integers(0, 16))
def test_the_sign_test_counts_coin_tosses(wins: int, losses: int) -> None:
    decided = wins + losses
    as_lopsided = sum(
        math.comb(decided, heads)
        for heads in range(decided + 1)
        if abs(decided - 2 * heads) >= abs(wins - losses)
    )
    assert exact_sign_test(wins, losses) == Fraction(as_lopsided, 2**decided)


@pytest.mark.parametrize(
    ("counts", "word"),
    [
        ((0, 0, 0), "NEUTRAL"),
        ((0, 0, 9), "NEUTRAL"),
        ((1, 0, 2), "PASS"),
        ((1, 0, 3), "NEUTRAL"),
        ((0, 1, 2), "FAIL"),
        ((0, 1, 3), "NEUTRAL"),
        ((2**53 // 3 + 1, 0, 2**53 - 2**53 // 3), "PASS"),
        ((2**53 // 3, 0, 2**53 - 2**53 // 3), "NEUTRAL"),
    ],
)
def test_the_bands_are_exact(counts: tuple[int, int, int], word: str) -> None:
    assert verdict(*counts) == word


def test_many_rows_end_soon_and_agree_across_the_change_of_method() -> None:
    start = time.monotonic()
    half = EXACT_ROWS // 2
    exact = sign_test(half + 300, half - 300, 0)
    approximate = sign_test(half + 301, half - 299, 0)
    assert time.monotonic() - start < 30
    assert approximate == pytest.approx(exact, abs=1e-4)
    assert sign_test(2**53 - 1, 0, 0) == 0
    assert sign_test(2**53, 2**53, 2**53) == 1


def test_beyond_the_range_of_two_to_the_n() -> None:
    assert sign_test(1100, 0, 0) == 0
    assert sign_test(700, 500, 0) == pytest.approx(8.2e-9, rel=0.1)


@pytest.mark.parametrize("function", [net_lift, sign_test, verdict])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_counts_are_counts(function: Any, place: int) -> None:
    for wrong, error in ((-1, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError)):
        counts: list[Any] = [1, 1, 1]
        counts[place] = wrong
        with pytest.raises(error, match="a count of rows"):
            function(*counts)
