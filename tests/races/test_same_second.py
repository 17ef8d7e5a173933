"""Two members finish an evaluation in the same second: both receipts are kept."""

import json

import pytest

from receipts import runid
from tests.races.gate import Gate
from tests.races.team import Team, evaluated, publish, second, together

ROUNDS = 4


@pytest.mark.parametrize("kind", ["path", "http"])
@pytest.mark.parametrize("pushes", ["that meet", "as they come"])
def test_two_members_in_one_second(team: Team, pushes: str) -> None:
    """Pushes that meet were built on one tip, where both saw the second free; one is too late."""
    ada, bob = team.join("ada"), team.join("bob")
    gate = Gate(team.remote.repository)
    for number in range(ROUNDS):
        if pushes == "that meet":
            gate.meet()
        answers = together(
            [(worker, [evaluated(worker, number), publish(worker)]) for worker in (ada, bob)]
        )
        assert pushes == "as they come" or gate.have_met
        attached = []
        for _, ran in answers:
            assert ran.code == 0, ran
            attached += json.loads(ran.out)["attached"]
        taken, free = second(number), runid.next_second(second(number))
        assert sorted((item["run_id"], item["moved_from"] or "") for item in attached) == [
            (taken, ""),
            (free, taken),
        ]
    receipts = [
        (found["provenance"]["runner_handle"], found.get("original_run_id", found["run_id"]))
        for found in team.receipts()
    ]
    assert sorted(receipts) == sorted((w, second(n)) for w in ("ada", "bob") for n in range(ROUNDS))
    assert len(team.commits()) == 2 * ROUNDS
    team.check(ada, bob)
