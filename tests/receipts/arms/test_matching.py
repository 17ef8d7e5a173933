"""Searches that end, by processes that are kept and not left behind."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from receipts.arms import matching
from receipts.arms.jsregex import compiled
from receipts.arms.matching import MatchError, found_in
from tests.members import ROOT

# Each letter more doubles the time; with these, no machine comes to an end.
ENDLESS, TEXT = compiled("^(a+)+$"), "a" * 200 + "b"


def test_a_search() -> None:
    assert found_in(compiled(r"^git\s+(?:commit|push)"), "git  push")
    assert not found_in(compiled("^git$"), "git  push")
    assert found_in(compiled("^..$"), "😀")
    assert found_in(compiled(r"^\ud83d$"), "\ud83d")
    assert found_in(compiled("z$"), "é" * 3_000_000 + "z")


def test_a_search_without_end_is_ended_and_the_next_one_answered() -> None:
    with pytest.raises(MatchError, match=r"longer than 0\.2 seconds"):
        found_in(ENDLESS, TEXT, seconds=0.2)
    assert found_in(ENDLESS, "aaa")


def test_threads_search_at_once() -> None:
    pattern = compiled("x(?:1|22|333)$")
    texts = ["x" + str(number % 4) * (number % 4) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: found_in(pattern, text), texts))
    assert answers == [text != "x" for text in texts]


def test_a_process_that_was_ended_by_others_is_said_and_replaced() -> None:
    assert found_in(compiled("a"), "a")
    for server in matching._idle:
        server._process.kill()
        server._process.wait()
    count = len(matching._idle)
    for _ in range(count):
        with pytest.raises(MatchError, match="could not be searched"):
            found_in(compiled("a"), "a")
    assert found_in(compiled("a"), "a")


def test_processes_end_with_the_program() -> None:
    code = """
from receipts.arms import matching
from receipts.arms.jsregex import compiled
matching.found_in(compiled("a"), "a")
print(matching._idle[0]._process.pid)
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
