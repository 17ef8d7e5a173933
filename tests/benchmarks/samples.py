"""Team repositories of any size, written through `git fast-import`."""

import json
import random
import subprocess
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from publish import documents
from publish.git import Identity, create_bare
from receipts import runid, stats
from receipts.digest import content_digest_of
from tests.store import samples

WHO = Identity("Ada Member", "ada@example.com")
HANDLE = "ada"
_PER_COMMIT = 5
_BEGAN = 1_750_000_000
# Texts as varied as a judge's words, or git would pack the receipts into nothing.
_WORDS = [a + b + c for a in "bdfgklmprst" for b in ("a", "ei", "o", "u") for c in "nrstvx"]
_OUTCOMES = ("win", "win", "tie", "win", "tie", "loss", "win")
_PASSED = {"win": (False, True), "loss": (True, False), "tie": (True, True)}


class Skill(NamedTuple):
    """A published skill of one version; `files` are those of the version."""

    name: str
    skill_id: str
    digest: str
    files: dict[str, bytes]

    def receipt(self, number: int) -> tuple[str, bytes]:
        """Return the place and the bytes of the receipt of this number, 3 to 6 kB of them."""
        time = datetime.fromtimestamp(_BEGAN + 60 * number, UTC)
        run_id = runid.from_time(time)
        return f"evals/{self.skill_id}/v1/{run_id}.json", _receipt(self, run_id, number)


def skill(number: int) -> Skill:
    """Return the skill of this number, always the same."""
    name = f"skill-{number:04d}"
    skill_id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    text = (
        f"---\nname: {name}\ndescription: Does what number {number} of a team needs.\n"
        f"metadata:\n  id: {skill_id}\n  author: {WHO.name} <{WHO.email}>\n"
        f"  terum-category: testing\n---\n\n# {name}\n\n" + "One thing after the other.\n" * 40
    )
    files = {
        "SKILL.md": text.encode(),
        "references/notes.md": f"# Notes of {name}\n".encode() * 20,
        "scripts/run.sh": f"#!/bin/sh\necho {name}\n".encode(),
    }
    return Skill(name, skill_id, content_digest_of(files), files)


def _receipt(of: Skill, run_id: str, number: int) -> bytes:
    chance = random.Random(f"{of.name} {number}")
    rows = [
        {
            "case": f"case-{row}",
            "rep": 0,
            "arms": {
                arm: {"passed": passed, "checks": [["exit_code:0", True], ["file:out.md", passed]]}
                for arm, passed in zip(("baseline", "candidate"), _PASSED[outcome], strict=True)
            },
            "outcomes": {"candidate-vs-baseline": outcome},
            "why": " ".join(chance.choices(_WORDS, k=20)),
        }
        for row, outcome in enumerate(_OUTCOMES[: 4 + number % 4])
    ]
    outcomes = [row["outcomes"]["candidate-vs-baseline"] for row in rows]  # type: ignore[index]
    record = tuple(outcomes.count(kind) for kind in ("win", "loss", "tie"))
    time = runid.to_time(run_id).isoformat()
    document = samples.document(
        of.digest,
        run_id,
        skill_id=of.skill_id,
        skill_name=of.name,
        version="v1",
        verdict=stats.verdict(*record),
        expected_rows=len(rows),
        scored_rows=len(rows),
        per_case=rows,
        comparisons={
            "candidate-vs-baseline": {
                "win": record[0],
                "loss": record[1],
                "tie": record[2],
                "net_lift": stats.net_lift(*record),
                "sign_p": stats.sign_test(*record),
            }
        },
    )
    document["provenance"] |= {"timestamp": time, "runner_handle": HANDLE}
    return json.dumps(document, indent=2).encode() + b"\n"


def make_team(repository: Path, *, skills: int, receipts: int) -> None:
    """Make a bare team repository: so many skills, each with so many receipts, packed as git does.

    The receipts come five to a commit, and turn by turn: the history of a team that works on all
    of its skills.
    """
    create_bare(repository)
    git = ["git", "-C", str(repository)]
    subprocess.run([*git, "config", "http.receivepack", "true"], check=True)
    command = [*git, "fast-import", "--quiet", "--depth=50"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        _write_history(process.stdin, [skill(number) for number in range(skills)], receipts)
    assert process.returncode == 0
    subprocess.run([*git, "gc", "-q"], check=True)


def _write_history(stream: IO[bytes], skills: list[Skill], receipts: int) -> None:
    team = documents.dump(documents.new_team("acme", license="MIT"))
    person = documents.dump(documents.new_person(HANDLE, WHO))
    first = [("team.json", team), (f"people/{HANDLE}.json", person)]
    for each in skills:
        first += [(f"skills/{each.name}/v1/{path}", data) for path, data in each.files.items()]
    _write_commit(stream, 0, first)
    all_receipts = (each.receipt(number) for number in range(receipts) for each in skills)
    for count, batch in enumerate(_batches(all_receipts), 1):
        _write_commit(stream, count, batch)


def _batches(items: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == _PER_COMMIT:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_commit(stream: IO[bytes], count: int, files: list[tuple[str, bytes]]) -> None:
    who = b"%s %d +0000" % (WHO.line(), _BEGAN + count)
    stream.write(b"commit refs/heads/main\ncommitter %s\ndata 5\ntest\n\n" % who)
    for path, data in files:
        stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
