"""Saved runs of attempts, beside the tool that wrote the first of them."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from receipts.attempts import saving
from receipts.attempts.aggregate import finished
from receipts.attempts.outcomes import Outcome
from receipts.attempts.runfile import ERA, Attempt, Run, RunFile, TaskResult, Turn, Usage
from tests import reference
from tests.benchmarks import starting
from tests.benchmarks.results import Result, at_most, compared, times_faster
from tests.benchmarks.timing import Side, interleaved
from tests.benchmarks.world import FULL, World

_WATCHER = Path(__file__).with_name("watcher.py")
_WORDS = ("the agent", "reads a file,", "writes ✓ another one", 'and says "done"', "about it.\n")


def results(world: World) -> Iterator[Result]:
    """Compare two large runs, and list many."""
    yield from _comparing(world)
    yield from _listing(world)


def _comparing(world: World) -> Iterator[Result]:
    tasks, k = (500, 20) if world.sizes == FULL else (3, 2)
    folder = world.scratch("compared-runs")
    paths = []
    for number in range(2):
        run = _run(tasks, k, turns=10, seed=number)
        path = folder / f"{number}.json"
        path.write_bytes(saving.content(run))
        paths.append(str(path))
    ours = [*starting.command(), "compare", *paths, "--json"]
    theirs = [str(reference.command()), "compare", *paths, "--format", "json"]
    said, wanted = (json.loads(_output(words, folder)) for words in (ours, theirs))
    for key in ("matched", "a_usage", "regressions"):
        assert said[key] == wanted[key]
    runs = interleaved(
        {"ours": Side(_running(ours, folder)), "theirs": Side(_running(theirs, folder))},
        world.sizes.rounds_of(0.3),
    )
    yield compared("compare-runs", "time", at_most(0.4), runs["ours"], runs["theirs"])
    mine, others = (_peak(words, folder) for words in (ours, theirs))
    yield Result("compare-runs", "memory", mine / others, at_most(0.4), mine, others, unit="MB")


def _listing(world: World) -> Iterator[Result]:
    count = 1000 if world.sizes == FULL else 3
    for turns, size in ((80, "40 kB"), (10, "5 kB")):
        root = world.scratch("listed-runs")
        (root / ".caliper").mkdir()
        for number in range(count):
            saving.save(_run(3, 3, turns=turns, seed=number), root)
        ours = [*starting.command(), "list", "demo"]
        theirs = [str(reference.command()), "list", "demo"]
        ids = [line.split()[0] for line in _output(ours, root).splitlines()[1:]]
        listed = _output(theirs, root)
        assert len(ids) == count
        assert all(run_id in listed for run_id in ids)
        runs = interleaved(
            {"ours": Side(_running(ours, root)), "theirs": Side(_running(theirs, root))},
            world.sizes.rounds_of(0.6),
        )
        variant = f"{size} of transcript a session"
        yield compared("list-runs", variant, times_faster(5), runs["ours"], runs["theirs"])


def _run(tasks: int, k: int, *, turns: int, seed: int) -> RunFile:
    """Return a run whose sessions have so many turns of some 500 bytes as they are saved."""
    chance = random.Random(seed)
    texts = [" ".join(chance.choices(_WORDS, k=22)) for _ in range(50)]

    def attempt(number: int) -> Attempt:
        passed = chance.random() < 0.7
        transcript = [
            Turn(role="tool_use", content="", tool_name="Bash", tool_input={"command": text})
            for text in chance.choices(texts, k=turns)
        ]
        return Attempt(
            attempt=number,
            output="done",
            duration_seconds=chance.uniform(5, 90),
            outcome=Outcome.PASS if passed else Outcome.TASK_FAIL,
            usage=Usage(input_tokens=chance.randrange(9999), output_tokens=500),
            transcript=transcript,
            autorater_passed=passed,
            autorater_reasoning="as was asked",
            judge_seconds=1.5,
        )

    ended = datetime(2026, 7, 1, 10, tzinfo=UTC) + timedelta(seconds=seed)
    run = Run(spec="demo", timestamp=ended, k=k, backend="claude-code", era=ERA)
    results = [
        TaskResult(
            task_id=f"task-{number:03}",
            task_name=f"task number {number}",
            attempts=[attempt(one) for one in range(1, k + 1)],
            expect="it works",
            prompt="do it",
        )
        for number in range(1, tasks + 1)
    ]
    return finished(run, (), results)


def _running(words: list[str], folder: Path) -> Callable[[], object]:
    return lambda: _output(words, folder)


def _output(words: list[str], folder: Path) -> str:
    done = subprocess.run(
        words, cwd=folder, env=reference.environment(folder), capture_output=True, check=True
    )
    return done.stdout.decode()


def _peak(words: list[str], folder: Path) -> float:
    """Return the peak memory of a command in megabytes."""
    watched = [sys.executable, str(_WATCHER), *words]
    done = subprocess.run(
        watched, cwd=folder, env=reference.environment(folder), stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout) / 1024
