"""Trigger prompts as people write them, and as nobody should."""

from pathlib import Path

import pytest

from receipts.arms.assets import load
from tests.receipts.arms.asset_files import refused, write


def test_triggers(evals: Path) -> None:
    write(
        evals, {"triggers.yaml": "should_trigger: [one, 2, true]\nshould_not_trigger:\n- three\n"}
    )
    found = load(evals)
    assert found.triggers is not None
    assert found.triggers.should == ("one", "2", "true")
    assert found.triggers.should_not == ("three",)
    assert found.warnings == ()
    write(evals, {"triggers.yaml": "should_trigger: [one]\n"})
    found = load(evals)
    assert found.triggers is not None
    assert found.triggers.should_not == ()


def test_trigger_prompts_that_are_odd(evals: Path) -> None:
    text = "should_trigger: [a, b, a]\nshould_not_trigger:\n- c\n- b\nshould_triger: [x]\n"
    write(evals, {"triggers.yaml": text})
    assert [line.removeprefix("evals/triggers.yaml:") for line in load(evals).warnings] == [
        "5: triggers.yaml: unknown key 'should_triger' is ignored. Did you mean 'should_trigger'?",
        "1: triggers.yaml: 'should_trigger' has one prompt twice.",
        "4: triggers.yaml: a prompt is in both lists, so one of them is missed.",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[a]", "1: triggers.yaml is no map"),
        ("should_trigger: a", "1: triggers.yaml: 'should_trigger' must be a list."),
        (
            "should_trigger:\n- a\n- [b]",
            "3: triggers.yaml: 'should_trigger' item 2 must be a text.",
        ),
        ("should_trigger:\n- a\n- ' '", "3: triggers.yaml: 'should_trigger' item 2 is blank."),
        ("should_trigger: [a", "triggers.yaml: "),
    ],
)
def test_what_triggers_are_refused_for(evals: Path, text: str, sentence: str) -> None:
    write(evals, {"triggers.yaml": text})
    [problem] = refused(evals)
    assert problem.startswith("evals/triggers.yaml:")
    assert sentence in problem
