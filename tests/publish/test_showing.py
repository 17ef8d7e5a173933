"""All cards of a machine: what is shown, what is said beside it, as a table and as a document."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publish import table
from publish.showing import all_cards, find_receipt
from publish.syncing import sync
from receipts import cli, evidence
from receipts.digest import content_digest, content_digest_of
from receipts.errors import ReceiptError, SkillError, UsageError
from receipts.receipt import Receipt
from receipts.stats import sign_test
from store import cards, config, importing, library
from store.cards import AMBIGUOUS, NONE, SCORED, STALE, UNREADABLE, Card
from tests.members import ROOT
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import ID, LINK, OTHER_ID, Files, evals, receipt, skill_md, team
from tests.store import samples as store_samples

Host = Callable[[str], Hosted]
Called = Callable[..., tuple[int, str, str]]

A, B, C = "20260901T000000Z", "20260902T000000Z", "20260903T000000Z"
BASE: Files = {"team.json": team()}
KEYS = [
    "name", "path", "team", "version", "latest", "digest", "state", "receipt", "source", "reason",
    "notes", "evidence",
]  # fmt: skip


def skill(text: str = "one\n", name: str = "tdd", skill_id: str | None = ID) -> dict[str, bytes]:
    return {"SKILL.md": skill_md(name, skill_id, text)}


def version(
    number: int, text: str = "one\n", name: str = "tdd", skill_id: str | None = ID
) -> Files:
    files = skill(text, name, skill_id)
    return {f"skills/{name}/v{number}/{path}": data for path, data in files.items()}


def measured(run_id: str, number: int = 1, text: str = "one\n", **fields: Any) -> dict[Any, Any]:
    provenance = store_samples.document()["provenance"] | {
        "timestamp": f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T00:00:00Z"
    }
    data = receipt(skill(text), run_id, number, **{"provenance": provenance, **fields})
    return {evals(run_id, number): data}


def installed(machine: Machine, text: str = "one\n", name: str = "tdd") -> Path:
    folder = machine.library / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(skill_md(name, ID, text))
    return folder


def measured_here(folder: Path, run_id: str = A, **fields: Any) -> bytes:
    provenance = store_samples.document()["provenance"] | {
        "timestamp": f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T00:00:00Z"
    }
    given = {"skill_name": folder.name, "provenance": provenance, **fields}
    data = store_samples.receipt(content_digest(folder), run_id, **given)
    importing.import_receipt(data, folder)
    return data


@pytest.fixture
def acme(host: Host) -> Callable[[Files], Hosted]:
    """Return a function that commits to ada's team acme and syncs it."""
    acme = host("acme")

    def commit(files: Files) -> Hosted:
        acme.commit(BASE | files)
        assert [news.failure for news in sync("acme")] == [None]
        return acme

    return commit


