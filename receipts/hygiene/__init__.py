"""Hygiene: whether a skill is fit to be shared, by the eight rules that its team's clients hold.

`check` looks at a whole skill; `unfit_to_share` holds any files to the two rules about what no
shared text may contain, as generated eval assets are before they are written.
"""

from collections.abc import Collection, Mapping, Sequence

from receipts.declared import Declared, declared
from receipts.digest import SKILL_MD
from receipts.errors import SkillError
from receipts.hygiene import filekinds, frontmatter, guidelines, licenses
from receipts.hygiene.finding import Finding
from receipts.hygiene.text import text_of, unfit_text, unfit_to_share

__all__ = ["Finding", "check", "unfit_to_share"]


def check(
    name: str,
    files: Mapping[str, bytes],
    executable: Collection[str] = (),
    *,
    published: bool = False,
    license_policy: str | None = None,
    categories: Sequence[str] = (),
    outside: int = 0,
) -> list[Finding]:
    """Hold a skill to the rules HYG1 to HYG8.

    Args:
        name: The skill's name.
        files: Contents by path, evaluation assets included. Each is asked for when it is looked
            at, and not kept.
        executable: The paths with an executable bit.
        published: Whether it is a published version, which has a license, an id and an author.
        license_policy: The license that the team gives its skills, if one is known.
        categories: The team's categories, if they are known.
        outside: How many paths of the repository around it SKILL.md names.

    Returns:
        The findings, errors before warnings, by path and rule.

    Raises:
        SkillError: There is no SKILL.md, or a file cannot be read.
    """
    if SKILL_MD not in files:
        raise SkillError(f"{name} has no {SKILL_MD}.", "Name the folder that holds it.")
    text = text_of(files[SKILL_MD])
    says = declared(text) if text is not None else Declared(None, None, None)
    front = frontmatter.read(text) if text is not None else _NO_TEXT
    found: list[Finding | None] = []
    author = None
    if isinstance(front, Finding):
        found.append(front)
    else:
        author = says.author
        found.append(frontmatter.problem(front, name, says if published else None))
        found.append(licenses.problem(front, files, license_policy))
        found += guidelines.of_description(front)
        found += guidelines.of_category(front, categories)
    found += guidelines.of_size(text or "")
    found += guidelines.of_references(outside)
    for path in files:
        data = files[path]
        text = text_of(data)
        if text is not None:
            found += unfit_text(path, text, author)
        found.append(filekinds.problem(path, data, executable))
    return sorted(
        (each for each in found if each is not None),
        key=lambda each: (each.is_warning, each.path, each.code),
    )


_NO_TEXT = Finding("HYG1", SKILL_MD, 0, "SKILL.md frontmatter is invalid: it is no UTF-8 text.")
