"""What a sync says: everything that is new, once, in words that nobody else can forge."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publish import repository
from publish.syncing import NewReceipts, News, document, lines, sync
from receipts import cli
from receipts.digest import content_digest_of
from receipts.errors import UsageError
from store import config
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import (
    ID,
    LINK,
    OTHER_ID,
    SUBMODULE,
    Files,
    evals,
    person,
    receipt,
    skill_md,
    team,
)
from tests.store import samples as store_samples

Host = Callable[[str], Hosted]

A, B, C = "20260901T000000Z", "20260902T000000Z", "20260903T000000Z"
BASE: Files = {"team.json": team(), "people/ada.json": person()}
NOTHING = ["acme: nothing new."]


def skill(text: str = "one\n", name: str = "tdd", skill_id: str | None = ID) -> dict[str, bytes]:
    return {"SKILL.md": skill_md(name, skill_id, text)}


def version(
    number: int, text: str = "one\n", name: str = "tdd", skill_id: str | None = ID
) -> Files:
    files = skill(text, name, skill_id)
    return {f"skills/{name}/v{number}/{path}": data for path, data in files.items()}


def measured(
    run_id: str, number: int = 1, text: str = "one\n", by: str = "ada", **fields: Any
) -> Files:
    provenance = store_samples.document()["provenance"] | {"runner_handle": by}
    data = receipt(skill(text), run_id, number, provenance=provenance, **fields)
    return {evals(run_id, number): data}


def said(*arguments: str) -> list[str]:
    """Sync and return what would be printed."""
    return [line for news in sync(None) for line in lines(news)]


@pytest.fixture
def acme(host: Host) -> Hosted:
    """Host ada's team acme, which holds no skill and was not fetched yet."""
    acme = host("acme")
    acme.commit(BASE)
    return acme


