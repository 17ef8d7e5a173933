"""What most scripts do: call one tool after the other, and do what a skill says."""

import re

from receipts.scripted.turns import Call, Reply, Turn

_BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def in_order(turn: Turn, *calls: Call, then: str) -> Reply:
    """Make the first of these calls that was not yet made; after all of them, say a text."""
    for call in calls:
        if not turn.has_done(call):
            return Reply(calls=(call,))
    return Reply(then)


def follow(turn: Turn, skill: str, *, then: str) -> Reply | None:
    """Load a skill and run its shell blocks, one after the other.

    Returns:
        The next step, or None when the session does not list the skill.
    """
    if skill not in turn.skills:
        return None
    text = turn.loaded.get(skill)
    if text is None:
        return in_order(turn, turn.load(skill), then=f"The skill {skill} could not be loaded.")
    return in_order(turn, *(turn.shell(block) for block in _BLOCK.findall(text)), then=then)
