"""What a SKILL.md says of itself: the id, the author and the category that its publisher gave it.

They stand in the frontmatter's `metadata`; id and author, where there is none, in a comment, the
last line before the closing dashes:

    # receipts: id=4e80fd2a-04bc-4d9f-88f7-a849d92879f1 author=Sam Roe <sam@example.com>
"""

import re
from typing import Any, NamedTuple

from receipts import skillmd

CATEGORY = "terum-category"
CARRIER = re.compile(r"^# receipts: id=(\S+) author=([^\r\n]*?)[ \t]*(?=\r?$)", re.MULTILINE)


class Declared(NamedTuple):
    """What a file says about itself; None where it says nothing, or nothing that is text."""

    skill_id: str | None
    author: str | None
    category: str | None


def declared(text: str) -> Declared:
    """Return what a SKILL.md declares; nothing when its frontmatter cannot be read."""
    data = skillmd.fields(text)
    parts = skillmd.split(text)
    if data is None or parts is None:
        return Declared(None, None, None)
    metadata = data.get("metadata")
    fields: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
    carried_id = carried_author = None
    for found in CARRIER.finditer(parts.block):  # the last one counts
        carried_id, carried_author = found.groups()
    return Declared(
        _text(fields.get("id")) or _text(carried_id),
        _text(fields.get("author")) or _text(carried_author),
        _text(fields.get(CATEGORY)),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
