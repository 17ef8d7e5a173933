"""Limits that cannot be kept, or that leave nothing to do: refused before anything is paid for."""

from collections.abc import Sequence

from receipts.agents import Agent
from receipts.arms.journal import Record
from receipts.arms.plan import Limits, Plan
from receipts.errors import UsageError


def refuse_unkept(agent: Agent, limits: Limits) -> None:
    """Raise when a limit of dollars is given for an agent that names none.

    Raises:
        UsageError: It is.
    """
    if limits.cost_usd is not None and not agent.reports_cost:
        raise UsageError(
            f"The agent {agent.name} does not say what a session costs, so --max-cost cannot be "
            "kept.",
            "Limit the sessions instead, with --max-sessions.",
        )


def refuse_narrow(plan: Plan) -> None:
    """Raise when a limit has no room for one repetition of a case, which takes every arm.

    Raises:
        UsageError: It has not.
    """
    most, needed = plan.limits.sessions, len(plan.arms)
    if plan.units and most is not None and most < needed:
        arms = ", ".join(arm.name for arm in plan.arms)
        raise UsageError(
            f"--max-sessions leaves room for {most}, and one repetition of a case takes {needed}: "
            f"{arms}.",
            f"Give {needed} or more.",
        )


def refuse_spent(run_id: str, records: Sequence[Record], limits: Limits) -> None:
    """Raise when a limit, which counts from the run's beginning, leaves nothing to go on with.

    Raises:
        UsageError: It does.
    """
    attempts = [record for record in records if record.get("kind") == "attempt"]
    if limits.sessions is not None and len(attempts) >= limits.sessions:
        raise UsageError(
            f"The run {run_id} has started {len(attempts)} sessions, and --max-sessions counts "
            "them too.",
            f"Give more than {len(attempts)}, or leave it out.",
        )
    spent = sum(record.get("spent") or 0.0 for record in records)
    if limits.cost_usd is not None and spent >= limits.cost_usd:
        raise UsageError(
            f"The run {run_id} has spent ${spent:.2f}, and --max-cost counts them too.",
            "Give more, or leave it out.",
        )
