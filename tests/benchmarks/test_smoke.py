"""That the benchmarks run, and that all sides end in the same state; no figure is looked at.

Every group checks for itself that git, the servers and receipts end with the same trees and files.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.benchmarks import page
from tests.benchmarks.__main__ import measure
from tests.benchmarks.results import Result, at_most, times_faster
from tests.benchmarks.rows import GROUPS, ROWS
from tests.benchmarks.world import ROOT, SMALL
from tests.parts import require_part
from tests.servers.daemons import sshd_path

_ROWS_OF = {
    "digests": {"digest-small", "digest-large"},
    "writing": {"write-clone", "write-plumbing", "write-growth"},
    "fetching": {"sync-nothing", "sync-one"},
    "reading": {"cards-first", "cards-unchanged", "cards-one-new"},
    "first-clones": {"first-clone"},
    "upkeep": {"upkeep"},
    "starting": {"start-version", "start-digest"},
    "memory": {"memory"},
    "evaluating": {"eval-engine", "eval-session"},
    "attempts": {"compare-runs", "list-runs"},
}


def test_each_row_of_the_table_is_measured_by_some_group() -> None:
    assert _ROWS_OF.keys() == GROUPS.keys()
    assert set().union(*_ROWS_OF.values()) == ROWS.keys()


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_runs_and_its_sides_agree(group: str, tmp_path: Path) -> None:
    require_part(shutil.which("git") is not None, "git")
    require_part(sshd_path() is not None, "sshd (Debian: openssh-server)")
    results = measure(tmp_path, SMALL, [group])
    assert {result.row for result in results} == _ROWS_OF[group]
    lines = [(result.row, result.variant) for result in results]
    assert len(lines) == len(set(lines))
    for result in results:
        assert result.measured >= 0
        assert result.ours >= 0
        assert json.loads(json.dumps(result.document()))["met"] is result.met
    assert page.table(results).count("\n") >= len(results)


def test_a_missed_figure_is_said_with_how_much_and_why() -> None:
    met = Result("digest-small", "", 0.6, at_most(0.7), 6, 10)
    missed = Result("write-clone", "git", 3.0, times_faster(4), 5, 15)
    lines = page.table([met, missed]).splitlines()
    assert lines[2].endswith("| ≤ 0.7 × | 0.6 × | 6 ms | 10 ms | met |")
    assert lines[3].endswith("| git | ≥ 4 × faster | 3 × faster | 5 ms | 15 ms | missed by 25% |")
    assert ("Missed:" in lines) == bool(ROWS["write-clone"].missed)


def test_only_the_table_of_the_page_is_replaced() -> None:
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    once = page.written(text, [], "Measured some day.")
    assert page.written(once, [], "Measured some day.") == once
    before, _, rest = text.partition("<!-- made by")
    assert once.startswith(before)
    assert once.endswith(rest.rpartition("-->")[2])
    with pytest.raises(ValueError, match="no place"):
        page.written("# A page\n", [], "")