class TestNews:
    def test_of_a_team_without_skills(self, acme: Hosted) -> None:
        [news] = sync(None)
        assert news == News("acme", acme.git("rev-parse", "main"), None, [], [], [], [], [])
        assert lines(news) == NOTHING
        assert said() == NOTHING

    def test_the_first_sync_tells_everything_once(self, acme: Hosted) -> None:
        acme.commit(
            BASE | version(1) | version(2, "two\n") | version(4, "four\n")
            | version(1, name="ship", skill_id=OTHER_ID) | measured(A) | measured(B, 2, "two\n")
        )  # fmt: skip
        assert said() == [
            "acme: new skill ship v1",
            "acme: new skill tdd v1",
            "acme: new version tdd v2",
            "acme: new version tdd v4",
            "acme: 1 new receipt for tdd v1 by ada (1 PASS)",
            "acme: 1 new receipt for tdd v2 by ada (1 PASS)",
        ]
        assert said() == NOTHING

    def test_versions_go_by_number(self, acme: Hosted) -> None:
        acme.commit(BASE | version(9) | version(10, "ten\n"))
        assert said() == ["acme: new skill tdd v9", "acme: new version tdd v10"]

    def test_only_what_came_since_is_told(self, acme: Hosted) -> None:
        tree = BASE | version(1) | measured(A)
        acme.commit(tree)
        sync(None)
        acme.commit(tree | version(2, "two\n"))
        assert said() == ["acme: new version tdd v2"]
        acme.commit(tree | version(2, "two\n") | measured(B, 2, "two\n", verdict="FAIL"))
        assert said() == ["acme: 1 new receipt for tdd v2 by ada (1 FAIL)"]
        acme.commit(tree | version(2, "two\n") | measured(B, 2, "two\n", verdict="FAIL"))
        assert said() == NOTHING  # an empty commit

    def test_several_commits_are_told_together(self, acme: Hosted) -> None:
        sync(None)
        tree = BASE
        for number, text in enumerate(["a\n", "b\n", "c\n"], 1):
            tree = tree | version(number, text)
            acme.commit(tree)
        assert said() == [
            "acme: new skill tdd v1", "acme: new version tdd v2", "acme: new version tdd v3",
        ]  # fmt: skip

    def test_receipts_are_counted_by_who_ran_them_and_by_verdict(self, acme: Hosted) -> None:
        files: Files = {}
        for number, (by, verdict) in enumerate(
            [
                ("bob", "PASS"),
                ("ada", "FAIL"),
                ("ada", "PASS"),
                ("ada", "PASS"),
                ("local", "NEUTRAL"),
            ]
        ):
            files |= measured(f"2026090{number + 1}T000000Z", by=by, verdict=verdict)
        acme.commit(BASE | version(1) | files)
        [news] = sync(None)
        assert news.new_receipts == [
            NewReceipts("tdd", "v1", "ada", {"FAIL": 1, "PASS": 2}),
            NewReceipts("tdd", "v1", "bob", {"PASS": 1}),
            NewReceipts("tdd", "v1", "local", {"NEUTRAL": 1}),
        ]
        assert lines(news)[1:] == [
            "acme: 3 new receipts for tdd v1 by ada (1 FAIL, 2 PASS)",
            "acme: 1 new receipt for tdd v1 by bob (1 PASS)",
            "acme: 1 new receipt for tdd v1 by local (1 NEUTRAL)",
        ]

    def test_a_receipt_for_an_old_version_is_news_of_that_version(self, acme: Hosted) -> None:
        tree = BASE | version(1) | version(2, "two\n") | measured(A)
        acme.commit(tree)
        sync(None)
        acme.commit(tree | measured(B, by="bob"))
        assert said() == ["acme: 1 new receipt for tdd v1 by bob (1 PASS)"]

    def test_assets_people_and_readme_are_no_news(self, acme: Hosted) -> None:
        tree = BASE | version(1) | measured(A)
        acme.commit(tree)
        sync(None)
        acme.commit(tree | {
            "skills/tdd/evals/cases/a.yaml": b"task: x\n", "README.md": b"# acme\n",
            "people/bob.json": person("bob"), "team.json": team(archived=["bob"]),
        })  # fmt: skip
        assert said() == NOTHING

    def test_receipts_that_no_card_can_show_are_no_news(self, acme: Hosted) -> None:
        acme.commit(
            BASE | version(1) | {
                evals(A): receipt(skill("other\n"), A),
                evals(B): b"{",
                evals(C): receipt(skill(), C, schema_version=3),
                evals(A, 2): receipt(skill(), A, 2),  # of a version that does not exist
                evals(A, 1, OTHER_ID): receipt(skill(), A, skill_id=OTHER_ID),
            }
        )  # fmt: skip
        [news] = sync(None)
        assert news.new_receipts == []
        assert [sentence.split(": not JSON")[0] for sentence in news.unreadable] == [
            f"{evals(A)} measured other bytes than tdd v1. Not considered.",
            f"schema-invalid receipt {evals(B)}",
            f"{evals(C)} is newer than this version of receipts. Not considered.",
        ]

    def test_a_skill_without_an_id_is_news_without_receipts(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1, skill_id=None) | measured(A))
        assert said() == ["acme: new skill tdd v1"]


