"""HYG6 to HYG8: what makes a skill hard to find, heavy to load, or dependent on what it lacks."""

from collections.abc import Iterator, Sequence

from receipts.declared import CATEGORY
from receipts.digest import SKILL_MD
from receipts.hygiene.finding import Finding
from receipts.hygiene.frontmatter import Frontmatter
from receipts.jsyaml.units import to_units

GUIDELINE = 20_000
"""UTF-16 units of a SKILL.md, about 5,000 tokens."""


def of_description(front: Frontmatter) -> Iterator[Finding]:
    """Yield a finding for a description that is blank."""
    description = front.data.get("description")
    if isinstance(description, str) and not description.strip():
        line = front.line("description")
        yield Finding("HYG6", SKILL_MD, line, "description must not be empty.")


def of_size(text: str) -> Iterator[Finding]:
    """Yield a warning for a SKILL.md over the guideline."""
    size = len(to_units(text))
    if size > GUIDELINE:
        message = (
            f"SKILL.md is {size:,} characters, {size - GUIDELINE:,} over the"
            f" {GUIDELINE:,}-character guideline (~5k tokens). Size alone does not block this"
            " operation; loading this skill uses that much more context."
        )
        yield Finding("HYG6", SKILL_MD, 0, message, is_warning=True)


def of_category(front: Frontmatter, categories: Sequence[str]) -> Iterator[Finding]:
    """Yield a warning for a category that is not among those of the team, if it has some."""
    metadata = front.data.get("metadata")
    category = metadata.get(CATEGORY) if isinstance(metadata, dict) else None
    known = {name.lower() for name in categories}
    if isinstance(category, str) and category.strip() and known and category.lower() not in known:
        message = (
            f"{CATEGORY} `{category}` is not one of your team's categories "
            f"({', '.join(categories)}). Browse will give it a bucket of its own; add it to "
            "team.json or change this line."
        )
        line = front.line("metadata", CATEGORY)
        yield Finding("HYG7", SKILL_MD, line, message, is_warning=True)


def of_references(count: int) -> Iterator[Finding]:
    """Yield a warning for a skill that names files of the repository around it."""
    if count:
        message = (
            f"this skill references {count} repository paths outside its folder; it depends on "
            "files it does not carry"
        )
        yield Finding("HYG8", SKILL_MD, 0, message, is_warning=True)
