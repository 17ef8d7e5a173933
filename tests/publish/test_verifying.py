"""Verify names every problem of a receipt, at each of its places, and one hides no other."""

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from publish import publishing, verifying
from publish.publishing import Request
from publish.verifying import Verified
from receipts import cli, runid
from receipts.digest import content_digest_of
from receipts.errors import ReceiptError, TeamError, UsageError
from tests.publish.conftest import Hosted, Machine
from tests.publish.samples import (
    OTHER_ID,
    Files,
    evals,
    person,
    receipt,
    skill_md,
    team,
)
from tests.store import samples

SKILL = {"SKILL.md": skill_md(), "a.sh": b"true\n"}
DIGEST = content_digest_of(SKILL)
TEAM: Files = {
    "team.json": team(),
    "people/ada.json": person(),
    **{f"skills/tdd/v1/{path}": data for path, data in SKILL.items()},
}
TOKEN = "ghp_" + "A1b2C3d4" * 5
BASELINE = "candidate-vs-baseline"


def compared(win: int, loss: int, tie: int, net_lift: float, sign_p: float) -> dict[str, Any]:
    record = {"win": win, "loss": loss, "tie": tie, "net_lift": net_lift, "sign_p": sign_p}
    return {BASELINE: record}


def provenance(**fields: Any) -> dict[str, Any]:
    return {"provenance": samples.document()["provenance"] | fields}


# What is changed in a good receipt, and the start of each sentence that it earns.
CONTRADICTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"verdict": "FAIL"}, ["verdict: FAIL, but 2W / 0L / 1T against the baseline is PASS"]),
    ({"comparisons": {}}, ["verdict: PASS, but nothing was compared", "scored_rows: 3, but"]),
    ({"comparisons": compared(2, 0, 1, 0.5, 0.5)}, [f"comparisons.{BASELINE}.net_lift: 0.5, but"]),
    ({"comparisons": compared(2, 0, 1, 2 / 3, 42)}, [f"comparisons.{BASELINE}.sign_p: 42, but"]),
    ({"comparisons": compared(2, 0, 1, 2 / 3, 1.0)}, []),  # pinned, as a suite run leaves it
    ({"scored_rows": 4}, ["scored_rows: 4, more than", "scored_rows: 4, but the comparisons"]),
    ({"expected_rows": 9}, ["execution_status: complete, but 3 of 9 rows scored is partial"]),
    ({"execution_status": "failed"}, ["execution_status: failed, but 3 of 3 rows"]),
    ({"arm_scores": {"candidate": 1.5}}, ["arm_scores.candidate: 1.5, which is no share"]),
    (
        {"verdict": "FAIL", "arm_scores": {"a": -1}, "attribution": TOKEN},
        ["verdict: FAIL, but", "arm_scores.a: -1, which", "unscrubbed text: attribution holds"],
    ),
    ({"attribution": f"used {TOKEN}"}, ["unscrubbed text: attribution holds what looks like a"]),
    ({"unknown": [{"k": TOKEN}]}, ["unscrubbed text: unknown[0].k holds what looks like a"]),
    (provenance(timestamp="2026-01-01T00:00:00.000Z"), ["run_id: 20260916T042108Z, more than a"]),
    (provenance(timestamp="yesterday"), []),
]


@pytest.mark.parametrize(("changes", "sentences"), CONTRADICTIONS)
def test_each_contradiction_is_named_wherever_the_receipt_stands(
    ada: Machine, hosted: Hosted, tmp_path: Path, changes: dict[str, Any], sentences: list[str]
) -> None:
    data = receipt(DIGEST, **changes)
    file = tmp_path / "somewhere.json"
    file.write_bytes(data)
    hosted.put({**TEAM, evals(): data})
    found = [
        *verifying.verify_path(file),
        *verifying.verify_path(samples.put(ada.state, samples.receipt(DIGEST, **changes), DIGEST)),
        *verifying.verify_path(hosted.clone()),
        *verifying.verify_team(None),
    ]
    assert len(found) == 4
    for item in found:
        assert len(item.problems) == len(sentences), item
        for sentence in sentences:
            assert any(problem.startswith(sentence) for problem in item.problems), item
        assert item.notes == []
        assert TOKEN not in str(item)


