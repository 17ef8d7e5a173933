"""Documents made to exhaust, to confuse or to pass for others: JSON, YAML and receipts."""

import json
from typing import Any, NamedTuple

from receipts.digest import content_digest_of
from tests.hostile.planting import Content, Files, git, plant
from tests.hostile.team import Team
from tests.publish.samples import evals, receipt, skill_md

_DEEP = 10_000
_DEEP_MAP = b'{"a":' * _DEEP + b"1" + b"}" * _DEEP
_DEEP_LIST = b"[" * _DEEP + b"]" * _DEEP
_TWICE = (b'"verdict": "PASS"', b'"verdict": "FAIL", "verdict": "PASS"')
_FAT = 50 << 20
_NOISE = bytes(range(256)) * 40
_RAW = "the frontmatter is measured as raw text"


def _id(number: int) -> str:
    return f"4e80fd2a-04bc-4d9f-88f7-a849d928{number:04x}"


def _receipt_of(skill: bytes, number: int, name: str, **fields: Any) -> bytes:
    return receipt({"SKILL.md": skill}, skill_id=_id(number), skill_name=name, **fields)


def _bomb(number: int) -> bytes:
    """Return a frontmatter of ten aliases to ten aliases, twelve deep."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        aliases = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{aliases}]")
    text = "\n".join(lines)
    return f"---\nname: bomb\nmetadata:\n  id: {_id(number)}\n{text}\n---\n".encode()


class Planted(NamedTuple):
    """Files, and what is said of them: patterns of `Team.visit`."""

    files: Files
    named: list[str]


def _receipts() -> Planted:
    names = ["deep-map", "deep-list", "fat", "of-another", "of-other-bytes", "twice", "cut"]
    skills = {name: skill_md(name, _id(number)) for number, name in enumerate(names)}
    good = {name: _receipt_of(skills[name], n, name) for n, name in enumerate(names)}
    documents = {
        **good,
        "deep-map": _DEEP_MAP,
        "deep-list": _DEEP_LIST,
        "fat": good["fat"] + b" " * _FAT,
        "of-another": good["deep-map"],
        "of-other-bytes": _receipt_of(skills["cut"], 4, "of-other-bytes"),
        "twice": good["twice"].replace(*_TWICE),
        "cut": good["cut"][:-9],
    }
    at = {name: evals(skill_id=_id(number)) for number, name in enumerate(names)}
    files = {f"skills/{name}/v1/SKILL.md".encode(): data for name, data in skills.items()}
    return Planted(
        files | {at[name].encode(): documents[name] for name in names},
        [
            rf"{at['deep-map']}: not JSON: nested deeper than 200 levels",
            rf"{at['deep-list']}: not JSON: nested deeper than 200 levels",
            rf"{at['fat']} in the team repository has 52,42\d,\d+ bytes, more than the 1,048,576",
            rf"{at['cut']}: not JSON: ",
            rf"(misfiled receipt )?{at['of-another']}: .*(skill id|skill_id)",
            rf"{at['of-other-bytes']}(:| measured other bytes)",
        ],
    )


def _people(known: bytes) -> Planted:
    repeated = known.replace(b'"name"', b'"layout_version": 9, "name"', 1)
    repeated = repeated.replace(b'"archived"', b'"layout_version": 3, "archived"', 1)
    return Planted(
        {
            b"people/deep.json": _DEEP_MAP,
            b"people/fat.json": b" " * _FAT,
            b"people/dup.json": b'{"handle": "dup", "display_name": "A", "display_name": "B"}',
            b"people/noise.json": _NOISE,
            b"team.json": repeated,
        },
        [
            r"people/deep\.json is not JSON: nested deeper than 200 levels",
            r"people/fat\.json in the team repository has 52,428,800 bytes, more than",
            r"people/dup\.json: display_name: stands here 2 times, and only the last counts\.",
            r"people/noise\.json is not JSON: a byte is not UTF-8",
            r"team\.json: layout_version: stands here 3 times, and only the last counts\.",
        ],
    )


_FRONTMATTER: dict[str, bytes] = {
    "bomb": _bomb(50),
    "deep": b"---\nname: deep\nx: " + b"[" * _DEEP + b"]" * _DEEP + b"\n---\n",
    "two-names": f"---\nname: a\nname: b\nmetadata:\n  id: {_id(51)}\n---\n".encode(),
    "wide": b"---\n" + b"a: b\n" * 100_000 + b"---\n",
    "latin": b"---\nname: caf\xe9\n---\n",
    "noise": _NOISE,
}


def _frontmatter() -> Planted:
    """Return skills that are measured all the same: as text, as the other client does it."""
    named = {name: rf"skills/{name}/v1/SKILL\.md line \d+: .*; {_RAW}" for name in _FRONTMATTER}
    named["latin"] = r"skills/latin/v1/SKILL\.md line 2: byte 0xe9 is not UTF-8; its digest is not"
    named["noise"] = (
        r"skills/noise/v1/SKILL\.md line \d+: byte 0x80 is not UTF-8; its digest is not"
    )
    return Planted(
        {
            **{f"skills/{name}/v1/SKILL.md".encode(): md for name, md in _FRONTMATTER.items()},
            evals(skill_id=_id(50)).encode(): _receipt_of(_FRONTMATTER["bomb"], 50, "bomb"),
        },
        [*named.values()],
    )


def test_documents(team: Team) -> None:
    parts = [_receipts(), _people(git(team.repository, "show", "main:team.json")), _frontmatter()]
    text = skill_md("fat-text", _id(60)) + b"x" * (20 << 20)
    files: dict[bytes, Content] = {b"skills/fat-text/v1/SKILL.md": text}
    for part in parts:
        files |= part.files
    plant(team.repository, files)
    said = team.visit(
        named=[pattern for part in parts for pattern in part.named],
        refused={"fat-text": r"fat-text v1: SKILL\.md is 2097\d+ bytes, more than the 8388608"},
    )
    cards = {card["name"]: card for card in json.loads(said["cards --json"].out)["cards"]}
    for name in ("deep-map", "deep-list", "fat", "of-another", "of-other-bytes", "cut"):
        assert cards[name]["state"] == "unreadable"
    for name, data in _FRONTMATTER.items():
        assert cards[name]["digest"] == content_digest_of({"SKILL.md": data})
        assert cards[name]["state"] == "none"
    assert cards["twice"]["state"] == "scored"
    twice = "verdict: stands here 2 times, and only the last counts"
    assert f"{evals(skill_id=_id(5))}: {twice}" in said["verify"].out
    assert f"contradicts itself: {twice}" in said["cards"].err
    for name in ("fat", "bomb"):
        team.run("show", name, code=1)
    # The skill itself is good; of its receipt nothing is kept here.
    assert "Skipped 20260916T042108Z: invalid receipt." in team.run("install", "fat").out
    team.run("install", "bomb")
    assert "bomb" in team.run("cards").out


def test_a_team_document_that_nobody_can_read(team: Team) -> None:
    for data, why in (
        (_DEEP_MAP, "nested deeper than 200 levels"),
        (b" " * _FAT, "has 52,428,800 bytes"),
        (b'{"layout_version": 3, "layout_version": 4, "name": "a"}', "has layout 4, not 3"),
    ):
        plant(team.repository, {b"team.json": data})
        assert why in team.run("sync", code=1).err
        assert why in team.run("cards").err
