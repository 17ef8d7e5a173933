"""Planted turns: a conversation that never took place, before the prompt of a task.

A YAML list of turns. Each is the user's or the assistant's, and an assistant may claim to have run
shell commands. The user speaks first.
"""

from receipts.attempts.specs.model import HistoryTurn, ShellCall
from receipts.attempts.specs.yamlnodes import Fields, Value

_TURN = ("user", "assistant", "shell")


def turns(value: Value) -> tuple[HistoryTurn, ...]:
    """Return the turns of a history file, without those that were refused."""
    items = value.items("the history")
    if items is None:
        return ()
    if not items:
        value.refuse("the history has no turns")
    found = [turn for number, item in enumerate(items, 1) if (turn := _turn(item, number))]
    if items and found and found[0].role != "user" and len(found) == len(items):
        items[0].refuse("turn 1 is the assistant's; a history starts with the user's")
    return tuple(found)


def _turn(value: Value, number: int) -> HistoryTurn | None:
    who = f"turn {number}"
    fields = value.fields(who, _TURN)
    if fields is None:
        return None
    user, assistant = fields.given("user"), fields.given("assistant")
    calls = _shell(fields, who)
    speaker = user or assistant
    if speaker is None or (user and assistant):
        value.refuse(f"{who} must have one of 'user' and 'assistant'")
        return None
    text = speaker.text(f"the text of {who}")
    if text is None:
        return None
    if user:
        if fields.get("shell"):
            value.refuse(f"{who} is the user's, and only the assistant runs shell commands")
        return HistoryTurn("user", text)
    if not text.strip() and not calls:
        value.refuse(f"{who} says nothing and runs nothing")
    return HistoryTurn("assistant", text, calls)


def _shell(fields: Fields, who: str) -> tuple[ShellCall, ...]:
    value = fields.get("shell")
    items = value.items(f"'shell' of {who}") if value else None
    found = []
    for number, item in enumerate(items or (), 1):
        name = f"shell command {number} of {who}"
        call = item.fields(name, ("run", "output"))
        if call is None:
            continue
        run, output = _needed(call, "run", name), _needed(call, "output", name)
        if run is not None and output is not None:
            found.append(ShellCall(run, output))
    return tuple(found)


def _needed(call: Fields, key: str, who: str) -> str | None:
    value = call.needed(key, who)
    return value.text(f"'{key}' of {who}") if value else None
