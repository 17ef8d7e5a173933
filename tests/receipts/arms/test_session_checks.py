"""Checks of what a session said and ran."""

from pathlib import Path

import pytest

from receipts.arms import matching
from tests.receipts.arms.looking import Transcript, passes, result


def test_a_transcript_is_searched_upper_and_lower_case_alike(sandbox: Path) -> None:
    seen = Transcript(["All DONE.", '{"command": "Ls"}'])
    assert passes(sandbox, "transcript_mentions: done", seen)
    assert passes(sandbox, "transcript_mentions: 'COMMAND\"'", seen)
    assert not passes(sandbox, "transcript_mentions: undone", seen)
    assert passes(sandbox, "transcript_omits: undone", seen)
    assert not passes(sandbox, "transcript_omits: lS", seen)
    assert not passes(sandbox, "transcript_mentions: done")


def test_a_text_may_span_pieces(sandbox: Path) -> None:
    seen = Transcript(["one", "", "two", "three"])
    assert passes(sandbox, 'transcript_mentions: "one\\n\\ntwo\\nthr"', seen)
    assert not passes(sandbox, "transcript_mentions: twothree", seen)


def test_commands_are_searched_by_patterns_of_javascript(sandbox: Path) -> None:
    seen = Transcript(["rm -rf /"], ["git  commit -m 'é'", "npm test\n"])
    assert passes(sandbox, r"command_matching: ^git\s+commit\b", seen)
    assert passes(sandbox, r"command_matching: \W'$", seen)
    assert not passes(sandbox, "command_matching: test$", seen)
    assert not passes(sandbox, "command_matching: Git", seen)
    assert passes(sandbox, "no_command_matching: rm", seen)
    found = result(sandbox, "no_command_matching: npm", seen)
    assert (found.passed, found.detail) == (False, "matches: npm test\n")
    assert not passes(sandbox, "command_matching: ''")
    assert passes(sandbox, "no_command_matching: ''")


@pytest.mark.parametrize("kind", ["command_matching", "no_command_matching"])
def test_a_search_without_end_fails_the_check(
    sandbox: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("receipts.arms.checks.scene.SECONDS", 0.3)
    seen = Transcript([], ["a" * 100 + "b", "ls"])
    found = result(sandbox, f"{kind}: ^(a+)+$", seen)
    assert not found.passed
    assert "took longer than" in found.detail
    assert matching.SECONDS == 10