class TestRemoved:
    def test_removed_and_published_again_between_syncs_of_each(self, acme: Hosted) -> None:
        tree = BASE | version(1) | version(2, "two\n") | measured(A)
        acme.commit(tree)
        sync(None)
        acme.commit(BASE)
        assert said() == ["acme: tdd was removed from the team"]
        assert said() == NOTHING
        acme.commit(tree)
        assert said() == [
            "acme: new skill tdd v1", "acme: new version tdd v2",
            "acme: 1 new receipt for tdd v1 by ada (1 PASS)",
        ]  # fmt: skip

    def test_published_anew_between_two_syncs(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1) | version(2, "two\n") | measured(A))
        sync(None)
        acme.commit(BASE)
        acme.commit(BASE | version(1, "other\n") | measured(A, 1, "other\n", by="bob"))
        [news] = sync(None)
        assert (news.new_skills, news.new_versions) == ([], [("tdd", "v1")])
        assert lines(news) == [
            "acme: new version tdd v1", "acme: 1 new receipt for tdd v1 by bob (1 PASS)",
        ]  # fmt: skip

    def test_another_skill_of_the_name_is_a_new_skill(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1) | version(2, "two\n") | measured(A))
        sync(None)
        acme.commit(BASE)
        acme.commit(BASE | version(1, "other\n", skill_id=OTHER_ID))
        [news] = sync(None)
        assert (news.new_skills, news.removed_skills) == (["tdd"], ["tdd"])
        assert lines(news) == ["acme: tdd was removed from the team", "acme: new skill tdd v1"]

    @pytest.mark.parametrize(("old", "new"), [(None, ID), (ID, None), (ID, OTHER_ID)])
    def test_a_skill_that_keeps_a_version_is_the_same_whatever_its_id(
        self, acme: Hosted, old: str | None, new: str | None
    ) -> None:
        acme.commit(BASE | version(1, skill_id=old))
        sync(None)
        acme.commit(BASE | version(1, skill_id=old) | version(2, "two\n", skill_id=new))
        assert said() == ["acme: new version tdd v2"]

    def test_published_again_as_it_was_is_no_news(self, acme: Hosted) -> None:
        tree = BASE | version(1) | measured(A)
        acme.commit(tree)
        sync(None)
        acme.commit(BASE)
        acme.commit(tree)
        assert said() == NOTHING

    def test_a_removed_version_alone_is_no_removed_skill(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1) | version(2, "two\n"))
        sync(None)
        acme.commit(BASE | version(2, "two\n"))
        assert said() == NOTHING

    def test_a_renamed_skill_is_one_gone_and_one_come(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1))
        sync(None)
        acme.commit(BASE | version(1, name="ship"))
        assert said() == ["acme: tdd was removed from the team", "acme: new skill ship v1"]


# What is unreadable, and the start of the sentence about it.
UNREADABLE: dict[str, tuple[Files, str]] = {
    "person": ({"people/bob.json": b"{"}, "people/bob.json is not JSON: expecting"),
    "stranger": ({"people/x.txt": b""}, "people/x.txt is not a member's file; ignored."),
    "skill": ({"skills/Bad/v1/a": b""}, "skills/Bad is not a skill's folder; ignored."),
    "version": ({"skills/tdd/v02/a": b""}, "skills/tdd/v02 is not a version; ignored."),
    "link": ({"skills/tdd/v3/a": (LINK, b"/")}, "skills/tdd/v3/a is a symbolic link or a submod"),
    "no folder": ({"skills/tdd/v3": b""}, "skills/tdd/v3 is not a folder."),
    "id": ({"evals/tdd/v1/a": b""}, "evals/tdd is not a skill's id; ignored."),
    "name": ({f"evals/{ID}/v1/latest.json": b""}, f"evals/{ID}/v1/latest.json is not a receipt"),
    "receipt": ({evals(B): b"{"}, f"schema-invalid receipt {evals(B)}: not JSON"),
    "misfiled": ({evals(B): receipt(skill(), A)}, f"misfiled receipt {evals(B)}: its skill id"),
    "bytes": ({evals(B): receipt(skill("x"), B)}, f"{evals(B)} measured other bytes than tdd v1."),
    "newer": ({evals(B): receipt(skill(), B, schema_version=9)}, f"{evals(B)} is newer than this"),
    "unsafe": ({b"evals/.git/x": b""}, "evals/.git is an unsafe name; ignored."),
    "unsafe below": ({b"skills/tdd/.git/x": b""}, "skills/tdd/.git is an unsafe name; ignored"),
}


