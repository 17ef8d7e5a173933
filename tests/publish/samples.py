"""Team repositories of any content, object by object, and the documents in them."""

import json
from pathlib import Path
from typing import Any

from publish import documents
from publish.git import File, Identity
from receipts.digest import content_digest_of
from receipts.receipt import read_receipt
from store.runs import LocalRun
from tests.publish.git.samples import put_object, put_tree
from tests.store import samples

ID = "4e80fd2a-04bc-4d9f-88f7-a849d92879f1"
OTHER_ID = "0d3c1c52-77c5-4d3b-9a35-6c7f1f6a2b11"
ADA = Identity("Ada", "ada@example.com")
PLAIN, EXECUTABLE, LINK, SUBMODULE = b"100644", b"100755", b"120000", b"160000"
_BLOB, _TREE = 3, 2

# Path to content, or to mode and content.
Files = dict[str | bytes, bytes | tuple[bytes, bytes]]


def build(repository: Path, files: Files) -> bytes:
    """Write a tree of files and return its id; any name and mode goes."""
    below: dict[bytes, Files] = {}
    entries: list[tuple[bytes, bytes, bytes]] = []
    for path, content in files.items():
        raw = path if isinstance(path, bytes) else path.encode()
        name, slash, rest = raw.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = content
            continue
        mode, data = content if isinstance(content, tuple) else (PLAIN, content)
        identifier = data if mode == SUBMODULE else put_object(repository, _BLOB, data)
        entries.append((mode, name, identifier))
    for name, inside in below.items():
        entries.append((b"40000", name, build(repository, inside)))
    return put_tree(repository, *sorted(entries, key=lambda e: e[1] + b"/" * (e[0] == b"40000")))


def skill_md(name: str = "tdd", skill_id: str | None = ID, body: str = "") -> bytes:
    metadata = f"metadata:\n  id: {skill_id}\n" if skill_id else ""
    return f"---\nname: {name}\ndescription: d\n{metadata}---\n{body}".encode()


def team(**fields: Any) -> bytes:
    return documents.dump({**documents.new_team("acme", license="MIT"), **fields})


def person(stem: str = "ada", **fields: Any) -> bytes:
    document = documents.new_person(stem, Identity(stem.title(), f"{stem}@example.com"))
    return documents.dump({**document, **fields})


def receipt(
    skill: dict[str, bytes] | str, run_id: str = samples.RUN, version: int = 1, **fields: Any
) -> bytes:
    """Return a receipt of a version, given as its files or its digest, stamped for the team."""
    digest = skill if isinstance(skill, str) else content_digest_of(skill)
    stamp = {"skill_id": ID, "version": f"v{version}", "skill_name": "tdd"}
    return samples.receipt(digest, run_id, **{**stamp, **fields})


def evals(run_id: str = samples.RUN, version: int = 1, skill_id: str = ID) -> str:
    return f"evals/{skill_id}/v{version}/{run_id}.json"


def plain(data: bytes | dict[str, Any]) -> File:
    return File(data if isinstance(data, bytes) else json.dumps(data).encode())


def run_of(data: bytes) -> LocalRun:
    """Return a receipt as the run that the local store would read."""
    file = read_receipt(data)
    return LocalRun(Path("run"), file.content_digest or "", file.run_id or "", file)
