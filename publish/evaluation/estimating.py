"""What an evaluation will take, from the earlier runs on this machine."""

from typing import TYPE_CHECKING

from publish.evaluation.request import Request
from receipts import agents
from receipts.arms import assets
from receipts.arms.plan import BASELINE, CANDIDATE, Plan
from receipts.errors import EvalError
from store import estimate, runs
from store.estimate import Planned

if TYPE_CHECKING:
    from receipts.receipt import Receipt


def line(plan: Plan, skill_id: str | None) -> str:
    """Return the sentence about what a run will take, and what that is based on."""
    planned = Planned(
        skill_name=plan.skill_name,
        skill_id=skill_id,
        agent=plan.agent.name,
        model=plan.model,
        k=plan.k,
        cases=len(plan.cases),
        suite=plan.suite,
        arms=tuple(arm.name for arm in plan.arms),
        parallel=plan.parallel,
    )
    return estimate.estimate(planned, _receipts()).line


def line_of_all(requests: list[Request]) -> str:
    """Return the sentence about several skills that are evaluated one after another.

    What a team's version and generated cases will add is not known yet.
    """
    return estimate.estimate_all([_planned(one) for one in requests], _receipts(), at_a_time=1).line


def _planned(request: Request) -> Planned:
    agent = agents.find(request.agent)
    try:
        found = assets.read(request.folder / "evals")
        cases, suite = len(request.cases) or len(found.cases), found.suite is not None
    except EvalError:  # it will be refused when its turn comes
        cases, suite = 0, False
    return Planned(
        skill_name=request.folder.name,
        skill_id=None,
        agent=agent.name,
        model=request.model or agent.default_model,
        k=request.k,
        cases=cases if request.execution else 0,
        suite=suite and request.execution and not request.cases,
        arms=(BASELINE, CANDIDATE),
        parallel=request.parallel,
    )


def _receipts() -> list["Receipt"]:
    return [run.file.receipt for run in runs.all_runs() if run.file.receipt is not None]
