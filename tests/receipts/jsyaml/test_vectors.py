"""The digest vectors as far as they concern YAML: the canonical frontmatter of each SKILL.md."""

import base64
import json
import re
from pathlib import Path
from typing import Any

from receipts.jsyaml import YamlError, dump, load
from tests.shared import DATA, shared

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
FRONTMATTER = re.compile(f"---[{SPACE}]*\r?\n([^\\0]*?)\r?\n---(\r?\n|\\Z)")


def vectors(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def canonical(text: str) -> str:
    block = FRONTMATTER.match(text)
    try:
        data = load(block[1]) if block else None
    except YamlError:
        return text
    if block is None or not isinstance(data, dict):
        return text
    data = {key: value for key, value in data.items() if key != "license"}
    if isinstance(data.get("metadata"), dict):
        managed = ("id", "author")
        kept = {key: value for key, value in data["metadata"].items() if key not in managed}
        data["metadata"] = kept
    return f"---\n{dump(data)}---{block[2] or chr(10)}{text[block.end() :]}"


def check(path: Path, least: int) -> None:
    checked = 0
    for vector in vectors(path):
        expected = vector["canonical_skill_md"]
        text = base64.b64decode(vector["files"].get("SKILL.md", "")).decode("utf-8", "replace")
        if expected is None or "\0" in text:
            continue
        assert canonical(text) == expected, vector["id"]
        checked += 1
    assert checked >= least


def test_the_vectors_kept_here() -> None:
    check(DATA / "skillmd.jsonl", 15)


def test_every_shared_vector() -> None:
    check(shared("digest", "vectors.jsonl"), 150)
