"""Missing cases and triggers, written by an agent and put into the skill when somebody agrees."""

import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from receipts.arms import assets
from tests.e2e.arms.at_a_terminal import answered
from tests.members import Member, Ran

AGENT = Path(__file__).with_name("writing_agent.py")


def case(name: str, **fields: Any) -> dict[str, Any]:
    usual = {"name": name, "bucket": "explicit", "task": f"Write out.txt for {name}"}
    return {**usual, "checks": [{"file_exists": "out.txt"}], **fields}


def cases(*more: dict[str, Any]) -> str:
    return json.dumps({"cases": [case("a"), case("b", bucket="adversarial"), case("c"), *more]})


class Desk:
    """A member with a skill without cases, and an agent that writes them."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.answers = member.home / "answers"
        self.answers.mkdir()
        self.skill = member.skill("tdd")
        self.agent = f"command:{shlex.join([sys.executable, str(AGENT), str(self.answers)])}"
        self.answer("cases", cases())
        lists = {
            "should_trigger": [f"test first {i}" for i in range(5)],
            "should_not_trigger": [f"other {i}" for i in range(5)],
        }
        self.answer("triggers", json.dumps(lists))

    def answer(self, kind: str, text: str) -> None:
        """Have the agent answer so, or to the Nth question with `kind` as `cases.N`."""
        (self.answers / kind).write_text(text)

    def arguments(self, *options: str) -> list[str]:
        return ["eval", str(self.skill), "--agent", self.agent, *options]

    def run(self, *options: str) -> Ran:
        return self.member.run(*self.arguments(*options))

    @property
    def asked(self) -> Counter[str]:
        """How often the agent was asked what."""
        log = self.answers / "log"
        return Counter(log.read_text().split() if log.exists() else ())

    @property
    def runs(self) -> list[Path]:
        return sorted(self.member.state.glob("evals/local/*/*"), key=lambda path: path.name)

    @property
    def evals(self) -> list[str]:
        """The files of the skill's evals, and whatever was left beside the skill."""
        found = [path for path in self.skill.parent.rglob("*") if path.is_file()]
        names = sorted(path.relative_to(self.skill.parent).as_posix() for path in found)
        return [name.removeprefix("tdd/evals/") for name in names if name != "tdd/SKILL.md"]


ALL = ["cases/a.yaml", "cases/b.yaml", "cases/c.yaml", "triggers.yaml"]


@pytest.fixture
def desk(ada: Member) -> Desk:
    return Desk(ada)


def test_what_is_missing_is_written_shown_put_in_and_run(desk: Desk) -> None:
    done = desk.run("--yes")
    assert done.code == 0, done
    assert done.out.splitlines()[0] == "verdict: PASS"
    assert "triggers: recall=1.00 precision=1.00 (tp=5 fn=0 fp=0 tn=5)" in done.out
    assert desk.evals == ALL
    lines = done.err.splitlines()
    assert "+++ tdd/evals/cases/b.yaml" in lines
    assert "+bucket: adversarial" in lines
    assert "eval assets: cases: generated (3) · triggers: generated" in lines
    [run] = desk.runs
    place = f"~/{run.relative_to(desk.member.home)}/generated"
    assert f"Generated assets: {place} — this run's copy, kept for the record" in done.err
    for name in ALL:
        assert (run / "generated" / name).read_bytes() == (desk.skill / "evals" / name).read_bytes()
    document = json.loads((run / "receipt.json").read_bytes())
    assert document["provenance"]["eval_digest"] == assets.load(desk.skill / "evals").digest
    assert "changed_during_run" not in document
    meta = json.loads((run / "run.jsonl").read_text().splitlines()[0])["_meta"]
    assert meta["generated_assets"] == ALL
    assert desk.asked["preflight"] == 1
    again = desk.run()
    assert again.code == 0, again
    assert desk.asked["cases"] == desk.asked["triggers"] == 1
    assert "Generat" not in again.err


def test_without_a_terminal_the_files_wait_for_a_yes_and_are_paid_for_once(desk: Desk) -> None:
    refused = desk.run()
    assert refused.code == 1
    assert refused.out == ""
    assert "error: Add these files to the skill and run them? There is no terminal" in refused.err
    assert "Answer with --yes on the command line." in refused.err
    assert desk.asked == {"preflight": 1, "cases": 1, "triggers": 1}
    assert desk.evals == []
    [kept] = desk.runs
    place = f"~/{kept.relative_to(desk.member.home)}/generated"
    assert f"They are kept in {place}, and not yet in ~/skills/tdd/evals." in refused.err
    listed = desk.member.run("list").err
    assert f"{kept.name} has no receipt yet: cases were generated for it" in listed
    edited = kept / "generated" / "cases" / "a.yaml"
    edited.write_text(edited.read_text().replace("for a", "for Anna"))
    done = desk.run("--yes")
    assert done.code == 0, done
    assert f"Using what run {kept.name} generated for these bytes" in done.err
    assert desk.asked["cases"] == desk.asked["triggers"] == 1
    assert "for Anna" in (desk.skill / "evals" / "cases" / "a.yaml").read_text()
    assert len(desk.runs) == 1
    assert not kept.exists()


