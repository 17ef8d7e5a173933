"""Transcripts however badly they are written: no JSON, huge, binary, cut off."""

import json
import tracemalloc
from pathlib import Path

import pytest

from receipts.agents.events import LONGEST_LINE, Oddities, Watcher, count, events, number
from tests.receipts.agents.programs import Fake

GOOD = b'{"type":"one"}\n'


def read(tmp_path: Path, data: bytes) -> tuple[list[str], list[str]]:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(data)
    odd = Oddities()
    return [str(event["type"]) for event in events(path, odd)], list(odd)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"npm warn deprecated\n", "line 2 of the transcript is no JSON map"),
        (b"[1, 2]\n", "line 2 of the transcript is no JSON map"),
        (b'"text"\n', "line 2 of the transcript is no JSON map"),
        (b"{'type': 1}\n", "line 2 of the transcript is no JSON map"),
        (b"\x00\xff\xfe\x80\n", "line 2 of the transcript is no JSON map"),
        (b"[" * 100_000 + b"\n", "line 2 of the transcript is no JSON map"),
        (b'{"a":' * 100_000 + b"\n", "line 2 of the transcript is no JSON map"),
        (b"{" + b" " * LONGEST_LINE + b"}\n", "line 2 of the transcript is above 16 MB"),
    ],
    ids=["text", "list", "string", "quotes", "binary", "deep", "deeper", "huge"],
)
def test_a_line_that_is_no_event_is_named_and_passed_over(
    tmp_path: Path, line: bytes, said: str
) -> None:
    types, odd = read(tmp_path, GOOD + line + b'{"type":"two"}\n')
    assert types == ["one", "two"]
    assert odd == [f"{said}; it was passed over"]


def test_empty_lines_are_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, b"\n \r\n" + GOOD + b"\n\n") == (["one"], [])


def test_a_last_line_that_is_cut_off(tmp_path: Path) -> None:
    cut = "the transcript ends in the middle of line 2"
    assert read(tmp_path, GOOD + b'{"type":"tw') == (["one"], [cut])
    assert read(tmp_path, GOOD + b"\xff\xfe") == (["one"], [cut])


def test_a_last_line_without_a_line_end(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD + b'{"type":"two"}') == (["one", "two"], [])


def test_a_huge_last_line(tmp_path: Path) -> None:
    types, odd = read(tmp_path, GOOD + b"x" * (LONGEST_LINE + 1))
    assert types == ["one"]
    assert odd == ["line 2 of the transcript is above 16 MB; it was passed over"]


def test_no_transcript_is_an_empty_one(tmp_path: Path) -> None:
    assert list(events(tmp_path / "none")) == []


def test_bad_text_inside_an_event_is_replaced(tmp_path: Path) -> None:
    types, odd = read(tmp_path, b'{"type":"\xff one"}\n')
    assert (types, odd) == (["\ufffd one"], [])


def test_no_more_oddities_than_anybody_reads(tmp_path: Path) -> None:
    _, odd = read(tmp_path, b"x\n" * 5000)
    assert len(odd) == 20


