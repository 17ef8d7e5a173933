"""The scripted endpoint, asked as the two agents ask; tests of the agents run it for real."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import pytest

from receipts.scripted import Call, Endpoint, Reply, Turn, Usage, follow, in_order
from tests.model import Model, faults
from tests.model.faults import Fault

SKILL = "Do this:\n\n```sh\necho one\n```\n\nand that:\n\n```bash\necho two\n```\n"
LISTED = "The following skills are available for use with the Skill tool:\n\n- deploy: Deploys.\n"
ROOTS = """<skills_instructions>
- `r0` = `/home/a/.codex/skills`
- `r1` = `/w/.agents/skills`
### Available skills
- imagegen: Draws (and paints). (file: r0/imagegen/SKILL.md)
- deploy: Deploys. (file: r1/deploy/SKILL.md)
</skills_instructions>"""


def post(url: str, body: Mapping[str, Any]) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        data: bytes = answer.read()
        return data


def events(stream: bytes) -> list[dict[str, Any]]:
    lines = stream.decode().splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def messages(*said: tuple[str, object], **more: object) -> dict[str, Any]:
    return {
        "model": "claude-x",
        "system": [{"type": "text", "text": "You are an agent."}],
        "tools": [{"name": "Bash"}, {"name": "Skill"}],
        "messages": [{"role": role, "content": content} for role, content in said],
        **more,
    }


def used(number: int, name: str, given: object) -> tuple[str, object]:
    return "assistant", [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]


def gave(number: int, text: str) -> tuple[str, object]:
    return "user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": text}]


def answered(turn: Turn) -> Reply:
    return Reply(f"{turn.agent} {turn.model}: {turn.task}", usage=Usage(7, 6, 5, 4))


def test_a_message_that_is_not_streamed() -> None:
    with Endpoint(answered) as endpoint:
        whole = json.loads(post(f"{endpoint.url}/v1/messages?beta=true", messages(("user", "hi"))))
    assert whole["content"] == [{"type": "text", "text": "claude claude-x: hi"}]
    assert whole["stop_reason"] == "end_turn"
    assert whole["usage"] == {
        "input_tokens": 7,
        "output_tokens": 6,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 4,
    }


def test_a_message_that_is_streamed_says_the_same() -> None:
    with Endpoint(answered) as endpoint:
        got = events(post(f"{endpoint.url}/v1/messages", messages(("user", "hi"), stream=True)))
    assert [event["type"] for event in got] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert got[2]["delta"]["text"] == "claude claude-x: hi"


def test_tokens_are_counted() -> None:
    with Endpoint(answered) as endpoint:
        url = f"{endpoint.url}/v1/messages/count_tokens"
        assert json.loads(post(url, messages(("user", "hi"))))["input_tokens"] > 0


def test_a_response_of_the_other_protocol() -> None:
    body = {
        "model": "gpt-x",
        "input": [
            {
                "role": "user",
                "content": [{"text": "<environment_context>\n</environment_context>"}],
            },
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        ],
    }
    with Endpoint(answered) as endpoint:
        got = events(post(f"{endpoint.url}/v1/responses", body))
    assert [event["type"] for event in got] == [
        "response.created",
        "response.output_item.done",
        "response.completed",
    ]
    assert got[1]["item"]["content"][0]["text"] == "codex gpt-x: hi"
    usage = got[2]["response"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (16, 6)
    assert usage["input_tokens_details"] == {"cached_tokens": 5}


def test_there_is_nothing_else() -> None:
    with Endpoint(answered) as endpoint, pytest.raises(urllib.error.HTTPError, match="404"):
        post(f"{endpoint.url}/v2/messages", {})
    with Endpoint(answered) as endpoint, pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{endpoint.url}/v1/models", timeout=60)


def deploying(turn: Turn) -> Reply:
    return follow(turn, "deploy", then="deployed") or Reply("as I would")


def claude_steps(*said: tuple[str, object]) -> Any:
    task = ("user", [{"type": "text", "text": "<system-reminder>x"}, {"text": "ship it"}])
    with Endpoint(deploying) as endpoint:
        return json.loads(post(f"{endpoint.url}/v1/messages", messages(task, *said)))["content"][0]


def test_a_listed_skill_is_loaded_and_followed() -> None:
    loading = used(1, "Skill", {"skill": "deploy"}), gave(1, "Launching skill: deploy")
    body = ("user", f"Base directory for this skill: /w/.claude/skills/deploy\n\n{SKILL}")
    first = used(2, "Bash", {"command": "echo one\n"}), gave(2, "one")
    second = used(3, "Bash", {"command": "echo two\n"}), gave(3, "two")
    listed = ("system", LISTED)

    assert claude_steps()["text"] == "as I would"
    step = claude_steps(listed)
    assert (step["name"], step["input"]) == ("Skill", {"skill": "deploy"})
    assert claude_steps(listed, *loading, body)["input"] == {"command": "echo one\n"}
    # The text of the skill may come a second time, and turns may be merged.
    more = claude_steps(listed, *loading, body, body, *first)
    assert more["input"] == {"command": "echo two\n"}
    assert claude_steps(listed, *loading, body, *first, *second)["text"] == "deployed"


def test_a_skill_that_cannot_be_loaded_is_said() -> None:
    loading = used(1, "Skill", {"skill": "deploy"}), gave(1, "Unknown skill")
    assert "could not be loaded" in claude_steps(("system", LISTED), *loading)["text"]


def test_a_skill_of_the_other_protocol_is_read_from_its_file() -> None:
    turns: list[Turn] = []

    def watched(turn: Turn) -> Reply:
        turns.append(turn)
        return deploying(turn)

    call = {"cmd": "cat '/w/.agents/skills/deploy/SKILL.md'"}
    body: dict[str, Any] = {
        "model": "gpt-x",
        "tools": [{"name": "exec_command"}],
        "input": [{"role": "developer", "content": [{"text": ROOTS}]}],
    }
    with Endpoint(watched) as endpoint:
        got = events(post(f"{endpoint.url}/v1/responses", body))
        assert json.loads(got[1]["item"]["arguments"]) == call
        body["input"] += [
            got[1]["item"],
            {"type": "function_call_output", "call_id": got[1]["item"]["call_id"], "output": SKILL},
        ]
        got = events(post(f"{endpoint.url}/v1/responses", body))
        assert json.loads(got[1]["item"]["arguments"]) == {"cmd": "echo one\n"}
    assert list(turns[0].skills) == ["imagegen", "deploy"]
    assert turns[1].loaded == {"deploy": SKILL}


def test_calls_are_made_in_order_and_once() -> None:
    def two(turn: Turn) -> Reply:
        return in_order(turn, turn.shell("a"), turn.write("/w/f", "x"), then="done")

    first, second = used(1, "Bash", {"command": "a"}), gave(1, "")
    write = {"file_path": "/w/f", "content": "x"}
    with Endpoint(two) as endpoint:
        url = f"{endpoint.url}/v1/messages"
        task = ("user", "go")
        steps = [
            json.loads(post(url, messages(task, *said)))["content"][0]
            for said in ([], [first, second], [first, second, used(2, "Write", write), gave(2, "")])
        ]
    assert [step.get("input") or step["text"] for step in steps] == [
        {"command": "a"},
        write,
        "done",
    ]
    assert two(turn_of("codex")).calls == (Call("exec_command", {"cmd": "a"}),)
    assert turn_of("codex").write("/w/a b", "it's").input == {
        "cmd": "printf %s 'it'\"'\"'s' > '/w/a b'"
    }


def turn_of(agent: str) -> Turn:
    return Turn(agent, "m", "", "task", {}, frozenset(), (), {}, {})


def test_many_sessions_at_once_each_get_their_own_answer() -> None:
    got: dict[int, str] = {}

    def ask(endpoint: Endpoint, number: int) -> None:
        whole = json.loads(post(f"{endpoint.url}/v1/messages", messages(("user", str(number)))))
        got[number] = whole["content"][0]["text"]

    with Endpoint(answered) as endpoint:
        threads = [threading.Thread(target=ask, args=(endpoint, number)) for number in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert got == {number: f"claude claude-x: {number}" for number in range(40)}


@pytest.mark.parametrize(
    ("fault", "status", "kind"),
    [
        (faults.UNAUTHORIZED, 401, "authentication_error"),
        (faults.RATE_LIMITED, 429, "rate_limit_error"),
        (faults.OVERLOADED, 529, "overloaded_error"),
    ],
)
def test_faults_are_sent_in_place_of_an_answer(fault: Fault, status: int, kind: str) -> None:
    with Model(lambda _turn: fault) as model:
        with pytest.raises(urllib.error.HTTPError) as raised:
            post(f"{model.url}/v1/messages", messages(("user", "hi")))
        assert json.loads(raised.value.read())["error"]["type"] == kind
    assert raised.value.code == status
    assert raised.value.headers["x-should-retry"] == "false"


def test_a_cut_stream_ends_in_the_middle() -> None:
    with Model(lambda _turn: faults.CUT) as model:
        got = post(f"{model.url}/v1/messages", messages(("user", "hi"), stream=True))
    assert got.startswith(b"event: message_start")
    assert b"message_stop" not in got


def test_what_was_asked_is_kept_by_task() -> None:
    with Model(lambda _turn: Reply("ok")) as model:
        for task in ("one", "two", "one"):
            post(f"{model.url}/v1/messages", messages(("user", task)))
    assert {task: len(turns) for task, turns in model.turns.items()} == {"one": 2, "two": 1}
    assert model.turns["two"][0].system == "You are an agent."