class TestUnreadable:
    @pytest.mark.parametrize("name", UNREADABLE)
    def test_it_is_named_once_beside_what_is_new(self, acme: Hosted, name: str) -> None:
        bad, why = UNREADABLE[name]
        tree = BASE | version(1) | measured(A) | bad
        acme.commit(tree)
        [news] = sync(None)
        assert (news.new_skills, len(news.new_receipts)) == (["tdd"], 1)
        assert [sentence.startswith(why) for sentence in news.unreadable] == [True], news
        # Whatever else changes beside it, it was said.
        more: list[Files] = [version(8, "8\n"), measured(C), {"people/cy.json": person("cy")}]
        for files in more:
            tree = tree | files
            acme.commit(tree)
            [news] = sync(None)
            assert news.unreadable == []

    @pytest.mark.parametrize("name", UNREADABLE)
    def test_it_is_named_when_it_comes_later(self, acme: Hosted, name: str) -> None:
        bad, why = UNREADABLE[name]
        acme.commit(BASE | version(1) | measured(A))
        sync(None)
        acme.commit(BASE | version(1) | measured(A) | bad)
        [news] = sync(None)
        assert [sentence.startswith(why) for sentence in news.unreadable] == [True], news
        assert (news.new_skills, news.new_receipts, news.removed_skills) == ([], [], [])

    @pytest.mark.parametrize("name", UNREADABLE)
    def test_it_is_not_named_again_by_one_who_forgot_what_was_known(
        self, ada: Machine, acme: Hosted, name: str
    ) -> None:
        odd, _ = UNREADABLE[name]
        tree = BASE | version(1) | measured(A) | odd
        acme.commit(tree)
        [first] = sync(None)
        assert first.unreadable
        # The cache may be deleted at any time; another skill is new.
        shutil.rmtree(ada.state / "cache")
        acme.commit(tree | version(1, "z\n", "zed", OTHER_ID))
        [news] = sync(None)
        assert (news.new_skills, news.unreadable) == (["zed"], [])

    def test_all_of_them_at_once(self, acme: Hosted) -> None:
        tree = BASE | version(1) | measured(A)
        for bad, _ in UNREADABLE.values():
            tree = bad | tree
        del tree["skills/tdd/v3"]  # a folder of that name stands there too
        acme.commit(tree)
        [news] = sync(None)
        # Four receipts stand in one place.
        assert len(news.unreadable) == len(set(news.unreadable)) == len(UNREADABLE) - 4
        assert lines(news)[0] == "acme: new skill tdd v1"

    def test_what_was_repaired_and_breaks_again_is_named_again(self, acme: Hosted) -> None:
        good = BASE | version(1)
        for number in range(3):
            acme.commit(good | {"people/bob.json": b"{"})
            assert len(sync(None)[0].unreadable) == 1, number
            acme.commit(good | {"people/bob.json": person("bob")})
            assert sync(None)[0].unreadable == []

    def test_a_version_with_several_bad_receipts_names_each(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1) | {evals(A): b"", evals(B): b"", evals(C): b""})
        assert len(sync(None)[0].unreadable) == 3


