"""Several skills in one command, and the queue of skills that wait."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.arms.at_a_terminal import answered
from tests.members import Member, Ran

AGENT = Path(__file__).with_name("scripted_agent.py")
CASE = "task: |\n  {name}\n  DO skilled write o.txt x\nchecks:\n  - file_exists: o.txt\n"
DIES = "task: |\n  {name}\n  DO fail\nchecks:\n  - file_absent: x\n"


class Shelf:
    """A member with several skills, and a scripted agent."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.log = member.home / "sessions.log"
        self.log.touch()
        self.agent = f"command:{shlex.join([sys.executable, str(AGENT), str(self.log)])}"

    def skill(self, name: str, case: str = CASE) -> Path:
        """Write a skill with one case."""
        body = f"---\nname: {name}\ndescription: Does {name}.\n---\n\n# {name}\n"
        place = self.member.home / "skills" / name
        (place / "evals" / "cases").mkdir(parents=True)
        (place / "SKILL.md").write_text(body)
        (place / "evals" / "cases" / f"{name}.yaml").write_text(case.format(name=name))
        return place

    def arguments(self, *words: str | Path) -> list[str]:
        return ["eval", *map(str, words), "--agent", self.agent, "--execution-only"]

    def run(self, *words: str | Path) -> Ran:
        return self.member.run(*self.arguments(*words))

    @property
    def sessions(self) -> list[str]:
        """The skills whose cases the agent was given, and how often it was asked beforehand."""
        return self.log.read_text().splitlines()

    @property
    def receipts(self) -> int:
        return len(list(self.member.state.glob("evals/local/*/*/receipt.json")))

    def queue(self) -> list[str]:
        document = json.loads(self.member.ok("eval", "--queued", "--json"))
        return [item["skill"] for item in document["items"]]


@pytest.fixture
def shelf(ada: Member) -> Shelf:
    return Shelf(ada)


def test_skills_are_evaluated_one_after_another_a_block_each(shelf: Shelf) -> None:
    a, b = shelf.skill("alpha"), shelf.skill("beta")
    done = shelf.run(b, a, f"{b}/../beta", "--k", "2")
    assert done.code == 0, done
    lines = done.out.splitlines()
    blocks = [line for line in lines if line.startswith(("──", "✓", "✗", "verdict"))]
    assert blocks == [
        *("── beta ──", "verdict: PASS", "✓ beta"),
        *("── alpha ──", "verdict: PASS", "✓ alpha"),
    ]
    assert lines[-1] == "Evaluated 2 of 2; 0 failed."
    assert "Evaluating 2 skills, 1 at a time: no earlier runs to estimate from; " in done.err
    assert [line for line in shelf.sessions if not line.startswith("Reply")] == (
        ["beta"] * 4 + ["alpha"] * 4
    )
    assert len(shelf.sessions) == 9  # the agent was asked once whether it answers
    assert shelf.receipts == 2


def test_the_next_run_is_estimated_from_this_one(shelf: Shelf) -> None:
    a = shelf.skill("alpha")
    first = shelf.run(a)
    assert "alpha with command: 2 sessions (a failed one is tried twice)." in first.err
    assert "Evaluating alpha, 2 sessions, 4 at a time: no earlier runs to estimate" in first.err
    again = shelf.run(a, "--parallel", "1")
    assert "Evaluating alpha, 2 sessions, 1 at a time: about " in again.err
    assert "from a single earlier run of this skill with the same model, agent and k" in again.err


def test_what_fails_keeps_none_of_the_others_from_its_turn(shelf: Shelf) -> None:
    bad = shelf.skill("bad")
    (bad / "evals" / "cases" / "bad.yaml").write_text("checks: []\n")
    dies, good = shelf.skill("dies", DIES), shelf.skill("good")
    done = shelf.run(bad, dies, good)
    assert done.code == 1
    lines = done.out.splitlines()
    assert "✗ bad: evals/cases/bad.yaml:1: case 'bad' needs a 'task'." in lines
    assert "✗ dies: Nothing of dies could be scored." in lines
    assert lines[-2:] == ["✓ good", "Evaluated 3 of 3; 2 failed."]
    assert done.err.splitlines()[-1] == "error: 2 of 3 evals failed."


def test_every_skill_is_found_before_anything_is_spent(shelf: Shelf) -> None:
    a = shelf.skill("alpha")
    done = shelf.run(a, shelf.member.home / "nowhere")
    assert done.code == 1
    assert "nowhere does not exist." in done.err
    assert shelf.sessions == []


def test_one_document_for_all(shelf: Shelf) -> None:
    a, b = shelf.skill("alpha"), shelf.skill("beta")
    (b / "evals" / "cases" / "beta.yaml").write_text("[]")
    done = shelf.run(a, b, "--json")
    assert done.code == 1
    document = json.loads(done.out)
    assert (document["failed"], document["queued"]) == (1, [])
    first, second = document["evals"]
    assert (first["skill"], first["error"], first["receipt"]["verdict"]) == ("alpha", None, "PASS")
    assert first["folder"] == str(a)
    assert Path(first["path"]).name == first["run_id"]
    assert second["receipt"] is None
    assert second["error"].startswith("evals/cases/beta.yaml:1: ")


