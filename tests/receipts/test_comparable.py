"""Which differences keep the numbers of two receipts apart."""

from typing import Any

import pytest

from receipts.comparable import Difference, comparable, unrecorded
from receipts.receipt import Receipt
from tests.receipts.samples import document, receipt

RECORDED = {
    "agent": "claude",
    "agent_version": "2.1.236",
    "eval_digest": "sha256:" + "ab" * 32,
    "case_selection": None,
    "isolation": ["--strict-mcp-config", "--setting-sources project"],
    "engine_version": "0.1.0",
}
BEYOND = ["agent", "agent version", "case selection", "eval assets", "isolation"]


def made(provenance: dict[str, Any] | None = None, **fields: Any) -> Receipt:
    """Return a receipt that records everything, changed."""
    whole = document()["provenance"] | RECORDED | (provenance or {})
    return receipt(provenance={k: v for k, v in whole.items() if v is not KeyError}, **fields)


def test_runs_made_alike_may_be_compared() -> None:
    assert comparable(made(), made()) == []
    assert unrecorded(made(), made()) == []


def test_bytes_version_time_runner_and_outcome_are_no_matter() -> None:
    other = made(
        {"timestamp": "2026-10-01T00:00:00Z", "runner_handle": "bob", "arm_skill_lists": {}},
        content_digest="sha256:" + "12" * 32,
        version="v9",
        run_id="20261001T000000Z",
        verdict="FAIL",
        comparisons={},
        per_case=[],
        skill_id=str(made().skill_id).upper(),
    )
    assert comparable(made(), other) == []


@pytest.mark.parametrize(
    ("what", "changes", "words"),
    [
        ("agent", {"agent": "codex"}, ("claude", "codex")),
        ("agent version", {"agent_version": "2.2.0"}, ("2.1.236", "2.2.0")),
        ("model", {"model": "opus"}, ("sonnet", "opus")),
        ("judge model", {"judge_model": "opus"}, ("sonnet", "opus")),
        ("k", {"k": 1}, ("3", "1")),
        ("cases", {"cases": ["b", "a", "b"]}, ("happy-path, safe-command, unsafe-request", "a, b")),
        ("cases", {"cases": []}, ("happy-path, safe-command, unsafe-request", "none")),
        ("case selection", {"case_selection": ["a"]}, ("all", "a")),
        ("eval assets", {"eval_digest": "sha256:0"}, (RECORDED["eval_digest"], "sha256:0")),
        (
            "isolation",
            {"isolation": []},
            ("--setting-sources project, --strict-mcp-config", "none"),
        ),
        ("engine major version", {"engine_version": "1.0.0"}, ("0", "1")),
    ],
)
def test_each_difference_of_the_provenance_is_named(
    what: str, changes: dict[str, Any], words: tuple[str, str]
) -> None:
    assert comparable(made(), made(changes)) == [Difference(what, *words)]
    assert comparable(made(changes), made()) == [Difference(what, *reversed(words))]


def test_other_differences() -> None:
    assert comparable(made(), made(method="attempts", attempts={})) == [
        Difference("method", "arms", "attempts")
    ]
    other = "00000000-0000-4000-8000-000000000000"
    assert comparable(made(), made(skill_id=other)) == [
        Difference("skill", str(made().skill_id), other)
    ]


def test_a_skill_without_an_id_on_one_side_is_known_by_its_name() -> None:
    assert comparable(made(), made(skill_id=None)) == []
    assert comparable(made(skill_name="x"), made(skill_id=None)) == [
        Difference("skill", "x", "deploy-check")
    ]
    assert comparable(made(skill_name="renamed"), made()) == []


def test_order_and_repetition_of_lists_and_minor_versions_are_no_difference() -> None:
    other = {"isolation": RECORDED["isolation"][::-1] * 2, "engine_version": "0.9.3"}  # type: ignore[index]
    assert comparable(made(), made(other)) == []


def test_what_one_side_does_not_record_is_a_difference_and_is_named() -> None:
    old = made(dict.fromkeys(RECORDED.keys() - {"engine_version"}, KeyError))
    found = comparable(made(), old)
    assert [item.what for item in found] == BEYOND
    assert [item.second for item in found] == [None, "2.1.236 (Claude Code)", None, None, None]
    assert str(found[0]) == "agent: claude here, not recorded there"
    assert str(comparable(old, made())[0]) == "agent: not recorded here, claude there"


def test_what_neither_records_is_no_difference_but_named() -> None:
    old = made(dict.fromkeys(RECORDED, KeyError) | {"engine_version": "0.20.0", "cc_version": ""})
    assert comparable(old, old) == []
    assert unrecorded(old, old) == BEYOND


@pytest.mark.parametrize("odd", [5, True, {}, [], [1], {"a": []}, "", None])
def test_odd_values_of_other_clients_are_not_recorded(odd: Any) -> None:
    fields = ["agent", "eval_digest", *(["isolation"] if odd != [] else [])]
    found = comparable(made(), made(dict.fromkeys(fields, odd)))
    assert [(item.what, item.second) for item in found] == [
        ("agent", None), ("eval assets", None), *([("isolation", None)] if odd != [] else []),
    ]  # fmt: skip