Commit = Callable[[Files], Hosted]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Called:
    """Return a function that runs `receipts` and returns its exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.run([*arguments])
        return code, *capsys.readouterr()

    return run


class TestAllCards:
    def test_library_first_then_each_team_by_name(
        self, ada: Machine, host: Host, acme: Commit
    ) -> None:
        installed(ada, "mine\n", "zzz")
        installed(ada, "mine\n", "aaa")
        acme(version(1) | version(1, name="ship", skill_id=OTHER_ID))
        host("zeta").commit(BASE | version(3))
        sync("zeta")
        found, problems = all_cards(None, None)
        assert [(card.name, card.team, card.version) for card in found] == [
            ("aaa", None, None), ("zzz", None, None),
            ("ship", "acme", "v1"), ("tdd", "acme", "v1"), ("tdd", "zeta", "v3"),
        ]  # fmt: skip
        assert problems == []

    def test_one_kind_or_one_name_only(self, ada: Machine, acme: Commit) -> None:
        installed(ada)
        installed(ada, name="ship")
        acme(version(1))

        def names(skill: str | None, which: str | None) -> list[tuple[str, bool]]:
            return [(card.name, card.path is not None) for card in all_cards(skill, which)[0]]

        assert names(None, "library") == [("ship", True), ("tdd", True)]
        assert names(None, "team") == [("tdd", False)]
        assert names("tdd", None) == [("tdd", True), ("tdd", False)]
        assert names("ship", "library") == [("ship", True)]
        with pytest.raises(SkillError, match="No skill named ship is in a library or a team"):
            all_cards("ship", "team")

    def test_a_skill_that_nobody_has_names_the_teams_that_could_not_be_asked(
        self, acme: Commit, host: Host
    ) -> None:
        acme(version(1))
        with pytest.raises(SkillError) as caught:
            all_cards("ship", None)
        assert caught.value.hint == "See what there is: receipts cards"
        host("zeta").commit(BASE | version(1, name="ship"))  # and nobody has synced it
        with pytest.raises(SkillError) as caught:
            all_cards("ship", None)
        assert re.fullmatch(
            r"See what there is: receipts cards zeta: The team repository \S+ has not been fetched "
            r"yet\. Run `receipts sync`\.",
            caught.value.hint,
        )

    @pytest.mark.usefixtures("ada")
    def test_an_empty_machine(self) -> None:
        assert all_cards(None, None) == ([], [])

    def test_the_local_score_and_the_teams_are_two_cards(self, ada: Machine, acme: Commit) -> None:
        mine = measured_here(installed(ada), verdict="FAIL")
        theirs = measured(B)
        acme(version(1) | theirs)
        local, published = all_cards("tdd", None)[0]
        assert (local.receipt, local.source) == (mine, "local")
        assert (published.receipt, published.source) == (theirs[evals(B)], "team")

    def test_reading_makes_nothing_but_a_cache(self, ada: Machine, acme: Commit) -> None:
        installed(ada)
        acme(version(1) | measured(A))

        def files() -> dict[Path, bytes]:
            found = (path for path in ada.home.rglob("*") if path.is_file())
            cache = ada.state / "cache"
            return {path: path.read_bytes() for path in found if cache not in path.parents}

        before = files()
        all_cards(None, None)
        find_receipt("tdd")
        assert files() == before


class TestTrouble:
    """What cannot be read is named, and hides nothing else."""

    def test_a_team_that_cannot_be_opened(self, ada: Machine, host: Host, acme: Commit) -> None:
        installed(ada)
        acme(version(1) | measured(A))
        host("late").commit(BASE)
        host("none").commit(version(1))
        sync("none")
        bad = {"remote": str(ada.home), "handle": "ada"}
        odd = {"remote": "https://[::1:443/x", "handle": "ada"}
        config.update(lambda found: found["teams"].update({"../m": bad, "odd": odd}))
        found, problems = all_cards(None, None)
        assert [(card.team, card.state) for card in found] == [("acme", SCORED), ("acme", SCORED)]
        assert [problem.split(":")[0] for problem in problems] == ["../m", "late", "none", "odd"]
        assert "cannot name a folder" in problems[0]
        assert "has not been fetched yet" in problems[1]
        assert "has no team.json" in problems[2]

    @pytest.mark.parametrize("what", ["trees", "receipt", "everything"])
    def test_a_damaged_mirror_keeps_neither_the_library_nor_other_teams(
        self, ada: Machine, host: Host, acme: Commit, what: str
    ) -> None:
        mine = measured_here(installed(ada, "mine\n", "ship"))
        folder = installed(ada)
        acme(version(1) | measured(A))
        host("zeta").commit(BASE | version(1, "z\n") | measured(A, 1, "z\n"))
        sync("zeta")
        mirror = ada.state / "mirrors" / "acme.git"
        with repository_view(ada, "acme") as view:
            entries = {
                "trees": [view.entry(b"skills/tdd/v1"), view.entry(b"skills/tdd")],
                "receipt": [view.entry(evals(A).encode())],
                "everything": [],
            }[what]
        lost = [mirror / "objects" / (i := e.id.decode())[:2] / i[2:] for e in entries if e]
        for path in lost or [*mirror.glob("objects/??/*"), *mirror.glob("objects/pack/*")]:
            path.unlink()
        shutil.rmtree(ada.state / "cache")  # what is known need not be read
        found, problems = all_cards(None, None)
        [problem] = problems
        assert problem.startswith(
            "acme: The copy of the team repository on this machine is damaged"
        )
        assert problem.endswith("Run `receipts sync --repair`; it makes the copy again.")
        assert [(c.name, c.path and Path(c.path), c.team, c.state) for c in found] == [
            ("ship", folder.parent / "ship", None, SCORED),
            ("tdd", folder, None, STALE),
            ("tdd", None, "zeta", SCORED),
        ]
        assert found[0].receipt == mine
        [news] = sync("acme", repair=True)
        assert news[2:] == (None, [], [], [], [], [])
        assert [card.state for card in all_cards("tdd", None)[0]] == [SCORED] * 3

    def test_two_damaged_mirrors_are_both_named(self, ada: Machine, host: Host) -> None:
        installed(ada)
        for name in ("aaa", "bbb", "ccc"):
            host(name).commit(BASE | version(1, name) | measured(A, 1, name))
        sync(None)
        for name in ("aaa", "ccc"):
            shutil.rmtree(ada.state / "mirrors" / f"{name}.git" / "objects")
        found, problems = all_cards(None, None)
        assert [problem[:4] for problem in problems] == ["aaa:", "ccc:"]
        assert [card.team for card in found] == [None, "bbb"]

    def test_a_folder_and_a_library_that_cannot_be_read(
        self, ada: Machine, tmp_path: Path, acme: Commit
    ) -> None:
        folder = installed(ada)
        (folder / "x").symlink_to("/etc/passwd")
        gone = tmp_path / "gone"
        gone.mkdir()
        library.add_root(str(gone))
        gone.rmdir()
        acme(version(1) | measured(A))
        found, problems = all_cards(None, None)
        assert [(card.state, card.digest is None) for card in found] == [
            (UNREADABLE, True), (SCORED, False),
        ]  # fmt: skip
        assert found[0].reason == "Skill folder contains symlink x."
        assert problems == [f"The library {gone} cannot be read: No such file or directory."]

    def test_a_skill_md_that_declares_nothing_readable_has_no_id(
        self, ada: Machine, acme: Commit
    ) -> None:
        folder = installed(ada, "mine\n", "renamed")
        acme(version(1) | measured(A))
        assert all_cards("renamed", "library")[0][0].state == STALE  # known by its id
        (folder / "SKILL.md").write_text("---\nmetadata: {id: [\n---\n")
        assert all_cards("renamed", "library")[0][0].state == NONE
        (folder / "SKILL.md").write_bytes(skill_md("x", ID) + b"x" * (9 << 20))
        assert "more than" in all_cards("renamed", "library")[0][0].reason

    def test_a_shown_receipt_that_contradicts_itself_is_noted(
        self, ada: Machine, acme: Commit
    ) -> None:
        liar = {
            "candidate-vs-baseline": {
                "win": 0, "loss": 9, "tie": 0, "net_lift": 1.0, "sign_p": 0.5,
            }
        }  # fmt: skip
        measured_here(installed(ada), comparisons=liar)
        acme(version(1) | measured(B, comparisons=liar) | measured(A))
        for card in all_cards("tdd", None)[0]:
            assert card.state == SCORED  # shown as it is
            assert card.receipt is not None
            assert json.loads(card.receipt)["verdict"] == "PASS"
            contradicts = "tdd: the shown receipt contradicts itself: "
            assert {note.removeprefix(contradicts).split(":")[0] for note in card.notes} == {
                "verdict", "scored_rows",
                "comparisons.candidate-vs-baseline.net_lift",
                "comparisons.candidate-vs-baseline.sign_p",
            }  # fmt: skip

    def test_a_shown_receipt_that_says_something_twice_is_noted(
        self, ada: Machine, acme: Commit
    ) -> None:
        twice = (b'"verdict": "PASS"', b'"verdict": "FAIL", "verdict": "PASS"')
        folder = installed(ada)
        importing.import_receipt(
            store_samples.receipt(content_digest(folder), skill_name="tdd").replace(*twice), folder
        )
        [theirs] = measured(A).values()
        acme(version(1) | {evals(A): theirs.replace(*twice)})
        for card in all_cards("tdd", None)[0]:
            assert card.notes == (
                "tdd: the shown receipt contradicts itself: "
                "verdict: stands here 2 times, and only the last counts",
            )

    def test_an_honest_receipt_has_no_note(self, ada: Machine, acme: Commit) -> None:
        measured_here(installed(ada))
        acme(version(1) | measured(A))
        assert [card.notes for card in all_cards(None, None)[0]] == [(), ()]


def repository_view(machine: Machine, name: str) -> Any:
    from contextlib import contextmanager

    from publish import repository

    @contextmanager
    def view() -> Any:
        with repository.opened(config.team(name), create=False) as opened:
            yield opened.snapshot().view

    return view()


class TestFindReceipt:
    """`receipts show SKILL`: the newest receipt of exactly these bytes, or the published one's."""

    def test_of_a_folder_here_first_and_in_the_team_second(
        self, ada: Machine, acme: Commit
    ) -> None:
        folder = installed(ada)
        theirs = measured(B)
        acme(version(1) | theirs)
        found = find_receipt("tdd")
        assert found.file.data == theirs[evals(B)]
        assert "a receipt of your team" in found.notes
        mine = measured_here(folder, A)
        assert find_receipt("tdd").file.data == mine
        assert find_receipt(str(folder)).file.data == mine

    def test_a_newer_one_here_gives_way_to_the_teams(self, ada: Machine, acme: Commit) -> None:
        measured_here(installed(ada), C, schema_version=3)
        theirs = measured(B)
        acme(version(1) | theirs)
        assert find_receipt("tdd").file.data == theirs[evals(B)]

    def test_of_a_skill_that_is_not_installed(self, acme: Commit) -> None:
        theirs = measured(A, 1) | {evals(B, 2): b""}
        acme(version(1) | version(2, "two\n") | theirs)
        found = find_receipt("tdd")
        assert found.file.data == theirs[evals(A, 1)]
        assert found.notes[0] == "v1 in team acme"
        assert found.notes[1].startswith(f"acme/tdd: schema-invalid receipt {evals(B, 2)}")

    def test_the_first_team_that_has_one(self, acme: Commit, host: Host) -> None:
        acme(version(1))
        theirs = measured(A, 4, "z\n")
        host("zeta").commit(BASE | version(4, "z\n") | theirs)
        sync("zeta")
        found = find_receipt("tdd")
        assert (found.file.data, found.notes) == (theirs[evals(A, 4)], ["v4 in team zeta"])

    def test_none_has_one(self, acme: Commit) -> None:
        acme(version(1))
        with pytest.raises(ReceiptError) as caught:
            find_receipt("tdd")
        assert str(caught.value) == "tdd v1 of team acme: nothing measured any version."
        acme(version(1) | {evals(A): b""})
        with pytest.raises(ReceiptError) as caught:
            find_receipt("tdd")
        assert str(caught.value).startswith(
            f"tdd v1 of team acme: acme/tdd: schema-invalid receipt {evals(A)}: not JSON"
        )
        assert str(caught.value).endswith("Not considered.")

    def test_teams_that_could_not_be_asked_are_named(
        self, ada: Machine, acme: Commit, host: Host
    ) -> None:
        acme(version(1))
        host("late").commit(BASE)
        unread = "late: The team repository "
        for reference in ("tdd", "ship"):
            with pytest.raises((ReceiptError, SkillError)) as caught:
                find_receipt(reference)
            assert unread in caught.value.hint
        with pytest.raises(ReceiptError, match="No receipt here measured") as none:
            find_receipt(str(installed(ada, "mine\n")))
        assert unread in none.value.hint

    def test_what_is_nowhere_is_no_skill(self, acme: Commit) -> None:
        acme(version(1))
        for reference in ("ship", "../tdd", "TDD", "skills/tdd"):
            with pytest.raises(SkillError):
                find_receipt(reference)

    def test_two_libraries_that_hold_it_are_still_ambiguous(
        self, ada: Machine, tmp_path: Path, acme: Commit
    ) -> None:
        acme(version(1) | measured(A))
        shutil.copytree(installed(ada), tmp_path / "second" / "tdd")
        library.add_root(str(tmp_path / "second"))
        with pytest.raises(UsageError, match="Several libraries hold tdd"):
            find_receipt("tdd")


