"""The script that plays the model in the demonstration of an evaluation.

It does what the skill says where a session has it, and something careless elsewhere. So the
numbers come out as they are meant to; they measure nothing.
"""

import json

from publish.demo.changelog import NAME
from receipts.scripted import Call, Reply, Turn, in_order

_SKILLS = {"claude": ".claude/skills", "codex": ".agents/skills"}
_WRITTEN = r"printf '### Added\n- Export to CSV\n\n### Fixed\n- Dates before 1970\n' > CHANGELOG.md"
_FOR_USERS = "You can export to CSV now. Dates before 1970 are right again."
_FOR_NOBODY = "Three commits: Start, Add export to CSV, Fix dates before 1970."


def play(turn: Turn) -> Reply:
    """Answer a question to the model."""
    if "Two agents, A and B" in turn.task:
        return _judge(turn.task)
    if "skills are installed" in turn.task:
        fits = "Write the release notes" in turn.task
        return Reply(json.dumps({"selected": [NAME] if fits else []}))
    if "next release" in turn.task:
        return _with_skill(turn) if NAME in turn.skills else _without(turn)
    return Reply("ok")  # the question whether anybody answers


def _with_skill(turn: Turn) -> Reply:
    script = f"sh {_SKILLS[turn.agent]}/{NAME}/scripts/since-tag.sh"
    looked = (turn.load(NAME), turn.shell(script))
    return _finish(turn, looked, turn.shell(_WRITTEN), _FOR_USERS)


def _without(turn: Turn) -> Reply:
    looked = (turn.shell("git log --oneline"),)
    return _finish(turn, looked, turn.shell("git log --format='- %s' > CHANGELOG.md"), _FOR_NOBODY)


def _finish(turn: Turn, looked: tuple[Call, ...], write: Call, said: str) -> Reply:
    if "if anything changed" in turn.task:
        return in_order(turn, *looked, then="Nothing changed, so there is nothing to write.")
    if "Write CHANGELOG.md" in turn.task:
        return in_order(turn, *looked, write, then="CHANGELOG.md is written.")
    return in_order(turn, *looked, then=said)


def _judge(question: str) -> Reply:
    """Prefer the transcript that speaks to users; the one of A stands before that of B."""
    _, a, b = question.split("===== TRANSCRIPT ")
    speaks = [_FOR_USERS in a, _FOR_USERS in b]
    winner = "tie" if speaks[0] == speaks[1] else "A" if speaks[0] else "B"
    return Reply(json.dumps({"winner": winner, "reason": "It says what a user can do now."}))
