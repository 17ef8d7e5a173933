"""files.json in a run's folder: the hash of each file that the run measured.

The digest says that bytes have changed since; this says which.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from receipts import jsontext
from receipts.digest import MeasuredFile
from receipts.errors import StoreError
from receipts.files import read_limited

NAME = "files.json"
_LIMIT = 16 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def encode(files: Iterable[MeasuredFile]) -> bytes:
    """Return the content of files.json for a measured skill."""
    rows = [{"path": f.path, "sha256": f.sha256, "executable": f.executable} for f in files]
    return json.dumps({"files": rows}, indent=2, ensure_ascii=False).encode() + b"\n"


def measured_files(run: Path) -> dict[str, str] | None:
    """Return path and hash of each file that the run in this folder measured.

    The hash of SKILL.md is of its canonical text, as in `receipts.digest`. None when the run does
    not say, or not in a form that can be relied on.
    """
    try:
        data = read_limited(run / NAME, _LIMIT, follow_links=False)
        document = jsontext.loads(data, limit=_LIMIT)
    except (FileNotFoundError, StoreError, jsontext.JsonError):
        return None
    rows = document.get("files") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        return None
    hashes = {}
    for row in rows:
        fields = row if isinstance(row, dict) else {}
        path, sha256 = fields.get("path"), fields.get("sha256")
        if not (isinstance(path, str) and isinstance(sha256, str) and _SHA256.match(sha256)):
            return None
        hashes[path] = sha256
    return hashes
