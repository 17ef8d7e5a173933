"""What a JSON document is, by the keys that its kind alone has."""

import json
import os
from enum import StrEnum
from typing import Any

from receipts.errors import StoreError
from receipts.files import StrPath, read_limited
from receipts.jsontext import LIMIT


class Kind(StrEnum):
    """The kinds of documents that a verb may be given."""

    RECEIPT = "receipt"
    RUN = "run"
    """A saved run of attempts."""
    BENCHMARK = "benchmark"
    """What the skill-creator skill writes of runs with and without a skill."""
    OTHER = "other"
    """Something else, or no JSON at all: whoever reads it says what is wrong with it."""


def kind_of(data: bytes) -> Kind:
    """Return what some bytes are; nothing in them can make it raise."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return Kind.OTHER
    return _kind(document)


def kind_of_file(path: StrPath) -> Kind:
    """Return what a file is; a file larger than any receipt is taken for a run, and not read.

    One that cannot be read is `OTHER`.
    """
    try:
        if os.path.getsize(path) > LIMIT:
            return Kind.RUN
        return kind_of(read_limited(path, LIMIT, follow_links=True))
    except (OSError, StoreError):
        return Kind.OTHER


def _kind(document: Any) -> Kind:  # noqa: ANN401 - any JSON document
    if not isinstance(document, dict):
        return Kind.OTHER
    if "task_results" in document or {"run", "aggregate"} <= document.keys():
        return Kind.RUN
    if "schema_version" in document or "content_digest" in document:
        return Kind.RECEIPT
    is_benchmark = isinstance(document.get("metadata"), dict) and "runs" in document
    return Kind.BENCHMARK if is_benchmark else Kind.OTHER
