"""What is promised of evidence, held against many runs of which the truth is known.

The 95 % interval of net lift holds the truth in 95 % of runs, give or take 1 %, averaged over
truths, whatever the number of units from three on; and equal arms are graded strong in at most 5 %
of runs. First exactly, over every outcome that so many units can have; then by simulated runs,
repetitions of a case among them that hang together closely.
"""

import math
import random
from collections.abc import Iterator
from functools import cache

import pytest

from receipts.evidence import STRONG, evidence_of, grade
from receipts.intervals import EXACT_UNITS, net_lift
from receipts.receipt import Receipt
from receipts.stats import net_lift as lift_of
from receipts.stats import sign_test
from receipts.units import units_of
from tests.parts import examples
from tests.receipts.samples import receipt

BASELINE = "candidate-vs-baseline"
UNITS = [3, 4, 5, 6, 7, 9, 12, 15, 20]
FAST = [EXACT_UNITS + 1, 60]
Truth = tuple[float, float]  # how probable a win is, and a loss
Outcome = tuple[int, int, int]


def truths(count: int) -> list[Truth]:
    """Return truths spread evenly over all that there are, the same each time."""
    chance = random.Random(20261130)
    found = []
    for _ in range(count):
        first, second = sorted((chance.random(), chance.random()))
        found.append((first, second - first))
    return found


def outcomes(units: int) -> Iterator[Outcome]:
    for won in range(units + 1):
        for lost in range(units - won + 1):
            yield won, lost, units - won - lost


def probability(outcome: Outcome, truth: Truth) -> float:
    won, lost, tied = outcome
    ways = math.comb(won + lost + tied, won) * math.comb(lost + tied, lost)
    return float(ways * truth[0] ** won * truth[1] ** lost * max(0, 1 - sum(truth)) ** tied)


def coverage(units: int, truth: Truth) -> float:
    lift = truth[0] - truth[1]
    return sum(
        probability(outcome, truth) for outcome in outcomes(units) if net_lift(*outcome).holds(lift)
    )


@pytest.mark.parametrize("units", [*UNITS, *FAST])
def test_on_average_over_truths_the_interval_covers_95_percent(units: int) -> None:
    spread = truths(400 if units < 10 else 150)
    covered = [coverage(units, truth) for truth in spread]
    assert 0.94 <= sum(covered) / len(covered) <= 0.96
    assert min(covered) > 0.85


def test_one_and_two_units_cover_more() -> None:
    for units in (1, 2):
        assert sum(coverage(units, truth) for truth in truths(400)) / 400 > 0.96


@pytest.mark.parametrize("units", [*range(1, 31), EXACT_UNITS, *FAST, 100])
def test_equal_arms_are_graded_strong_in_at_most_5_percent_of_runs(units: int) -> None:
    for tied in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9):
        equal = ((1 - tied) / 2, (1 - tied) / 2)
        strong = sum(
            probability(outcome, equal)
            for outcome in outcomes(units)
            if grade(*outcome[:2]) == STRONG
        )
        assert strong <= 0.05


# Simulated runs: cases that differ, each repeated, where what came out once mostly comes out again.

REPETITIONS = 3
RUNS = examples(8000)  # one standard error is then a quarter of a percent
STICKY = 0.8  # how often a repetition is the first one again


def row(truth: Truth, chance: random.Random) -> int:
    drawn = chance.random()
    return 1 if drawn < truth[0] else -1 if drawn < sum(truth) else 0


def case(truth: Truth, chance: random.Random) -> list[int]:
    first = row(truth, chance)
    more = [
        first if chance.random() < STICKY else row(truth, chance) for _ in range(REPETITIONS - 1)
    ]
    return [first, *more]


def case_truth(truth: Truth) -> Truth:
    """Return how probable a case is won, and lost, by working through all that can happen."""
    chances = {1: truth[0], -1: truth[1], 0: 1 - sum(truth)}
    won = lost = 0.0
    for first, p in chances.items():
        again = {step: (1 - STICKY) * q + STICKY * (step == first) for step, q in chances.items()}
        for second, q in again.items():
            for third, r in again.items():
                lead = first + second + third
                won += p * q * r * (lead > 0)
                lost += p * q * r * (lead < 0)
    return won, lost


@cache
def template(k: int) -> Receipt:
    return receipt(comparisons={}, provenance=receipt().provenance.model_dump() | {"k": k})


def run(rows: list[list[int]]) -> Receipt:
    """Return the receipt of a run with these rows by case."""
    words = {1: "win", -1: "loss", 0: "tie"}
    flat = [step for steps in rows for step in steps]
    counts = [flat.count(step) for step in words]
    per_case = [
        {"case": f"c{number}", "rep": rep, "arms": {}, "outcomes": {BASELINE: words[step]}}
        for number, steps in enumerate(rows)
        for rep, step in enumerate(steps)
    ]
    comparison = {
        "win": counts[0],
        "loss": counts[1],
        "tie": counts[2],
        "net_lift": lift_of(*counts),
        "sign_p": sign_test(*counts),
    }
    return Receipt.model_validate(
        template(len(rows[0])).model_dump()
        | {"comparisons": {BASELINE: comparison}, "per_case": per_case}
    )


@pytest.mark.parametrize("cases", [3, 9, 15])
def test_simulated_runs_of_sticky_repetitions_are_covered(cases: int) -> None:
    chance = random.Random(cases)
    covered = 0
    for truth in truths(RUNS):
        won, lost = case_truth(truth)
        units = units_of(run([case(truth, chance) for _ in range(cases)]), BASELINE)
        assert (units.kind, units.total) == ("case", cases)
        covered += net_lift(units.won, units.lost, units.tied).holds(won - lost)
    assert covered / RUNS == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("cases", [9, 15])
def test_simulated_rows_of_cases_that_ran_once_are_covered(cases: int) -> None:
    chance = random.Random(cases)
    covered = 0
    for truth in truths(RUNS):
        units = units_of(run([[row(truth, chance)] for _ in range(cases)]), BASELINE)
        assert (units.kind, units.total) == ("row", cases)
        covered += net_lift(units.won, units.lost, units.tied).holds(truth[0] - truth[1])
    assert covered / RUNS == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("tied", [0.0, 0.5])
def test_equal_arms_with_sticky_repetitions_are_seldom_strong_but_would_be_row_by_row(
    tied: float,
) -> None:
    chance = random.Random(9)
    equal = ((1 - tied) / 2, (1 - tied) / 2)
    strong = row_by_row = 0
    runs = examples(600)
    for _ in range(runs):
        rows = [case(equal, chance) for _ in range(9)]
        strong += evidence_of(run(rows))[BASELINE].grade == STRONG
        flat = [step for steps in rows for step in steps]
        row_by_row += grade(flat.count(1), flat.count(-1)) == STRONG
    assert strong / runs <= 0.06
    assert row_by_row / runs > 0.1
