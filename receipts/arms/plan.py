"""What one evaluation by arms is going to do, decided before anything is paid for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from receipts.agents import Agent
    from receipts.arms.assets import Assets, Case
    from receipts.arms.checks import Check

BASELINE = "baseline"
CANDIDATE = "candidate"
INCUMBENT = "incumbent"
SUITE = "suite"


@dataclass(frozen=True)
class Arm:
    """One side of the comparison.

    Attributes:
        name: `baseline`, `candidate` or `incumbent`.
        skill: The folder of the bytes to stage, or None for an arm without the skill.
        version: The published version of those bytes, where that is known.
    """

    name: str
    skill: Path | None
    version: str | None = None


@dataclass(frozen=True)
class Limits:
    """Where a run stops starting sessions; None means without limit.

    Attributes:
        cost_usd: Dollars, as the agent reports them, over everything that the run starts.
        sessions: Sessions of arms, a second attempt included.
    """

    cost_usd: float | None = None
    sessions: int | None = None


@dataclass(frozen=True)
class Plan:
    """One run.

    Attributes:
        folder: The run's own folder, which is there and empty.
        skill_name: The name of the skill's folder, which is what sessions list it under.
        arms: Baseline first, then candidate, then the incumbent if there is one.
        assets: The cases, suite and triggers, read from the staged copy.
        cases: The selected cases, in order.
        suite: Whether the suite runs.
        triggers: Whether the trigger prompts run.
        k: Repetitions of each case.
        model: The model as it was asked for.
        judge_model: The judge's, as it was asked for.
        parallel: Sessions at a time.
        catalogue: Name and description of every skill beside this one, itself included.
        dependencies: Files outside the skill that it names, by relative path.
    """

    folder: Path
    skill_name: str
    agent: "Agent"
    arms: tuple[Arm, ...]
    assets: "Assets"
    cases: tuple["Case", ...]
    suite: bool
    triggers: bool
    k: int
    model: str
    judge_model: str
    parallel: int
    limits: Limits = field(default_factory=Limits)
    catalogue: Mapping[str, str] = field(default_factory=dict)
    dependencies: Mapping[str, Path] = field(default_factory=dict)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The arms that the candidate is compared with."""
        return tuple(arm.name for arm in self.arms if arm.name != CANDIDATE)

    @property
    def units(self) -> tuple["Unit", ...]:
        """Every case and repetition, the suite behind the cases of each repetition."""
        return tuple(
            unit
            for rep in range(self.k)
            for unit in [
                *(Unit(case, rep, {case.name: case.checks}, case.judge) for case in self.cases),
                *self._suite_unit(rep),
            ]
        )

    def _suite_unit(self, rep: int) -> list["Unit"]:
        suite = self.assets.suite
        if not self.suite or suite is None:
            return []
        checks = {subcase.name: subcase.checks for subcase in suite.subcases}
        return [Unit(suite.session, rep, checks, None)]

    @property
    def expected_rows(self) -> int:
        """The rows of a run in which nothing is skipped, dropped or dead."""
        return len(self.opponents) * sum(len(unit.checks) for unit in self.units)


@dataclass(frozen=True)
class Unit:
    """One case, or the suite, in one repetition: a session in each arm.

    Attributes:
        case: What the session is given.
        rep: The repetition, from 0.
        checks: The checks of each scored case by its name: of the case itself, or of every
            sub-case of the suite.
        rubric: What the judge goes by, or None.
    """

    case: "Case"
    rep: int
    checks: Mapping[str, tuple["Check", ...]]
    rubric: str | None

    @property
    def key(self) -> tuple[str, int]:
        """The unit's name in a journal."""
        return self.case.name, self.rep
