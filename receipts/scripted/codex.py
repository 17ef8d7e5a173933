"""What Codex asks the model, and how it wants the answer: the Responses API."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from receipts.scripted.turns import Call, Reply, Result, Turn

Body = Mapping[str, Any]

_LISTED = re.compile(r"<skills_instructions>(.*?)</skills_instructions>", re.DOTALL)
_ROOT = re.compile(r"^- `(\w+)` = `(.*)`$", re.MULTILINE)
_SKILL = re.compile(r"^- ([^\s:]+): .*\(file: ([^()\n]*)\)$", re.MULTILINE)
_OWN = ("<environment_context>", "# AGENTS.md instructions", "<user_instructions>")


def turn(request: Body) -> Turn:
    """Read a request of `POST /v1/responses`."""
    items = [item for item in request.get("input", []) if isinstance(item, dict)]
    system = "\n".join([str(request.get("instructions") or ""), *_said(items, "developer")])
    skills = dict(_skills(system))
    results = _results(items)
    files = {f"cat '{file}'": name for name, file in skills.items()}
    return Turn(
        agent="codex",
        model=str(request.get("model")),
        system=system,
        task="\n".join(text for text in _said(items, "user") if not text.startswith(_OWN)),
        skills=skills,
        tools=frozenset(str(tool.get("name")) for tool in request.get("tools", [])),
        results=results,
        loaded={
            files[result.call.input["cmd"]]: result.output
            for result in results
            if result.call.input.get("cmd") in files
        },
        raw=request,
    )


def events(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a streamed answer; `number` makes its ids different from any other's."""
    yield {"type": "response.created", "response": {"id": f"resp_{number}"}}
    for item in _items(reply, number):
        yield {"type": "response.output_item.done", "item": item}
    usage = reply.usage
    read = usage.input + usage.cache_read + usage.cache_write
    yield {
        "type": "response.completed",
        "response": {
            "id": f"resp_{number}",
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": usage.cache_read},
                "output_tokens": usage.output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + usage.output,
            },
        },
    }


def _items(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    if reply.text:
        yield {
            "type": "message",
            "role": "assistant",
            "id": f"msg_{number}",
            "content": [{"type": "output_text", "text": reply.text}],
        }
    for index, call in enumerate(reply.calls):
        yield {
            "type": "function_call",
            "id": f"fc_{number}_{index}",
            "call_id": f"call_{number}_{index}",
            "name": call.tool,
            "arguments": json.dumps(call.input),
        }


def _said(items: list[dict[str, Any]], role: str) -> list[str]:
    return [
        block["text"]
        for item in items
        if item.get("role") == role
        for block in item.get("content") or []
        if isinstance(block.get("text"), str)
    ]


def _skills(system: str) -> Iterator[tuple[str, str]]:
    for block in _LISTED.findall(system):
        roots = dict(_ROOT.findall(block))
        for name, file in _SKILL.findall(block):
            root, _, below = file.partition("/")
            yield name, f"{roots[root]}/{below}" if root in roots else file


def _results(items: list[dict[str, Any]]) -> tuple[Result, ...]:
    calls = {
        item["call_id"]: Call(item["name"], json.loads(item["arguments"]))
        for item in items
        if item.get("type") == "function_call"
    }
    return tuple(
        Result(calls[item["call_id"]], str(item.get("output")))
        for item in items
        if item.get("type") == "function_call_output" and item.get("call_id") in calls
    )