class TestSeveralTeams:
    def test_each_is_told_by_name_in_order(self, host: Host) -> None:
        for name in ("zeta", "acme"):
            host(name).commit(BASE | version(1))
        assert said() == ["acme: new skill tdd v1", "zeta: new skill tdd v1"]

    def test_only_the_named_one_is_fetched(self, ada: Machine, host: Host) -> None:
        for name in ("zeta", "acme"):
            host(name).commit(BASE | version(1))
        assert [news.team for news in sync("zeta")] == ["zeta"]
        assert not (ada.state / "mirrors" / "acme.git").exists()
        assert said() == ["acme: new skill tdd v1", "zeta: nothing new."]

    @pytest.mark.parametrize(
        ("remote", "why"),
        [
            ("/nowhere/at/all.git", "There is no repository at /nowhere/at/all.git"),
            ("https://[::1:443/x", "address"),
            ("ext::sh -c true", ""),
            ("", ""),
        ],
    )
    def test_one_that_fails_keeps_no_other(
        self, ada: Machine, host: Host, remote: str, why: str
    ) -> None:
        for name in ("aaa", "zzz"):
            host(name).commit(BASE | version(1))
        entry = {"remote": remote or str(ada.home), "handle": "ada"}
        config.update(lambda found: found["teams"].update({"mmm": entry}))
        first, failed, last = sync(None)
        assert (first.new_skills, last.new_skills) == (["tdd"], ["tdd"])
        assert (failed.team, failed.tip) == ("mmm", None)
        assert why in (failed.failure or "")
        assert failed[3:] == ([], [], [], [], [])
        assert lines(failed) == [f"mmm: not refreshed — {failed.failure}"]
        assert "\n" not in lines(failed)[0]

    def test_a_name_that_no_folder_can_have_is_one_teams_trouble(
        self, ada: Machine, host: Host
    ) -> None:
        host("zzz").commit(BASE | version(1))
        entry = {"remote": str(ada.home), "handle": "ada"}
        config.update(lambda found: found["teams"].update({"../m": entry}))
        bad, good = sync(None)
        assert "The team name '../m' cannot name a folder." in (bad.failure or "")
        assert good.new_skills == ["tdd"]

    def test_what_is_no_team_is_said_and_told_of_when_it_becomes_one(self, host: Host) -> None:
        acme = host("acme")
        [news] = sync(None)
        assert "has no team.json, so it is not a team repository" in (news.failure or "")
        acme.commit(version(1))
        assert "no team.json" in (sync(None)[0].failure or "")
        acme.commit({"team.json": team(layout_version=2)})
        assert "has layout 2, not 3" in (sync(None)[0].failure or "")
        acme.commit(BASE | version(1))
        assert said() == ["acme: new skill tdd v1"]

    def test_a_failure_loses_no_news(self, acme: Hosted, tmp_path: Path) -> None:
        acme.commit(BASE | version(1))
        sync(None)
        acme.commit(BASE | version(1) | version(2, "two\n"))
        acme.path.rename(tmp_path / "away.git")
        assert sync(None)[0].failure
        (tmp_path / "away.git").rename(acme.path)
        assert said() == ["acme: new version tdd v2"]

    @pytest.mark.usefixtures("ada")
    def test_without_any_team_the_next_step_is_said(self) -> None:
        with pytest.raises(UsageError, match="No team is configured") as caught:
            sync(None)
        assert "receipts team join" in caught.value.hint

    @pytest.mark.usefixtures("acme")
    def test_a_team_of_another_name_is_refused(self) -> None:
        with pytest.raises(UsageError, match="No team b is configured on this machine") as caught:
            sync("b")
        assert caught.value.hint == "Known: acme."


