"""What an evaluation takes from around a skill, and how many of its sessions run at a time."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.arms.conftest import Bench

CASE = "task: |\n  a\n  DO skilled write out.txt x\nchecks:\n  - file_exists: out.txt\n"


def describe(bench: Bench, text: str) -> None:
    path = bench.skill / "SKILL.md"
    path.write_text(path.read_text() + text)


def meta(run: Path) -> dict[str, Any]:
    line: dict[str, Any] = json.loads((run / "run.jsonl").read_text().splitlines()[0])["_meta"]
    return line


def test_what_a_skill_names_of_its_repository_is_there_in_its_sessions(bench: Bench) -> None:
    repository = bench.skill.parent.parent
    (repository / ".git").mkdir()
    (repository / "tools").mkdir()
    (repository / "tools" / "build.sh").write_text("#!/bin/sh\necho built > built.txt\n")
    (repository / "tools" / "build.sh").chmod(0o755)
    (repository / "tools" / "data.txt").write_text("beside it")
    describe(bench, "Run tools/build.sh, see docs/none.md.\n")
    bench.case(
        "tools",
        "task: a\nchecks:\n  - file_matches: {file: tools/data.txt, pattern: beside}\n"
        "  - command_succeeds: tools/build.sh && test -s built.txt\n",
    )
    done = bench.run()
    assert done.code == 0, done
    assert done.out.splitlines()[0] == "verdict: PASS"
    assert "Staging dependency tools/build.sh" in done.err.splitlines()
    assert (
        "SKILL.md references docs/none.md, which is not present here; the skill may not run"
        in done.err.splitlines()
    )
    [run] = bench.runs
    assert meta(run)["staged_dependencies"] == ["tools/build.sh", "tools/data.txt"]
    assert meta(run)["missing_dependencies"] == ["docs/none.md"]


def test_a_resumed_run_has_the_files_that_it_began_with(bench: Bench) -> None:
    repository = bench.skill.parent.parent
    (repository / ".git").mkdir()
    (repository / "tools").mkdir()
    (repository / "tools" / "data.txt").write_text("as it was")
    describe(bench, "See tools/data.txt.\n")
    for name in ("a", "b"):
        bench.case(
            name,
            f"task: {name}\nchecks:\n"
            "  - file_matches: {file: tools/data.txt, pattern: as it was}\n",
        )
    first = bench.run("--max-sessions", "2", "--parallel", "1")
    assert "[partial — 1/2 scored]" in first.out
    (repository / "tools" / "data.txt").write_text("otherwise")
    done = bench.resume(bench.runs[0].name)
    assert done.code == 0, done
    assert "(2W / 0L / 0T over 2 comparisons" in done.out


def heavy_case(bench: Bench) -> Path:
    log = bench.member.home / "times"
    bench.case(
        "slow",
        f"task: |\n  slow\n  DO append {log} begins\n  DO sleep 0.2\n  DO append {log} ends\n"
        "checks:\n  - file_absent: x\n",
    )
    return log


def test_the_sessions_of_a_heavy_skill_run_one_at_a_time(bench: Bench) -> None:
    log = heavy_case(bench)
    describe(bench, "Start each with the Task tool.\n")
    done = bench.run("--k", "3")
    assert done.code == 0, done
    assert log.read_text().split() == ["begins", "ends"] * 6
    note = (
        "note: tdd is heavy (SKILL.md:7 names Task tool), so its sessions run one at a time; "
        "with --no-heavy 4 would."
    )
    assert done.err.splitlines().count(note) == 1
    about = meta(bench.runs[0])
    assert (about["heavy"], about["heavy_evidence"]) == (True, "SKILL.md:7 names Task tool")
    light = bench.run("--no-heavy")
    assert "is heavy" not in light.err
    assert "2 sessions, 4 at a time" in light.err
    assert meta(bench.runs[-1])["heavy"] is False


def test_a_resumed_run_keeps_its_pace_unless_told_otherwise(bench: Bench) -> None:
    log = heavy_case(bench)
    first = bench.run("--heavy", "--k", "3", "--max-sessions", "2")
    assert "note: tdd is heavy (--heavy)" in first.err
    done = bench.resume(bench.runs[0].name)
    assert "note: tdd is heavy (--heavy)" in done.err
    assert "6 sessions (2 of them are done; a failed one is tried twice)" in done.err
    assert log.read_text().split() == ["begins", "ends"] * 6
    describe(bench, "More.\n")
    bench.run("--heavy", "--k", "3", "--max-sessions", "2")
    assert "is heavy" not in bench.resume(bench.runs[-1].name, "--no-heavy").err
