"""Cases written through the real Claude Code and the real Codex, with a scripted model behind."""

import json

import pytest

from receipts.scripted import Endpoint, Reply, Turn, follow
from tests.e2e.arms.test_generating import case, cases
from tests.members import Member
from tests.model import agents

SKILL = "---\nname: tdd\ndescription: Tests first.\n---\n# tdd\n\n```sh\necho x > out.txt\n```\n"


@pytest.mark.parametrize("name", agents.NAMES)
def test_an_agent_writes_what_a_skill_lacks(ada: Member, name: str) -> None:
    agents.program(name)
    written: list[Turn] = []

    def play(turn: Turn) -> Reply:
        if "evaluation cases for this skill" in turn.task:
            written.append(turn)
            long = case("d", task="Write out.txt.\n\n" + "Really. " * 2000)
            return Reply("It needs three." if len(written) == 1 else cases(long))
        return follow(turn, "tdd", then="Done.") or Reply("I would not know how.")

    skill = ada.skill("tdd", {"SKILL.md": SKILL})
    with Endpoint(play) as endpoint:
        ada.environment |= agents.variables(endpoint.url)
        agents.configure_codex(ada.home, endpoint.url)
        done = ada.run("eval", skill, "--agent", name, "--yes", "--execution-only")
    assert done.code == 0, done
    assert "(4W / 0L / 0T over 4 comparisons" in done.out
    files = [path.relative_to(skill / "evals").as_posix() for path in skill.glob("evals/**/*.yaml")]
    assert sorted(files) == [f"cases/{name}.yaml" for name in "abcd"]
    assert len(written) == 2
    assert "It needs three." in written[1].task
    if name == "claude":  # Codex has tools it cannot be without, and no price
        assert all(turn.tools == frozenset() for turn in written)
        [run] = ada.state.glob("evals/local/*/*")
        records = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
        [generated] = [record for record in records if record["kind"] == "generated"]
        assert generated["spent"] > 0
        meta = json.loads((run / "run.jsonl").read_text().splitlines()[0])["_meta"]
        # All that was paid for, in whatever order it was added up.
        spent = sum(record.get("spent", 0.0) for record in records)
        assert meta["cost_usd"] == pytest.approx(spent)
