"""How sessions of the real agents fail, and what is said of it."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from receipts.agents import Session
from receipts.agents import failures as reading
from receipts.scripted import Reply, Turn, in_order
from tests.model import agents, faults
from tests.model.endpoint import Script
from tests.model.faults import Fault
from tests.receipts.agents.conftest import Stage, StageOf


def failing(fault: Fault) -> Script:
    """Answer the first question rightly and fail on the second, when money is spent already."""

    def play(turn: Turn) -> Reply | Fault:
        first = turn.shell("echo one")
        return fault if turn.has_done(first) else Reply(calls=(first,))

    return play


def assert_fails(stage: Stage, kind: str, session: Session) -> None:
    assert session.failure is not None
    assert session.failure.kind == kind, session.failure
    assert session.failure.reason
    assert agents.KEY not in session.failure.reason
    assert len(session.failure.reason) < 2500
    assert len(stage.told) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.UNAUTHORIZED, "not-logged-in"),
        (faults.RATE_LIMITED, "rate-limited"),
        (faults.OVERLOADED, "overloaded"),
        (faults.BROKEN, "network"),
        (faults.CUT, "network"),
        (faults.MALFORMED, "network"),
    ],
    ids=["401", "429", "529", "500", "cut", "malformed"],
)
def test_a_failing_endpoint(name: str, fault: Fault, kind: str, stage_of: StageOf) -> None:
    # Codex takes a server's error for too many people.
    kind = "overloaded" if (name, fault) == ("codex", faults.BROKEN) else kind
    stage = stage_of(name, failing(fault))
    task = stage.task("Do it")
    session = stage.run(task)
    assert_fails(stage, kind, session)
    assert list(stage.agent.commands(task.transcript)) == ["echo one"]


def test_a_model_that_does_not_exist(name: str, stage_of: StageOf) -> None:
    fault = faults.NO_SUCH_MODEL if name == "claude" else faults.NO_SUCH_MODEL_CODEX
    stage = stage_of(name, lambda _turn: fault)
    session = stage.run(stage.task("Do it", model="no-such-model"))
    assert_fails(stage, "no-such-model", session)
    assert stage.model.turns["Do it"][0].model == "no-such-model"


def test_a_key_that_the_endpoint_repeats_is_not_repeated(name: str, stage_of: StageOf) -> None:
    fault = faults.UNAUTHORIZED._replace(message=f"Incorrect API key provided: {agents.KEY}.")
    stage = stage_of(name, lambda _turn: fault)
    assert_fails(stage, "not-logged-in", stage.run(stage.task("Do it")))


def test_a_model_that_falls_silent(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, failing(faults.STALLED))
    session = stage.run(stage.task("Do it", timeout=4.0))
    assert_fails(stage, "timeout", session)
    assert session.failure == ("timeout", "agent run timed out after 4000ms")


@contextlib.contextmanager
def nobody() -> Iterator[str]:
    """Yield an address on this machine where nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_an_endpoint_that_is_not_there(
    name: str, stage_of: StageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody() as url:
        stage = stage_of(name, lambda _turn: Reply("never asked"))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        agents.configure_codex(stage.home, url)
        stage = Stage(stage.place, stage.home, type(stage.agent)(), stage.model)
        # They try again for minutes; the time that they have runs out first, once they do.
        for timeout in (3.0, 6.0, 12.0, 24.0, 48.0):
            task = stage.task("Do it", timeout=timeout)
            stage.told.clear()
            session = stage.run(task)
            if b"retry" in task.transcript.read_bytes().lower().replace(b"reconnect", b"retry"):
                break
    assert_fails(stage, "network", session)
    assert session.failure is not None
    assert "ms while it waited for the model: " in session.failure.reason


def test_a_session_that_is_stopped(name: str, stage_of: StageOf) -> None:
    stop = threading.Event()

    def play(turn: Turn) -> Reply:
        stop.set()
        time.sleep(0.5)
        return in_order(turn, turn.shell("sleep 600"), then="never said")

    stage = stage_of(name, play)
    session = stage.run(stage.task("Do it"), stop=stop)
    assert_fails(stage, "stopped", session)


def test_the_limit_of_turns(stage_of: StageOf) -> None:
    stage = stage_of("claude", lambda turn: Reply(calls=(turn.shell(f"echo {len(turn.results)}"),)))
    task = stage.task("Go on and on", max_turns=3)
    session = stage.run(task)
    assert_fails(stage, "turn-limit", session)
    assert list(stage.agent.commands(task.transcript)) == ["echo 0", "echo 1", "echo 2"]
    assert session.tokens
    assert session.cost_usd


def test_nobody_logged_in(name: str, stage_of: StageOf, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of(name, lambda _turn: Reply("never asked"))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.delenv("MODEL_KEY")
    assert_fails(stage, "not-logged-in", stage.run(stage.task("Do it")))
    assert stage.model.turns == {}


def test_a_refusal_is_an_answer(name: str, stage_of: StageOf) -> None:
    stage = stage_of(name, lambda _turn: Reply(faults.REFUSAL))
    session = stage.run(stage.task("Do it", tools=False))
    assert session.failure is None
    assert session.text == faults.REFUSAL


def test_a_refusal_of_the_endpoint_is_a_failure_that_says_so(stage_of: StageOf) -> None:
    stage = stage_of("claude", lambda _turn: faults.REFUSED)
    session = stage.run(stage.task("Do it", tools=False))
    assert_fails(stage, "crashed", session)
    assert session.failure is not None
    assert "the model refused, by its usage policy: " in session.failure.reason


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("unexpected status 401 Unauthorized: no", "not-logged-in"),
        ("Invalid API key · Please run /login", "not-logged-in"),
        ("OAuth token has expired", "not-logged-in"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate-limited"),
        ("You've hit your usage limit. Try again at 5 pm.", "rate-limited"),
        ("API Error: 529 Overloaded.", "overloaded"),
        ("Selected model is at capacity. Please try a different model.", "overloaded"),
        ("connect ECONNREFUSED 127.0.0.1:9", "network"),
        ("stream disconnected before completion: closed", "network"),
        ("HTTP error: 502 Bad Gateway", "network"),
        ("The model `x` does not exist or you do not have access to it.", "no-such-model"),
        ("panicked at src/main.rs:401:529: index out of bounds", "crashed"),
        ("wrote 429 files, then 503 more", "crashed"),
        ("", "crashed"),
    ],
)
def test_words_tell_the_kind(words: str, kind: str) -> None:
    failure = reading.of_words(words, 1)
    assert failure.kind == kind
    assert failure.reason.startswith("agent run failed (rc=1)")


def test_reasons_are_scrubbed_and_short() -> None:
    token = "ghp_" + "a1B2" * 9
    failure = reading.of_words("x" * 5000 + f" {token} hunter22", 2, ["hunter22"])
    assert token not in failure.reason
    assert "hunter22" not in failure.reason
    assert len(failure.reason) < 2100
