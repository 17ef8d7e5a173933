"""The fields that a publish writes into SKILL.md, put there without touching anything else.

`license`, `metadata.id` and `metadata.author` do not count in the digest; `metadata` itself does,
even emptied. So where a file has no `metadata`, the id and the author stand in a comment
(`receipts.declared`), and the receipts that measured the file stay with it.
A category counts, so writing one makes a `metadata` map and a new digest.
"""

import re
from typing import NamedTuple

from receipts import skillmd
from receipts.declared import CARRIER, CATEGORY, Declared, declared
from receipts.errors import SkillError

__all__ = ["CATEGORY", "Declared", "Managed", "declared", "inject"]

# Control characters, line ends of any YAML version and half surrogate pairs.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CANNOT = "SKILL.md: the managed fields cannot be written without changing something else."


class Managed(NamedTuple):
    """What a publish writes. `category` is written only where the file declares none."""

    license: str
    skill_id: str
    author: str
    category: str | None


def inject(text: str, fields: Managed) -> str:
    """Return a SKILL.md with the managed fields set and every other character as it was.

    Injecting the same fields again changes nothing. The content digest stays, unless a category is
    written or a `metadata` that is no map is replaced by one.

    Raises:
        SkillError: There is no frontmatter, it is not valid, or it cannot be edited with certainty.
    """
    from publish.yamledit import YamlEdit

    _check(fields)
    parts = skillmd.split(text)
    if parts is None:
        raise SkillError(
            "SKILL.md has no YAML frontmatter.", "Begin it with `---`, name, description, `---`."
        )
    line_end = "\r\n" if parts.closing.startswith("\r") else "\n"
    edit = YamlEdit(parts.block, CARRIER, line_end, parts.lines_before)
    below = {"id": fields.skill_id, "author": fields.author}
    if fields.category and not declared(text).category:
        below[CATEGORY] = fields.category
    keeps_digest = CATEGORY not in below
    edit.set_top("license", fields.license)
    if isinstance(edit.data.get("metadata"), dict):
        for name, value in below.items():
            edit.set_below("metadata", name, value)
        edit.remove_footers()
    elif "metadata" in edit.data or CATEGORY in below:
        edit.make_map("metadata", below)
        edit.remove_footers()
        keeps_digest = False
    else:
        edit.set_footer(f"# receipts: id={fields.skill_id} author={fields.author}")
    result = parts.opening + edit.text + parts.closing + parts.body
    same_places = skillmd.split(result) == parts._replace(block=edit.text)
    if not same_places or (keeps_digest and _measured(result) != _measured(text)):
        raise SkillError(_CANNOT, "Simplify its frontmatter.")
    return result


def _check(fields: Managed) -> None:
    for field, value in fields._asdict().items():
        name = field.replace("_", " ")
        if value is None:
            continue
        if not value or value != value.strip():
            raise SkillError(f"The {name} {value!r} is empty or has blanks around it.")
        if _UNWRITABLE.search(value):
            raise SkillError(f"The {name} {value!r} holds a control character or a line end.")
    if len(fields.skill_id.split()) != 1:
        raise SkillError(f"The skill id {fields.skill_id!r} holds a blank.")


def _measured(text: str) -> str:
    return skillmd.canonical(text.encode()).text
