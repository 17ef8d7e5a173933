"""Which receipts a publish attaches, and where: no run is lost, attached twice or written over."""

import json
from typing import Any

import pytest

from publish import attaching
from publish.attaching import Attachment
from publish.snapshot import Snapshot
from receipts.digest import content_digest_of
from receipts.receipt import read_receipt
from receipts.stamping import stamp
from store.runs import LocalRun
from tests.publish.conftest import ReadTree
from tests.publish.samples import ID, LINK, OTHER_ID, Files, evals, run_of, skill_md, team
from tests.store import samples

FIRST, SECOND, THIRD, FOURTH = (f"20260916T0421{n:02}Z" for n in (8, 9, 10, 11))
SKILL = {"SKILL.md": skill_md()}
DIGEST = content_digest_of(SKILL)
GOOD: Files = {"team.json": team(), "skills/tdd/v1/SKILL.md": skill_md()}
SECRET = "hunter2-of-this-machine"
GITHUB = "ghp_" + "A1b2C3d4" * 5


def local(run_id: str = FIRST, who: str = "ada", **fields: Any) -> LocalRun:
    document = samples.document(DIGEST, run_id, skill_name="tdd", **fields)
    document["provenance"] |= {"runner_handle": who}
    return run_of(json.dumps(document, indent=2).encode())


def stamped(run: LocalRun, run_id: str = FIRST, version: int = 1) -> bytes:
    """Return a run's receipt as it stands in the team, at its own second or one it moved to."""
    return stamp(run.file.data, skill_id=ID, version=f"v{version}", run_id=run_id)


def committed(run: LocalRun, run_id: str = "", version: int = 1) -> Files:
    place = run_id or run.run_id
    return {evals(place, version): stamped(run, place, version)}


def attach(
    before: Snapshot, *runs: LocalRun, secrets: tuple[str, ...] = (), number: int = 1
) -> list[Attachment]:
    found, left = attaching.attachments(before, runs, skill_id=ID, number=number, secrets=secrets)
    assert left == []
    return found


def unattached(before: Snapshot, *runs: LocalRun) -> tuple[list[str], list[str]]:
    """Return the ids of the runs that can be attached, and why the others cannot."""
    found, left = attaching.attachments(before, runs, skill_id=ID, number=1, secrets=())
    return [item.run_id for item in found], left


def ids(found: list[Attachment]) -> list[tuple[str, str | None]]:
    return [(item.run_id, item.moved_from) for item in found]


def test_a_run_is_stamped_with_its_place_and_with_nothing_else(read_tree: ReadTree) -> None:
    run = local(unknown={"kept": [1.0, 1e-7, "\u00e9"]})
    [found] = attach(read_tree(GOOD), run)
    assert found.path == f"evals/{ID}/v1/{FIRST}.json"
    assert (found.run_id, found.moved_from, found.removed) == (FIRST, None, ())
    before, after = run.file.data.decode().split("\n"), found.data.decode().split("\n")
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        f'  "skill_id": "{ID}",',
        '  "version": "v1",',
    ]


def test_a_taken_second_moves_a_run_on_and_keeps_what_stood_there(read_tree: ReadTree) -> None:
    there = local(who="bob")
    [found] = attach(read_tree(GOOD | committed(there)), local())
    assert (found.path, found.moved_from) == (evals(SECOND), FIRST)
    moved = json.loads(found.data)
    assert (moved["run_id"], moved["original_run_id"]) == (SECOND, FIRST)
    assert moved["provenance"] == json.loads(local().file.data)["provenance"]
    assert read_receipt(found.data).receipt is not None


def test_the_next_free_second_is_found_behind_many_and_over_midnight(read_tree: ReadTree) -> None:
    taken = {**committed(local("20261231T235958Z", "b")), **committed(local("20261231T235959Z"))}
    [found] = attach(read_tree(GOOD | taken), local("20261231T235958Z"))
    assert ids([found]) == [("20270101T000000Z", "20261231T235958Z")]


def test_runs_of_one_publish_do_not_take_each_others_second(read_tree: ReadTree) -> None:
    before = read_tree(GOOD | committed(local(FIRST, "bob")))
    found = attach(before, local(FIRST), local(SECOND, "cy"), local(THIRD, "dee"))
    assert ids(found) == [
        (SECOND, FIRST),
        (THIRD, SECOND),
        (FOURTH, THIRD),
    ]
    assert len({item.path for item in found}) == 3


def test_another_versions_receipts_take_no_place(read_tree: ReadTree) -> None:
    other: Files = {"skills/tdd/v2/SKILL.md": skill_md(), **committed(local(who="bob"), version=2)}
    elsewhere: Files = {f"evals/{OTHER_ID}/v1/{FIRST}.json": local(who="cy").file.data}
    [found] = attach(read_tree(GOOD | other | elsewhere), local())
    assert ids([found]) == [(FIRST, None)]


