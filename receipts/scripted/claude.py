"""What Claude Code asks the model, and how it wants the answer: the Messages API."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from receipts.scripted.turns import Call, Reply, Result, Turn

Body = Mapping[str, Any]

_LISTED = re.compile(r"skills are available for use with the Skill tool:\n\n((?:- .*\n?)+)")
_SKILL = re.compile(r"^- ([^\s:]+)(?::|$)", re.MULTILINE)
_LOADED = re.compile(r"\ABase directory for this skill: .*?([^/\\\n]+)\n(.*)\Z", re.DOTALL)
_REMINDER = "<system-reminder>"


def turn(request: Body) -> Turn:
    """Read a request of `POST /v1/messages`."""
    said = [(message.get("role"), _blocks(message)) for message in request.get("messages", [])]
    blocks = [block for _, each in said for block in each]
    system = "\n".join(_texts(request.get("system", [])))
    texts = [text for _, each in said for text in _texts(each)]
    listed = [found[1] for text in [system, *texts] for found in _LISTED.finditer(text)]
    return Turn(
        agent="claude",
        model=str(request.get("model")),
        system=system,
        task=_task([each for role, each in said if role == "user"]),
        skills={name: "" for lines in listed for name in _SKILL.findall(lines)},
        tools=frozenset(str(tool.get("name")) for tool in request.get("tools", [])),
        results=_results(blocks),
        loaded={found[1]: found[2] for text in texts if (found := _LOADED.search(text))},
        raw=request,
    )


def message(reply: Reply, model: str, number: int) -> dict[str, Any]:
    """Return a whole answer; `number` makes its ids different from those of any other."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{index}",
            "name": call.tool,
            "input": call.input,
        }
        for index, call in enumerate(reply.calls)
    ]
    usage = reply.usage
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write,
        },
    }


def events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a streamed answer."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": whole["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _blocks(message: Body) -> list[Body]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def _texts(content: str | list[Body]) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content if isinstance(block.get("text"), str)]


def _task(users: list[list[Body]]) -> str:
    """Return what the first user message says, without what the agent says in the user's name."""
    own = [text for text in _texts(users[0] if users else []) if not text.startswith(_REMINDER)]
    return "\n".join(own)


def _results(blocks: list[Body]) -> tuple[Result, ...]:
    calls = {
        block["id"]: Call(block["name"], block["input"])
        for block in blocks
        if block.get("type") == "tool_use"
    }
    return tuple(
        Result(calls[block["tool_use_id"]], "\n".join(_texts(block.get("content") or [])))
        for block in blocks
        if block.get("type") == "tool_result" and block.get("tool_use_id") in calls
    )
