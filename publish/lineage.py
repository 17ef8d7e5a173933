"""Which skill and which version a set of bytes is in a team: identity, category, number."""

from typing import NamedTuple

from publish import documents, layout, managed
from publish.contents import Contents
from publish.documents import Team
from publish.git import File, Identity
from publish.managed import Declared, Managed
from publish.snapshot import Snapshot, Version
from receipts.digest import SKILL_MD, measure_of
from receipts.errors import SkillError, UsageError
from receipts.forms import is_skill_id

_NOT_USED = "--category {} was not used: SKILL.md declares metadata.terum-category: {}."


class Category(NamedTuple):
    """The category to inject, or None to leave SKILL.md alone, and the line to print about it."""

    inject: str | None
    line: str | None


class Candidate(NamedTuple):
    """A skill's bytes as they would stand in the team.

    `same_as` is the published version that has these bytes already; `number` is that version's, or
    the one to mint.
    """

    skill_id: str
    files: dict[str, File]
    digest: str
    same_as: Version | None
    number: int


def decode(contents: Contents) -> str:
    """Return the text of SKILL.md.

    Raises:
        SkillError: It is not UTF-8, so that nobody could edit it without changing its bytes.
    """
    try:
        return contents.skill_md.decode()
    except UnicodeDecodeError as error:
        raise SkillError(
            f"SKILL.md is not valid UTF-8 (byte {error.start}).", "Save the file as UTF-8."
        ) from error


def choose_category(team: Team, declared: Declared, given: str | None) -> Category:
    """Decide on a skill's category: the one declared, else the one given, else what policy wants.

    Undeclared stays undeclared unless something asks for it, because a category counts in the
    digest and adding one would orphan the receipts that already measured these bytes.

    Args:
        team: The team, for its categories and policy.
        declared: What SKILL.md declares.
        given: The value of `--category`, if any.

    Raises:
        UsageError: The given category is blank.
    """
    if given is not None and not given.strip():
        raise UsageError("--category must be a non-empty name.")
    if declared.category:
        ignored = given is not None and _folded(given) != _folded(declared.category)
        return Category(None, _NOT_USED.format(given, declared.category) if ignored else None)
    if given is not None:
        name = _spelled_as_in(team, given.strip())
        return Category(
            name, f"metadata.terum-category: {name} (from --category; edit SKILL.md any time)"
        )
    if team.category_required:
        name = documents.NO_CATEGORY
        return Category(
            name,
            f"metadata.terum-category: {name} (the team requires a category; edit SKILL.md any "
            "time). It changes the digest: receipts that measured these bytes without it will not "
            "be attached.",
        )
    return Category(None, None)


def resolve_id(before: Snapshot, name: str, declared_id: str | None, fresh_id: str) -> str:
    """Return the id of a skill: the team's for this name, else the declared one, else a new one.

    A declared id that another published skill has is not taken.
    """
    known = before.skill_id(name, or_older=True)
    if known:
        return known
    declared = declared_id.lower() if declared_id and is_skill_id(declared_id) else None
    if declared and before.owner_of(declared) in (None, name):
        return declared
    return fresh_id


def candidate(
    before: Snapshot, contents: Contents, author: Identity, category: Category, fresh_id: str
) -> Candidate:
    """Return the skill as it would stand in the team, managed fields injected, nothing written.

    Raises:
        SkillError: SKILL.md has no frontmatter that the managed fields can be put into, or the team
            has the highest version number that there can be.
    """
    text = decode(contents)
    skill_id = resolve_id(before, contents.name, managed.declared(text).skill_id, fresh_id)
    fields = Managed(
        license=before.team.license,
        skill_id=skill_id,
        author=f"{author.name} <{author.email}>",
        category=category.inject,
    )
    injected = managed.inject(text, fields).encode()
    skill_md = contents.files[SKILL_MD]._replace(data=injected)
    files = {**contents.files, SKILL_MD: skill_md}
    digest = measure_of({path: file.data for path, file in files.items()}).digest
    versions = list(before.versions(contents.name))
    same_as = next((version for version in versions if version.digest == digest), None)
    number = same_as.number if same_as else (versions[0].number if versions else 0) + 1
    if layout.version_number(f"v{number}") is None:
        raise SkillError(
            f"{contents.name} has Version {number - 1}, and there is no number behind that.",
            "Publish it under another name.",
        )
    return Candidate(skill_id, files, digest, same_as, number)


def _spelled_as_in(team: Team, category: str) -> str:
    matching = (known for known in team.categories if _folded(known) == _folded(category))
    return next(matching, category)


def _folded(category: str) -> str:
    return category.strip().casefold()
