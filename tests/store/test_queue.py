"""The queue of evaluations: kept by several writers, drained by one, and nothing lost."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from receipts.digest import content_digest
from receipts.errors import EvalError, SkillError, StoreError, UsageError
from store.queue import Queued, add, drain, listed, remove
from tests.store.samples import DIGEST, OTHER, ROOT, put, receipt, skill

NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    return skill(tmp_path / "skills" / "deploy")


def written(state: Path) -> Any:
    return json.loads((state / "run" / "eval-queue.json").read_bytes())


def write(state: Path, document: Any) -> Path:
    file = state / "run" / "eval-queue.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(document))
    return file


def entry(name: str = "deploy", digest: str = DIGEST, **fields: Any) -> dict[str, Any]:
    return {
        "skill": name,
        "path": f"/skills/{name}",
        "contentHash": digest,
        "requestedAt": "2026-11-30T12:00:00.123Z",
        "window": "later",
        **fields,
    }


class TestFile:
    def test_nothing_waits_where_there_is_no_file(self, state: Path) -> None:
        assert listed() == ([], [])
        assert not state.exists()

    def test_an_item_is_written_as_other_clients_write_it(self, state: Path, deploy: Path) -> None:
        item, is_new = add(deploy, window="overnight", team="acme", now=NOW)
        assert is_new
        assert written(state) == {
            "schema": 2,
            "items": [
                {
                    "skill": "deploy",
                    "path": str(deploy),
                    "contentHash": content_digest(deploy),
                    "requestedAt": "2026-11-30T12:00:00.123Z",
                    "window": "overnight",
                    "team": "acme",
                }
            ],
        }
        assert listed() == ([item], [])
        if os.name == "posix":
            assert (state / "run" / "eval-queue.json").stat().st_mode & 0o777 == 0o600

    def test_the_same_bytes_are_queued_once_and_others_beside_them(self, deploy: Path) -> None:
        first, _ = add(deploy, window="later", now=NOW)
        assert add(deploy, window="overnight") == (first, False)
        skill(deploy, "# other bytes\n")
        second, is_new = add(deploy, window="later")
        assert is_new
        assert listed().items == [first, second]

    def test_what_is_not_understood_survives_every_change(self, state: Path, deploy: Path) -> None:
        odd: list[Any] = [
            5,
            None,
            {},
            entry(window="never"),
            entry() | {"skill": 7},
            entry(requestedAt=""),
        ]
        kept = {"b": [1.10], "a": {"x": None}}
        known = entry(note="mine", team="acme", lastError="it broke")
        write(state, {"other": kept, "schema": 2, "items": [*odd, known]})
        found = listed()
        assert found.items == [
            Queued("deploy", "/skills/deploy", DIGEST, "2026-11-30T12:00:00.123Z", "later", "acme",
                   "it broke"),
        ]  # fmt: skip
        assert found.problems == [
            f"items[{n}] of the queue is no evaluation; left as it is." for n in range(len(odd))
        ]
        add(deploy, window="later", now=NOW)
        document = written(state)
        assert (document["other"], document["items"][:-1]) == (kept, [*odd, known])
        assert list(document) == ["other", "schema", "items"]
        assert remove("deploy", DIGEST) == found.items
        assert written(state)["items"][:-1] == odd

    def test_teams_and_errors_of_another_form_are_none(self, state: Path) -> None:
        write(state, {"schema": 2, "items": [entry(team=5, lastError=[])]})
        assert [(item.team, item.last_error) for item in listed().items] == [(None, None)]

    @pytest.mark.parametrize("digest", [None, DIGEST])
    def test_items_are_removed_by_skill_or_by_bytes(self, state: Path, digest: str | None) -> None:
        items = [entry(), entry(digest=OTHER), entry("other")]
        write(state, {"schema": 2, "items": items})
        gone = remove("deploy", digest)
        assert [item.digest for item in gone] == [DIGEST] if digest else [DIGEST, OTHER]
        assert written(state)["items"] == items[len(gone) :]
        assert remove("absent") == []

    @pytest.mark.parametrize(
        "document",
        [[], 5, {}, {"schema": 1, "items": []}, {"schema": 3, "items": []}, {"schema": 2},
         {"schema": 2, "items": {}}],
    )  # fmt: skip
    def test_a_file_of_another_version_is_refused_and_left(
        self, state: Path, deploy: Path, document: Any
    ) -> None:
        file = write(state, document)
        before = file.read_bytes()
        for call in (listed, lambda: add(deploy, window="later"), lambda: remove("deploy")):
            with pytest.raises(StoreError, match="is no queue of schema 2"):
                call()
        assert file.read_bytes() == before

    def test_a_broken_file_is_refused_and_left(self, state: Path, deploy: Path) -> None:
        file = write(state, {})
        file.write_text('{"schema": 2, "items": [')
        with pytest.raises(StoreError, match=r"eval-queue.json is not JSON"):
            add(deploy, window="later")
        assert file.read_text() == '{"schema": 2, "items": ['

    def test_what_cannot_be_queued_is_refused(self, state: Path, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no window 'soon'"):
            add(tmp_path, window="soon")
        with pytest.raises(SkillError):
            add(tmp_path / "absent", window="later")
        assert not state.exists()

    def test_nothing_is_written_when_nothing_changes(self, state: Path) -> None:
        file = write(state, {"schema": 2, "items": []})
        before = file.stat().st_ino, file.read_bytes()
        remove("absent")
        assert (file.stat().st_ino, file.read_bytes()) == before

    def test_writers_at_once_lose_nothing(self, tmp_path: Path) -> None:
        code = (
            "import sys\nfrom store import queue\n"
            "for folder in sys.argv[1:]: queue.add(folder, window='later')\n"
        )
        names = [f"s{number}" for number in range(12)]
        folders = [str(skill(tmp_path / "skills" / name)) for name in names]
        writers = [
            subprocess.Popen([sys.executable, "-c", code, *folders[n::3]], cwd=ROOT)
            for n in range(3)
        ]
        assert [writer.wait() for writer in writers] == [0, 0, 0]
        assert sorted(item.skill for item in listed().items) == sorted(names)


class TestDrain:
    @pytest.fixture
    def said(self) -> list[str]:
        return []

    def test_success_takes_an_item_out(self, deploy: Path, said: list[str]) -> None:
        item, _ = add(deploy, window="later")
        seen: list[Queued] = []
        assert drain(seen.append, said.append) == ([item], [], [])
        assert (seen, said, listed().items) == ([item], [], [])

    def test_a_failure_keeps_it_with_the_reason_and_the_rest_goes_on(
        self, state: Path, tmp_path: Path, said: list[str]
    ) -> None:
        for name in ("one", "two", "three"):
            add(skill(tmp_path / name), window="later")

        def evaluate(item: Queued) -> None:
            if item.skill != "two":
                raise EvalError(f"No agent for {item.skill}.", "Install one.")

        result = drain(evaluate, said.append)
        assert [item.skill for item in result.done] == ["two"]
        assert result.line == "2 queued evals failed; they remain queued."
        assert said == ["one: No agent for one.", "three: No agent for three."]
        assert [(item.skill, item.last_error) for item in listed().items] == [
            ("one", "No agent for one."), ("three", "No agent for three."),
        ]  # fmt: skip
        assert written(state)["items"][0]["lastError"] == "No agent for one."
        again = drain(lambda _: None, said.append)
        assert (len(again.done), again.line, listed().items) == (2, None, [])

    def test_changed_bytes_are_refused(self, deploy: Path, said: list[str]) -> None:
        add(deploy, window="later")
        skill(deploy, "# changed\n")
        (failed,) = drain(self.never, said.append).failed
        assert failed.last_error == (
            "The queued bytes of deploy are no longer what is on disk; "
            "dequeue it and queue it again."
        )
        assert listed().items == [failed]

    def test_a_folder_that_is_gone_is_refused(self, deploy: Path, said: list[str]) -> None:
        add(deploy, window="later")
        deploy.rename(deploy.with_name("elsewhere"))
        (failed,) = drain(self.never, said.append).failed
        assert "does not exist" in str(failed.last_error)

    def test_bytes_with_a_receipt_are_skipped(
        self, state: Path, deploy: Path, said: list[str]
    ) -> None:
        item, _ = add(deploy, window="later")
        put(state, receipt(item.digest), item.digest)
        assert drain(self.never, said.append) == ([], [item], [])
        assert said == ["Already evaluated these exact bytes of deploy."]
        assert listed().items == []

    def test_a_receipt_that_cannot_be_read_is_none(
        self, state: Path, deploy: Path, said: list[str]
    ) -> None:
        item, _ = add(deploy, window="later")
        put(state, b"{", item.digest)
        assert drain(lambda _: None, said.append).done == [item]

    def test_a_digest_of_another_form_fails_by_itself(
        self, state: Path, deploy: Path, said: list[str]
    ) -> None:
        write(state, {"schema": 2, "items": [entry(digest="md5:1")]})
        good, _ = add(deploy, window="later")
        result = drain(lambda _: None, said.append)
        assert (result.done, len(result.failed)) == ([good], 1)
        assert "is not a content digest" in said[0]

    def test_what_was_taken_out_meanwhile_is_not_run(self, tmp_path: Path, said: list[str]) -> None:
        for name in ("one", "two", "three"):
            add(skill(tmp_path / name), window="later")

        def evaluate(item: Queued) -> None:
            remove("two")
            add(skill(tmp_path / "four"), window="later")

        assert [item.skill for item in drain(evaluate, said.append).done] == ["one", "three"]
        assert [item.skill for item in listed().items] == ["four"]

    def test_an_interruption_keeps_the_item(self, deploy: Path, said: list[str]) -> None:
        item, _ = add(deploy, window="later")

        def interrupted(_: Queued) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            drain(interrupted, said.append)
        assert listed().items == [item]
        assert drain(lambda _: None, said.append).done == [item]

    def test_one_process_drains_at_a_time_and_others_may_queue(
        self, deploy: Path, tmp_path: Path, said: list[str]
    ) -> None:
        add(deploy, window="later")

        def evaluate(_: Queued) -> None:
            code = "from store import queue\nqueue.drain(print, print)\n"
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
            )
            said.append(done.stderr.splitlines()[-1])
            add(skill(tmp_path / "more"), window="later")

        assert len(drain(evaluate, said.append).done) == 1
        assert said[0].startswith(
            "receipts.errors.StoreError: The queue is being drained by another process."
        )
        assert [item.skill for item in listed().items] == ["more"]

    @staticmethod
    def never(_: Queued) -> None:
        raise AssertionError("nothing was to be evaluated")
