"""Whether each arm has exactly the skills that it is meant to have, asked before a run is paid for.

A session says which skills it loaded before it asks the model. The first of each arm is waited for,
and a difference that is not the one under test refuses the run; every later session of an arm is
held against its first.
"""

import threading

from receipts.arms.plan import Plan

Skills = tuple[str, ...] | None


class Gate:
    """Collects the skill list of each arm. Threads may report at once.

    Attributes:
        lists: The resolved skill list of each arm that said one.
        problem: Why the run is refused, or None.
        advice: What to do about it.
    """

    def __init__(self, plan: Plan, known: dict[str, tuple[str, ...]]) -> None:
        self._name = plan.skill_name
        self._staged = {arm.name: arm.skill is not None for arm in plan.arms}
        self._reports = plan.agent.reports_skills
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self.lists: dict[str, tuple[str, ...]] = dict(known)
        self.problem: str | None = None
        self.advice = "Remove the difference, then run again."

    @property
    def is_open(self) -> bool:
        """Whether every arm has said its skills, or this agent says none."""
        return not self._reports or len(self.lists) == len(self._staged)

    def report(self, arm: str, skills: Skills) -> None:
        """Take what a session of an arm said of its skills; None when it ended without saying."""
        if not self._reports or skills is None:
            return
        with self._changed:
            if arm not in self.lists:
                self.lists[arm] = skills
                self.problem = self.problem or self._own(arm, skills) or self._others()
            self._changed.notify_all()

    def differs(self, arm: str, skills: Skills) -> str | None:
        """Return how a session's skills differ from those of its arm's first, if they do."""
        if not self._reports:
            return None
        if skills is None:
            self._refuse(arm)
            return "it did not report its resolved skill list"
        if arm not in self.lists:
            return None
        more, fewer = set(skills) - set(self.lists[arm]), set(self.lists[arm]) - set(skills)
        parts = [f"{_listed(more)} came"] if more else []
        parts += [f"{_listed(fewer)} went"] if fewer else []
        return (
            f"its skills are not those of the arm's first session: {'; '.join(parts)}"
            if parts
            else None
        )

    def _refuse(self, arm: str) -> None:
        """Refuse the run of an arm none of whose sessions said its skills."""
        with self._changed:
            if arm not in self.lists:
                self.problem = self.problem or (
                    f"arm '{arm}' did not report its resolved skill list; refusing the run."
                )
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until it is open or refuses, at most so long; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_open or bool(self.problem), seconds)

    def _own(self, arm: str, skills: tuple[str, ...]) -> str | None:
        present, staged = self._name in skills, self._staged[arm]
        if present == staged:
            return None
        resolved = f"arm '{arm}' resolved skills {_listed(skills)} — '{self._name}'"
        if staged:
            self.advice = (
                "An agent lists a skill under the `name` in its SKILL.md, and leaves out one "
                "without a description, with `user-invocable: false`, or named as one of its own: "
                "mend that, then run again."
            )
            return f"{resolved} is missing from an arm that staged it; refusing the run."
        return f"{resolved} leaked into an arm without it staged; refusing the run."

    def _others(self) -> str | None:
        """Name every other skill that one arm has and another has not."""
        if not self.is_open:
            return None
        others = {arm: set(skills) - {self._name} for arm, skills in self.lists.items()}
        everywhere = set.intersection(*others.values())
        more = {arm: names - everywhere for arm, names in others.items() if names - everywhere}
        if not more:
            return None
        parts = [f"arm '{arm}' alone has {_listed(names)}" for arm, names in more.items()]
        if len(others) > 2:
            parts = [
                f"arm '{arm}' has {_listed(n)}, which another lacks" for arm, n in more.items()
            ]
        return f"The arms differ in more than the skill under test: {'; '.join(parts)}."


def _listed(names: "set[str] | tuple[str, ...]") -> str:
    return f"[{', '.join(sorted(names))}]"