class TestDocument:
    """`receipts cards --json`."""

    def test_every_state_has_every_key(
        self, ada: Machine, acme: Commit, host: Host, call: Called
    ) -> None:
        scored = measured_here(installed(ada, "scored\n", "scored"))
        old = installed(ada, "old\n", "stale")
        measured_here(old)
        (old / "SKILL.md").write_bytes(skill_md("stale", ID, "new\n"))
        (installed(ada, "x", "unreadable") / "x").symlink_to("y")
        installed(ada, "twice\n", "ambiguous")
        (ada.library / "none").mkdir()
        (ada.library / "none" / "SKILL.md").write_text("nothing")
        both: Files = {"skills/both/v1/SKILL.md": skill_md("ambiguous", OTHER_ID, "twice\n")}
        theirs = measured(A)
        acme(both | version(1) | version(2, "two\n") | theirs | {evals(B, 2): b"{"})
        host("zeta").commit(BASE | both)
        sync("zeta")
        code, out, err = call("cards", "--json")
        assert code == 0
        assert err == ""
        document = json.loads(out)
        assert list(document) == ["cards"]
        assert all(list(card) == KEYS for card in document["cards"])
        shown = {(card["name"], card["team"]): card for card in document["cards"]}
        states = {key: (card["state"], card["source"]) for key, card in shown.items()}
        assert states == {
            ("scored", None): ("scored", "local"),
            ("stale", None): ("stale", None),
            ("unreadable", None): ("unreadable", None),
            ("ambiguous", None): ("ambiguous", None),
            ("none", None): ("none", None),
            ("both", "acme"): ("none", None),
            ("tdd", "acme"): ("stale", "team"),
            ("both", "zeta"): ("none", None),
        }
        assert {state for state, _ in states.values()} == {
            SCORED,
            STALE,
            NONE,
            AMBIGUOUS,
            UNREADABLE,
        }
        for card in document["cards"]:
            assert (card["path"] is None) == (card["team"] is not None)
            assert bool(card["reason"]) == (card["state"] != "scored")
            assert (card["receipt"] is None) == (card["source"] is None)
            assert card["digest"] is None or card["digest"].startswith("sha256:")
            assert (card["digest"] is None) == (card["state"] == "unreadable")
        assert shown["scored", None]["receipt"] == json.loads(scored)
        assert shown["scored", None]["digest"] == content_digest(ada.library / "scored")
        tdd = shown["tdd", "acme"]
        assert tdd["receipt"] == json.loads(theirs[evals(A)])
        assert (tdd["version"], tdd["latest"], tdd["digest"]) == (
            "v1", "v2", content_digest_of(skill()),
        )  # fmt: skip
        assert len(tdd["notes"]) == 1

    def test_a_library_card_of_a_published_version_names_it(
        self, ada: Machine, acme: Commit, call: Called
    ) -> None:
        folder = installed(ada)
        theirs = measured(A)
        acme(version(1) | version(2, "two\n") | theirs)
        card = json.loads(call("cards", "tdd", "--library", "--json")[1])["cards"][0]
        assert card == {
            "name": "tdd", "path": str(folder), "team": "acme", "version": "v1", "latest": None,
            "digest": content_digest(folder), "state": "scored",
            "receipt": json.loads(theirs[evals(A)]), "source": "team", "reason": "", "notes": [],
            "evidence": evidence.documents(receipt_of()),
        }  # fmt: skip

    def test_the_receipt_is_whole(self, ada: Machine, call: Called) -> None:
        odd = {"deep": [[{"é\u2028": None}]], "half": "\ud800", "big": 2**53, "tiny": 1e-300}
        data = measured_here(installed(ada), other_client=odd)
        out = call("cards", "--json")[1]
        assert out.isascii()
        assert json.loads(out)["cards"][0]["receipt"] == json.loads(data)

    @pytest.mark.parametrize(
        "number", ["1e400", "-1e400", "9007199254740993", "1.10", "-0", "1E2", "9" * 5_000]
    )
    def test_numbers_are_printed_as_they_are_stored(
        self, ada: Machine, tmp_path: Path, call: Called, number: str
    ) -> None:
        folder = installed(ada)
        data = store_samples.receipt(content_digest(folder), x={"deep": [0]}, skill_name="tdd")
        data = data.replace(b"[\n      0\n", f"[\n      {number}\n".encode())
        (tmp_path / "r.json").write_bytes(data)
        importing.import_receipt(data, folder)

        def refuse(word: str) -> None:
            raise AssertionError(word)

        def read(*arguments: str) -> Any:
            code, out, _ = call(*arguments, "--json")
            assert code == 0
            return json.loads(out, parse_int=str, parse_float=str, parse_constant=refuse)

        stored = json.loads(data, parse_int=str, parse_float=str)
        assert stored["x"] == {"deep": [number]}
        assert read("show", str(tmp_path / "r.json")) == stored
        assert read("show", "tdd") == stored
        assert read("cards")["cards"][0]["receipt"] == stored
        assert len(read("list")["runs"]) == 1

    def test_problems_go_to_stderr_and_the_document_stays_whole(
        self, ada: Machine, acme: Commit, host: Host, call: Called
    ) -> None:
        installed(ada)
        acme(version(1) | measured(A))
        host("late").commit(BASE)
        code, out, err = call("cards", "--json")
        assert (code, len(json.loads(out)["cards"])) == (0, 2)
        assert err.startswith("late: The team repository ")
        assert err.count("\n") == 1

    @pytest.mark.usefixtures("ada")
    def test_nothing_to_show(self, call: Called) -> None:
        assert call("cards", "--json") == (0, '{\n  "cards": []\n}\n', "")
        assert call("cards") == (0, "No skills. Register a library: receipts library add DIR\n", "")
        code, out, err = call("cards", "ship", "--json")
        assert (code, out) == (1, "")
        assert err.startswith("error: No skill named ship is in a library or a team")


