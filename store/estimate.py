"""What an evaluation by arms will cost, and how long it will take, from earlier receipts.

Receipts hold the mean cost and duration of a session in each arm; a run is so many sessions. The
median is taken over the receipts that resemble the run most: first those of the same skill, model,
agent and k, then those of the same skill and model, then all of the same model. Calls of the judge
and for triggers are in no receipt and so in no estimate.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from receipts.numbers import fixed
from receipts.recency import recency

if TYPE_CHECKING:
    from receipts.receipt import Efficiency, Receipt

FEWEST = 3
"""Earlier runs from which there is a median; of fewer the newest one is taken."""

_CANDIDATE = "candidate"
_MINUTE = 60


@dataclass(frozen=True)
class Planned:
    """A run that is about to start.

    Attributes:
        skill_name: The skill's name.
        skill_id: Its id in the team, where it has one.
        agent: The agent's name, such as `claude`.
        model: As it was asked for.
        k: Repetitions.
        cases: How many cases are selected, the suite not counted.
        suite: Whether the suite runs, which is one session in each arm and repetition.
        arms: The names of the arms.
        parallel: Sessions at a time.
    """

    skill_name: str
    skill_id: str | None
    agent: str
    model: str
    k: int
    cases: int
    suite: bool
    arms: tuple[str, ...]
    parallel: int

    @property
    def sessions(self) -> int:
        """How many sessions it starts, second attempts not counted."""
        return len(self.arms) * self.k * (self.cases + int(self.suite))


@dataclass(frozen=True)
class Estimate:
    """What a run will take; None is what no earlier receipt tells.

    Attributes:
        cost_usd: Dollars.
        seconds: How long.
        based_on: What the numbers come from, in words; empty when there are none.
        run_ids: The earlier runs that were used.
        line: All of this in a sentence.
    """

    cost_usd: float | None
    seconds: float | None
    based_on: str
    run_ids: tuple[str, ...]
    line: str


def estimate(planned: Planned, receipts: Iterable["Receipt"]) -> Estimate:
    """Return what a run will take, from earlier receipts of this machine, and a team's if given."""
    used, based_on = _closest(planned, receipts)
    costs = [each for each in (_mean(planned, one, "cost_usd") for one in used) if each is not None]
    times = [
        each for each in (_mean(planned, one, "duration_ms") for one in used) if each is not None
    ]
    cost = median(costs) * planned.sessions if costs else None
    waves = math.ceil(planned.sessions / planned.parallel)
    seconds = median(times) / 1000 * waves if times else None
    run_ids = tuple(one.run_id for one in used)
    start = f"Evaluating {planned.skill_name}, {_sessions(planned)}"
    if cost is None and seconds is None:
        return Estimate(None, None, "", (), f"{start}: {_nothing(planned.agent)}")
    each = _amounts(
        median(costs) if costs else None, median(times) / 1000 if times else None, " · "
    )
    line = f"{start}: about {_amounts(cost, seconds, ' and ')} on this machine, from {based_on}"
    line += f" (median {each} a session)." if len(used) > 1 else "."
    return Estimate(cost, seconds, based_on, run_ids, line)


def estimate_all(
    planned: Sequence[Planned], receipts: Iterable["Receipt"], *, at_a_time: int
) -> Estimate:
    """Return what evaluating several skills, some at a time, will take together."""
    known = list(receipts)
    each = [estimate(one, known) for one in planned]
    costs = [one.cost_usd for one in each if one.cost_usd is not None]
    times = [one.seconds for one in each if one.seconds is not None]
    what = "1 skill" if len(planned) == 1 else f"{len(planned)} skills"
    start = f"Evaluating {what}, {at_a_time} at a time"
    if not costs and not times:
        return Estimate(None, None, "", (), f"{start}: {_nothing(planned[0].agent)}")
    cost = sum(costs) if costs else None
    seconds = median(times) * math.ceil(len(planned) / at_a_time) if times else None
    run_ids = tuple(sorted({run_id for one in each for run_id in one.run_ids}))
    based_on = "a single earlier run" if len(run_ids) == 1 else f"{len(run_ids)} earlier runs"
    amounts = _amounts(median(costs) if costs else None, median(times) if times else None, " · ")
    line = f"{start}: about {_amounts(cost, seconds, ' and ')} on this machine, from {based_on}"
    line += f" (median {amounts} each)."
    if unknown := sum(not one.run_ids for one in each):
        line += f" For {unknown} of them there are no earlier runs to estimate from."
    return Estimate(cost, seconds, based_on, run_ids, line)


