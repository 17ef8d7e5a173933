"""What is left out of a run."""

import pytest

from receipts.attempts.specs.ablation import Ablation, resolve
from receipts.errors import SpecError

SKILLS, SERVERS = ("triage", "cal", "both"), ("db", "both")


def test_names_bare_and_qualified_once_each() -> None:
    found = resolve(["db", "triage", "skill:both", "mcp:both", "triage"], SKILLS, SERVERS)
    assert found == Ablation(frozenset({"triage", "both"}), frozenset({"db", "both"}))
    assert found.recorded == ["both", "mcp:both", "mcp:db", "triage"]


def test_nothing_is_left_out_of_a_whole_run() -> None:
    assert resolve([], SKILLS, SERVERS).recorded == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("both", "both is a skill and an MCP server of the spec; ablate skill:both or mcp:both."),
        ("Triage", "no skill and no MCP server Triage. Did you mean triage?"),
        ("mcp:triage", "no skill and no MCP server mcp:triage. Did you mean "),
        ("skill:db", "no skill and no MCP server skill:db. "),
        ("zzz", "no skill and no MCP server zzz. It has both, cal, mcp:both, mcp:db, triage."),
    ],
)
def test_a_name_that_is_not_clear(name: str, sentence: str) -> None:
    with pytest.raises(SpecError) as caught:
        resolve([name], SKILLS, SERVERS)
    assert sentence in caught.value.message
    assert caught.value.exit_code == 1


def test_every_unclear_name_is_said() -> None:
    with pytest.raises(SpecError) as caught:
        resolve(["x", "triage", "y"], [], [])
    assert caught.value.problems == (
        "The spec declares no skill and no MCP server x. It has none.",
        "The spec declares no skill and no MCP server triage. It has none.",
        "The spec declares no skill and no MCP server y. It has none.",
    )
