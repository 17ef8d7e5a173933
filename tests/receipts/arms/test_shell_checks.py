"""Checks by a command of the case's own."""

import threading
from pathlib import Path

import pytest

from receipts.arms.checks import evaluate, read
from tests.receipts.arms.looking import ENVIRONMENT, Transcript, passes, result


def test_a_command_runs_in_the_sandbox_in_its_own_environment(sandbox: Path) -> None:
    (sandbox / "a.txt").write_text("x\n")
    assert passes(sandbox, "command_succeeds: test -f a.txt && grep -q x a.txt")
    assert passes(sandbox, 'command_succeeds: "false || true\\ntest -z \\"$HOME\\""')
    assert not passes(sandbox, 'command_succeeds: "false\\ntrue"')
    found = result(sandbox, "command_succeeds: echo why >&2; exit 7")
    assert (found.passed, found.detail) == (False, "exit code 7: why")
    assert passes(sandbox, "exit_code_is: {command: ls && exit 7, code: 7}")
    assert not passes(sandbox, "exit_code_is: {command: grep -q y a.txt, code: 2}")
    assert passes(sandbox, "exit_code_is: {command: grep -q y a.txt, code: 1}")
    assert not passes(sandbox, "command_succeeds: kill -9 $$")


def test_a_command_that_takes_too_long_is_ended(
    sandbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receipts.arms.checks.shell.SECONDS", 0.3)
    found = result(sandbox, "command_succeeds: sleep 600")
    assert not found.passed
    assert found.detail.startswith("it took longer than")


def test_a_command_of_a_run_that_stops_is_not_started(sandbox: Path) -> None:
    stop = threading.Event()
    stop.set()
    check = read({"command_succeeds": "touch made; ls"})
    found = evaluate(check, sandbox, Transcript(), ENVIRONMENT, stop)
    assert (found.passed, found.detail) == (False, "it was stopped with the run")
    assert not (sandbox / "made").exists()