class TestMirror:
    def test_a_mirror_that_was_deleted_tells_all_again(self, ada: Machine, acme: Hosted) -> None:
        acme.commit(BASE | version(1))
        sync(None)
        shutil.rmtree(ada.state / "mirrors" / "acme.git")
        assert said() == ["acme: new skill tdd v1"]

    def test_a_damaged_mirror_is_made_again_and_tells_only_what_is_new(
        self, ada: Machine, acme: Hosted, capsys: pytest.CaptureFixture[str]
    ) -> None:
        acme.commit(BASE | version(1))
        sync(None)
        mirror = ada.state / "mirrors" / "acme.git"
        for path in [*mirror.glob("objects/??/*"), *mirror.glob("objects/pack/*")]:
            path.unlink()
        acme.commit(BASE | version(1) | version(2, "two\n"))
        assert said() == ["acme: new version tdd v2"]
        assert "Making it again" in capsys.readouterr().err

    @pytest.mark.parametrize("damage", ["missing", "empty", "garbled", "another's"])
    def test_damage_that_no_news_meets_is_repaired_when_asked(
        self, ada: Machine, acme: Hosted, capsys: pytest.CaptureFixture[str], damage: str
    ) -> None:
        acme.commit(BASE | version(1) | measured(A))
        sync(None)
        path = _object(ada, acme.git("rev-parse", f"main:{evals(A)}"))
        path.chmod(0o644)
        if damage == "missing":
            path.unlink()
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "garbled":
            path.write_bytes(path.read_bytes()[:-9] + b"\0" * 9)
        else:
            path.write_bytes(_object(ada, acme.git("rev-parse", "main:team.json")).read_bytes())
        assert said() == NOTHING  # all that is new was read
        assert capsys.readouterr().err == ""
        [news] = sync(None, repair=True)
        assert lines(news) == NOTHING
        assert "is damaged: object" in capsys.readouterr().err
        sync(None, repair=True)
        assert capsys.readouterr().err == ""
        with repository.opened(config.team(), create=False) as opened:
            [receipt] = opened.snapshot().receipts(ID, 1)
            assert opened.snapshot().receipt_bytes(receipt) == measured(A)[evals(A)]

    def test_a_whole_mirror_of_odd_files_needs_no_repair(
        self, acme: Hosted, capsys: pytest.CaptureFixture[str]
    ) -> None:
        acme.commit(BASE | version(1) | {
            "skills/tdd/v2/x": (LINK, b"/etc/passwd"), "skills/tdd/v3/x": (SUBMODULE, b"1" * 40),
            "/".join("a" * 70): b"x", b"x/..": b"x", "skills/tdd/v4/x": b"x" * (17 << 20),
        })  # fmt: skip
        assert cli.run(["sync", "--repair"]) == 0
        assert "damaged" not in capsys.readouterr().err

    def test_a_remote_that_is_damaged_itself_cannot_be_repaired_from(
        self, ada: Machine, acme: Hosted
    ) -> None:
        acme.commit(BASE | version(1) | measured(A))
        sync(None)
        name = acme.git("rev-parse", f"main:{evals(A)}")
        for path in (_object(ada, name), acme.path / "objects" / name[:2] / name[2:]):
            path.unlink()
        [news] = sync(None, repair=True)
        assert news.failure is not None
        assert "damaged" in news.failure

    def test_a_rewritten_history_is_not_followed_until_told_to(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1) | measured(A))
        sync(None)
        acme.git("update-ref", "-d", "refs/heads/main")
        acme.commit(BASE | version(1, "other\n") | measured(B, 1, "other\n", by="eve"))
        [news] = sync(None)
        assert "was rewritten" in (news.failure or "")
        [news] = sync(None, accept_rewrite=True)
        assert lines(news) == [
            "acme: new version tdd v1", "acme: 1 new receipt for tdd v1 by eve (1 PASS)",
        ]  # fmt: skip

    def test_ones_own_work_is_no_news_and_hides_nobody_elses(self, acme: Hosted) -> None:
        acme.commit(BASE | version(1))
        sync(None)
        tree = BASE | version(1) | version(2, "two\n")
        acme.commit(tree)
        with repository.opened(config.team()) as opened:
            opened.fetch()  # as a publish does, which is not told
        assert said() == ["acme: new version tdd v2"]


def _object(machine: Machine, name: str) -> Path:
    return machine.state / "mirrors" / "acme.git" / "objects" / name[:2] / name[2:]


class TestWords:
    def test_a_runner_cannot_forge_a_line(self, acme: Hosted) -> None:
        by = "eve (1 PASS)\nacme: new skill evil v1\r\x1b[2J\u202e"
        acme.commit(BASE | version(1) | measured(A, by=by))
        [news] = sync(None)
        assert lines(news) == [
            "acme: new skill tdd v1",
            "acme: 1 new receipt for tdd v1 by "
            "eve (1 PASS) acme: new skill evil v1\\x0d\\x1b[2J\\u202e (1 PASS)",
        ]
        assert document(news)["new_receipts"][0]["by"] == by

    @pytest.mark.parametrize(
        ("by", "shown"),
        [
            ("", "somebody unnamed"),
            (" \n ", "somebody unnamed"),
            ("x" * 5000, "x" * 60),
        ],
    )
    def test_a_runner_without_a_name_or_with_a_long_one(
        self, acme: Hosted, by: str, shown: str
    ) -> None:
        acme.commit(BASE | version(1) | measured(A, by=by))
        assert said()[1] == f"acme: 1 new receipt for tdd v1 by {shown} (1 PASS)"

    def test_a_failure_is_all_there_is(self) -> None:
        news = News("acme", None, "The remote is away.", [], [], [], [], [])
        assert lines(news) == ["acme: not refreshed — The remote is away."]

    def test_what_cannot_be_read_alone_is_nothing_new(self) -> None:
        assert lines(News("acme", "1" * 40, None, [], [], [], [], ["x is odd."])) == NOTHING


