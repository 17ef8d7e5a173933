"""Intervals of rates: published values, and coverage by exact sums and by simulation."""

import math
import random
from functools import cache

import pytest

from receipts.intervals import wilson
from receipts.rates import Rate, difference, mean, needed

# Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
_SINGLE = [
    ((81, 263), (0.2553, 0.3662)),
    ((15, 148), (0.0624, 0.1605)),
    ((0, 20), (0.0, 0.1611)),
    ((1, 29), (0.0061, 0.1718)),
]
# Newcombe, "Interval estimation for the difference between independent proportions" (1998), table
# II, method 10.
_DIFFERENCES = [
    ((56, 70), (48, 80), (0.0524, 0.3339)),
    ((9, 10), (3, 10), (0.1705, 0.8090)),
    ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ((0, 10), (0, 10), (-0.2775, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0)),
    ((10, 10), (0, 10), (0.6075, 1.0)),
]


def rate(successes: int, trials: int) -> Rate:
    return Rate(successes / trials, trials)


@pytest.mark.parametrize(("counts", "ends"), _SINGLE)
def test_a_rate_has_the_published_interval(
    counts: tuple[int, int], ends: tuple[float, float]
) -> None:
    assert rate(*counts).interval == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize(("after", "before", "ends"), _DIFFERENCES)
def test_a_difference_has_the_published_interval(
    after: tuple[int, int], before: tuple[int, int], ends: tuple[float, float]
) -> None:
    assert difference(rate(*before), rate(*after)) == pytest.approx(ends, abs=5e-5)
    low, high = difference(rate(*after), rate(*before))
    assert (-high, -low) == pytest.approx(ends, abs=5e-5)


def test_no_interval_leads_out_of_what_can_be() -> None:
    for trials in (1, 2, 3, 7, 20, 1000):
        for successes in (0, 1, trials // 2, trials):
            low, high = wilson(successes / trials, trials)
            assert 0 <= low <= successes / trials <= high <= 1
    assert difference(rate(0, 1), rate(1, 1)).high == 1


def _binomial(trials: int, share: float) -> list[float]:
    return [
        math.comb(trials, count) * share**count * (1 - share) ** (trials - count)
        for count in range(trials + 1)
    ]


@cache
def _holds(first: int, second: int, before: int, after: int) -> tuple[float, float]:
    return difference(rate(first, before), rate(second, after))


@pytest.mark.parametrize(("before", "after"), [(3, 3), (5, 5), (3, 10), (10, 10), (20, 20)])
def test_differences_are_covered_in_95_percent_on_average(before: int, after: int) -> None:
    chance = random.Random(20261203)
    covered = []
    for _ in range(150):
        one, other = chance.random(), chance.random()
        total = 0.0
        for first, weight in enumerate(_binomial(before, one)):
            for second, other_weight in enumerate(_binomial(after, other)):
                low, high = _holds(first, second, before, after)
                total += weight * other_weight * (low <= other - one <= high)
        covered.append(total)
    assert 0.94 <= sum(covered) / len(covered) <= 0.98
    assert min(covered) > 0.82


@pytest.mark.parametrize("spread", [True, False], ids=["tasks differ", "tasks are alike"])
@pytest.mark.parametrize("trials", [[3] * 5, [3] * 20, [1] * 20, [2, 3, 3, 1, 10]])
def test_means_and_their_differences_are_covered(trials: list[int], spread: bool) -> None:
    chance = random.Random(20261203)
    runs, of_mean, of_shift = 800, 0, 0
    for _ in range(runs):
        truths = [(chance.random(), chance.random()) for _ in trials]
        truths = truths if spread else truths[:1] * len(trials)
        sides = [
            mean(
                [
                    rate(sum(chance.random() < truth[side] for _ in range(count)), count)
                    for truth, count in zip(truths, trials, strict=True)
                ]
            )
            for side in (0, 1)
        ]
        first, second = (sum(truth[side] for truth in truths) / len(truths) for side in (0, 1))
        of_mean += sides[0].interval.holds(first)
        of_shift += difference(*sides).holds(second - first)
    # Give or take what chance leaves in so many runs; wide where tasks differ, by design.
    assert of_mean / runs > 0.93
    assert of_shift / runs > 0.93


def test_a_mean_of_equal_tasks_counts_as_all_their_attempts() -> None:
    assert mean([rate(1, 3), rate(3, 3)]) == pytest.approx(Rate(2 / 3, 6))
    assert mean([rate(1, 2), rate(5, 10)]).trials == pytest.approx(4 / 0.6)
    with pytest.raises(ValueError, match="no rates"):
        mean([])


@cache
def _fisher(first: int, second: int, trials: int) -> float:
    """Return the two-sided p of Fisher's exact test."""
    ways = [
        math.comb(trials, count) * math.comb(trials, first + second - count)
        for count in range(max(0, first + second - trials), min(trials, first + second) + 1)
    ]
    own = math.comb(trials, first) * math.comb(trials, second)
    return sum(way for way in ways if way <= own) / sum(ways)


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [(0.1, 0.3, 72), (0.65, 0.85, 83), (0.9, 0.5, 25), (0.5, 0.75, 66)],
)
def test_so_many_attempts_show_it_four_times_of_five(
    before: float, after: float, count: int
) -> None:
    assert needed(before, after) == needed(after, before) == count

    def power(trials: int) -> float:
        return sum(
            weight * other
            for first, weight in enumerate(_binomial(trials, before))
            for second, other in enumerate(_binomial(trials, after))
            if _fisher(first, second, trials) <= 0.05
        )

    assert 0.79 < power(count) < 0.84


def test_no_difference_needs_no_number() -> None:
    assert needed(0.5, 0.5) is None
    assert needed(0, 1) == needed(1, 0) == 4
