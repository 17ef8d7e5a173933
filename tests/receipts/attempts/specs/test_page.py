"""The example of the page on specs is one that can be run."""

import re
from pathlib import Path

from receipts.attempts.specs.validating import validate
from tests.members import ROOT

PAGE = ROOT / "docs" / "reference" / "specs.md"


def test_the_example_is_valid(tmp_path: Path) -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    skill = tmp_path / "skills" / "triage" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: triage\n---\n")
    spec = tmp_path / "demo.eval.yaml"
    spec.write_text(example)
    found = validate(spec)
    assert (found.spec.name, len(found.spec.tasks), found.asserting) == ("demo", 2, 2)
    assert found.neighbourhood.names == ("triage",)
    assert [source.path for source in found.neighbourhood.uncached] == ["calendar/SKILL.md"]
