"""Limits on sessions and dollars."""

from receipts.arms.plan import Limits
from receipts.arms.spending import Spending


def test_sessions_are_counted_and_end_for_good() -> None:
    spending = Spending(Limits(sessions=2))
    assert [spending.start_another() for _ in range(3)] == [True, True, False]
    assert spending.reached == "--max-sessions 2 is reached"
    spending.ended(0.1, failed=False)
    assert not spending.start_another()
    assert spending.sessions == 2


def test_a_unit_is_paid_for_whole_or_not_at_all() -> None:
    spending = Spending(Limits(sessions=5))
    assert spending.reserve(2)
    assert spending.reserve(2)
    assert not spending.reserve(2)  # one is left, which is half of a comparison
    assert [spending.start() for _ in range(4)] == [True] * 4
    assert spending.sessions == 4
    spending = Spending(Limits(cost_usd=1.0), dearest_usd=0.3)
    assert spending.reserve(3)
    assert not spending.reserve(1)
    assert all(spending.start() for _ in range(3))  # what was promised


def test_what_ends_a_run_ends_what_was_reserved() -> None:
    spending = Spending(Limits())
    assert spending.reserve(2)
    assert spending.start()
    spending.end("the agent is no longer logged in")
    assert not spending.start()
    assert spending.sessions == 1
    assert spending.reached == "the agent is no longer logged in"


def test_running_sessions_are_expected_to_cost_as_much_as_the_dearest() -> None:
    spending = Spending(Limits(cost_usd=1.2))
    assert spending.start_another()
    spending.ended(0.4, failed=False)
    assert spending.start_another()  # 0.4 spent
    assert spending.start_another()  # 0.4 spent, 0.4 expected
    assert not spending.start_another()  # 0.4 spent, 0.8 expected
    assert spending.reached is not None


def test_sessions_that_do_not_say_their_cost_are_expected_to_cost_as_much() -> None:
    spending = Spending(Limits(cost_usd=1.0), dearest_usd=0.3, cost_usd=0.3)
    assert spending.start_another()
    spending.ended(None, failed=True)
    assert spending.start_another()
    spending.ended(None, failed=True)
    assert not spending.start_another()
    assert spending.cost_usd == 0.3  # what nobody said is in no number
    assert not Spending(Limits(cost_usd=1.0), dearest_usd=0.5, silent=2).start_another()


def test_other_calls_count_and_are_refused_once_all_is_spent() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.may_ask()
    spending.add(1.0)
    assert not spending.may_ask()
    assert not spending.start_another()


def test_a_cost_limit_ends_a_run_whose_agent_names_no_cost() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.reserve(2)
    assert spending.start()
    spending.ended(None, failed=True)  # a dead session need not have said
    assert spending.start()
    spending.ended(None, failed=False)
    assert not spending.start_another()
    assert spending.reached == "the agent reports no cost, so --max-cost cannot be kept"


def test_a_cost_limit_ends_a_run_whose_first_sessions_all_died_without_a_cost() -> None:
    spending = Spending(Limits(cost_usd=1.0))
    assert spending.reserve(2)
    for _ in range(2):
        assert spending.start()
        spending.ended(None, failed=True)
    assert not spending.start_another()
    assert spending.reached == "no session has said what it cost, so --max-cost cannot be kept"


def test_without_limits_nothing_ends() -> None:
    spending = Spending(Limits())
    assert all(spending.start_another() for _ in range(1000))
    spending.ended(None, failed=False)
    assert spending.may_ask()


def test_a_limit_of_sessions_leaves_the_judge_and_the_prompts_their_calls() -> None:
    spending = Spending(Limits(sessions=0))
    assert not spending.reserve(2)
    assert spending.may_ask()
    spending = Spending(Limits(cost_usd=1.0))
    spending.end("the disk is running full")
    assert not spending.may_ask()


def test_what_a_session_costs_is_known_from_one_that_said_it_or_from_before() -> None:
    assert Spending(Limits()).is_foreseeable
    spending = Spending(Limits(cost_usd=1.0))
    assert not spending.is_foreseeable
    assert spending.reserve(2)
    assert spending.start()
    spending.ended(None, failed=True)
    assert not spending.is_foreseeable
    assert spending.start()
    spending.ended(0.0, failed=True)
    assert spending.is_foreseeable
    assert Spending(Limits(cost_usd=1.0), dearest_usd=0.5).is_foreseeable