def test_a_key_that_stands_twice_is_a_problem_wherever_it_stands(
    ada: Machine, hosted: Hosted, tmp_path: Path
) -> None:
    twice = (b'"verdict": "PASS"', b'"verdict": "FAIL", "verdict": "PASS"')
    data = receipt(DIGEST).replace(*twice)
    file = tmp_path / "somewhere.json"
    file.write_bytes(data)
    newer = tmp_path / "newer.json"
    newer.write_bytes(receipt(DIGEST, schema_version=3).replace(*twice))
    hosted.put({**TEAM, evals(): data})
    local = samples.put(ada.state, samples.receipt(DIGEST).replace(*twice), DIGEST)
    for item in (
        *(verifying.verify_path(path)[0] for path in (file, newer, local, hosted.clone())),
        *verifying.verify_team(None),
    ):
        assert item.problems == ["verdict: stands here 2 times, and only the last counts"]


def test_a_pipe_has_no_place(tmp_path: Path) -> None:
    place = tmp_path / "a" / "20260101T000000Z"
    place.mkdir(parents=True)
    os.mkfifo(place / "receipt.json")
    for data, problems in ((receipt(DIGEST), []), (b"{", ["not JSON: "])):
        writer = threading.Thread(target=(place / "receipt.json").write_bytes, args=(data,))
        writer.start()
        [item] = verifying.verify_path(place / "receipt.json")
        writer.join()
        assert [problem[:10] for problem in item.problems] == problems
    [item] = verifying.verify_path(tmp_path)  # where nobody waits for a writer
    assert item.problems == [f"{place / 'receipt.json'} is not a regular file. Name a file."]


@pytest.mark.parametrize(
    ("run_id", "sentence"),
    [
        ("99999999T999999Z", "names no second of the calendar"),
        ("20260230T000000Z", "names no second of the calendar"),
        ("20260916T042160Z", "names no second of the calendar"),
        ("19991231T235959Z", "is before 2020 or in the future"),
        ("29991231T235959Z", "is before 2020 or in the future"),
    ],
)
def test_a_run_id_out_of_range_is_named(
    hosted: Hosted, tmp_path: Path, run_id: str, sentence: str
) -> None:
    time = runid.to_time(run_id).isoformat() if runid.in_range(run_id) else "never"
    data = receipt(DIGEST, run_id, **provenance(timestamp=time))
    file = tmp_path / f"{run_id}.json"
    file.write_bytes(data)
    hosted.put({**TEAM, evals(run_id): data})
    for item in (*verifying.verify_path(file), *verifying.verify_team("acme")):
        assert item.problems == [f"run_id: {run_id} {sentence}"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "the document: must be a map"),
        (b'{"schema_version": 2, "run_id": 1}', " (and "),
        (receipt(DIGEST, scored_rows=-1), "scored_rows: must be at least 0"),
        (receipt(DIGEST, skill_id="x"), "skill_id: "),
        (receipt(DIGEST, content_digest=None), "content_digest: "),
    ],
)
def test_a_fault_of_schema_is_named_by_its_field_wherever_it_stands(
    ada: Machine, hosted: Hosted, data: bytes, sentence: str
) -> None:
    hosted.put({**TEAM, evals(): data})
    local = samples.put(ada.state, data, DIGEST)
    for path in (local, local / "receipt.json", hosted.clone()):
        [item] = verifying.verify_path(path)
        assert len(item.problems) == 1
        assert sentence in item.problems[0]
    [item] = verifying.verify_team(None)
    assert (item.where, sentence in item.problems[0]) == (evals(), True)


