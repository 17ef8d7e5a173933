"""Text that would drive a terminal, or be taken for ours, in every field that is shown."""

import json
from typing import Any

from receipts.digest import content_digest_of
from tests.hostile.planting import git, plant
from tests.hostile.team import FORGED, Team
from tests.members import Member
from tests.publish.samples import ID, OTHER_ID, evals
from tests.store import samples

# Colour, title, clearing, going back, an 8-bit escape, reordering, other line ends, a line of ours.
EVIL = (
    "\x1b[31mred\x1b]0;title\x07\x1b[2J\r\b\x9b2J\x7f\u202e\u2066\u200f\u2028\u2029\x85"
    f"\n{FORGED}\n  {FORGED}"
)
ESCAPED = r"\x1b[31mred\x1b]0;title\x07"
LATER = "20260917T000000Z"
LATEST = "20260918T000000Z"


def _frontmatter() -> bytes:
    text = json.dumps(EVIL)
    return (
        f"---\nname: {text}\ndescription: {text}\nlicense: {text}\nmetadata:\n  id: {ID}\n"
        f"  author: {text}\n  terum-category: {text}\n---\n{EVIL}"
    ).encode()


def _receipt(digest: str, run_id: str = samples.RUN, **fields: Any) -> dict[str, Any]:
    """Return a receipt that is valid, and hostile in every text that it may hold."""
    document = samples.document(
        digest,
        run_id,
        skill_id=ID,
        version="v1",
        skill_name=EVIL,
        attribution=EVIL,
        method=EVIL,
        source={"tool": EVIL, EVIL: EVIL},
        environment_skips={EVIL: [EVIL]},
        dropped_cases={EVIL: {"kind": "setup", "detail": EVIL}},
        arm_scores={EVIL: 0.5},
        case_runs={EVIL: {"passed": 1, "total": 1}},
        efficiency={EVIL: {"turns": 1, "duration_ms": 1, "cost_usd": 1}},
        triggers={"recall": 1, "precision": 1, "tp": 1, "fn": 0, "fp": 0, "tn": 1, EVIL: EVIL},
        per_case=[
            {
                "case": EVIL,
                "rep": 0,
                "arms": {EVIL: {"passed": True, "checks": [[EVIL, True]]}},
                "outcomes": {EVIL: "win"},
            }
        ],
    )
    compared = document["comparisons"]
    compared[f"candidate-vs-{EVIL}"] = compared["candidate-vs-baseline"]
    document["provenance"] |= {
        "cases": [EVIL],
        "arm_skill_lists": {EVIL: [EVIL]},
        **dict.fromkeys(
            ("engine_version", "engine_commit", "cc_version", "model", "judge_model",
             "timestamp", "runner_handle"),
            EVIL,
        ),
    }  # fmt: skip
    return document | fields


def _team(team: Team, **fields: Any) -> bytes:
    known = json.loads(git(team.repository, "show", "main:team.json"))
    return json.dumps(known | fields).encode()


def _plant(team: Team) -> None:
    skill_md = _frontmatter()
    digest = content_digest_of({"SKILL.md": skill_md})
    person = {"display_name": EVIL, "email": EVIL, "github": EVIL, "bio": EVIL}
    profile = [{"id": ID, "name": EVIL, "version": EVIL, "added": EVIL, "via": EVIL}]
    receipts = {
        evals(): _receipt(digest),
        evals(LATER): _receipt(digest, LATER, schema_version=3, verdict=EVIL),
        evals(LATEST): _receipt(digest, LATEST, scored_rows=EVIL),
        evals(samples.RUN, skill_id=OTHER_ID): {**_receipt(digest), EVIL: EVIL},
    }
    plant(
        team.repository,
        {
            b"skills/evil/v1/SKILL.md": skill_md,
            **{path.encode(): json.dumps(data).encode() for path, data in receipts.items()},
            b"people/eve.json": json.dumps({"handle": "eve", "profile": profile} | person).encode(),
            b"people/mal.json": json.dumps({"handle": EVIL} | person).encode(),
            b"team.json": _team(
                team,
                name=EVIL,
                categories=[EVIL],
                archived=[EVIL],
                projects={EVIL: {"remotes": [EVIL], "skills": [ID]}},
            ),
            b".gitattributes": f"* filter={EVIL}\n".encode(),
        },
    )


def test_text(team: Team) -> None:
    _plant(team)
    said = team.visit(
        named=[
            r"people/mal\.json: handle is '\\x1b\[31m.*, unlike the file's name\.",
            r"\.gitattributes line 1 has git pass files through the filter \\x1b\[31mred",
        ]
    )
    shown = team.run("show", "evil")
    for text in (shown.out, said["cards"].out, said["members"].out, said["sync"].out):
        assert ESCAPED in text
    installed = team.run("install", "evil")
    assert "Copied 2 receipt(s)" in installed.out
    for arguments in (["show", "evil", "--json"], ["list", "--json"], ["cards", "--json"],
                      ["team", "members", "--json"], ["team", "status", "--json"],
                      ["sync", "--json"], ["library", "list", "--json"]):  # fmt: skip
        assert json.loads(team.run(*arguments).out)
    assert json.loads(team.run("verify", "--team", "--json", code=1).out)
    for arguments in (["cards"], ["list"], ["list", "evil"], ["show", LATER], ["cards", "evil"]):
        team.run(*arguments)
    refused = team.run("publish", team.mine, "--project", "web", code=2)
    assert "Known projects: \\x1b[31mred" in refused.err
    team.run("unpublish", "evil", "--yes")


def test_a_name_that_no_machine_takes_is_joined_under_another(team: Team) -> None:
    _plant(team)
    carol = Member(team.folder, "carol")
    refused = team.run("team", "join", team.repository, code=2, member=carol)
    assert "--as NAME" in refused.err
    team.run("team", "join", team.repository, "--as", "acme", member=carol)
    assert "evil" in team.run("sync", member=carol).out


def test_a_licence_that_no_line_can_hold_publishes_nothing(team: Team) -> None:
    plant(team.repository, {b"team.json": _team(team, policy={"skill_license": EVIL})})
    before = (team.mine / "SKILL.md").read_bytes()
    refused = team.run("publish", team.mine, code=1)
    assert "holds a control character or a line end" in refused.err
    assert (team.mine / "SKILL.md").read_bytes() == before
    team.run("cards")