def _closest(planned: Planned, receipts: Iterable["Receipt"]) -> tuple[list["Receipt"], str]:
    """Return the receipts that resemble a run most, newest last, and what they are in words."""
    usable = [one for one in receipts if _is_usable(planned, one)]
    usable.sort(key=lambda one: recency(one.run_id, one.provenance.timestamp))
    of_skill = [one for one in usable if _is_of_skill(planned, one)]
    alike = [one for one in of_skill if _is_like(planned, one)]
    scaled = "with the same model, scaled by k and cases"
    of_this = [
        (alike, "of this skill with the same model, agent and k"),
        (of_skill, f"of this skill {scaled}"),
    ]
    # One run of the skill itself tells more than any number of other skills'.
    for kinds in (of_this, [(usable, scaled)]):
        for found, words in kinds:
            if len(found) >= FEWEST:
                return found, f"{len(found)} earlier runs {words}"
        for found, words in kinds:
            if found:
                return found[-1:], f"a single earlier run {words}"
    return [], ""


def _is_usable(planned: Planned, receipt: "Receipt") -> bool:
    return (
        receipt.method == "arms"
        and receipt.block("source") is None
        and receipt.provenance.model == planned.model
        and _agent(receipt) in (None, planned.agent)
        and any(_mean(planned, receipt, field) is not None for field in ("cost_usd", "duration_ms"))
    )


def _is_of_skill(planned: Planned, receipt: "Receipt") -> bool:
    if planned.skill_id and receipt.skill_id:
        return planned.skill_id.lower() == receipt.skill_id.lower()
    return planned.skill_name == receipt.skill_name


def _is_like(planned: Planned, receipt: "Receipt") -> bool:
    return receipt.provenance.k == planned.k and _agent(receipt) == planned.agent


def _agent(receipt: "Receipt") -> str | None:
    """Return the agent that a receipt names, or gives away by its version; else None."""
    agent = getattr(receipt.provenance, "agent", None)
    if isinstance(agent, str) and agent:
        return agent
    return "claude" if "Claude Code" in receipt.provenance.cc_version else None


def _mean(planned: Planned, receipt: "Receipt", field: str) -> float | None:
    """Return the mean of a session over the arms of a run, as a receipt has them."""
    known = {
        arm: value
        for arm, means in receipt.efficiency.items()
        if (value := _value(means, field)) is not None
    }
    if not known:
        return None
    # An arm that the receipt lacks is as dear as the candidate: an incumbent is a skill as well.
    other = known.get(_CANDIDATE, sum(known.values()) / len(known))
    return sum(known.get(arm, other) for arm in planned.arms) / len(planned.arms)


def _value(means: "Efficiency", field: str) -> float | None:
    value: float | None = getattr(means, field)
    return value if value is not None and value >= 0 else None


def _amounts(cost: float | None, seconds: float | None, between: str) -> str:
    parts = [] if cost is None else [f"${fixed(cost, 2)}"]
    if seconds is not None:
        is_long = seconds >= _MINUTE
        parts.append(f"{fixed(seconds / _MINUTE, 0)} min" if is_long else f"{fixed(seconds, 0)} s")
    return between.join(parts)


def _sessions(planned: Planned) -> str:
    count = planned.sessions
    return f"{count} session{'' if count == 1 else 's'}, {planned.parallel} at a time"


def _nothing(agent: str) -> str:
    account = "your Claude account" if agent == "claude" else f"the account that {agent} uses"
    return (
        "no earlier runs to estimate from; each eval runs the skill's cases against a baseline on "
        f"this machine and bills {account}."
    )
