"""Numbers of attempts, against hand-computed ones."""

from itertools import combinations

import pytest

from receipts.attempts.outcomes import Outcome
from receipts.attempts.scores import Counts, average, counted, is_probe, unbiased_pass_at_k


def test_each_outcome_counts_as_the_table_says() -> None:
    table = {
        "pass": (True, False, True),
        "task_fail": (True, False, True),
        "cheat": (True, False, True),
        "not_checked": (False, False, True),
        "judge_error": (False, True, True),
        "infra_error": (False, True, False),
        "timeout": (False, True, False),
    }
    assert {
        one.value: (one.is_usable, one.is_noise, one.tells_activation) for one in Outcome
    } == table


def test_the_documented_third() -> None:
    counts = counted([Outcome.PASS, Outcome.TASK_FAIL, Outcome.CHEAT, Outcome.TIMEOUT])
    assert counts == Counts(successes=1, usable=3, unusable=1)
    assert counts.score == pytest.approx(1 / 3)
    assert counts.pass_at_k == pytest.approx(1 - (2 / 3) ** 3)  # 70 %
    assert counts.pass_hat_k == pytest.approx((1 / 3) ** 3)  # 4 %


def test_what_was_not_measured_is_no_zero() -> None:
    counts = counted([Outcome.TIMEOUT, Outcome.NOT_CHECKED, Outcome.JUDGE_ERROR])
    assert counts == Counts(0, 0, 2)
    assert counts.score is counts.pass_at_k is counts.pass_hat_k is None
    assert average([None, 0.5, None, 1.0]) == 0.75
    assert average([None]) is None


def test_a_cheat_does_not_unmake_a_probe() -> None:
    assert is_probe([Outcome.NOT_CHECKED, Outcome.CHEAT])
    assert not is_probe([Outcome.NOT_CHECKED, Outcome.PASS])
    assert not is_probe([Outcome.TIMEOUT])


@pytest.mark.parametrize(("successes", "usable", "k"), [(1, 3, 2), (4, 9, 3), (0, 5, 5), (5, 5, 1)])
def test_unbiased_pass_at_k_is_the_share_of_choices_with_a_success(
    successes: int, usable: int, k: int
) -> None:
    choices = list(combinations([True] * successes + [False] * (usable - successes), k))
    share = sum(map(any, choices)) / len(choices)
    assert unbiased_pass_at_k(successes, usable, k) == pytest.approx(share)


def test_unbiased_pass_at_k_needs_as_many_attempts() -> None:
    assert unbiased_pass_at_k(1, 2, 3) is None
    for impossible in ((1, 2, 0), (3, 2, 1), (-1, 2, 1)):
        with pytest.raises(ValueError, match="k is at least 1"):
            unbiased_pass_at_k(*impossible)
