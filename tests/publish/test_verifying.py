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
from tests.publish.git.samples import git
from tests.publish.samples import (
    ID,
    LINK,
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
        *verifying.verify_path(clone(hosted)),
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
        *(verifying.verify_path(path)[0] for path in (file, newer, local, clone(hosted))),
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
    for path in (local, local / "receipt.json", clone(hosted)):
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


# A file, and what its place says of it


def misfiled(**fields: Any) -> list[str]:
    """Return how each field is said to disagree, expected last."""
    return [
        f"{field}: {is_ or 'null'}, but it stands under {said}"
        for field, (is_, said) in fields.items()
    ]


def test_a_receipt_is_held_against_its_place_in_the_local_store(ada: Machine) -> None:
    other = "sha256:" + "0" * 64
    good = samples.put(ada.state, samples.receipt(DIGEST), DIGEST)
    bytes_ = samples.put(ada.state, samples.receipt(DIGEST), other)
    run = samples.put(ada.state, samples.receipt(DIGEST), DIGEST, "20260101T000000Z")
    found = {item.where: item.problems for item in verifying.verify_path(ada.state)}
    assert found == {
        str(good / "receipt.json"): [],
        str(bytes_ / "receipt.json"): misfiled(content_digest=(DIGEST, other)),
        str(run / "receipt.json"): misfiled(run_id=(samples.RUN, "20260101T000000Z")),
    }


def test_a_folder_that_is_no_digest_claims_nothing_about_the_bytes(tmp_path: Path) -> None:
    for folder in ("exported", "AB" * 32, "ab" * 31):
        place = tmp_path / folder / samples.RUN
        place.mkdir(parents=True)
        (place / "receipt.json").write_bytes(samples.receipt(DIGEST))
        assert [item.problems for item in verifying.verify_path(place)] == [[]]
    moved = place.with_name("20260101T000000Z")
    place.rename(moved)
    [item] = verifying.verify_path(moved)
    assert item.problems == misfiled(run_id=(samples.RUN, "20260101T000000Z"))


def test_a_path_of_the_layout_is_a_place_even_without_the_team_around_it(tmp_path: Path) -> None:
    for path, problems in {
        evals(): [],
        evals(skill_id=ID.upper()): [],
        evals(version=2): misfiled(version=("v1", "v2")),
        evals("20260101T000000Z"): misfiled(run_id=(samples.RUN, "20260101T000000Z")),
        evals(skill_id=OTHER_ID): misfiled(skill_id=(ID, OTHER_ID)),
        f"evals/{ID}/archive/{samples.RUN}.json": [],
        f"evals/{ID}/v1/named-otherwise.json": [],
    }.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(receipt(DIGEST))
        assert verifying.verify_path(place) == [Verified(str(place), problems, [])]
        place.unlink()


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


# A checkout


def clone(hosted: Hosted) -> Path:
    place = hosted.path.parent / "clone"
    shutil.rmtree(place, ignore_errors=True)
    git(hosted.path, "clone", "-q", str(hosted.path), str(place))
    return place


def problems_in(hosted: Hosted, files: Files) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return what is wrong by path, in a checkout of these files and in the team of them."""
    hosted.put(files)
    place = clone(hosted)
    return (
        {
            Path(item.where).relative_to(place).as_posix(): item.problems
            for item in verifying.verify_path(place)
            if item.problems
        },
        {item.where: item.problems for item in verifying.verify_team("acme") if item.problems},
    )


def test_a_checkout_and_the_team_say_the_same_of_each_receipt(hosted: Hosted) -> None:
    first, second, third, fourth = (f"20260916T00000{n}Z" for n in range(1, 5))
    checkout, whole = problems_in(
        hosted,
        {
            **TEAM,
            "skills/tdd/v2/SKILL.md": skill_md(body="2\n"),
            evals(): receipt(SKILL),
            evals(first): receipt({"SKILL.md": skill_md(body="2\n")}, first),
            evals(second, 2): receipt(SKILL, second, 2),
            evals(third, 9): receipt(SKILL, third, 9),
            evals(fourth): receipt(SKILL, "20260916T000009Z", 2, skill_id=OTHER_ID),
        },
    )
    two = content_digest_of({"SKILL.md": skill_md(body="2\n")})
    expected = {
        evals(first): misfiled(content_digest=(two, DIGEST)),
        evals(second, 2): misfiled(content_digest=(DIGEST, two)),
        evals(fourth): misfiled(
            skill_id=(OTHER_ID, ID),
            version=("v2", "v1"),
            run_id=("20260916T000009Z", fourth),
        ),
    }
    assert checkout == expected | {evals(third, 9): ["v9 of its skill does not exist"]}
    assert whole == expected | {evals(third, 9): ["v9 does not exist"]}


def test_one_bad_receipt_of_a_team_is_told_whole_and_hides_no_other(hosted: Hosted) -> None:
    bad = receipt(
        "sha256:" + "0" * 64, "99999999T999999Z", 9, verdict="FAIL", attribution=f"by {TOKEN}"
    )
    checkout, whole = problems_in(
        hosted, {**TEAM, evals(): receipt(SKILL), evals("20260101T000000Z"): bad}
    )
    for problems in (checkout, whole):
        [said] = problems.values()
        fields = [sentence.partition(":")[0] for sentence in said]
        assert fields == [
            "version", "run_id", "content_digest", "verdict", "run_id", "unscrubbed text",
        ]  # fmt: skip


def test_links_and_folders_in_the_place_of_receipts_are_named(hosted: Hosted) -> None:
    first, second = "20260916T000001Z", "20260916T000002Z"
    hosted.put(
        {
            **TEAM,
            evals(): receipt(SKILL),
            evals(first): (LINK, b"../../../team.json"),
            f"{evals(second)}/x": b"",
        }
    )
    found = {item.where: item.problems for item in verifying.verify_team(None)}
    assert found[evals()] == []
    for path in (evals(first), evals(second)):
        [problem] = found[path]
        assert "is not a regular file" in problem


def test_strays_are_named_in_a_checkout_and_the_archive_is_history(hosted: Hosted) -> None:
    data = receipt(SKILL)
    checkout, _ = problems_in(
        hosted,
        {
            **TEAM,
            f"evals/{ID}/v1/renamed.json": data,
            f"evals/{ID}/{samples.RUN}.json": data,
            f"evals/{samples.RUN}.json": data,
            f"evals/{ID}/archive/{'a' * 40}/{samples.RUN}.json": data,
            "skills/tdd/evals/example.json": data,
            f"notes/evals/{ID}/v1/{samples.RUN}.json": data,
        },
    )
    stray = ["stands where a team repository keeps no receipt"]
    assert checkout == {
        f"evals/{ID}/v1/renamed.json": stray,
        f"evals/{ID}/{samples.RUN}.json": stray,
        f"evals/{samples.RUN}.json": stray,
    }


def test_a_skill_is_found_by_the_id_that_a_newer_or_older_version_declares(hosted: Hosted) -> None:
    first = {"SKILL.md": skill_md(skill_id=None)}
    files: Files = {
        "team.json": team(),
        "people/ada.json": person(),
        "skills/tdd/v1/SKILL.md": first["SKILL.md"],
        "skills/tdd/v10/SKILL.md": skill_md(body="ten"),
        "skills/tdd/v9/SKILL.md": skill_md(skill_id=OTHER_ID),
        "skills/.gitkeep": b"",
        "skills/tdd/notes.md": b"",
        evals(): receipt(first),
        evals(version=10): receipt({"SKILL.md": skill_md(body="ten")}, version=10),
    }
    checkout, whole = problems_in(hosted, files)
    assert checkout == {}
    assert whole == {"the tree": ["skills/tdd/notes.md is not a version; ignored."]}


def test_a_version_that_cannot_be_measured_is_named(hosted: Hosted) -> None:
    checkout, whole = problems_in(
        hosted, {**TEAM, "skills/tdd/v1/link": (LINK, b"SKILL.md"), evals(): receipt(SKILL)}
    )
    [sentence] = checkout[evals()]
    assert sentence.startswith("the version beside it cannot be measured: ")
    assert "symlink link" in sentence
    [sentence] = whole["tdd v1"]
    assert "a symbolic link or a submodule" in sentence


def test_a_checkout_without_skills_is_told_and_no_crash(hosted: Hosted) -> None:
    files: Files = {"team.json": team(), "people/ada.json": person(), evals(): receipt(SKILL)}
    checkout, whole = problems_in(hosted, files)
    assert checkout == {evals(): ["v1 of its skill does not exist"]}
    assert whole == {f"evals/{ID}": ["holds receipts of no skill in this team"]}
    checkout, _ = problems_in(hosted, {**files, "skills": b"a file\n"})
    assert checkout == {evals(): ["v1 of its skill does not exist"]}


def test_a_team_json_of_something_else_makes_no_checkout(tmp_path: Path) -> None:
    place = tmp_path / evals()
    place.parent.mkdir(parents=True)
    place.write_bytes(receipt(SKILL))
    for text in ('{"team": "of something else"}', "not json", '{"layout_version": 2}'):
        (tmp_path / "team.json").write_text(text)
        assert verifying.verify_path(tmp_path) == [Verified(str(place), [], [])]


def test_line_endings_that_a_checkout_changed_are_noticed(hosted: Hosted) -> None:
    hosted.put({**TEAM, evals(): receipt(SKILL)})
    place = clone(hosted)
    assert [item.problems for item in verifying.verify_path(place)] == [[]]
    script = place / "skills" / "tdd" / "v1" / "a.sh"
    script.write_bytes(b"true\r\n")
    [item] = verifying.verify_path(place / "evals")
    changed = content_digest_of({**SKILL, "a.sh": b"true\r\n"})
    assert item.problems == misfiled(content_digest=(DIGEST, changed))


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
        }
    )
    assert [(item.where, item.problems) for item in verifying.verify_team(None)] == [
        (evals(), []),
        ("tdd", ["declares the skill id of copy"]),
    ]


def test_a_newer_receipt_of_a_team_is_a_note(hosted: Hosted) -> None:
    first, second = "20260916T000001Z", "20260916T000002Z"
    bare = json.dumps({"schema_version": 9, "run_id": second}).encode()
    newer = receipt(SKILL, first, schema_version=3)
    hosted.put({**TEAM, evals(first): newer, evals(second): bare})
    for found in (verifying.verify_team(None), verifying.verify_path(clone(hosted))):
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
    assert f"{bad}: verdict: FAIL, but" in out
    document = json.loads(run(bad, "--json")[1])
    assert document["ok"] is False
    assert [len(item["problems"]) for item in document["verified"]] == [2]
    good.write_bytes(receipt(DIGEST, schema_version=3))
    code, out = run(good)
    assert code == 0
    assert "note: newer than this version" in out
    for arguments in ([], [good, "--team", "acme"], ["--team", "acme"]):
        assert run(*arguments) == (2, "")
