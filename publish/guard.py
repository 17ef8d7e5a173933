"""What each action may touch in a team repository: one table, checked on the exact set of paths.

The table is judged on the tree that the commit is built on, after the change is made and before it
is pushed. A path that no row allows is refused. This guards against our own mistakes and against a
race that changes what a change means; the server's own rules guard against everybody else.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from publish import documents, layout
from publish.git import Change, File, FolderTooLarge, MirrorDamaged, TreeView
from publish.names import unsafe_git_path
from publish.snapshot import Snapshot
from receipts import jsontext
from receipts.errors import GuardRefusal, TeamError

CREATE = "create"
JOIN = "join"
LEAVE = "leave"
PUBLISH = "publish"
EVAL = "eval"
UNPUBLISH = "unpublish"


class Action(NamedTuple):
    """What is being done, by whom, and to which skill where that narrows what may be touched."""

    verb: str
    handle: str
    skill: str = ""
    skill_id: str = ""


class _Case(NamedTuple):
    """One changed path, with all that a rule may look at."""

    action: Action
    path: str
    new: File | None
    before: Snapshot
    change: Change

    @property
    def old(self) -> bytes | None:
        """The bytes that stand there now."""
        return self.before.view.read(self.path.encode()) if self.exists else None

    @property
    def exists(self) -> bool:
        """Whether something stands there now."""
        return self.before.view.entry(self.path.encode()) is not None


def check(action: Action, view: TreeView, change: Change) -> None:
    """Raise unless every path of a change is one that its action may touch.

    Args:
        action: What is being done and by whom.
        view: The tree that the change was made for.
        change: The files to write and to remove.

    Raises:
        GuardRefusal: A path is unsafe, unknown to the layout, or not this action's to touch.
        FolderTooLarge: Nobody can tell, for a folder on the way holds more names than are read.
    """
    before = Snapshot(view)
    for folder in change.cleared:
        if not _may_go(action, folder.decode("utf-8", "replace")):
            raise _refused(action, folder.decode("utf-8", "replace"))
    for raw, new in change.files.items():
        path = raw.decode("utf-8", "replace")
        if problem := unsafe_git_path(raw):
            raise GuardRefusal(f"Refusing to write an unsafe path: {problem}.")
        if not _allowed(_Case(action, path, new, before, change)):
            raise _refused(action, path)


def _refused(action: Action, path: str) -> GuardRefusal:
    return GuardRefusal(f"Write guard refused {path} for {action.verb} by {action.handle}.")


def _may_go(action: Action, folder: str) -> bool:
    """Row k: unpublish removes its skill's folder and the receipts of its id, and no other."""
    match folder.split("/"):
        case [layout.SKILLS, name] if name:
            return action.verb == UNPUBLISH and name == action.skill
        case [layout.EVALS, skill_id] if skill_id:
            return action.verb == UNPUBLISH and skill_id.lower() == action.skill_id.lower()
    return False


def _allowed(case: _Case) -> bool:
    place = layout.place_of(case.path)
    rule = _RULES.get((case.action.verb, type(place)))
    try:
        return rule is not None and rule(case, place)
    except (FolderTooLarge, MirrorDamaged):
        raise
    except (TeamError, ValueError):
        return False  # what cannot be read cannot be shown to change in an allowed way


def _new_version(case: _Case, place: layout.VersionFile) -> bool:
    """Row a': a version is added whole, and only where none of its files stands yet."""
    folder = layout.version_folder(place.name, place.number).encode()
    is_free = case.before.view.entry(folder) is None
    return case.new is not None and place.name == case.action.skill and is_free


def _asset(case: _Case, place: layout.AssetFile) -> bool:
    """Row a'': evaluation assets are added and modified."""
    return case.new is not None and place.name == case.action.skill


def _new_receipt(case: _Case, place: layout.ReceiptPath) -> bool:
    """Row g: a receipt is written once, under the id that some version of the skill declares."""
    if case.new is None or case.exists:
        return False
    return place.skill_id.lower() == case.action.skill_id.lower() and _declares_id(case)


