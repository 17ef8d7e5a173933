"""An evaluation beside its own sessions: the same commands, run bare."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from receipts.agents import Task, bound
from receipts.agents.claude import FIXED, options
from receipts.scripted import Endpoint, Reply, Turn
from tests.benchmarks.results import Result, at_most, compared
from tests.benchmarks.starting import command
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import FULL, ROOT, World
from tests.parts import require_part

_CLAUDE = ROOT / "tests" / "node" / "node_modules" / ".bin" / "claude"
_PARALLEL = 8
_TASK = "Say something"
_CASE = "task: {task}\nchecks:\n  - file_absent: none.txt\n  - transcript_omits: none\n"
# Asks for the model's answer as a session does, and takes two seconds for it.
_AGENT = "#!/bin/sh\ncat >/dev/null\nsleep {seconds}\necho done\n"
# What the best scheduler does with the same commands: the preflight, then so many at a time.
_IDEAL = (
    '"$1" </dev/null && seq {sessions} | xargs -P {parallel} -I N sh -c \'"$0" </dev/null\' "$1"'
)


def results(world: World) -> Iterator[Result]:
    """Time a run of 60 sessions of two seconds, and sessions of the real Claude Code."""
    yield _engine(world)
    yield _session(world)


def _engine(world: World) -> Result:
    is_full = world.sizes == FULL
    sessions, seconds = (60, 2.0) if is_full else (4, 0.1)
    folder = world.scratch("engine")
    agent = folder / "agent.sh"
    agent.write_text(_AGENT.format(seconds=seconds))
    agent.chmod(0o755)
    skill = _skill(folder, cases=sessions // 2)
    ideal = _IDEAL.format(sessions=sessions, parallel=_PARALLEL)
    evaluate = ["eval", str(skill), "--agent", f"command:{agent}", "--parallel", str(_PARALLEL)]
    runs = interleaved(
        {
            "ours": Side(_running([*command(), *evaluate, "--no-gen"], _environment(folder))),
            "theirs": Side(_running(["sh", "-c", ideal, "sh", str(agent)], _environment(folder))),
        },
        world.sizes.rounds_of(0.2),
    )
    assert len(_receipt(folder)["per_case"]) == sessions // 2
    return compared("eval-engine", "", at_most(1.03), runs["ours"], runs["theirs"])


def _session(world: World) -> Result:
    require_part(_CLAUDE.exists(), "claude from npm (npm ci --prefix tests/node)")
    repetitions = 10 if world.sizes == FULL else 1
    folder = world.scratch("session")
    skill = _skill(folder, cases=1)
    with Endpoint(_played) as endpoint:
        environment = _environment(folder) | {
            "RECEIPTS_CLAUDE": str(_CLAUDE),
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_API_KEY": "none",
        }
        evaluate = ["eval", str(skill), "--k", str(repetitions), "--parallel", "1", "--no-gen"]
        # The preflight and two arms.
        bare = _bare(folder, environment, 1 + 2 * repetitions)
        runs = interleaved(
            {
                "ours": Side(_running([*command(), *evaluate], environment)),
                "theirs": Side(bare),
            },
            world.sizes.rounds_of(0.2),
        )
    assert _receipt(folder)["execution_status"] == "complete"
    return compared("eval-session", "", at_most(1.1), runs["ours"], runs["theirs"])


def _played(turn: Turn) -> Reply:
    del turn
    return Reply("Here is something.")


def _bare(folder: Path, environment: dict[str, str], count: int) -> Callable[[], None]:
    """Return what runs Claude Code so often, with the arguments that an evaluation gives it."""
    work, homes = folder / "bare" / "work", folder / "bare" / "homes"
    work.mkdir(parents=True)
    homes.mkdir()
    bound(folder / "bare")
    fixed = {**environment, **FIXED}

    def run() -> None:
        for _ in range(count):
            # Claude Code sets up a home that is new to it, which takes it a tenth of a session.
            home = Path(tempfile.mkdtemp(dir=homes))
            task = Task(_TASK, work, home, folder / "transcript", "sonnet", 200, 600.0)
            done = subprocess.run(
                [str(_CLAUDE), "-p", _TASK, *options(task)],
                cwd=work,
                env={**fixed, "HOME": str(home)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
            assert done.returncode == 0, done

    return run


def _skill(folder: Path, *, cases: int) -> Path:
    skill = folder / "skills" / "spoken"
    place = skill / "evals" / "cases"
    place.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: spoken\ndescription: Says things.\n---\nSay it.\n")
    for number in range(cases):
        (place / f"case{number}.yaml").write_text(_CASE.format(task=_TASK))
    return skill


def _environment(folder: Path) -> dict[str, str]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "RECEIPTS_HOME": str(folder / "state"),
        "PYTHONPATH": str(ROOT),
    }


def _receipt(folder: Path) -> dict[str, Any]:
    newest = max((folder / "state").glob("evals/local/*/*/receipt.json"))
    document: dict[str, Any] = json.loads(newest.read_bytes())
    return document


def _running(words: list[str], environment: dict[str, str]) -> Callable[[], object]:
    return lambda: subprocess.run(
        words, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True
    )