def test_secrets_are_named_even_where_the_schema_is_broken_or_newer(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_bytes(receipt(DIGEST, scored_rows=-1, attribution=TOKEN))
    [item] = verifying.verify_path(file)
    assert [problem.partition(":")[0] for problem in item.problems] == [
        "scored_rows",
        "unscrubbed text",
    ]
    file.write_bytes(receipt(DIGEST, schema_version=3, attribution=TOKEN))
    [item] = verifying.verify_path(file)
    assert [problem.partition(":")[0] for problem in item.problems] == ["unscrubbed text"]
    assert item.notes[0].startswith("newer than this version of receipts")


# A file


def test_a_file_is_verified_whatever_it_is_called_and_whatever_it_is(tmp_path: Path) -> None:
    file = tmp_path / "receipt.txt"
    file.write_bytes(receipt(DIGEST))
    assert verifying.verify_path(file) == [Verified(str(file), [], [])]
    link = tmp_path / "link.json"
    link.symlink_to(file)
    assert "is a symbolic link" in verifying.verify_path(link)[0].problems[0]
    link.unlink()
    link.symlink_to(tmp_path / "nowhere")
    assert "is a symbolic link" in verifying.verify_path(link)[0].problems[0]
    assert "is not a regular file" in verifying.verify_path(Path(os.devnull))[0].problems[0]
    file.write_bytes(b" " * (1 << 20) + receipt(DIGEST))
    assert "more than the" in verifying.verify_path(file)[0].problems[0]
    with pytest.raises(ReceiptError, match=r"nothing\.json does not exist\."):
        verifying.verify_path(tmp_path / "nothing.json")


# A folder


def test_below_a_folder_receipts_are_found_by_name_or_content(tmp_path: Path) -> None:
    data = receipt(DIGEST)
    wanted = ["a/b/c/deep.json", "receipt.json", f"{samples.RUN}.json", f"x/{samples.RUN}.json"]
    others = {
        "package.json": b'{"name": "x"}',
        "list.json": b"[1]",
        "broken.json": b"{",
        "notes.txt": data,
        f".git/{samples.RUN}.json": data,
        f"{samples.RUN}.json.sig": b"sig",
    }
    for path, content in {**dict.fromkeys(wanted, data), **others}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    (tmp_path / "linked.json").symlink_to(tmp_path / "receipt.json")
    found = verifying.verify_path(tmp_path)
    assert sorted(item.where for item in found) == sorted(str(tmp_path / path) for path in wanted)
    assert [item.problems for item in found] == [[]] * 4


def test_what_is_named_as_a_receipt_and_is_none_is_a_problem(tmp_path: Path) -> None:
    for name in ("receipt.json", f"{samples.RUN}.json", samples.RUN):
        (tmp_path / name).write_bytes(b"{}")
    found = verifying.verify_path(tmp_path)
    assert len(found) == 3
    assert all(len(item.problems) == 1 for item in found)


def test_a_folder_without_receipts_verifies_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ReceiptError, match="There is no receipt below"):
        verifying.verify_path(tmp_path)


def test_a_folder_that_is_closed_is_named_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / f"{samples.RUN}.json").write_bytes(receipt(DIGEST))
    # A path longer than the system takes is closed to everybody, the superuser included.
    deep, here = "d" * 200, Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(25):
            os.mkdir(deep)
            os.chdir(deep)
    finally:
        os.chdir(here)
    good, closed = verifying.verify_path(tmp_path)
    assert good.problems == []
    assert closed.problems == ["cannot be read: File name too long"]
    assert closed.where.startswith(str(tmp_path / deep))


# A team


def test_everything_else_that_is_odd_in_a_team_is_named(hosted: Hosted) -> None:
    hosted.put(
        {
            **TEAM,
            "people/bob.json": b"{}",
            "people/README": b"",
            "skills/Bad Name/v1/SKILL.md": b"",
            "skills/ship/v1/SKILL.md": skill_md("ship", None),
            "skills/copy/v1/SKILL.md": skill_md("copy"),
            "evals/not-an-id/x": b"",
            f"evals/{OTHER_ID}/v1/{samples.RUN}.json": receipt(SKILL, skill_id=OTHER_ID),
            f"evals/{'0' * 8}{OTHER_ID[8:]}/archive/{'a' * 40}/{samples.RUN}.json": b"old",
        }
    )
    found = {(item.where, *item.problems) for item in verifying.verify_team("acme")}
    for item in (
        ("ship", "no version of it declares a skill id"),
        ("tdd", "declares the skill id of copy"),
        (f"evals/{OTHER_ID}", "holds receipts of no skill in this team"),
        ("the tree", "skills/Bad Name is not a skill's folder; ignored."),
        ("the tree", "evals/not-an-id is not a skill's id; ignored."),
        ("people", "people/README is not a member's file; ignored."),
    ):
        assert item in found, found
    assert len(found) == 7
    assert any(where == "people" and "bob" in problem for where, problem, *_ in found)


