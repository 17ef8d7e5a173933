"""A whole evaluation by the real Claude Code and the real Codex, with a scripted model behind them.

Three cases, three repetitions, an incumbent, a suite, trigger prompts and a judge.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from receipts import check
from receipts.receipt import read_receipt
from receipts.scripted import Endpoint, Reply, Turn, follow, in_order
from receipts.scripted.endpoint import Response
from tests.e2e.repositories import receipts_in
from tests.members import Member, Ran
from tests.parts import require_part

BIN = Path(__file__).parents[2] / "node" / "node_modules" / ".bin"
AGENTS = ("claude", "codex")
SKILL = "---\nname: greet\ndescription: Greets somebody.\n---\n# Greet\n\n```sh\n{command}\n```\n"
CASES = {
    "file": "task: Write a greeting\nchecks:\n  - file_exists: hello.txt\n"
    "  - command_matching: ^echo hi\n",
    "plain": "task: Say something\nchecks:\n  - transcript_mentions: plainly\n",
    "style": "task: Write a greeting with style\njudge: Which greets better?\n"
    "checks:\n  - file_absent: none.txt\n",
}
SUITE = (
    "task: Write a greeting for all\ncases:\n"
    "  - name: exists\n    checks:\n      - file_exists: hello.txt\n"
    "  - name: content\n    checks:\n      - file_matches: {file: hello.txt, pattern: ^hi}\n"
)
TRIGGERS = "should_trigger:\n  - please greet Bob\nshould_not_trigger:\n  - rename this\n"


def play(turn: Turn) -> Reply:
    """Greet as the skill says where there is one, and plainly elsewhere; judge and select."""
    if "Two agents, A and B" in turn.task:
        a, b = turn.task.split("TRANSCRIPT A")[1], turn.task.split("TRANSCRIPT B")[1]
        sides = ["skilfully" in a, "skilfully" in b]
        winner = {(True, False): "A", (False, True): "B"}.get((sides[0], sides[1]), "tie")
        return Reply(json.dumps({"winner": winner, "reason": "it greets"}))
    if "skills are installed" in turn.task:
        return Reply(json.dumps({"selected": ["greet"] if "greet Bob" in turn.task else []}))
    if "greeting" in turn.task:
        skilled = follow(turn, "greet", then="Done, skilfully.")
        return skilled or in_order(turn, turn.shell("ls"), then="Done, plainly.")
    return Reply("I say it plainly.")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(play) as endpoint:
        yield endpoint


@pytest.fixture(params=AGENTS)
def agent_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    require_part((BIN / name).exists(), f"{name} from npm (npm ci --prefix tests/node)")
    return name


@pytest.fixture
def agent(agent_name: str, ada: Member, endpoint: Endpoint) -> str:
    """The agent's name; ada's environment leads it to the scripted model."""
    lead(ada, agent_name, endpoint)
    return agent_name


def lead(member: Member, name: str, endpoint: Endpoint) -> None:
    """Let a member's agent talk to an endpoint."""
    member.environment |= {
        f"RECEIPTS_{name.upper()}": str(BIN / name),
        "ANTHROPIC_BASE_URL": endpoint.url,
        "ANTHROPIC_API_KEY": "sk-ant-not-a-real-key-0123456789",
        "MOCK_KEY": "not-a-real-key",
    }
    config = member.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        'model_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
        f'base_url = "{endpoint.url}/v1"\nenv_key = "MOCK_KEY"\nwire_api = "responses"\n'
    )


def skill_of(member: Member, command: str = "echo hi > hello.txt") -> Path:
    files = {f"evals/cases/{name}.yaml": text for name, text in CASES.items()}
    files |= {"evals/suite.yaml": SUITE, "evals/triggers.yaml": TRIGGERS}
    return member.skill("greet", {"SKILL.md": SKILL.format(command=command), **files})


def evaluate(member: Member, skill: Path, *options: str) -> Ran:
    return member.run("eval", skill, "--parallel", "4", *options)


def receipt(member: Member) -> dict[str, Any]:
    newest = max(member.state.glob("evals/local/*/*/receipt.json"), key=lambda p: p.parent.name)
    parsed = read_receipt(newest.read_bytes()).receipt
    assert parsed is not None
    assert check.problems(parsed) == []
    document: dict[str, Any] = json.loads(newest.read_bytes())
    return document