class TestPlain:
    """One line a card, into a file or pipe."""

    def test_every_part_of_a_card(self, ada: Machine, acme: Commit, call: Called) -> None:
        folder = installed(ada)
        measured_here(folder, A)
        files = version(1) | version(2, "two\n") | version(3, "three\n")
        acme(files | measured(B, 2, "two\n", verdict="FAIL", skill_id=ID) | {evals(C, 3): b""})
        code, out, err = call("cards")
        assert code == 0
        assert out.splitlines() == [
            "tdd  ~/.claude/skills/tdd (= acme v1)  scored  "
            "PASS +67% (2W/0L/1T, n=3, evidence none)  "
            "(ana, 2026-09-01, this machine; sonnet, k=1, 2.0.0)",
            "tdd  acme v2  stale  FAIL +67% (2W/0L/1T, n=3, evidence none)  "
            "(ana, 2026-09-02, team; sonnet, k=1, 2.0.0)  "
            "— scored at v2; since then, up to v3, SKILL.md changed",
        ]
        assert [line.split(":")[1] for line in err.splitlines()] == [
            f" schema-invalid receipt {evals(C, 3)}", " the shown receipt contradicts itself",
        ]  # fmt: skip

    def test_without_a_receipt_the_reason(self, ada: Machine, acme: Commit, call: Called) -> None:
        installed(ada, "mine\n")
        acme(version(1))
        assert call("cards")[1].splitlines() == [
            "tdd  ~/.claude/skills/tdd  none  — nothing measured these bytes",
            "tdd  acme v1  none  — nothing measured any version",
        ]

    def test_hostile_texts_stay_on_their_line(
        self, ada: Machine, acme: Commit, call: Called
    ) -> None:
        evil = "x\x1b[2J\n\u202e\x9b31m\r" + "y" * 5000
        provenance = store_samples.document()["provenance"] | {
            "runner_handle": evil, "model": evil, "cc_version": evil,
        }  # fmt: skip
        folder = ada.library / "e\x1b]0;owned\x07\nvil"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(b"x")
        measured_here(folder, provenance=provenance, method=evil)
        acme(version(1) | measured(A, provenance=provenance))
        out = call("cards")[1]
        assert len(out.splitlines()) == 2
        assert not set(out) & set("\x1b\x07\u202e\x9b\r")
        first = out.splitlines()[0]
        assert first.startswith("e\\x1b]0;owned\\x07 vil  ")
        assert first.count("x\\x1b[2J \\u202e\\x9b31m\\x0dyyy") == 4
        assert len(first) < 600

    def test_markup_is_text(self, ada: Machine, call: Called) -> None:
        installed(ada, "x", "[red]x")
        assert call("cards")[1].startswith("[red]x  ")


