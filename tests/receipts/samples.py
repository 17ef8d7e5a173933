"""Receipts to start from."""

import json
from typing import Any

from receipts.receipt import Receipt
from tests.shared import DATA


def document(**changes: Any) -> dict[str, Any]:
    """Return the JSON of a whole receipt of schema 2, the one of the documented report, changed."""
    return json.loads(_bytes("v2-unknown-fields-everywhere")) | changes  # type: ignore[no-any-return]


def receipt(**changes: Any) -> Receipt:
    """Return that receipt as a model."""
    return Receipt.model_validate_json(json.dumps(document(**changes)))


def _bytes(name: str) -> bytes:
    return (DATA / "receipts" / "accept" / f"{name}.json").read_bytes()
