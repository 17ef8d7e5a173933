"""Two processes of one user, with one state root: both do their work, and none does it twice."""

import json

import pytest

from receipts.digest import content_digest
from tests.races.remotes import SAMPLE
from tests.races.team import Team, Worker, evaluated, publish, together

ROUNDS = 5

pytestmark = pytest.mark.parametrize("kind", SAMPLE)


@pytest.fixture
def pair(team: Team) -> tuple[Worker, Worker]:
    """Two processes of one member."""
    first = team.join("ada")
    return first, team.worker(first.member)


def _versions(team: Team) -> list[str]:
    return sorted({"/".join(p.split("/")[1:3]) for p in team.paths("skills")} - {"tdd/v1"})


def test_two_skills(team: Team, pair: tuple[Worker, Worker]) -> None:
    member = pair[0].member
    for number in range(ROUNDS):
        jobs = []
        for worker, name in zip(pair, (f"left-{number}", f"right-{number}"), strict=True):
            commands = [evaluated(worker, number, member.skill(name)), publish(worker, name)]
            jobs.append((worker, commands))
        for answers in together(jobs):
            assert [ran.code for ran in answers] == [0, 0], answers
            document = json.loads(answers[1].out)
            assert document["minted"]
            assert len(document["attached"]) == 1
    names = {f"{side}-{number}" for side in ("left", "right") for number in range(ROUNDS)}
    assert _versions(team) == sorted(f"{name}/v1" for name in names)
    profile = team.document("people/ada.json")["profile"]
    assert {entry["name"] for entry in profile} == names
    assert len(profile) == len(team.receipts()) == len(team.commits()) == 2 * ROUNDS
    team.check(*pair)


def test_one_skill(team: Team, pair: tuple[Worker, Worker]) -> None:
    """Whoever is second finds the version, and the receipt, that the first has just published."""
    member = pair[0].member
    for number in range(ROUNDS):
        name = f"skill-{number}"
        skill = member.skill(name)
        pair[0].ok(evaluated(pair[0], number, skill))
        answers = together([(worker, [publish(worker, name)]) for worker in pair])
        documents = []
        for [ran] in answers:
            assert (ran.code, ran.err) == (0, ""), ran
            documents.append(json.loads(ran.out))
        assert sorted(document["minted"] for document in documents) == [False, True]
        assert sorted(len(document["attached"]) for document in documents) == [0, 1]
        assert {document["digest"] for document in documents} == {content_digest(skill)}
    assert _versions(team) == [f"skill-{number}/v1" for number in range(ROUNDS)]
    assert len(team.receipts()) == len(team.commits()) == ROUNDS
    team.check(*pair)