def receipt_of(**fields: Any) -> Receipt:
    return Receipt.model_validate_json(store_samples.receipt(**fields))


class TestScore:
    def record(self, win: int, loss: int, tie: int, lift: float) -> dict[str, Any]:
        return {
            "win": win,
            "loss": loss,
            "tie": tie,
            "net_lift": lift,
            "sign_p": sign_test(win, loss, tie),
        }

    @pytest.mark.parametrize(
        ("counts", "expected"),
        [
            ((5, 1, 3, 4 / 9), "PASS +44% (5W/1L/3T, n=9, evidence none)"),
            ((0, 0, 0, 0.0), "PASS +0% (0W/0L/0T, n=0)"),
            (
                (1, 0, 7, 0.125),
                "PASS +13% (1W/0L/7T, n=8, evidence none)",
            ),  # half goes away from zero
            ((0, 9, 0, -1.0), "PASS -100% (0W/9L/0T, n=9, evidence strong)"),
        ],
    )
    def test_one_comparison_as_its_receipt_has_it(
        self, counts: tuple[int, int, int, float], expected: str
    ) -> None:
        found = receipt_of(comparisons={"candidate-vs-baseline": self.record(*counts)})
        assert table.score(found) == expected

    def test_only_the_baselines_comparison_is_a_score(self) -> None:
        both = {
            "candidate-vs-baseline": self.record(5, 1, 3, 4 / 9),
            "candidate-vs-incumbent": self.record(2, 1, 6, 1 / 9),
        }
        found = receipt_of(comparisons=both, expected_rows=18, scored_rows=18)
        assert table.score(found) == "PASS +44% (5W/1L/3T, n=9, evidence none)"
        del both["candidate-vs-baseline"]
        assert table.score(receipt_of(comparisons=both, verdict="NEUTRAL")) == "NEUTRAL n=3"

    def test_without_units_to_count_no_evidence_is_named(self) -> None:
        suite = {"candidate-vs-baseline": self.record(9, 0, 0, 1.0) | {"sign_p": 1.0}}
        assert table.score(receipt_of(comparisons=suite)) == "PASS +100% (9W/0L/0T, n=9)"

    @pytest.mark.parametrize("status", ["partial", "failed"])
    def test_rows_that_are_missing_are_counted_apart(self, status: str) -> None:
        found = receipt_of(execution_status=status, expected_rows=9, scored_rows=5)
        assert (
            table.score(found)
            == f"PASS +67% (2W/0L/1T, n=3, evidence none) [{status} — 5/9 scored]"
        )

    def test_how_it_was_made(self) -> None:
        def how(**fields: Any) -> str:
            card = Card("x", "p", None, None, None, None, SCORED, store_samples.receipt(**fields),
                        "team", "")  # fmt: skip
            return table._row(card).how

        bare = store_samples.document()["provenance"] | {"model": "", "cc_version": " \n"}
        assert how() == "sonnet, k=1, 2.0.0"
        assert how(method="golden", golden={}) == "golden, sonnet, k=1, 2.0.0"
        assert how(source={"tool": "x"}) == "sonnet, k=1, 2.0.0, declared, not measured"
        assert how(provenance=bare) == "k=1"

    def test_somebody_unknown(self) -> None:
        provenance = store_samples.document()["provenance"] | {"runner_handle": "\t"}
        data = store_samples.receipt(provenance=provenance)
        card = Card("x", None, "acme", "v1", "v1", None, SCORED, data, cards.TEAM, "")
        assert table._row(card).provenance == "unknown, 2026-09-16, team"


