"""The gate before a run is paid for, asked by sessions in any order."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from receipts.arms.contamination import Gate
from receipts.arms.plan import Arm

BUILT_IN = ("loop", "review")
STAGED = ("tdd", *BUILT_IN)


def gate(*arms: str, reports: bool = True, known: dict[str, tuple[str, ...]] | None = None) -> Gate:
    names = arms or ("baseline", "candidate")
    plan: Any = SimpleNamespace(
        skill_name="tdd",
        arms=[Arm(name, None if name == "baseline" else Path("staged")) for name in names],
        agent=SimpleNamespace(reports_skills=reports),
    )
    return Gate(plan, known or {})


def test_it_opens_when_every_arm_has_what_it_is_meant_to_have() -> None:
    asked = gate()
    asked.report("candidate", STAGED)
    assert not asked.is_open
    asked.report("baseline", BUILT_IN)
    assert (asked.is_open, asked.problem) == (True, None)
    assert asked.wait(0)


@pytest.mark.parametrize(
    ("arm", "skills", "says"),
    [
        ("baseline", STAGED, "[loop, review, tdd] — 'tdd' leaked into an arm without it staged"),
        ("candidate", BUILT_IN, "[loop, review] — 'tdd' is missing from an arm that staged it"),
    ],
)
def test_the_skill_under_test_in_the_wrong_arm_refuses_the_run(
    arm: str, skills: tuple[str, ...], says: str
) -> None:
    asked = gate()
    asked.report(arm, skills)
    assert asked.problem is not None
    assert asked.problem == f"arm '{arm}' resolved skills {says}; refusing the run."
    assert asked.wait(0)


def test_every_other_skill_that_one_arm_alone_has_is_named() -> None:
    asked = gate()
    asked.report("candidate", (*STAGED, "b", "a"))
    asked.report("baseline", (*BUILT_IN, "c"))
    assert asked.problem == (
        "The arms differ in more than the skill under test: "
        "arm 'candidate' alone has [a, b]; arm 'baseline' alone has [c]."
    )


def test_three_arms_are_all_held_against_each_other() -> None:
    asked = gate("baseline", "candidate", "incumbent")
    asked.report("baseline", (*BUILT_IN, "x"))
    asked.report("candidate", (*STAGED, "x"))
    assert asked.problem is None
    asked.report("incumbent", STAGED)
    assert asked.problem is not None
    assert "arm 'baseline' has [x], which another lacks" in asked.problem


def test_a_session_that_said_nothing_opens_nothing() -> None:
    asked = gate()
    asked.report("baseline", None)
    assert not asked.is_open
    assert not asked.wait(0)


def test_a_later_session_is_held_against_the_first_of_its_arm() -> None:
    asked = gate(known={"baseline": BUILT_IN, "candidate": STAGED})
    assert asked.is_open
    assert asked.differs("candidate", tuple(reversed(STAGED))) is None
    assert asked.differs("candidate", (*BUILT_IN, "new")) == (
        "its skills are not those of the arm's first session: [new] came; [tdd] went"
    )
    assert asked.differs("candidate", None) == "it did not report its resolved skill list"


def test_an_agent_that_says_no_skills_is_not_waited_for() -> None:
    asked = gate(reports=False)
    assert asked.is_open
    asked.report("baseline", STAGED)
    assert (asked.problem, asked.lists) == (None, {})
    assert asked.differs("baseline", None) is None


def test_an_arm_whose_first_session_ended_without_saying_its_skills_refuses_the_run() -> None:
    asked = gate()
    asked.report("baseline", BUILT_IN)
    assert asked.differs("candidate", None) is not None
    assert asked.problem == (
        "arm 'candidate' did not report its resolved skill list; refusing the run."
    )
    assert asked.wait(0)
