"""Intervals, and the sign test over units, against the values that are known."""

import math
import time
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts import intervals
from receipts.intervals import EXACT_UNITS, Interval, net_lift, sign_probability, win_share
from receipts.stats import exact_sign_test

FEW = st.integers(0, 13)


@pytest.mark.parametrize(
    ("wins", "decided", "low", "high"),
    [
        (3, 3, 0.2924, 1), (2, 3, 0.0943, 0.9916), (5, 5, 0.4782, 1), (9, 10, 0.5550, 0.9975),
        (18, 20, 0.6830, 0.9877), (30, 30, 0.8843, 1), (0, 3, 0, 0.7076), (1, 1, 0.025, 1),
    ],
)  # fmt: skip
def test_the_win_share_is_that_of_clopper_and_pearson(
    wins: int, decided: int, low: float, high: float
) -> None:
    assert win_share(wins, decided - wins) == Interval(low, high)


@pytest.mark.parametrize(("wins", "losses"), [(3, 1), (0, 6), (40, 20)])
def test_at_its_ends_the_exact_tails_are_half_of_what_is_left(wins: int, losses: int) -> None:
    interval = win_share(wins, losses)
    assert interval is not None
    decided = wins + losses

    def tail(counts: range, share: float) -> float:
        return sum(math.comb(decided, n) * share**n * (1 - share) ** (decided - n) for n in counts)

    if wins:
        assert tail(range(wins, decided + 1), interval.low) == pytest.approx(0.025, abs=5e-4)
    assert tail(range(wins + 1), interval.high) == pytest.approx(0.025, abs=5e-4)


def test_nothing_decided_has_no_win_share() -> None:
    assert win_share(0, 0) is None


def test_the_win_share_of_very_many_is_wilsons_and_meets_the_exact_one() -> None:
    exact, approximate = win_share(60_000, 40_000), win_share(60_001, 40_000)
    assert exact is not None
    assert approximate is not None
    assert exact == pytest.approx(approximate, abs=2e-4)
    assert win_share(2**52, 2**52) == pytest.approx((0.5, 0.5), abs=1e-6)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_the_exact_one(won: int, lost: int) -> None:
    assert sign_probability(won, lost) == pytest.approx(float(exact_sign_test(won, lost)))


def test_the_sign_test_of_any_counts_ends_soon() -> None:
    start = time.monotonic()
    exact, approximate = sign_probability(50_300, 49_700), sign_probability(50_301, 49_700)
    assert exact == pytest.approx(approximate, rel=0.02)
    assert sign_probability(2**53 - 1, 0) == 0
    assert sign_probability(2**53, 2**53) == 1
    assert time.monotonic() - start < 10


@given(FEW, FEW, FEW)
def test_net_lift_is_held_and_mirrored(won: int, lost: int, tied: int) -> None:
    units = won + lost + tied
    if units == 0:
        return
    wide, narrow = net_lift(won, lost, tied), net_lift(won, lost, tied, level=0.8)
    assert -1 <= wide.low <= narrow.low <= narrow.high <= wide.high <= 1
    assert narrow.low - 1e-4 <= (won - lost) / units <= narrow.high + 1e-4
    assert net_lift(lost, won, tied) == pytest.approx((-wide.high, -wide.low), abs=2e-4)


@given(FEW, FEW, FEW, st.sampled_from([0.95, 0.8]))
def test_0_is_left_out_exactly_when_the_sign_test_rejects_equal_arms(
    won: int, lost: int, tied: int, level: float
) -> None:
    if won + lost + tied:
        rejected = exact_sign_test(won, lost) <= 1 - Fraction(str(level))
        assert net_lift(won, lost, tied, level=level).holds(0) is not rejected


@pytest.mark.parametrize("counts", [(5, 1, 3), (2, 0, 1), (0, 0, 4), (7, 2, 6)])
def test_its_ends_are_where_the_test_by_plain_enumeration_changes(
    counts: tuple[int, int, int],
) -> None:
    low, high = net_lift(*counts)
    for end, outwards in ((low, -2e-4), (high, 2e-4)):
        assert _enumerated(*counts, end - outwards) >= 0.05
        assert _enumerated(*counts, end + outwards) < 0.05


def _enumerated(won: int, lost: int, tied: int, lift: float) -> float:
    """Return the test's probability from the definition: every outcome, its score, its weight."""
    units = won + lost + tied
    observed = abs(_score(won, lost, units, lift))
    decided = _most_likely_share(won, lost, tied, lift)
    total = 0.0
    for w, x in product(range(units + 1), repeat=2):
        if w + x > units:
            continue
        weight = float(math.comb(units, w) * math.comb(units - w, x))
        weight *= ((decided + lift) / 2) ** w * ((decided - lift) / 2) ** x
        weight *= (1 - decided) ** (units - w - x)
        score = abs(_score(w, x, units, lift))
        if (w, x) == (won, lost):
            total += 0.35 * weight
        elif score > observed - 1e-9:
            total += weight
    return total


def _score(won: int, lost: int, units: int, lift: float) -> float:
    decided = _most_likely_share(won, lost, units - won - lost, lift)
    return (won - lost - units * lift) / math.sqrt(units * (decided - lift**2))


def _most_likely_share(won: int, lost: int, tied: int, lift: float) -> float:
    """Return the share of decided units of greatest likelihood, by looking for it."""

    def likelihood(share: float) -> float:
        terms = (won, (share + lift) / 2), (lost, (share - lift) / 2), (tied, 1 - share)
        return sum(n * math.log(max(p, 1e-300)) for n, p in terms if n)

    low, high = abs(lift), 1.0
    for _ in range(100):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if likelihood(first) < likelihood(second):
            low = first
        else:
            high = second
    return (low + high) / 2


def test_the_two_methods_meet() -> None:
    tied = EXACT_UNITS - 25
    exact, fast = net_lift(18, 7, tied), net_lift(18, 7, tied + 1)
    assert exact == pytest.approx(fast, abs=0.02)


def test_very_many_units_end_soon() -> None:
    start = time.monotonic()
    interval = net_lift(2**52, 2**51, 7)
    assert interval == pytest.approx((1 / 3, 1 / 3), abs=1e-4)
    assert time.monotonic() - start < 10


def test_extremes_reach_the_end_of_the_scale() -> None:
    for units in (1, 6, EXACT_UNITS, 100):
        assert net_lift(units, 0, 0).high == 1
        assert net_lift(0, units, 0).low == -1
        assert net_lift(0, 0, units).holds(0)


def test_no_units_have_no_interval() -> None:
    with pytest.raises(ValueError, match="no units"):
        net_lift(0, 0, 0)


def test_the_score_grows_with_every_win_for_a_loss() -> None:
    """The sums over extreme outcomes rely on it."""
    for units in (1, 2, 3, 7, 16, EXACT_UNITS):
        for step in range(-20, 21):
            lift = step / 21 + 0.003
            for decided in range(units + 1):
                scores = [
                    intervals._score(2 * won - decided, decided, units, lift)
                    for won in range(decided + 1)
                ]
                assert scores == sorted(scores)