def test_no_session_but_each_arms_first_starts_before_one_said_its_cost(
    ada: Member, endpoint: Endpoint
) -> None:
    require_part((BIN / "claude").exists(), "claude from npm (npm ci --prefix tests/node)")
    lead(ada, "claude", endpoint)
    skill = skill_of(ada)
    done = evaluate(ada, skill, "--max-cost", "0.001", "--execution-only")
    assert "--max-cost 0.001 is spent" in done.err
    [run] = ada.state.glob("evals/local/*/*")
    records = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    attempts = [record for record in records if record["kind"] == "attempt"]
    assert sorted(record["arm"] for record in attempts) == ["baseline", "candidate"]
    assert all(record["spent"] > 0 for record in attempts)


def test_a_whole_evaluation(agent: str, ada: Member, acme: Path) -> None:
    skill = skill_of(ada, "echo hello > hello.txt")
    first = evaluate(ada, skill, "--agent", agent, "--case", "file")
    assert first.code == 0, first
    ada.ok("publish", skill)
    skill_of(ada)  # better bytes
    done = evaluate(ada, skill, "--agent", agent, "--k", "3")
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert lines[0] == "verdict: PASS"
    assert lines[2] == (
        "candidate-vs-baseline: +80% net lift "
        "(12W / 0L / 3T over 15 comparisons, sign test p=1.000)"
    )
    # The incumbent's file says hello, so its command and its content fail.
    assert lines[3] == (
        "candidate-vs-incumbent: +40% net lift "
        "(6W / 0L / 9T over 15 comparisons, sign test p=1.000)"
    )
    assert "triggers: recall=1.00 precision=1.00 (tp=1 fn=0 fp=0 tn=1)" in lines
    document = receipt(ada)
    lists = document["provenance"]["arm_skill_lists"]
    assert "greet" not in lists["baseline"]
    assert set(lists["candidate"]) - set(lists["baseline"]) == {"greet"}
    assert set(lists["incumbent"]) == set(lists["candidate"])
    assert document["provenance"]["agent"] == agent
    assert document["efficiency"]["candidate"]["tokens"]["output"] > 0
    ada.ok("publish", skill)
    assert len(receipts_in(acme)) == 2
    text = "".join(
        path.read_text("utf-8", "replace")
        for path in ada.state.rglob("*")
        if path.is_file() and path.suffix in (".json", ".jsonl") and "mirrors" not in path.parts
    )
    assert "not-a-real-key" not in text


def test_nothing_above_a_sandbox_reaches_a_session(ada: Member, agent_name: str) -> None:
    seen: list[str] = []

    def remember(turn: Turn) -> Reply:
        seen.append(json.dumps(turn.raw))
        return play(turn)

    with Endpoint(remember) as endpoint:
        lead(ada, agent_name, endpoint)
        skill = skill_of(ada)
        # Where people have their skills and notes: in a home that is a repository of dotfiles.
        for place in (".claude/skills", ".agents/skills"):
            shutil.copytree(skill, ada.home / place / "greet")
        for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/CLAUDE.md"):
            (ada.home / name).write_text("a note from above\n")
        (ada.home / ".git").mkdir()
        done = evaluate(ada, ada.home / ".claude/skills/greet", "--agent", agent_name)
    assert done.code == 0, done
    assert "greet" not in receipt(ada)["provenance"]["arm_skill_lists"]["baseline"]
    told = [request for request in seen if "a note from above" in request]
    assert told == []


def test_a_skill_that_leaks_into_the_baseline_refuses_the_run(agent: str, ada: Member) -> None:
    skill = skill_of(ada)
    above = {"claude": ".claude/skills", "codex": ".agents/skills"}[agent]
    case = skill / "evals" / "cases" / "plain.yaml"
    case.write_text(
        f"task: Say something\nchecks: [{{transcript_mentions: plainly}}]\n"
        f"setup: mkdir -p ../{above}/greet && cp '{skill}/SKILL.md' ../{above}/greet/\n"
    )
    done = evaluate(ada, skill, "--agent", agent, "--case", "plain", "--k", "3")
    assert done.code == 2, done
    assert "'greet' leaked into an arm without it staged; refusing the run." in done.err
    assert list(ada.state.glob("evals/local/*/*/receipt.json")) == []


class WithoutModels(Endpoint):
    """Knows no model."""

    def answer(self, path: str, request: dict[str, Any]) -> Response:  # noqa: ARG002
        error = {"type": "not_found_error", "message": f"model: {request.get('model')}"}
        body = {"type": "error", "error": error}
        return Response(404, "application/json", [json.dumps(body).encode()])


def test_a_model_that_does_not_exist_spends_nothing(agent: str, ada: Member) -> None:
    skill = skill_of(ada)
    with WithoutModels(play) as endpoint:
        lead(ada, agent, endpoint)
        done = evaluate(ada, skill, "--agent", agent, "--model", "no-such-model")
    assert done.code == 2, done
    assert "the model 'no-such-model' is available" in done.err
    assert list(ada.state.glob("evals/local/*/*")) == []