class TestCommand:
    """`receipts sync`, what it prints and where."""

    def test_the_document(self, acme: Hosted, capsys: pytest.CaptureFixture[str]) -> None:
        acme.commit(BASE | version(1) | version(2, "two\n") | measured(A) | {evals(B): b""})
        assert cli.run(["sync", "--json"]) == 0
        out, err = capsys.readouterr()
        assert json.loads(out) == {
            "teams": [
                {
                    "team": "acme",
                    "tip": acme.git("rev-parse", "main"),
                    "failure": None,
                    "new_skills": ["tdd"],
                    "new_versions": [
                        {"skill": "tdd", "version": "v1"}, {"skill": "tdd", "version": "v2"},
                    ],
                    "new_receipts": [
                        {"skill": "tdd", "version": "v1", "by": "ada", "verdicts": {"PASS": 1}},
                    ],
                    "removed_skills": [],
                    "unreadable": [json.loads(out)["teams"][0]["unreadable"][0]],
                }
            ]
        }  # fmt: skip
        assert err.startswith(f"acme: schema-invalid receipt {evals(B)}: not JSON")
        assert err.count("\n") == 1

    def test_a_failure_is_in_the_document_and_the_exit_code(
        self, host: Host, capsys: pytest.CaptureFixture[str]
    ) -> None:
        host("acme").commit(BASE | version(1))
        host("bad")
        assert cli.run(["sync", "--json"]) == 1
        out, err = capsys.readouterr()
        acme, bad = json.loads(out)["teams"]
        assert (acme["new_skills"], acme["failure"]) == (["tdd"], None)
        assert (bad["tip"], bad["new_skills"]) == (None, [])
        assert err == f"bad: not refreshed — {bad['failure']}\n"

    def test_news_on_stdout_and_trouble_on_stderr(
        self, host: Host, capsys: pytest.CaptureFixture[str]
    ) -> None:
        host("acme").commit(BASE | version(1) | {"people/x": b""})
        host("bad")
        assert cli.run(["sync"]) == 1
        out, err = capsys.readouterr()
        assert out == "acme: new skill tdd v1\n"
        assert err.splitlines()[0] == "acme: people/x is not a member's file; ignored."
        assert err.splitlines()[1].startswith("bad: not refreshed — ")
        assert len(err.splitlines()) == 2

    def test_only_something_unreadable_prints_no_empty_line(
        self, acme: Hosted, capsys: pytest.CaptureFixture[str]
    ) -> None:
        cli.run(["sync"])
        acme.commit(BASE | {"people/x": b""})
        capsys.readouterr()
        assert cli.run(["sync"]) == 0
        out, err = capsys.readouterr()
        assert out == "acme: nothing new.\n"
        assert err == "acme: people/x is not a member's file; ignored.\n"

    def test_hostile_names_are_made_printable(
        self, acme: Hosted, capsys: pytest.CaptureFixture[str]
    ) -> None:
        acme.commit(BASE | version(1) | {
            "skills/x\x1b]0;owned\x07\n\u202e/v1/a": b"", b"people/\xff\x1b[2J.json": b"",
            f"evals/{ID}/v1/a\x1b[31m": b"",
        })  # fmt: skip
        for arguments in (["sync"], ["sync", "--json"]):
            assert cli.run(arguments) == 0
            out, err = capsys.readouterr()
            assert not set("\x1b\x07\u202e") & set(out + err)
        assert json.loads(out)["teams"][0]["unreadable"] == []


def test_what_was_reported_is_measured_against_real_bytes(acme: Hosted) -> None:
    acme.commit(BASE | version(1) | measured(A))
    [news] = sync(None)
    assert news.tip == acme.git("rev-parse", "main")
    with repository.opened(config.team(), create=False) as opened:
        assert opened.snapshot().version("tdd", 1).digest == content_digest_of(skill())
    assert sync("acme")[0].new_receipts == []