def test_the_limits_are_those_of_the_whole_command(shelf: Shelf) -> None:
    skills = [shelf.skill(name) for name in ("alpha", "beta", "gamma")]
    done = shelf.run(*skills, "--max-sessions", "4", "--parallel", "1")
    assert done.code == 1
    tasks = [line for line in shelf.sessions if not line.startswith("Reply")]
    assert tasks == ["alpha", "alpha", "beta", "beta"]
    assert "✗ gamma: --max-sessions 4 is reached, so it was not started." in done.out
    done = shelf.run(*skills, "--max-sessions", "3", "--parallel", "1")
    assert done.code == 1
    assert "✗ beta: --max-sessions leaves room for 1, and one repetition" in done.out


def test_a_batch_asks_whether_to_go_on_and_the_rest_waits(shelf: Shelf) -> None:
    skills = [shelf.skill(name) for name in ("alpha", "beta", "gamma")]
    alone = shelf.run(*skills, "--batch", "2")
    assert alone.code == 1
    assert "There is no terminal to ask on." in alone.err
    assert "--yes" in alone.err
    assert shelf.sessions == []
    done = answered(shelf.member, *shelf.arguments(*skills, "--batch", "2"), answer=b"n\n")
    assert done.code == 0, done
    assert "Continue with the next 1? (2 of 3 done, 1 left) [y/N]: " in done.err
    assert "Queued 1 for later: gamma." in done.err
    assert done.out.splitlines()[-1] == "Evaluated 2 of 3; 0 failed."
    assert shelf.queue() == ["gamma"]
    sure = shelf.run(*skills, "--batch", "1", "--yes")
    assert sure.out.splitlines()[-1] == "Evaluated 3 of 3; 0 failed."


def test_pending_is_what_no_run_here_measured(shelf: Shelf) -> None:
    for name in ("alpha", "beta"):
        shutil.move(shelf.skill(name), shelf.member.library / name)
    shelf.member.library.joinpath("empty").mkdir()
    first = shelf.run("alpha")
    assert first.code == 0, first
    done = shelf.run("--pending")
    assert done.code == 0, done
    assert [line for line in done.out.splitlines() if line.startswith("──")] == ["── beta ──"]
    nothing = shelf.run("--pending")
    assert (nothing.code, nothing.out) == (0, "")
    assert "Every installed skill has a run of its exact bytes here." in nothing.err
    text = (shelf.member.library / "alpha" / "SKILL.md").read_text()
    (shelf.member.library / "alpha" / "SKILL.md").write_text(text + "More.\n")
    again = shelf.run("--pending")
    assert [line for line in again.out.splitlines() if line.startswith("──")] == ["── alpha ──"]


def test_the_queue_is_filled_listed_and_drained(shelf: Shelf) -> None:
    a, b = shelf.skill("alpha"), shelf.skill("beta")
    queued = shelf.member.ok("eval", a, b, "--queue", "overnight").splitlines()
    assert [line.split(" (")[0] for line in queued] == ["Queued alpha", "Queued beta"]
    assert queued[0].endswith(") for overnight.")
    again = shelf.member.ok("eval", b, "--queue", "later")
    assert again.startswith("Already queued: beta (")
    assert shelf.queue() == ["alpha", "beta"]
    assert "  overnight  " in shelf.member.ok("eval", "--queued").splitlines()[0]
    assert shelf.sessions == []
    (b / "SKILL.md").write_text((b / "SKILL.md").read_text() + "Changed.\n")
    drained = shelf.run("--drain")
    assert drained.code == 1
    assert "✓ alpha" in drained.out
    assert "The queued bytes of beta are no longer what is on disk" in drained.err
    assert drained.err.splitlines()[-1] == "error: 1 queued evals failed; they remain queued."
    assert shelf.queue() == ["beta"]
    assert "(failed: The queued bytes of beta" in shelf.member.ok("eval", "--queued")
    assert shelf.member.ok("eval", "beta", "--dequeue") == "Took beta out of the queue.\n"
    unknown = shelf.member.run("eval", "beta", "--dequeue")
    assert (unknown.code, "beta is not queued." in unknown.err) == (1, True)
    shelf.member.ok("eval", a, "--queue", "later")
    skipped = shelf.run("--drain")
    assert (skipped.code, skipped.out) == (0, "")
    assert "Already evaluated these exact bytes of alpha." in skipped.err
    assert shelf.queue() == []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_keeps_what_ran_and_starts_no_other(shelf: Shelf) -> None:
    slow = CASE.replace("DO", "DO sleep 60\n  DO", 1)
    skills = [shelf.skill("alpha"), shelf.skill("beta", slow), shelf.skill("gamma")]
    process = subprocess.Popen(
        [sys.executable, "-m", "receipts", *shelf.arguments(*skills)],
        cwd=shelf.member.home,
        env=shelf.member.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while shelf.sessions.count("beta") < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "✓ alpha" in out.splitlines()
    assert out.splitlines()[-1] == "Evaluated 1 of 3; 0 failed."
    assert "1 of 3 were not started." in err
    assert "gamma" not in shelf.sessions
    assert shelf.receipts == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--pending", "x"], "--pending names the skills itself."),
        ([], "Name a skill, or a run with --resume."),
        (["--dequeue"], "Name a skill."),
        (["--queue", "later"], "Name a skill."),
        (["x", "--queued"], "--queued does not go together with a skill."),
        (["x", "--queue", "later", "--k", "3"], "--queue does not go together with --k."),
        (["--drain", "--batch", "2"], "--drain does not go together with --batch."),
        (["--resume", "20260101T000000Z", "--k", "3"], "--resume does not go together with --k."),
        (["--queued", "--drain"], "does not go together with"),
    ],
)
def test_options_that_would_not_be_heeded_are_refused(
    ada: Member, words: list[str], says: str
) -> None:
    done = ada.run("eval", *words)
    assert done.code == 2
    assert says in done.err
