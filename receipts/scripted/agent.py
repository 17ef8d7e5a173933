"""A small agent, so that an evaluation can be shown where no other is installed.

`python -m receipts.scripted.agent` reads a task on stdin and talks to the endpoint that
`ANTHROPIC_BASE_URL` names as Claude Code does. It has a shell and the skills of the folder that it
runs in, and prints events as Claude Code prints them.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from receipts.processes import shell

Map = dict[str, Any]

_MODEL = "scripted"
_SKILLS = Path(".claude", "skills")
_TOOLS = ("Bash", "Skill")
_MOST_TURNS = 50
_SECONDS = 120
_LISTED = "The following skills are available for use with the Skill tool:\n\n"


def main() -> int:
    """Carry out the task on stdin, and return the exit code."""
    try:
        _carry_out(sys.stdin.buffer.read().decode("utf-8", "replace"))
    except _FailedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


class _FailedError(Exception):
    """The task came to no end; says why."""


def _carry_out(task: str) -> None:
    began = time.monotonic()
    skills = sorted(path.parent.name for path in _SKILLS.glob("*/SKILL.md"))
    _print(
        {
            "type": "system",
            "subtype": "init",
            "model": _MODEL,
            "tools": _TOOLS,
            "skills": skills,
        }
    )
    system = _LISTED + "".join(f"- {name}\n" for name in skills) if skills else ""
    messages: list[Map] = [{"role": "user", "content": [_text(task)]}]
    used: Counter[str] = Counter()
    for turns in range(1, _MOST_TURNS + 1):
        answer = _ask(system, messages)
        used.update(answer["usage"])
        _print({"type": "assistant", "message": answer})
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        if not calls:
            said = "".join(block["text"] for block in answer["content"])
            taken = round((time.monotonic() - began) * 1000)
            end = {"subtype": "success", "num_turns": turns, "duration_ms": taken}
            _print({"type": "result", **end, "result": said, "usage": used})
            return
        results = {"role": "user", "content": [block for call in calls for block in _done(call)]}
        _print({"type": "user", "message": results})
        messages += [{"role": "assistant", "content": answer["content"]}, results]
    raise _FailedError(f"The model had not come to an end after {_MOST_TURNS} turns.")


def _ask(system: str, messages: list[Map]) -> Map:
    """Return the model's next message."""
    endpoint = os.environ.get("ANTHROPIC_BASE_URL", "")
    tools = [{"name": name} for name in _TOOLS]
    question = {"model": _MODEL, "system": system, "messages": messages, "tools": tools}
    # The endpoint is on this machine, whatever proxy there is.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        request = urllib.request.Request(  # noqa: S310 - whoever starts us gives the address
            f"{endpoint}/v1/messages",
            json.dumps(question).encode(),
            {"Content-Type": "application/json"},
        )
        with opener.open(request, timeout=_SECONDS) as response:
            answer: Map = json.load(response)
    except (OSError, ValueError) as error:
        raise _FailedError(f"The endpoint {endpoint!r} gave no answer: {error}") from error
    return answer


def _done(call: Map) -> Iterable[Map]:
    """Carry out a call of a tool, and yield what the model is told of it."""
    given = call["input"]
    if call["name"] == "Bash":
        yield _result(call, _run(given["command"]))
        return
    folder = (_SKILLS / given["skill"]).resolve()
    yield _result(call, f"Launching skill: {given['skill']}")
    text = (folder / "SKILL.md").read_text("utf-8")
    yield _text(f"Base directory for this skill: {folder}\n{text}")


def _run(command: str) -> str:
    """Return what a shell prints for a command."""
    try:
        return subprocess.run(
            shell(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired:
        return f"It was ended after {_SECONDS} s."


def _result(call: Map, output: str) -> Map:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": [_text(output)]}


def _text(text: str) -> Map:
    return {"type": "text", "text": text}


def _print(event: Map) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
