"""Limits on sessions and dollars."""

from receipts.arms.plan import Limits
from receipts.arms.spending import Spending


def test_sessions_are_counted_and_end_for_good() -> None:
    spending = Spending(Limits(sessions=2))
    assert [spending.may_start() for _ in range(3)] == [True, True, False]
    assert spending.reached == "--max-sessions 2 is reached"
    spending.ended(0.1, failed=False)
    assert not spending.may_start()
    assert spending.sessions == 2


def test_running_sessions_are_expected_to_cost_as_much_as_the_dearest() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.may_start()
    spending.ended(0.4, failed=False)
    assert spending.may_start()  # 0.4 spent
    assert spending.may_start()  # 0.4 spent, 0.4 expected
    assert not spending.may_start()  # 0.4 spent, 0.8 expected
    assert spending.reached is not None


def test_other_calls_count_and_are_refused_once_all_is_spent() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.may_ask()
    spending.add(1.0)
    assert not spending.may_ask()
    assert not spending.may_start()


def test_a_cost_limit_ends_a_run_whose_agent_names_no_cost() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.may_start()
    spending.ended(None, failed=True)  # a dead session need not have said
    assert spending.may_start()
    spending.ended(None, failed=False)
    assert not spending.may_start()
    assert spending.reached == "the agent reports no cost, so --max-cost cannot be kept"


def test_without_limits_nothing_ends() -> None:
    spending = Spending(Limits())
    assert all(spending.may_start() for _ in range(1000))
    spending.ended(None, failed=False)
    assert spending.may_ask()


def test_a_limit_of_sessions_leaves_the_judge_and_the_prompts_their_calls() -> None:
    spending = Spending(Limits(sessions=0))
    assert not spending.may_start()
    assert spending.may_ask()
    spending = Spending(Limits(cost_usd=1.0))
    spending.reached = "the disk is running full"
    assert not spending.may_ask()


def test_what_a_session_costs_is_known_from_one_that_said_it_or_from_before() -> None:
    assert Spending(Limits()).is_foreseeable
    spending = Spending(Limits(cost_usd=1.0))
    assert not spending.is_foreseeable
    assert spending.may_start()
    spending.ended(None, failed=True)
    assert not spending.is_foreseeable
    assert spending.may_start()
    spending.ended(0.0, failed=True)
    assert spending.is_foreseeable
    assert Spending(Limits(cost_usd=1.0), dearest_usd=0.5).is_foreseeable