def test_two_skills_of_one_id_are_told_once_and_their_receipts_too(hosted: Hosted) -> None:
    copy = {"SKILL.md": skill_md("copy")}
    hosted.put(
        {
            **TEAM,
            "skills/copy/v1/SKILL.md": copy["SKILL.md"],
            evals(): receipt(copy),
            evals("20260917T000000Z"): receipt(SKILL, "20260917T000000Z"),
        }
    )
    assert [(item.where, item.problems) for item in verifying.verify_team(None)] == [
        (evals(), []),
        (evals("20260917T000000Z"), []),
        ("tdd", ["declares the skill id of copy"]),
    ]


def test_a_newer_receipt_of_a_team_is_a_note(hosted: Hosted) -> None:
    first, second = "20260916T000001Z", "20260916T000002Z"
    bare = json.dumps({"schema_version": 9, "run_id": second}).encode()
    newer = receipt(SKILL, first, schema_version=3)
    hosted.put({**TEAM, evals(first): newer, evals(second): bare})
    for found in (verifying.verify_team(None), verifying.verify_path(hosted.clone())):
        assert [item.problems for item in found] == [[], []]
        assert all(len(item.notes) == 1 for item in found)


def test_a_published_team_has_no_problems(ada: Machine, acme: Path) -> None:
    skill = ada.skill()
    digest = content_digest_of({"SKILL.md": (skill / "SKILL.md").read_bytes()})
    samples.put(ada.state, samples.receipt(digest, skill_name="tdd"), digest)
    publishing.publish(Request(skill), lambda _: True)
    [item] = verifying.verify_team(None)
    assert (item.problems, item.notes) == ([], [])
    assert verifying.verify_team("acme") == [item]


def test_reading_a_team_touches_no_network(hosted: Hosted) -> None:
    hosted.put({**TEAM, evals(): receipt(SKILL)})
    hosted.path.rename(f"{hosted.path}.away")
    assert [item.problems for item in verifying.verify_team(None)] == [[]]


def test_what_is_no_team_is_refused(ada: Machine, hosted: Hosted) -> None:
    with pytest.raises(UsageError, match="No team is configured"):
        verifying.verify_team(None)
    hosted.put(TEAM)
    with pytest.raises(UsageError, match="No team nope"):
        verifying.verify_team("nope")
    shutil.rmtree(ada.state / "mirrors")
    with pytest.raises(TeamError, match="has not been fetched yet"):
        verifying.verify_team(None)


# The verb


def test_the_verb_counts_and_its_exit_code_says_whether_there_are_problems(
    ada: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ada.home / "receipts"
    folder.mkdir()
    good, bad = folder / "good.json", folder / "bad.json"
    good.write_bytes(receipt(DIGEST))
    bad.write_bytes(receipt(DIGEST, verdict="FAIL", attribution=TOKEN))

    def run(*arguments: str | Path) -> tuple[int, str]:
        code = cli.run(["verify", *map(str, arguments)])
        said = capsys.readouterr()
        assert TOKEN not in said.out + said.err
        return code, said.out

    assert run(good) == (0, "1 verified, 0 problems.\n")
    code, out = run(folder)
    assert code == 1
    assert out.splitlines()[-1] == "2 verified, 2 problems."
    assert "~/receipts/bad.json: verdict: FAIL, but" in out
    document = json.loads(run(bad, "--json")[1])
    assert document["ok"] is False
    assert [len(item["problems"]) for item in document["verified"]] == [2]
    good.write_bytes(receipt(DIGEST, schema_version=3))
    code, out = run(good)
    assert code == 0
    assert "note: newer than this version" in out
    for arguments in ([], [good, "--team", "acme"], ["--team", "acme"]):
        assert run(*arguments) == (2, "")
