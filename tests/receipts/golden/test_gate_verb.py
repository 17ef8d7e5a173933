import json
from pathlib import Path

import pytest

from receipts import cli
from receipts.golden import gate
from tests.receipts.golden.cases import GOLDEN
from tests.receipts.golden.test_committed import CURRENT, FIRST, RECORD, commit, git, write


@pytest.fixture
def root(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with one committed run, and be in it."""
    root = home / "project"
    root.mkdir()
    git(root, "init", "-q")
    write(root, FIRST)
    commit(root, FIRST)
    monkeypatch.chdir(root)
    return root


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["gate", *arguments])
    return code, *capsys.readouterr()


def test_the_newest_run_against_the_last_committed_one(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root, CURRENT)
    code, out, err = said(capsys)
    assert (code, out, err) == (0, f"No category fell (1 category compared with {FIRST}).\n", "")


def test_a_fall_is_said_by_every_layout(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, CURRENT, {**RECORD, "pass": False})
    code, out, _ = said(capsys, CURRENT)
    assert (code, out) == (
        1,
        f"Blocked: 1 category fell (1 category compared with {FIRST}).\n"
        "  edge fell from 1/1 (100.0%) to 0/1 (0.0%)\n"
        "  The headline was not consulted: it can rise while a category falls.\n",
    )
    code, out, _ = said(capsys, "eval", "--format", "github")
    assert code == 1
    assert out.splitlines()[0] == (
        f"::error file={CURRENT},title=edge%3A rate::edge fell from 1/1 (100.0%25) to 0/1 (0.0%25)"
    )
    code, out, _ = said(capsys, CURRENT, "--json")
    assert (code, json.loads(out)["findings"]) == (
        1, [{"axis": "rate", "category": "edge", "before": [1, 1], "after": [0, 1]}],
    )  # fmt: skip


def test_that_nothing_was_compared_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, FIRST)  # no baseline for itself
    assert code == 0
    assert out.startswith("Nothing was compared: there is no committed results file")
    (root / "none.jsonl").write_text("")
    code, out, _ = said(capsys, FIRST, "none.jsonl")
    assert (code, out.splitlines()[0]) == (
        0, "Nothing was compared: nothing was scored in the baseline none.jsonl.",
    )  # fmt: skip
    assert out.splitlines()[1] == "Not in the baseline, so not compared: edge."
    code, out, _ = said(capsys, FIRST, "--format", "github")
    assert out.startswith("::notice title=Non-regression gate::Nothing was compared")


def test_what_cannot_be_compared_is_an_error(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partial = "eval/results/20260401T000000.000000Z.partial.jsonl"
    write(root, partial)
    for arguments in (["none.jsonl"], [FIRST, "none.jsonl"], [partial], ["."]):
        code, out, err = said(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith("error: ")
    code, out, _ = said(capsys, "none.jsonl", "--json")
    assert (code, json.loads(out)["kind"]) == (2, gate.CANNOT_COMPARE)
    assert said(capsys, FIRST, FIRST, FIRST)[0] == 2
    assert said(capsys, "--json", "--format", "github")[0] == 2


def test_a_project_whose_headline_rises_while_refusals_fall(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = GOLDEN / "gate" / "two-fall-one-rises"
    files = [str(folder / f"{name}.jsonl") for name in ("current", "previous")]
    code, out, _ = said(capsys, *files, "--json")
    wanted = json.loads((folder / "expected.json").read_text())["want"]
    document = json.loads(out)
    assert code == wanted["exit"] == document["exit"]
    assert {name: document[name] for name in wanted} == wanted
