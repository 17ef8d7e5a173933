"""The page on cases against the code: what it shows can be used as it is pasted."""

import re
from pathlib import Path

from receipts.arms import checks
from receipts.arms.assets import load
from receipts.arms.assets.case import BUCKETS, KEYS
from receipts.jsyaml import load as yaml
from tests.members import ROOT

PAGE = (ROOT / "docs" / "reference" / "cases.md").read_text("utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_load_without_a_warning(tmp_path: Path) -> None:
    case, suite, triggers = BLOCKS
    for folder in ("cases", "fixtures/repository", "fixtures/review-repository"):
        (tmp_path / "evals" / folder).mkdir(parents=True)
    (tmp_path / "evals" / "cases" / "changelog.yaml").write_text(case)
    (tmp_path / "evals" / "suite.yaml").write_text(suite)
    (tmp_path / "evals" / "triggers.yaml").write_text(triggers)
    found = load(tmp_path / "evals")
    assert found.warnings == ()
    assert found.suite is not None
    assert found.triggers is not None
    assert len(found.cases[0].checks) == 2
    assert set(yaml(case)) == set(KEYS)  # the example shows every field


def test_every_field_and_kind_has_a_row() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert rows == {*KEYS, *checks.KINDS}
    assert all(f"`{bucket}`" in PAGE for bucket in BUCKETS)


def test_every_kind_has_an_example_that_is_a_check() -> None:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| `(\w+: .*)` \|$", PAGE, re.MULTILINE)
    assert {kind for kind, _ in rows} == set(checks.KINDS)
    for kind, example in rows:
        check = checks.read(yaml(example))
        assert (check.problem, check.cannot_pass, check.cannot_fail) == (None, False, False)
        assert check.name.startswith(f"{kind}:")
