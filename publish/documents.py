"""`team.json` and `people/<handle>.json`: read permissively, unknown keys kept."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from publish import layout
from publish.git import Identity
from publish.names import is_handle
from receipts import jsontext
from receipts.errors import TeamError

CATEGORIES = ["debugging", "testing", "docs", "workflow", "research", "infra", "misc"]
NO_CATEGORY = "misc"
_LIMIT = 1 << 20

dump = jsontext.dump


class Team(NamedTuple):
    """A valid `team.json`; `document` is the whole of it."""

    document: dict[str, Any]

    @property
    def name(self) -> str:
        """The team's name, as its members wrote it."""
        return str(self.document["name"])

    @property
    def archived(self) -> frozenset[str]:
        """Handles of those who have left."""
        return frozenset(self.document["archived"])

    @property
    def categories(self) -> list[str]:
        """The categories that skills are expected to declare one of."""
        return list(self.document["categories"])

    @property
    def license(self) -> str:
        """The licence that every published skill is put under."""
        return str(self.document["policy"]["skill_license"])

    @property
    def category_required(self) -> bool:
        """Whether every published skill must declare a category (`policy.category: required`)."""
        return bool(self.document["policy"].get("category") == "required")

    @property
    def projects(self) -> dict[str, dict[str, Any]]:
        """Project name to its remotes and skill ids."""
        return dict(self.document["projects"])


def new_team(name: str, *, license: str) -> dict[str, Any]:  # noqa: A002 - the field's name
    """Return the `team.json` of a team without skills."""
    return {
        "layout_version": layout.LAYOUT_VERSION,
        "name": name,
        "categories": CATEGORIES,
        "projects": {},
        "archived": [],
        "policy": {"skill_license": license},
    }


def read_team(data: bytes) -> Team:
    """Read `team.json`.

    Raises:
        TeamError: It is not JSON, of another layout, or a field that the layout needs is odd.
    """
    document = _object(data, layout.TEAM)
    if document.get("layout_version") != layout.LAYOUT_VERSION:
        raise TeamError(
            f"This team repository has layout {document.get('layout_version')!r:.40}, not "
            f"{layout.LAYOUT_VERSION}.",
            "Use a version of receipts that knows its layout, or ask its admin to migrate it.",
        )
    projects = document.setdefault("projects", {})
    policy = document.setdefault("policy", {})
    document.setdefault("archived", [])
    document.setdefault("categories", [])
    oddities = {
        "name": not _is_text(document.get("name")),
        "categories": not _is_texts(document["categories"]),
        "archived": not _is_texts(document["archived"]),
        "policy.skill_license": not isinstance(policy, dict)
        or not _is_text(policy.setdefault("skill_license", "UNLICENSED")),
        "projects": not isinstance(projects, dict) or not all(map(_is_project, projects.values())),
    }
    for field, odd in oddities.items():
        if odd:
            raise TeamError(f"team.json: {field} is missing or malformed.", "Correct it in git.")
    return Team(document)


class Person(NamedTuple):
    """A valid `people/<handle>.json`; `document` is the whole of it."""

    document: dict[str, Any]

    @property
    def handle(self) -> str:
        """The member's handle."""
        return str(self.document["handle"])

    @property
    def display_name(self) -> str:
        """The member's name."""
        return str(self.document["display_name"])

    @property
    def email(self) -> str:
        """The member's e-mail address, from git's configuration at the time of joining."""
        return str(self.document.get("email", ""))


def new_person(handle: str, identity: Identity) -> dict[str, Any]:
    """Return the file of a member who has just joined."""
    return {
        "handle": handle,
        "display_name": identity.name,
        "email": identity.email,
        "github": "",
        "bio": "",
        "installed": [],
        "profile": [],
    }


def read_person(data: bytes, handle: str) -> Person:
    """Read the file of one member.

    Raises:
        TeamError: It is not JSON, is somebody else's, or lacks a name.
    """
    path = layout.person_path(handle)
    document = _object(data, path)
    declared = document.get("handle")
    if not isinstance(declared, str) or declared.strip().lower() != handle or not is_handle(handle):
        raise TeamError(f"{path}: handle is {declared!r:.60}, unlike the file's name.")
    if not _is_text(document.get("display_name")):
        raise TeamError(f"{path}: display_name is missing or malformed.")
    return Person({**document, "handle": handle})


def with_profile_entry(person: Person, *, skill_id: str, name: str, number: int) -> dict[str, Any]:
    """Return a member's document whose profile lists a skill at a version.

    An entry for the skill is updated in place; a new one goes last.

    Raises:
        TeamError: The profile is no list.
    """
    entry = {"id": skill_id, "name": name, "version": f"v{number}"}
    profile = person.document.get("profile") or []
    if not isinstance(profile, list):
        raise TeamError(f"{layout.person_path(person.handle)}: profile is malformed.")
    profile = list(profile)
    for position, item in enumerate(profile):
        if _is_entry_of(item, skill_id):
            if all(item.get(key) == value for key, value in entry.items()):
                return person.document
            profile[position] = {**item, **entry}
            break
    else:
        added = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        profile.append({**entry, "added": added, "via": "publish"})
    return {**person.document, "profile": profile}


def without_profile_entry(person: Person, skill_id: str) -> dict[str, Any] | None:
    """Return a member's document without a skill in its profile, or None when it was not there."""
    profile = person.document.get("profile")
    if not isinstance(profile, list):
        return None
    kept = [item for item in profile if not _is_entry_of(item, skill_id)]
    return None if len(kept) == len(profile) else {**person.document, "profile": kept}


def _is_entry_of(item: Any, skill_id: str) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(item, dict) and str(item.get("id", "")).lower() == skill_id.lower()


def _object(data: bytes, path: str) -> dict[str, Any]:
    try:
        document = jsontext.loads(data, limit=_LIMIT)
    except jsontext.JsonError as error:
        why = str(error).removeprefix("not JSON: ")
        raise TeamError(f"{path} is not JSON: {why}.", "Correct it in git.") from error
    if not isinstance(document, dict):
        raise TeamError(f"{path} must hold one JSON object.", "Correct it in git.")
    return document


def _is_text(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_project(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return (
        isinstance(value, dict)
        and _is_texts(value.get("remotes", []))
        and _is_texts(value.get("skills", []))
    )