def test_memory_does_not_grow_with_the_transcript(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    line = json.dumps({"type": "one", "text": "x" * 50_000}).encode() + b"\n"
    with path.open("wb") as stream:
        for _ in range(2000):
            stream.write(line)
    assert path.stat().st_size > 100_000_000
    tracemalloc.start()
    counted = sum(1 for _ in events(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == 2000
    assert peak < 5_000_000


def test_memory_does_not_grow_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    with path.open("wb") as stream:
        stream.truncate(200_000_000)  # one line of nothing but NULs
    tracemalloc.start()
    assert list(events(path)) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * LONGEST_LINE


def test_a_watcher_sees_events_across_chunks_until_it_is_stopped() -> None:
    watcher = Watcher()
    data = b"noise\n" + GOOD + b'{"type":"two"}\n{"type":"three"}\n'
    seen = []
    for index in range(0, len(data), 7):
        for event in watcher.feed(data[index : index + 7]):
            seen.append(event["type"])
            if event["type"] == "two":
                watcher.stop()
    assert seen == ["one", "two"]


def test_a_watcher_gives_up_on_a_line_without_end() -> None:
    watcher = Watcher()
    for _ in range(40):
        assert list(watcher.feed(b"x" * 1_000_000)) == []
    assert list(watcher.feed(b"\n" + GOOD)) == []


class TestInASession:
    """What a program that is no agent makes of one."""

    INIT = '{"type":"system","subtype":"init","skills":["a"],"model":"m"}'
    SAID = '{"type":"assistant","message":{"content":[{"type":"text","text":"half"}]}}'
    RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"whole"}'

    def test_noise_is_survived_and_reported(self, claude: Fake) -> None:
        session = claude.run(
            f"echo noise; echo '{self.INIT}'; printf '\\377\\n'; echo '{self.RESULT}'"
        )
        assert session.failure is None
        assert (session.text, session.skills) == ("whole", ("a",))
        assert len(session.oddities) == 2

    def test_a_stream_that_ends_early_is_truncated(self, claude: Fake) -> None:
        session = claude.run(f"echo '{self.INIT}'; echo '{self.SAID}'; printf '{{\"type\":\"resu'")
        assert session.failure is not None
        assert session.failure.kind == "truncated"
        assert session.text == "half"
        assert session.oddities == ("the transcript ends in the middle of line 3",)

    def test_nothing_at_all_is_truncated(self, claude: Fake) -> None:
        session = claude.run("true")
        assert session.failure is not None
        assert session.failure.kind == "truncated"
        assert claude.told == [None]

    def test_a_crash_is_told_with_the_end_of_its_errors(self, claude: Fake) -> None:
        session = claude.run("echo 'panicked at main.rs' >&2; exit 7")
        assert session.failure == ("crashed", "agent run failed (rc=7): panicked at main.rs")

    def test_a_huge_line_hides_nothing_else(self, claude: Fake) -> None:
        huge = "head -c 17000000 /dev/zero | tr '\\0' x; echo"
        session = claude.run(f"echo '{self.INIT}'; {huge}; echo '{self.RESULT}'")
        assert session.failure is None
        assert session.text == "whole"
        assert session.oddities == ("line 2 of the transcript is above 16 MB; it was passed over",)

    def test_values_of_other_types_are_as_good_as_none(self, claude: Fake) -> None:
        odd = (
            '{"type":"result","is_error":false,"result":7,"num_turns":"many","duration_ms":1e999,'
            '"total_cost_usd":true,"usage":{"input_tokens":-4,"output_tokens":"x"}}'
        )
        init = '{"type":"system","subtype":"init","skills":"all","model":5}'
        said = '{"type":"assistant","message":{"content":[7,{"type":"text"},{"type":"tool_use"}]}}'
        session = claude.run(f"echo '{init}'; echo '{said}'; echo '{odd}'")
        assert session.failure is None
        assert (session.text, session.turns, session.cost_usd) == ("", None, None)
        assert (session.duration_ms, session.skills, session.model_id) == (None, None, None)
        assert session.tokens is None

    def test_a_program_that_is_not_runnable(self, claude: Fake) -> None:
        claude.path.unlink()
        session = claude.agent.run(claude.task())
        assert session.failure is not None
        assert session.failure.kind == "not-installed"
        assert "No such file" in session.failure.reason


@pytest.mark.parametrize("value", [10**400, 1e308, -5, -0.1, float("nan"), float("inf"), "3", True])
def test_what_cannot_have_been_used_is_no_number(value: object) -> None:
    assert number(value) is None
    assert count(value) is None


def test_numbers_and_counts_of_what_was_used() -> None:
    assert (number(0), number(3), number(0.25)) == (0.0, 3.0, 0.25)
    assert (count(0), count(1234), count(2**53 - 1)) == (0, 1234, 2**53 - 1)
