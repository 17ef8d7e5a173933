"""How much a run would start at most, which is known before anything is paid for."""

from typing import NamedTuple

from receipts.arms import judging
from receipts.arms.plan import Plan

_ORDERS = 2


class Extent(NamedTuple):
    """Sessions when none fails, and the most calls of the judge and of trigger prompts."""

    sessions: int
    judge_calls: int
    trigger_calls: int


def of(plan: Plan) -> Extent:
    """Return the extent of a whole run, with what an earlier process of it did."""
    judged = sum(len(unit.checks) for unit in plan.units if unit.rubric) * len(plan.opponents)
    triggers = plan.assets.triggers if plan.triggers else None
    prompts = {*triggers.should} if triggers else set()
    others = {*triggers.should_not} if triggers else set()
    return Extent(
        sessions=len(plan.units) * len(plan.arms),
        judge_calls=judged * _ORDERS * judging.ATTEMPTS,
        trigger_calls=len(prompts) + len(others),
    )
