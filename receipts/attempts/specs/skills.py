"""The skills of a spec: read once, before anything runs, and installed for each attempt."""

import os
import posixpath
from dataclasses import dataclass, field
from pathlib import Path

from receipts.attempts.specs import gitsource, skillfiles
from receipts.attempts.specs.frontmatter import name_in
from receipts.attempts.specs.gitcache import CachedRepository
from receipts.attempts.specs.model import GitSource, PathSource, SkillSource, Spec
from receipts.attempts.specs.problems import Place, Problems
from receipts.attempts.specs.skillfiles import Files, Rules
from receipts.attempts.specs.sources import SKILL_MD
from receipts.errors import ReceiptsError, SkillError
from receipts.filenames import shown

_NAME_RULE = "letters, digits, `.`, `_` and `-`"


@dataclass(frozen=True)
class Skill:
    """A skill that a spec declares.

    Attributes:
        name: What its front matter calls it, and the agent with it.
        source: The entry of the spec.
        path: Where its SKILL.md is, as a full path.
        files: What is installed of its folder.
        commit: The commit of a git source; None for a path.
    """

    name: str
    source: SkillSource
    path: str
    files: Files = field(repr=False)
    commit: str | None


@dataclass(frozen=True)
class Neighbourhood:
    """The skills of a spec, side by side.

    Attributes:
        skills: Those that could be read, in the order of the spec.
        uncached: Git sources that are not on this machine, where none was to be fetched.
        warnings: What is odd, one sentence each.
    """

    skills: tuple[Skill, ...]
    uncached: tuple[GitSource, ...]
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in the order of the spec."""
        return tuple(skill.name for skill in self.skills)


def resolve(spec: Spec, *, fetch: bool) -> Neighbourhood:
    """Find and read the skills of a spec, and check what tasks say of them.

    Args:
        spec: The spec.
        fetch: Whether git sources are asked for at their repositories. Without, only the cache is
            looked at, and names are checked when all skills are known.

    Raises:
        SpecError: A skill cannot be used, or a task names one that is not declared.
    """
    return _Resolving(spec, fetch=fetch).all()


class _Resolving:
    def __init__(self, spec: Spec, *, fetch: bool) -> None:
        self._spec = spec
        self._fetch = fetch
        self._problems = Problems(spec.path)
        self._rules = Rules(spec.forbidden_files)
        self._uncached: list[GitSource] = []
        self._warnings: list[str] = []

    def all(self) -> Neighbourhood:
        skills: list[Skill] = []
        for source in self._spec.skills:
            try:
                skill = self._skill(source)
            except ReceiptsError as error:
                what = f"skill {shown(str(source))}: {error.message.rstrip('.')}"
                self._refuse(source.line, what, error.hint)
                continue
            if skill is not None:
                self._check_unique(skill, skills)
                skills.append(skill)
        if not self._uncached and not self._problems:
            self._check_tasks({skill.name for skill in skills})
        self._problems.raise_any()
        return Neighbourhood(tuple(skills), tuple(self._uncached), tuple(self._warnings))

    def _skill(self, source: SkillSource) -> Skill | None:
        if isinstance(source, PathSource):
            path, files = self._on_disk(source)
            commit = None
        else:
            repository = gitsource.cached_repository(source, self._spec.folder)
            commit = self._commit(source, repository)
            if commit is None:
                self._uncached.append(source)
                return None
            path = str(repository.entry(commit) / source.path)
            files = gitsource.read_commit(repository, commit, source, self._rules)
        if SKILL_MD not in files.kept:
            why = f": {files.left_out[0]}" if files.left_out else ""
            raise SkillError(f"its {SKILL_MD} would not be installed, so no agent finds it{why}")
        return Skill(_name(files.kept[SKILL_MD].data), source, path, files, commit)

    def _on_disk(self, source: PathSource) -> tuple[str, Files]:
        if posixpath.basename(source.path.replace(os.sep, "/")) != SKILL_MD:
            raise SkillError(f"it is no {SKILL_MD}", f"Name the {SKILL_MD} in the skill's folder.")
        path = os.path.abspath(self._spec.folder / os.path.expanduser(source.path))
        if not os.path.isfile(path):
            raise SkillError(f"there is no file {shown(path)}")
        return path, skillfiles.read_folder(Path(path).parent, self._rules)

    def _commit(self, source: GitSource, repository: CachedRepository) -> str | None:
        if not self._fetch:
            return repository.cached(source.ref)
        try:
            return repository.fetched(source.ref)
        except SkillError as error:
            commit = repository.cached(source.ref)
            if commit is None:
                raise
            self._warnings.append(
                f"{error.message}; its commit {commit[:12]} is taken from the cache."
            )
            return commit

    def _check_unique(self, skill: Skill, before: list[Skill]) -> None:
        for other in before:
            if other.name.casefold() == skill.name.casefold():
                self._refuse(
                    skill.source.line,
                    f"skill {shown(str(skill.source))} is named {skill.name!r}, as"
                    f" {shown(str(other.source))} is; both would be installed in one folder",
                )

    def _check_tasks(self, names: set[str]) -> None:
        declared = ", ".join(sorted(names)) or "none"
        for task in self._spec.tasks:
            for name in sorted((task.activates or frozenset()) - names):
                self._refuse(
                    task.line,
                    f"task {shown(task.name)!r} expects {shown(name)!r} to activate, and the"
                    f" skills of the spec are {declared}",
                )
            for slash in {turn.slash for turn in task.history} - names - {None}:
                self._warnings.append(
                    f"Task {shown(task.name)!r} plants a turn that starts with /{slash}, and the"
                    f" skills of the spec are {declared}; the turn stays plain text."
                )

    def _refuse(self, line: int, sentence: str, hint: str = "") -> None:
        whole = f"{sentence}. {hint}" if hint else sentence
        self._problems.add(Place(str(self._spec.path), line), whole)


def _name(data: bytes) -> str:
    try:
        name = name_in(data.decode())
    except UnicodeDecodeError as error:
        raise SkillError(f"{SKILL_MD} is not UTF-8 at byte {error.start}") from None
    if name is None:
        raise SkillError(
            f"{SKILL_MD} has no `name` in its front matter that is text",
            "Its first line must be `---`, and a line `name: NAME` below it.",
        )
    if name in (".", "..") or not name.isascii() or not _is_plain(name):
        raise SkillError(f"its name {shown(name)!r} may hold {_NAME_RULE} only")
    return name


def _is_plain(name: str) -> bool:
    return all(character.isalnum() or character in "._-" for character in name)