def test_at_a_terminal_a_no_leaves_the_skill_as_it_was(desk: Desk) -> None:
    refused = answered(desk.member, *desk.arguments(), answer=b"n\n")
    assert refused.code == 1
    assert "Add these files to the skill and run them? [y/N]: " in refused.err
    assert "error: Nothing was added to ~/skills/tdd." in refused.err
    assert desk.evals == []
    assert desk.asked["session"] == 0
    agreed = answered(desk.member, *desk.arguments(), answer=b"y\n")
    assert agreed.code == 0, agreed
    assert agreed.out.splitlines()[0] == "verdict: PASS"
    assert desk.evals == ALL
    assert desk.asked["cases"] == 2  # what was declined is not offered again


def test_only_the_missing_kind_is_written_and_a_suite_counts_as_cases(desk: Desk) -> None:
    evals = desk.skill / "evals"
    evals.mkdir()
    suite = "task: t\ncases:\n  - name: part\n    checks:\n      - file_exists: out.txt\n"
    (evals / "suite.yaml").write_text(suite)
    done = desk.run("--yes")
    assert done.code == 0, done
    assert "eval assets: cases: as they were · triggers: generated" in done.err
    assert desk.evals == ["suite.yaml", "triggers.yaml"]
    assert (evals / "suite.yaml").read_text() == suite
    assert desk.asked["cases"] == 0


def test_a_run_that_can_do_without_goes_on_where_nobody_can_agree(desk: Desk) -> None:
    place = desk.skill / "evals" / "cases"
    place.mkdir(parents=True)
    (place / "mine.yaml").write_text("task: t\nchecks:\n  - file_exists: out.txt\n")
    done = desk.run()
    assert done.code == 0, done
    assert "note: tdd has no triggers, so none run." in done.err
    assert desk.asked["triggers"] == 0
    assert desk.evals == ["cases/mine.yaml"]


@pytest.mark.parametrize("option", ["--no-gen", "--case=a", "--triggers-only"])
def test_nothing_is_written_that_was_not_wanted(desk: Desk, option: str) -> None:
    done = desk.run(option, "--yes")
    assert desk.asked["cases"] == 0
    if option == "--triggers-only":
        assert done.code == 0, done
        assert desk.evals == ["triggers.yaml"]
    else:
        assert done.code == 2
        assert desk.evals == []
        assert desk.runs == []


def test_an_answer_is_sent_back_until_it_is_right(desk: Desk) -> None:
    desk.answer("cases.1", "I would rather not.")
    desk.answer("cases.2", cases(case("d", setup="touch /d")))
    done = desk.run("--yes", "--execution-only")
    assert done.code == 0, done
    assert desk.asked["cases"] == 3
    assert desk.evals == ["cases/a.yaml", "cases/b.yaml", "cases/c.yaml"]


def test_what_is_not_right_after_three_answers_is_not_written(desk: Desk) -> None:
    desk.answer("triggers", "{}")
    done = desk.run("--yes")
    assert done.code == 2
    assert "error: Could not generate trigger prompts: 3 answers could not be used; " in done.err
    assert "Retry the command or pass --no-gen." in done.err
    assert (desk.asked["triggers"], desk.asked["session"]) == (3, 0)
    assert desk.evals == []
    assert desk.runs == []


def test_generated_texts_are_held_to_hygiene(desk: Desk) -> None:
    desk.answer("cases", cases(case("d", task="Write to eve@gmail.com in out.txt")))
    done = desk.run("--yes")
    assert done.code == 2
    assert "The generated eval assets for tdd failed hygiene, so nothing was written:" in done.err
    assert "HYG3 evals/cases/d.yaml:3: Contains the email address eve@gmail.com" in done.err
    assert desk.evals == []


def test_a_folder_of_cases_with_something_else_in_it_is_refused_unpaid(desk: Desk) -> None:
    (desk.skill / "evals" / "cases").mkdir(parents=True)
    (desk.skill / "evals" / "cases" / "notes.md").write_text("mine")
    done = desk.run("--yes")
    assert done.code == 2
    assert "holds no case, but notes.md" in done.err
    assert desk.asked == {}
    assert desk.evals == ["cases/notes.md"]