@pytest.mark.parametrize(
    "there",
    [
        committed(local()),
        committed(local(who="bob")) | committed(local(), SECOND),
        committed(local(who="bob"))
        | committed(local(who="cy"), SECOND)
        | committed(local(), THIRD),
        {evals(): json.dumps(json.loads(local().file.data), sort_keys=True).encode()},
        {evals(skill_id=ID.upper()): stamped(local())},
        {**committed(local(who="bob")), evals(skill_id=ID.upper()): stamped(local())},
    ],
    ids=["at home", "moved", "moved twice", "another layout", "id in capitals", "both spellings"],
)
def test_a_run_that_is_there_is_not_attached_again(read_tree: ReadTree, there: Files) -> None:
    assert attach(read_tree(GOOD | there), local()) == []


def test_a_run_that_moved_here_is_known_where_it_was_first_run(read_tree: ReadTree) -> None:
    # On this machine another run had the second; the team has both, the other way round.
    mine = stamped(local(), SECOND)
    moved = run_of(stamp(mine, skill_id=OTHER_ID, version="v4"))
    assert moved.run_id == SECOND
    assert attach(read_tree(GOOD | committed(local())), moved) == []
    swapped = committed(local()) | committed(local(who="bob"), SECOND)
    assert attach(read_tree(GOOD | swapped), local(who="bob"), moved) == []
    [found] = attach(read_tree(GOOD | committed(local(who="bob"))), moved)
    assert (found.run_id, found.moved_from) == (SECOND, None)
    assert json.loads(found.data)["original_run_id"] == FIRST


def test_moving_again_keeps_the_id_it_was_first_run_under(read_tree: ReadTree) -> None:
    moved = run_of(stamped(local(), SECOND))
    before = read_tree(GOOD | committed(local(who="bob")) | committed(local(SECOND, "cy")))
    [found] = attach(before, moved)
    document = json.loads(found.data)
    assert (found.run_id, found.moved_from) == (THIRD, SECOND)
    assert (document["run_id"], document["original_run_id"]) == (THIRD, FIRST)


@pytest.mark.parametrize(
    "there",
    [
        b"",
        b"not json",
        b"[1]",
        b"\xff" * 10,
        b'{"run_id": "' + b"x" * (1 << 20) + b'"}',
        (LINK, b"../../../team.json"),
        stamped(local(attribution="another sentence")),
        stamped(local(verdict="NEUTRAL")),
    ],
    ids=["empty", "no json", "no map", "binary", "huge", "link", "other text", "other verdict"],
)
def test_whatever_else_stands_there_keeps_its_place_and_nobody_from_attaching(
    read_tree: ReadTree, there: Any
) -> None:
    found = attach(read_tree(GOOD | {evals(): there}), local(), local(THIRD))
    assert ids(found) == [(SECOND, FIRST), (THIRD, None)]


def test_a_folder_in_the_place_of_a_receipt_is_no_receipt(read_tree: ReadTree) -> None:
    before = read_tree(GOOD | {f"{evals()}/below.json": b"{}"})
    assert ids(attach(before, local())) == [(SECOND, FIRST)]


@pytest.mark.parametrize("run_id", ["99999999T999999Z", "99991231T235959Z", "00000000T000000Z"])
def test_an_id_that_nothing_follows_is_attached_unless_it_is_taken(
    read_tree: ReadTree, run_id: str
) -> None:
    assert ids(attach(read_tree(GOOD), local(run_id))) == [(run_id, None)]
    before = read_tree(GOOD | committed(local(run_id, "bob")))
    found, [left] = unattached(before, local(), local(run_id), local(SECOND))
    assert found == [FIRST, SECOND]
    assert left.startswith(f"Run {run_id} was not attached: the team has another of that id, and ")
    assert attach(before, local(run_id, "bob"), local()) == attach(before, local())


def test_secrets_are_removed_at_the_last_moment_and_counted(read_tree: ReadTree) -> None:
    run = local(attribution=f"used {GITHUB}", note={"k": f"said {SECRET} aloud"})
    [found] = attach(read_tree(GOOD), run, secrets=(SECRET,))
    assert SECRET.encode() not in found.data
    assert b"ghp_" not in found.data
    document = json.loads(found.data)
    assert document["attribution"] == "used [redacted]"
    assert document["note"] == {"k": "said [redacted] aloud"}
    assert sorted(item.field for item in found.removed) == ["attribution", "note.k"]
    assert document["content_digest"] == DIGEST


