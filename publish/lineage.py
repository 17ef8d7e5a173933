"""Which skill and which version a set of bytes is in a team: identity, category, number."""

from typing import NamedTuple

from publish import documents, layout, managed
from publish.contents import Contents
from publish.documents import Team
from publish.git import File, Identity, MirrorDamaged
from publish.managed import Managed
from publish.snapshot import Snapshot, Version
from receipts import terminal
from receipts.digest import SKILL_MD, measure_of
from receipts.errors import SkillError, TeamError, UsageError
from receipts.forms import is_skill_id

_LONGEST_CATEGORY = 64
_NOT_USED = "--category {} was not used: SKILL.md declares metadata.terum-category: {}."


class Category(NamedTuple):
    """The category to inject, or None to leave SKILL.md alone; what to say at once and afterwards.

    `line` says where the category comes from; `note`, that the team knows none of that name.
    """

    inject: str | None
    line: str | None
    note: str | None = None


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


def choose_category(before: Snapshot, contents: Contents, given: str | None) -> Category:
    """Decide on a skill's category: the one declared, else the one given, else what policy wants.

    Undeclared stays undeclared unless something asks for it, because a category counts in the
    digest and adding one would orphan the receipts that already measured these bytes. Where policy
    wants one, it is that of the newest version which has these bytes otherwise, so that identical
    bytes mint nothing; else the skill's newest; else `misc`.

    Args:
        before: The team at the tip.
        contents: The skill, for what it declares.
        given: The value of `--category`, if any.

    Raises:
        UsageError: The given category is no name.
        SkillError: SKILL.md is not UTF-8.
    """
    if given is not None:
        _check_form(given)
    team, declared = before.team, managed.declared(decode(contents)).category
    if declared:
        ignored = given is not None and _folded(given) != _folded(declared)
        line = _NOT_USED.format(given, declared) if ignored else None
        return Category(None, line, _note(team, declared))
    if given is not None:
        name = _spelled_as_in(team, given.strip())
        line = f"metadata.terum-category: {name} (from --category; edit SKILL.md any time)"
        return Category(name, line, _note(team, name))
    if team.category_required:
        number, name = _published_category(before, contents) or (0, documents.NO_CATEGORY)
        why = f"as Version {number} has it; " if number else ""
        line = (
            f"metadata.terum-category: {name} ({why}the team requires a category; edit SKILL.md "
            "any time)"
        )
        return Category(name, line, _note(team, name))
    return Category(None, None)


def _published_category(before: Snapshot, contents: Contents) -> tuple[int, str] | None:
    """Return a version and its category: the newest with these bytes otherwise, else the newest."""
    fallback = None
    digests: dict[str, str | None] = {}
    for version in before.versions(contents.name):
        category = _category_of(before, version)
        if category is None:
            continue
        if category not in digests:
            digests[category] = _digest_with(contents, category)
        if digests[category] is None:
            continue
        if digests[category] == version.digest:
            return version.number, category
        fallback = fallback or (version.number, category)
    return fallback


def _category_of(before: Snapshot, version: Version) -> str | None:
    try:
        metadata = before.description(version.name, version.number).get("metadata")
    except MirrorDamaged:
        raise
    except TeamError:
        return None
    category = metadata.get(managed.CATEGORY) if isinstance(metadata, dict) else None
    return category if isinstance(category, str) and category.strip() else None


def _digest_with(contents: Contents, category: str) -> str | None:
    """Return the digest that a skill would have, or None where the category cannot be written."""
    fields = Managed("x", "x", "x", category)  # of these the category alone counts
    try:
        return measure_of(_with(contents, fields)).digest
    except SkillError:
        return None


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
    injected = _with(contents, fields)
    skill_md = contents.files[SKILL_MD]._replace(data=injected[SKILL_MD])
    files = {**contents.files, SKILL_MD: skill_md}
    digest = measure_of(injected).digest
    versions = list(before.versions(contents.name))
    same_as = next((version for version in versions if version.digest == digest), None)
    number = same_as.number if same_as else (versions[0].number if versions else 0) + 1
    if layout.version_number(f"v{number}") is None:
        raise SkillError(
            f"{contents.name} has Version {number - 1}, and there is no number behind that.",
            "Publish it under another name.",
        )
    return Candidate(skill_id, files, digest, same_as, number)


def changed_modes(before: Snapshot, found: Candidate) -> list[str]:
    """Return the files whose executable bit is not that of the version with the same bytes.

    Empty for bytes that are no version yet.
    """
    if found.same_as is None:
        return []
    folder = layout.version_folder(found.same_as.name, found.same_as.number).encode() + b"/"
    published = {
        path.removeprefix(folder).decode("utf-8", "replace"): entry.executable
        for path, entry in before.view.walk(folder.rstrip(b"/"))
    }
    return sorted(
        path
        for path, file in found.files.items()
        if published.get(path, file.executable) != file.executable
    )


def _with(contents: Contents, fields: Managed) -> dict[str, bytes]:
    """Return the files of a skill with managed fields in its SKILL.md."""
    files = {path: file.data for path, file in contents.files.items()}
    return {**files, SKILL_MD: managed.inject(decode(contents), fields).encode()}


def _check_form(given: str) -> None:
    name = given.strip()
    if not name:
        raise UsageError("--category must be a non-empty name.")
    if name != terminal.one_line(name) or len(name) > _LONGEST_CATEGORY:
        raise UsageError(
            f"--category must be a name of at most {_LONGEST_CATEGORY} printable characters, with "
            "single blanks in it."
        )


def _note(team: Team, category: str) -> str | None:
    """Say that a category is none of the team's, and which those are. A team may list none."""
    if not team.categories or _folded(category) in map(_folded, team.categories):
        return None
    known = terminal.one_line(", ".join(team.categories))
    return (
        f"The category {terminal.one_line(category)} is new to the team, which has {known}. Change "
        "metadata.terum-category in SKILL.md, or add it to team.json in git."
    )


def _spelled_as_in(team: Team, category: str) -> str:
    matching = (known for known in team.categories if _folded(known) == _folded(category))
    return next(matching, category)


def _folded(category: str) -> str:
    return category.strip().casefold()
