"""What a run will take, worked out by hand from a few receipts."""

import json
from dataclasses import replace
from typing import Any

import pytest

from receipts.receipt import Receipt
from store.estimate import Planned, estimate, estimate_all
from tests.store import samples

PLANNED = Planned(
    skill_name="deploy-check",
    skill_id=None,
    agent="claude",
    model="sonnet",
    k=3,
    cases=4,
    suite=False,
    arms=("baseline", "candidate"),
    parallel=4,
)
NOTHING = (
    "no earlier runs to estimate from; each eval runs the skill's cases against a baseline on "
    "this machine and bills your Claude account."
)


def earlier(
    second: int = 0,
    cost: float | None = 0.1,
    seconds: float | None = 20,
    *,
    candidate: float = 2,
    k: int = 3,
    model: str = "sonnet",
    agent: Any = "claude",
    **fields: Any,
) -> Receipt:
    """Return a receipt whose candidate took so many times the baseline's cost and seconds."""

    def means(times: float) -> dict[str, float | None]:
        return {
            "turns": 1,
            "duration_ms": None if seconds is None else 1000 * times * seconds,
            "cost_usd": None if cost is None else times * cost,
        }

    provenance = samples.document()["provenance"] | {"k": k, "model": model}
    provenance |= {} if agent is None else {"agent": agent}
    efficiency = {"baseline": means(1), "candidate": means(candidate)}
    given = {"efficiency": efficiency, "provenance": provenance, **fields}
    run_id = f"20260916T0421{second:02}Z"
    return Receipt.model_validate_json(json.dumps(samples.document(run_id=run_id, **given)))


def test_a_median_of_sessions_times_how_many_there_are() -> None:
    found = estimate(PLANNED, [earlier(1, 0.1, 20), earlier(2, 0.2, 40), earlier(3, 9, 900)])
    assert PLANNED.sessions == 24
    # A session costs 0.15, 0.30 and 13.50 on average, and takes 30, 60 and 1,350 s.
    assert found.cost_usd == pytest.approx(24 * 0.3)
    assert found.seconds == pytest.approx(24 / 4 * 60)
    assert found.based_on == "3 earlier runs of this skill with the same model, agent and k"
    assert found.line == (
        "Evaluating deploy-check, 24 sessions, 4 at a time: about $7.20 and 6 min on this machine, "
        "from 3 earlier runs of this skill with the same model, agent and k "
        "(median $0.30 · 1 min a session)."
    )
    assert found.run_ids == tuple(f"20260916T04210{n}Z" for n in (1, 2, 3))


def test_a_suite_is_one_session_and_an_incumbent_as_dear_as_the_candidate() -> None:
    planned = replace(PLANNED, suite=True, arms=("baseline", "candidate", "incumbent"), parallel=7)
    assert planned.sessions == 3 * 3 * 5
    found = estimate(planned, [earlier(n, 0.1, 20) for n in range(3)])
    assert found.cost_usd == pytest.approx(15 * (0.1 + 0.2 + 0.2))
    assert found.seconds == pytest.approx(7 * (20 + 40 + 40) / 3)  # 45 sessions in 7 waves


def test_the_closest_three_are_taken() -> None:
    alike = [earlier(n, 0.1) for n in range(3)]
    other_k = [earlier(10 + n, 1, k=1) for n in range(3)]
    other_skill = [earlier(20 + n, 10, skill_name="x") for n in range(3)]
    other_model = [earlier(30 + n, 100, model="opus") for n in range(3)]
    rest = [*other_model, *other_skill, *other_k]
    assert estimate(PLANNED, [*rest, *alike]).cost_usd == pytest.approx(24 * 0.15)
    found = estimate(PLANNED, [*rest, *alike[:2]])
    assert found.based_on == (
        "5 earlier runs of this skill with the same model, scaled by k and cases"
    )
    assert found.cost_usd == pytest.approx(24 * 1.5)
    found = estimate(PLANNED, [*other_model, *other_skill])
    assert found.based_on == "3 earlier runs with the same model, scaled by k and cases"
    assert estimate(PLANNED, other_model).line.endswith(NOTHING)