def test_a_run_scrubbed_of_other_secrets_is_still_the_same_run(read_tree: ReadTree) -> None:
    run = local(attribution=f"used {GITHUB} and {SECRET}")
    [found] = attach(read_tree(GOOD), run, secrets=(SECRET,))
    before = read_tree(GOOD | {found.path: found.data})
    assert attach(before, run, secrets=(SECRET,)) == []
    # Committed by another client, which knew neither rule.
    assert attach(read_tree(GOOD | committed(run)), run, secrets=(SECRET,)) == []
    assert attach(read_tree(GOOD | committed(run)), run) == []


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (f"used {SECRET}", "used [redacted]"),
        (f"{SECRET} and {SECRET}, then x", "[redacted] and [redacted], then x"),
        (f"a {SECRET} b other c", f"a {SECRET} b [redacted] c"),
        (f"a {SECRET} b [redacted] c", "a [redacted] b other c"),
        ("[redacted]", "whatever"),
    ],
)
def test_a_run_is_known_whatever_was_scrubbed_from_either_copy(
    read_tree: ReadTree, mine: str, theirs: str
) -> None:
    there = local(attribution=theirs, note={"log": [theirs, 1]})
    for run in (
        local(attribution=mine, note={"log": [mine, 1]}),
        run_of(stamped(local(attribution=mine, note={"log": [mine, 1]}), SECOND)),
    ):
        before = read_tree(GOOD | committed(there))
        assert attach(before, run) == attach(before, run, secrets=("other",)) == []
        assert attaching.is_in_team(before, run)
    beside = [
        local(attribution=theirs, note={"log": [mine, 2]}),
        local("20260916T042100Z", attribution=mine, note={"log": [mine, 1]}),
        local(attribution=f"x{mine}x", note={"log": [f"x{mine}x", 1]}),
    ]
    for run in beside if mine != "[redacted]" else beside[:2]:
        assert len(attach(read_tree(GOOD | committed(there)), run)) == 1


def test_a_scrubbed_name_is_known_again_too(read_tree: ReadTree) -> None:
    run = local(note={"a": 1, SECRET: {"x": 2}, f"of {SECRET}": 3, f"by {SECRET}": 4, "z": 5})
    [found] = attach(read_tree(GOOD), run, secrets=(SECRET,))
    assert SECRET.encode() not in found.data
    before = read_tree(GOOD | {found.path: found.data})
    assert attach(before, run) == []
    for other in (
        {"a": 1, SECRET: {"x": 3}, f"of {SECRET}": 3, f"by {SECRET}": 4, "z": 5},
        {"a": 1, SECRET: {"x": 2}, f"of {SECRET}": 3, "z": 5},
    ):
        assert len(attach(before, local(note=other))) == 1


def test_a_run_is_known_wherever_it_moved_in_another_team(read_tree: ReadTree) -> None:
    # In another team ada's run had the second; here bob's came first, and as it stood there.
    bobs = local(who="bob")
    moved: Files = {evals(SECOND): stamped(bobs, SECOND)}
    assert attach(read_tree(GOOD | moved), bobs) == []
    far: Files = {evals(FOURTH): stamped(bobs, FOURTH)}  # with free seconds in between
    assert attach(read_tree(GOOD | far), bobs) == []
    assert attach(read_tree(GOOD | far), run_of(stamped(bobs, SECOND))) == []
    assert attach(read_tree(GOOD), bobs, run_of(stamped(bobs, THIRD))) != []
    assert len(attach(read_tree(GOOD), bobs, run_of(stamped(bobs, THIRD)))) == 1


def test_a_receipt_too_large_once_stamped_is_named_and_keeps_no_other(read_tree: ReadTree) -> None:
    room = (1 << 20) - len(local(note="").file.data)
    large = local(note="x" * room)
    longer = local(THIRD, note="password=hX3!k9 " * (room // 16))  # once scrubbed
    assert large.file.receipt is not None
    assert longer.file.receipt is not None
    found, left = unattached(read_tree(GOOD), large, local(SECOND), longer)
    assert found == [SECOND]
    assert [line.partition(" cannot be stamped: ")[0] for line in left] == [
        f"Run {FIRST} was not attached: its receipt",
        f"Run {THIRD} was not attached: its receipt",
    ]


def test_a_run_is_known_in_any_version_of_any_skill_of_a_team(read_tree: ReadTree) -> None:
    run = local()
    other: Files = {"skills/tdd/v2/SKILL.md": skill_md(body="2")}
    assert not attaching.is_in_team(read_tree(GOOD), run)
    known: list[Files] = [
        committed(run),
        committed(run, THIRD),
        other | committed(run, version=2),
        committed(run, version=7),  # of a version that is gone
        committed(local(who="bob")) | committed(run, SECOND),
    ]
    for there in known:
        assert attaching.is_in_team(read_tree(GOOD | there), run), there
    unknown: list[Files] = [
        committed(local(who="bob")),
        committed(local(THIRD)),
        {evals(): b"not json"},
        {evals(): (LINK, b"x")},
        {f"evals/{OTHER_ID}/v1/{FIRST}.json": stamped(run)},  # of no skill
    ]
    for there in unknown:
        assert not attaching.is_in_team(read_tree(GOOD | there), run), there