def _declares_id(case: _Case) -> bool:
    wanted = case.action.skill_id.lower()
    if case.before.skill_id(case.action.skill, or_older=True) == wanted:
        return True
    for raw, file in case.change.files.items():
        place = layout.place_of(raw.decode("utf-8", "replace"))
        if isinstance(place, layout.VersionFile) and place.path == "SKILL.md" and file is not None:
            return bool(case.before.declared_id(file.data) == wanted)
    return False


def _own_file(case: _Case, place: layout.PersonFile) -> bool:
    """Row b: members write their own file, under their own name."""
    if case.new is None or place.handle != case.action.handle:
        return False
    documents.read_person(case.new.data, place.handle)
    return True


def _profile_entry_removed(case: _Case, place: layout.PersonFile) -> bool:
    """Row k, for anybody's file: exactly this skill's profile entries go, nothing else."""
    if case.new is None or case.old is None:
        return False
    person = documents.read_person(case.old, place.handle)
    expected = documents.without_profile_entry(person, case.action.skill_id)
    return expected is not None and documents.dump(expected) == case.new.data


def _created(case: _Case, _: layout.Place) -> bool:
    """A team is created where nothing stands at all."""
    return case.new is not None and not case.before.view.entries()


def _same_but(case: _Case, difference: Callable[[Any, Any, Action], bool]) -> bool:
    """Say whether `team.json` changes only by a difference that a row allows."""
    if case.new is None or case.old is None:
        return False
    for data in (case.old, case.new.data):
        documents.read_team(data)
    return difference(jsontext.loads(case.old), jsontext.loads(case.new.data), case.action)


def _same(old: Any, new: Any) -> bool:  # noqa: ANN401 - JSON documents
    """Compare to the last digit: as floats, 2^53 and 2^53 + 1 are equal."""
    return jsontext.dumps(old) == jsontext.dumps(new)


def _only_project_skills(old: Any, new: Any, _: Action) -> bool:  # noqa: ANN401 - JSON documents
    """Rows c and c': only the skills that projects list differ."""

    def without_skills(document: Any) -> Any:  # noqa: ANN401 - a JSON document
        projects = document.get("projects", {})
        bare = {name: {**project, "skills": []} for name, project in projects.items()}
        return {**document, "projects": bare}

    return _same(without_skills(old), without_skills(new))


def _only_archived(old: Any, new: Any, action: Action) -> bool:  # noqa: ANN401 - JSON documents
    """Rows d and e, for oneself: leaving archives one's own handle, joining undoes it."""
    before, after = old.get("archived", []), new.get("archived", [])
    if not _same({**old, "archived": []}, {**new, "archived": []}):
        return False
    if action.verb == LEAVE:
        return bool(after == [*before, action.handle])
    return bool(after == [handle for handle in before if handle.lower() != action.handle])


_RULES: Mapping[tuple[str, type], Callable[[_Case, Any], bool]] = {
    (CREATE, layout.TopFile): _created,
    (CREATE, layout.PersonFile): lambda case, place: (
        _created(case, place) and _own_file(case, place)
    ),
    (JOIN, layout.PersonFile): _own_file,
    (JOIN, layout.TopFile): lambda case, place: (
        place.name == layout.TEAM and _same_but(case, _only_archived)
    ),
    (LEAVE, layout.TopFile): lambda case, place: (
        place.name == layout.TEAM and _same_but(case, _only_archived)
    ),
    (PUBLISH, layout.VersionFile): _new_version,
    (PUBLISH, layout.AssetFile): _asset,
    (PUBLISH, layout.ReceiptPath): _new_receipt,
    (PUBLISH, layout.PersonFile): _own_file,
    (PUBLISH, layout.TopFile): lambda case, place: (
        place.name == layout.TEAM and _same_but(case, _only_project_skills)
    ),
    (EVAL, layout.ReceiptPath): _new_receipt,
    (UNPUBLISH, layout.PersonFile): _profile_entry_removed,
    (UNPUBLISH, layout.TopFile): lambda case, place: (
        place.name == layout.TEAM and _same_but(case, _only_project_skills)
    ),
}
