"""The suite as people write it, and as nobody should."""

from pathlib import Path

import pytest

from receipts.arms.assets import load
from tests.receipts.arms.asset_files import case, refused, write

SUITE = """\
task: Review the diff.
fixture: fixtures/repo
setup: git init -q
timeout_minutes: 10
cases:
  - name: finds the null
    checks: [{ transcript_mentions: resolveTerms }]
  - name: stays calm
    checks:
      - transcript_omits: roundHalfUp
"""


def test_a_suite(evals: Path) -> None:
    write(evals, {"suite.yaml": SUITE, "fixtures/repo/a.js": ""})
    found = load(evals)
    assert found.suite is not None
    session = found.suite.session
    assert (session.name, session.checks, session.judge) == ("suite", (), None)
    assert session.fixture == evals / "fixtures" / "repo"
    assert (session.timeout_minutes, session.file) == (10.0, "evals/suite.yaml")
    assert {each.name: each.checks[0].name for each in found.suite.subcases} == {
        "finds the null": "transcript_mentions:resolveTerms",
        "stays calm": "transcript_omits:roundHalfUp",
    }
    assert found.warnings == ()


def test_what_a_suite_does_not_use_is_said(evals: Path) -> None:
    text = "task: x\nchecks: []\njudge: y\nbucket: negative\ncases: [{name: a, checks: []}]\n"
    write(evals, {"suite.yaml": text})
    found = load(evals)
    assert found.suite is not None
    assert found.suite.session.bucket is None
    assert found.warnings == (
        "evals/suite.yaml:2: suite 'suite': 'checks' is not used, for checks belong to the "
        "sub-cases.",
        "evals/suite.yaml:3: suite 'suite': 'judge' is not used, for a suite is never judged.",
        "evals/suite.yaml:4: suite 'suite': 'bucket' is not used, for a suite has none.",
        "evals/suite.yaml:5: suite 'suite': sub-case 'a' has no checks, so every arm ties: it "
        "measures nothing.",
    )


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        ("{}", "2: suite 'suite' needs a non-empty 'cases' list."),
        ("[]", "2: suite 'suite' needs a non-empty 'cases' list."),
        ("[a]", "2: suite 'suite': sub-case 1 must be a map."),
        ("[{checks: []}]", "2: suite 'suite': sub-case needs a non-empty 'name'."),
        ("[{name: 5, checks: []}]", "2: suite 'suite': sub-case 1: 'name' must be a text."),
        ("[{name: ' ', checks: []}]", "2: suite 'suite': the sub-case name ' ' is blank."),
        ('[{name: "\\e[1m", checks: []}]', "holds a character that cannot be seen."),
        ("[{name: a}]", "2: suite 'suite': sub-case 'a' needs a 'checks' list."),
        ("[{name: a, checks: x}]", "2: suite 'suite': sub-case 'a' needs a 'checks' list."),
        ("\n- {name: a, checks: []}\n- checks: []\n  name: a",
            "5: suite 'suite': duplicate sub-case name 'a'."),
        ("\n- name: one\n  checks: []", "3: suite 'suite': sub-case name 'one' collides with "
            "authored case name."),
        *((f"\n- name: b\n  checks: []\n  {key}: x", f"5: suite 'suite': sub-case must not carry "
            f"'{key}'.") for key in ("judge", "task", "files", "fixture", "setup", "bucket",
            "requires", "timeout_minutes", "max_turns")),
    ],
)  # fmt: skip
def test_what_a_suite_is_refused_for(evals: Path, cases: str, sentence: str) -> None:
    write(evals, {"suite.yaml": f"task: x\ncases: {cases}\n"})
    write(evals, {"cases/one.yaml": "task: x\njudge: y\n"})
    [problem] = refused(evals)
    assert problem.startswith("evals/suite.yaml:")
    assert sentence in problem


def test_a_case_cannot_have_the_name_of_the_suite_beside_one(evals: Path) -> None:
    assert case(evals, "task: x\njudge: y\n", "cases/suite.yaml").cases[0].name == "suite"
    write(evals, {"suite.yaml": "task: x\ncases: [{name: a, checks: []}]\n"})
    [problem] = refused(evals)
    assert "suite 'suite' and a case have the same name" in problem