def test_of_fewer_than_three_the_newest_of_the_closest_is_a_single_one() -> None:
    others = [earlier(10 + n, 7, skill_name="x") for n in range(3)]
    found = estimate(PLANNED, [earlier(2, 0.4), earlier(1, 0.1), *others])
    assert found.cost_usd == pytest.approx(24 * 0.6)
    assert found.run_ids == ("20260916T042102Z",)
    assert found.line.endswith(
        ", from a single earlier run of this skill with the same model, agent and k."
    )
    found = estimate(PLANNED, [earlier(9, 7, skill_name="x")])
    assert found.based_on == "a single earlier run with the same model, scaled by k and cases"


def test_skills_are_known_by_id_where_both_have_one() -> None:
    one, two = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1", "0d3c1c52-77c5-4d3b-9a35-6c7f1f6a2b11"
    planned = replace(PLANNED, skill_id=one)
    renamed = estimate(planned, [earlier(skill_name="x", skill_id=one.upper())])
    assert "of this skill" in renamed.based_on
    assert "of this skill" in estimate(planned, [earlier()]).based_on
    assert "of this skill" not in estimate(planned, [earlier(skill_id=two)]).based_on


def test_agents_are_not_mixed_and_old_receipts_give_theirs_away() -> None:
    assert estimate(PLANNED, [earlier(agent="codex")]).cost_usd is None
    old = samples.document()["provenance"] | {"cc_version": "2.1.236 (Claude Code)"}
    found = estimate(PLANNED, [earlier(provenance=old | {"k": 3, "model": "sonnet"})])
    assert "agent and k" in found.based_on
    assert estimate(replace(PLANNED, agent="codex"), [earlier(agent=None)]).based_on == (
        "a single earlier run of this skill with the same model, scaled by k and cases"
    )
    assert estimate(PLANNED, [earlier(agent=[5])]).cost_usd is not None


@pytest.mark.parametrize(
    "useless",
    [
        {"efficiency": {}},
        {"cost": None, "seconds": None},
        {"cost": -1.0, "seconds": -1.0},
        {"method": "attempts"},
        {"source": {"tool": "x"}},
    ],
)
def test_receipts_that_tell_nothing_of_a_session_are_not_used(useless: dict[str, Any]) -> None:
    found = estimate(PLANNED, [earlier(n, **useless) for n in range(3)])
    assert (found.cost_usd, found.seconds, found.based_on, found.run_ids) == (None, None, "", ())
    assert found.line == f"Evaluating deploy-check, 24 sessions, 4 at a time: {NOTHING}"


def test_what_only_some_tell_comes_from_them() -> None:
    private = [earlier(n, None, 20) for n in range(3)]
    found = estimate(PLANNED, private)
    assert found.cost_usd is None
    assert "about 3 min on this machine" in found.line
    assert "(median 30 s a session)" in found.line
    assert estimate(PLANNED, [*private, earlier(9, 0.1)]).cost_usd == pytest.approx(24 * 0.15)
    assert (
        "about $3.60 on this machine"
        in estimate(PLANNED, [earlier(n, 0.1, None) for n in range(3)]).line
    )


def test_another_agents_account_pays() -> None:
    line = estimate(replace(PLANNED, agent="codex", cases=1, k=1, parallel=8), []).line
    assert line.startswith("Evaluating deploy-check, 2 sessions, 8 at a time: no earlier runs")
    assert line.endswith("bills the account that codex uses.")


class TestSeveral:
    def test_costs_add_up_and_times_go_in_waves(self) -> None:
        planned = [replace(PLANNED, skill_name=name) for name in "abcdef"]
        found = estimate_all(planned, [earlier(n, 0.1, 200) for n in range(11)], at_a_time=4)
        assert found.cost_usd == pytest.approx(6 * 3.6)
        assert found.seconds == pytest.approx(2 * 6 * 300)
        assert found.line == (
            "Evaluating 6 skills, 4 at a time: about $21.60 and 60 min on this machine, "
            "from 11 earlier runs (median $3.60 · 30 min each)."
        )

    def test_without_earlier_runs(self) -> None:
        found = estimate_all([PLANNED, PLANNED], [], at_a_time=2)
        assert found.line == f"Evaluating 2 skills, 2 at a time: {NOTHING}"

    def test_skills_of_which_nothing_is_known_are_counted(self) -> None:
        unknown = replace(PLANNED, model="opus")
        found = estimate_all([PLANNED, unknown], [earlier(cost=0.1)], at_a_time=1)
        assert found.based_on == "a single earlier run"
        assert found.line.endswith(
            " each). For 1 of them there are no earlier runs to estimate from."
        )