TABLE = """
import os
import sys
from publish.table import print_table
from store.cards import Card

data = open(sys.argv[1], "rb").read()
print_table([
    Card("deploy-check", os.path.expanduser("~/.claude/skills/deploy-check"), "acme", "v1", None,
         "d", "scored", data, "local", ""),
    Card("tdd", None, "acme", "v1", "v2", "d", "stale", data, "team",
         "scored at v1; since then, up to v2, scripts/a.sh changed"),
    Card("[red]x[/red]\\x1b[31m", None, "\\x1b]0;owned\\x07", "v1", "v1", "d", "none", None, None,
         "é 中文 " + "reason " * 20),
])
"""
PARTS = [
    "deploy-check", "~/.claude/skills/deploy-check(=acmev1)", "scored",
    "PASS+67%(2W/0L/1T,n=3,evidencenone)", "ana,2026-09-16,thismachine", "sonnet,k=1,2.0.0", "tdd",
    "acmev1",
    "stale", "scoredatv1;sincethen,uptov2,scripts/a.shchanged", "[red]x[/red]\\x1b[31m",
    "\\x1b]0;owned\\x07v1", "none", "reason" * 20,
]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
class TestTerminal:
    def on_a_terminal(self, tmp_path: Path, columns: int, **environment: str) -> str:
        file = tmp_path / "receipt.json"
        file.write_bytes(store_samples.receipt())
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        given = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
        process = subprocess.Popen(
            [sys.executable, "-c", TABLE, str(file)],
            env={**inherited, **given, **environment},
            stdin=follower,
            stdout=follower,
            stderr=subprocess.PIPE,
        )
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        os.close(leader)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 0
        encoding = environment.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
        return shown.decode(encoding).replace("\r\n", "\n")

    def cells(self, shown: str) -> list[str]:
        """Return what stands in each column of a table without colours, blanks left out."""
        header, *rows = shown.splitlines()
        starts = [match.start() for match in re.finditer(r"(?<!\S)(?<!\S )\S", header)]
        found: list[list[str]] = [[] for _ in starts]
        for row in rows:
            for column, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True)):
                found[column].append(row[start:end])
        return ["".join("".join(column).split()) for column in found]

    @pytest.mark.parametrize("columns", [140, 160, 300])
    def test_a_table_loses_nothing_and_breaks_no_word(self, tmp_path: Path, columns: int) -> None:
        shown = self.on_a_terminal(tmp_path, columns, NO_COLOR="1", TERM="dumb")
        assert "\x1b" not in shown
        header = shown.splitlines()[0]
        assert header.split() == ["skill", "where", "card", "score", "measured", "by,", "how"]
        for line in shown.splitlines():
            assert len(line) <= columns
        everything = "\n".join(self.cells(shown))
        for part in PARTS:
            assert part in everything, part
        assert set(shown.split()) == set(self.on_a_terminal(tmp_path, 1000, TERM="dumb").split())

    @pytest.mark.parametrize("columns", [1, 8, 40, 80, 130])
    def test_where_no_table_fits_a_card_has_lines_of_its_own(
        self, tmp_path: Path, columns: int
    ) -> None:
        shown = self.on_a_terminal(tmp_path, columns, NO_COLOR="1", TERM="dumb")
        assert shown.splitlines() == [
            "deploy-check  ~/.claude/skills/deploy-check (= acme v1)",
            "  scored  PASS +67% (2W/0L/1T, n=3, evidence none)",
            "  ana, 2026-09-16, this machine; sonnet, k=1, 2.0.0",
            "tdd  acme v1",
            "  stale  PASS +67% (2W/0L/1T, n=3, evidence none)",
            "  scored at v1; since then, up to v2, scripts/a.sh changed",
            "  ana, 2026-09-16, team; sonnet, k=1, 2.0.0",
            "[red]x[/red]\\x1b[31m  \\x1b]0;owned\\x07 v1",
            "  none  é 中文 " + "reason " * 19 + "reason",
        ]

    def test_colour_and_none(self, tmp_path: Path) -> None:
        for columns in (60, 200):
            assert "\x1b[32mPASS" in self.on_a_terminal(tmp_path, columns)
        for without in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            assert "\x1b[3" not in self.on_a_terminal(tmp_path, 200, **without)

    def test_hostile_texts_colour_nothing(self, tmp_path: Path) -> None:
        shown = self.on_a_terminal(tmp_path, 200)
        assert set(re.findall(r"\x1b[^m]*m", shown)) <= {
            "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[2;32m",
        }  # fmt: skip
        assert not set("\x07\x9b") & set(shown)

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
    def test_a_terminal_of_another_encoding(self, tmp_path: Path, encoding: str) -> None:
        shown = self.on_a_terminal(tmp_path, 200, PYTHONIOENCODING=f"{encoding}:strict")
        assert "?" in shown
        assert "deploy-check" in shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


def test_a_team_of_hostile_files_still_has_its_cards(acme: Commit, call: Called) -> None:
    acme(version(1) | measured(A) | {
        "skills/\x1b[31m/v1/a": b"", "skills/tdd/v2/x": (LINK, b"/etc/passwd"),
        evals(B): b"[" * 9999, b"evals/\xff": b"", "people/x": b"", "skills/a/v1/SKILL.md": b"\xff",
    })  # fmt: skip
    code, out, err = call("cards")
    assert code == 0
    assert [line.split("  ")[:3] for line in out.splitlines()] == [
        ["a", "acme v1", "none"], ["tdd", "acme v1", "stale"],
    ]  # fmt: skip
    assert "\x1b" not in out + err
    assert "skills/tdd/v2/x is a symbolic link or a submodule; refused." in err
