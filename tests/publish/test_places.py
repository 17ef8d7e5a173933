"""What the place of a receipt says of it: a local run, a checkout, a path of the layout."""

from pathlib import Path
from typing import Any

from publish import verifying
from publish.verifying import Verified
from receipts.digest import content_digest_of
from tests.publish.conftest import Hosted, Machine
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


# A checkout


def problems_in(hosted: Hosted, files: Files) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return what is wrong by path, in a checkout of these files and in the team of them."""
    hosted.put(files)
    place = hosted.clone()
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
    place = hosted.clone()
    assert [item.problems for item in verifying.verify_path(place)] == [[]]
    script = place / "skills" / "tdd" / "v1" / "a.sh"
    script.write_bytes(b"true\r\n")
    [item] = verifying.verify_path(place / "evals")
    changed = content_digest_of({**SKILL, "a.sh": b"true\r\n"})
    assert item.problems == misfiled(content_digest=(DIGEST, changed))
