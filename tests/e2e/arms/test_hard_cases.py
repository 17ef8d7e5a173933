"""Cases that misbehave, and agents that say too much."""

import json
import os
import pty
import secrets
import signal
import subprocess
import sys
import time

import pytest

from receipts.arms import sandbox
from tests.e2e.arms.conftest import Bench, running
from tests.members import ROOT

POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX processes")


@POSIX
@pytest.mark.parametrize(
    "script",
    [
        "sleep {n}",
        "trap '' TERM; while :; do sleep {n}; done",
        "for i in 1 2 3 4 5 6 7 8; do (sleep {n} &) ; done; sleep {n}",
    ],
)
def test_a_setup_that_never_ends_is_ended_with_all_that_it_started(
    bench: Bench, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SETUP_SECONDS", 1.0)
    marker = f"3{secrets.randbelow(10**8):08}"
    setup = script.format(n=marker)
    bench.case("stuck", f"task: a\nchecks: [{{file_absent: x}}]\nsetup: {json.dumps(setup)}\n")
    done = bench.member.called(*bench.arguments(), monkeypatch=monkeypatch)
    assert "  stuck: ABORTED (setup) — setup failed (killed after 1 s)" in done.err
    assert bench.sessions == []
    assert running(marker) == []


@POSIX
def test_a_daemon_of_a_setup_is_gone_before_the_session(bench: Bench) -> None:
    marker = f"4{secrets.randbelow(10**8):08}"
    bench.case(
        "daemon",
        f"task: a\nchecks: [{{file_exists: ready}}]\nsetup: setsid sleep {marker} & touch ready\n",
    )
    done = bench.run()
    assert done.code == 0, done
    assert bench.receipt()["arm_scores"]["baseline"] == 1.0
    assert running(marker) == []


def test_a_setup_that_takes_the_place_of_skills_drops_the_case(bench: Bench) -> None:
    bench.case("greedy", "task: a\nchecks: [{file_absent: x}]\nsetup: mkdir -p .Claude/skills\n")
    done = bench.run()
    assert "ABORTED (staging) — the case made .Claude, which is where skills are staged" in done.err
    assert bench.sessions == []


def test_a_setup_that_links_out_of_the_sandbox_gains_nothing(bench: Bench) -> None:
    target = bench.member.home / "outside"
    target.mkdir()
    bench.case(
        "links", f"task: a\nchecks: [{{file_absent: out/x}}]\nsetup: ln -s {target} .claude\n"
    )
    done = bench.run()
    assert "ABORTED (staging)" in done.err
    assert list(target.iterdir()) == []


def test_a_sandbox_is_filled_in_order(bench: Bench) -> None:
    fixture = bench.skill / "evals" / "fixtures" / "base"
    fixture.mkdir(parents=True)
    (fixture / "a.txt").write_text("from the fixture")
    (fixture / "b.txt").write_text("from the fixture")
    bench.case(
        "filled",
        "task: a\nfixture: ../fixtures/base\n"
        "files:\n  b.txt: from the case\n  bin/tool: |\n    #!/bin/sh\n    echo from the tool\n"
        "setup: bin/tool > c.txt\n"
        "checks:\n  - file_matches: {file: a.txt, pattern: fixture}\n"
        "  - file_matches: {file: b.txt, pattern: case}\n"
        "  - file_matches: {file: c.txt, pattern: tool}\n"
        "  - command_succeeds: test ! -e evals\n",
    )
    done = bench.run()
    assert done.code == 0, done
    [entry] = bench.receipt()["per_case"]
    assert [passed for _, passed in entry["arms"]["candidate"]["checks"]] == [True] * 4, done


@POSIX
def test_100_mb_of_transcript_are_not_held_in_memory(bench: Bench) -> None:
    agent = bench.member.home / "loud.py"
    agent.write_text(
        "import json, sys\nsys.stdin.read()\n"
        "text = 'x' * 100_000\n"
        "line = {'type': 'assistant', 'message': {'content': [{'type': 'text', 'text': text}]}}\n"
        "for _ in range(1000): print(json.dumps(line))\n"
        "print(json.dumps({'type': 'result', 'subtype': 'success', 'result': 'the end'}))\n"
    )
    bench.agent = f"command:{sys.executable} {agent}"
    bench.case(
        "loud",
        "task: a\njudge: Which is better?\n"
        "checks: [{transcript_mentions: the end}, {transcript_omits: yy}]\n",
    )
    peak = bench.member.home / "peak"
    measured = [sys.executable, ROOT / "tests" / "hostile" / "measured.py", peak]
    done = subprocess.run(
        [*map(str, measured), sys.executable, "-m", "receipts", *bench.arguments()],
        env=bench.member.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done
    assert bench.receipt()["arm_scores"] == {"baseline": 1.0, "candidate": 1.0}
    assert int(peak.read_text()) < 150 * 1024


@POSIX
def test_a_second_ctrl_c_leaves_at_once(bench: Bench) -> None:
    bench.case("slow", "task: |\n  slow\n  DO sleep 60\nchecks: [{file_absent: x}]\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "receipts", *bench.arguments()],
        cwd=bench.member.home,
        env=bench.member.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while len(bench.sessions) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    deadline = time.monotonic() + 10
    while running(str(bench.log)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running(str(bench.log)) == []


def test_progress_as_json_lines_is_on_stderr(bench: Bench) -> None:
    bench.case("a", "task: a\nchecks: [{file_absent: x}]\n")
    done = bench.run("--progress", "json")
    events = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    states = [e["state"] for e in events if e["event"] == "session" and e["arm"] == "candidate"]
    assert states == ["running", "checking", "done"]
    assert done.out.startswith("verdict: NEUTRAL")


def test_the_document_of_a_run_is_the_only_thing_on_stdout(bench: Bench) -> None:
    bench.case("a", "task: a\nchecks: [{file_absent: x}]\n")
    done = bench.run("--json")
    document = json.loads(done.out)
    assert document["receipt"]["run_id"] == bench.runs[0].name


@POSIX
def test_a_terminal_shows_a_table_and_keeps_the_report(bench: Bench) -> None:
    bench.case("a", "task: |\n  a\n  DO sleep 1\nchecks: [{file_absent: x}]\n")
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "receipts", *bench.arguments()],
        cwd=bench.member.home,
        env=bench.member.environment | {"TERM": "xterm-256color", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    shown = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    assert process.wait(timeout=60) == 0
    os.close(main)
    text = shown.decode()
    assert "0/2 sessions" in text
    assert "candidate" in text
    assert text.rindex("verdict: NEUTRAL") > text.rindex("/2 sessions")


def test_a_session_that_takes_its_own_folders_away_is_a_dead_arm(bench: Bench) -> None:
    agent = bench.member.home / "agent.sh"
    agent.write_text(
        '#!/bin/sh\nread -r title\necho "$title"\n'
        'if [ "$title" = gone ]; then rm -rf "$HOME"; : > "$HOME"; fi\n'
    )
    agent.chmod(0o755)
    bench.agent = f"command:{agent}"
    for name in ("good", "gone"):
        bench.case(name, f"task: |\n  {name}\nchecks:\n  - transcript_mentions: {name}\n")
    done = bench.run("--no-gen")
    assert done.code == 0, done
    assert done.out.splitlines()[0] == "verdict: NEUTRAL [partial — 1/2 scored]"
    assert "no longer usable" in done.err


def test_a_case_whose_name_fills_a_file_name_is_refused_before_anything_is_paid_for(
    bench: Bench,
) -> None:
    bench.case("漢" * 78, "task: x\n")
    done = bench.run("--no-gen")
    assert (done.code, bench.sessions) == (2, [])
    assert "has more than 200 bytes" in done.err


def test_a_receipt_that_was_damaged_is_not_continued(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.case(name, f"task: |\n  {name}\nchecks:\n  - file_absent: x\n")
    bench.run("--no-gen", "--max-sessions", "2", "--parallel", "1")
    receipt = bench.runs[0] / "receipt.json"
    receipt.write_bytes(receipt.read_bytes()[:100])
    again = bench.resume(bench.runs[0].name)
    assert again.code == 2
    assert "cannot be continued: its receipt cannot be used" in again.err
