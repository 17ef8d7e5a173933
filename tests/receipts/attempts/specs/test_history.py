"""Planted turns."""

import pytest

from receipts.attempts.specs.model import HistoryTurn, ShellCall
from receipts.attempts.specs.reading import read
from receipts.errors import SpecError
from tests.receipts.attempts.specs.conftest import Written

SPEC = "tasks: [{name: a, prompt: p, assert: x, history: h.yaml}]\n"


def test_turns_and_what_they_ran(project: Written) -> None:
    history = """\
- user: List the files.
- assistant: There is one.
  shell:
    - {run: ls, output: a.txt}
    - {run: '', output: ''}
- assistant: ''
  shell: [{run: pwd, output: /}]
- user: Thanks.
"""
    spec = read(project({"demo.eval.yaml": SPEC, "h.yaml": history}))
    assert spec.tasks[0].history == (
        HistoryTurn("user", "List the files."),
        HistoryTurn("assistant", "There is one.", (ShellCall("ls", "a.txt"), ShellCall("", ""))),
        HistoryTurn("assistant", "", (ShellCall("pwd", "/"),)),
        HistoryTurn("user", "Thanks."),
    )


@pytest.mark.parametrize(
    ("history", "problem"),
    [
        ("", "h.yaml: the history is empty; it must be a list of turns."),
        ("[]\n", "h.yaml:1: the history has no turns."),
        ("user: a\n", "h.yaml:1: the history must be a list, and is a mapping."),
        ("- assistant: a\n", "h.yaml:1: turn 1 is the assistant's; a history starts with the"
         " user's."),
        ("- {user: a, assistant: b}\n", "h.yaml:1: turn 1 must have one of 'user' and"
         " 'assistant'."),
        ("- user: a\n- shell: []\n", "h.yaml:2: turn 2 must have one of 'user' and 'assistant'."),
        ("- {user: a, shell: []}\n", "h.yaml:1: turn 1 is the user's, and only the assistant runs"
         " shell commands."),
        ("- user: a\n- assistant: ' '\n", "h.yaml:2: turn 2 says nothing and runs nothing."),
        ("- user: a\n- {assistant: b, shell: [{run: x}]}\n",
         "h.yaml:2: shell command 1 of turn 2 has no 'output'."),
        ("- user: a\n- {assistant: b, shell: x}\n",
         "h.yaml:2: 'shell' of turn 2 must be a list, and is the text x."),
        ("- {user: a, usr: b}\n",
         "h.yaml:1: unknown key 'usr' in turn 1. Did you mean 'user'?"),
    ],
)  # fmt: skip
def test_what_is_no_history(history: str, problem: str, project: Written) -> None:
    path = project({"demo.eval.yaml": SPEC, "h.yaml": history})
    with pytest.raises(SpecError) as caught:
        read(path)
    assert caught.value.problems == (problem,)


@pytest.mark.parametrize(
    ("turn", "name"),
    [
        (HistoryTurn("user", "/build it"), "build"),
        (HistoryTurn("user", "  /build\nit"), "build"),
        (HistoryTurn("user", "/build"), "build"),
        (HistoryTurn("user", "/usr/bin is a folder"), None),
        (HistoryTurn("user", "/"), None),
        (HistoryTurn("user", "use /build"), None),
        (HistoryTurn("assistant", "/build"), None),
    ],
)
def test_a_turn_that_asks_for_a_skill(turn: HistoryTurn, name: str | None) -> None:
    assert turn.slash == name
