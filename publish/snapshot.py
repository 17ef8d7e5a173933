"""One commit of a team repository, read as a team: its skills, versions, receipts and people.

Everything here comes from a repository that anybody may have written to. What cannot be read is
named and left out, and never hides what can.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from publish import attributes, documents, layout, managed, names, stored
from publish.documents import Person, Team
from publish.git import Entry, FolderTooLarge, MirrorDamaged, TreeView
from publish.known import Known, KnownReceipt, KnownVersion
from publish.names import is_handle, is_skill_name, shortened
from publish.stored import Stored
from receipts import check, digest, skillmd
from receipts.errors import ReceiptsError, SkillError, TeamError
from receipts.forms import is_skill_id

_DOCUMENT_LIMIT = 1 << 20


class Version(NamedTuple):
    """A published version: its place, and what its bytes are.

    `digest` is None when the version cannot be measured, and then `problem` says why. `doubts` are
    sentences about one that can be.
    """

    name: str
    number: int
    digest: str | None
    skill_id: str | None
    problem: str | None
    doubts: tuple[str, ...]

    @property
    def label(self) -> str:
        """`v<N>`, as cards and paths spell it."""
        return f"v{self.number}"


class Committed(NamedTuple):
    """A receipt in the repository; `known` says what its bytes turned out to hold."""

    path: str
    skill_id: str
    number: int
    run_id: str
    blob: bytes
    known: KnownReceipt


class Snapshot:
    """A team repository at one commit.

    Args:
        view: The tree of the commit.
        known: What earlier readings found out, by tree and blob id; grows as this one reads.
    """

    def __init__(self, view: TreeView, known: Known | None = None) -> None:
        self.view = view
        self.known = known or Known()
        self._oversized: dict[str, None] = {}

    @cached_property
    def team(self) -> Team:
        """The team's own document.

        Raises:
            TeamError: `team.json` is missing, unreadable or of another layout.
        """
        if self.view.entry(layout.TEAM.encode()) is None:
            raise TeamError(
                "The repository has no team.json, so it is not a team repository.",
                "Create the team with: receipts team create NAME --remote URL",
            )
        return documents.read_team(self.view.read(layout.TEAM.encode(), limit=_DOCUMENT_LIMIT))

    # People

    def people(self) -> tuple[list[Person], list[str]]:
        """Return those with a readable file, by handle, and a sentence for each odd or bad file."""
        found, problems = [], []
        for name, _ in self.names(layout.PEOPLE):
            handle = name.removesuffix(".json")
            if name == ".gitkeep":
                continue
            if not name.endswith(".json") or not is_handle(handle):
                problems.append(f"people/{shortened(name)} is not a member's file; ignored.")
                continue
            path = layout.person_path(handle)
            try:
                data = self.view.read(path.encode(), limit=_DOCUMENT_LIMIT)
                found.append(documents.read_person(data, handle))
                problems += [f"{path}: {problem}." for problem in check.repeated_keys(data)]
            except MirrorDamaged:
                raise
            except TeamError as error:
                problems.append(error.message)
        return found, problems

    def person(self, handle: str) -> Person | None:
        """Return one member's file, or None when there is none.

        Raises:
            TeamError: The file is unreadable.
        """
        path = layout.person_path(handle).encode()
        if self.view.entry(path) is None:
            return None
        return documents.read_person(self.view.read(path, limit=_DOCUMENT_LIMIT), handle)

    def members(self) -> list[Person]:
        """Return the members: readable files whose handle is not archived."""
        archived = {handle.lower() for handle in self.team.archived}
        return [person for person in self.people()[0] if person.handle not in archived]

    # Skills and versions

    def skills(self) -> list[str]:
        """Return the names of skills that hold at least one version, sorted."""
        return [
            name
            for name, _ in self.names(layout.SKILLS)
            if is_skill_name(name) and self.numbers(name)
        ]

    def numbers(self, name: str) -> list[int]:
        """Return the version numbers of a skill, newest first."""
        found = (layout.version_number(n) for n, _ in self.names(f"{layout.SKILLS}/{name}"))
        return sorted((number for number in found if number), reverse=True)

    def versions(self, name: str) -> Iterator[Version]:
        """Yield a skill's versions, newest first."""
        for number in self.numbers(name):
            yield self.version(name, number)

    def version(self, name: str, number: int) -> Version:
        """Return one version, measured; what was measured before is not read again."""
        folder = layout.version_folder(name, number)
        tree = self.view.tree_id(folder.encode())
        if tree is None:
            return Version(name, number, None, None, f"{folder} is not a folder.", ())
        key = f"{folder}:{tree.decode()}"  # the folder too: a problem names its path
        known = self.known.versions.get(key)
        if known is None:
            known = self._look_at_version(name, number)
            self.known.versions[key] = known
        return Version(name, number, *known)

    def files(self, name: str, number: int) -> dict[str, Stored]:
        """Return the files of a version by their relative paths.

        Raises:
            TeamError: As `publish.stored.files_below`.
        """
        return stored.files_below(self.view, layout.version_folder(name, number))

    def assets(self, name: str) -> dict[str, Stored]:
        """Return a skill's evaluation assets by their paths relative to `evals/`.

        Raises:
            TeamError: As `files`.
        """
        return stored.files_below(self.view, layout.assets_folder(name))

    def measure(self, name: str, number: int) -> digest.Measured:
        """Measure a version from its committed bytes.

        Raises:
            TeamError: As `files`.
        """
        return self._measured(name, number, self.files(name, number))

    def skill_id(self, name: str, *, or_older: bool = False) -> str | None:
        """Return the id that a skill's newest version declares, in lower case.

        Args:
            name: The skill.
            or_older: Look at older versions when the newest one declares none.
        """
        for version in self.versions(name):
            if version.skill_id or not or_older:
                return version.skill_id
        return None

    def owner_of(self, skill_id: str) -> str | None:
        """Return the name of the skill that declares an id, the first of several, or None."""
        return next(self.owners_of(skill_id), None)

    def owners_of(self, skill_id: str) -> Iterator[str]:
        """Yield the names of the skills that declare an id: more than one after a copy by hand."""
        wanted = skill_id.lower()
        return (name for name in self.skills() if self.skill_id(name, or_older=True) == wanted)

    def versions_under(self, skill_id: str, number: int) -> list[Version]:
        """Return the versions that a receipt's place can mean, of all skills with its id."""
        return [
            self.version(name, number)
            for name in self.owners_of(skill_id)
            if number in self.numbers(name)
        ]

    @staticmethod
    def declared_id(skill_md: bytes) -> str | None:
        """Return the skill id that a SKILL.md declares, in lower case, or None."""
        text = skill_md.decode("utf-8", "replace")
        try:
            declared = managed.declared(text).skill_id
        except ReceiptsError:
            return None
        return declared.lower() if declared and is_skill_id(declared) else None

    def description(self, name: str, number: int) -> dict[str, object]:
        """Return the frontmatter of a version, or an empty map when it has none."""
        path = f"{layout.version_folder(name, number)}/{digest.SKILL_MD}".encode()
        if self.view.entry(path) is None:
            return {}
        data = self.view.read(path, limit=_DOCUMENT_LIMIT)
        return skillmd.fields(data.decode("utf-8", "replace")) or {}

    def _measured(self, name: str, number: int, files: dict[str, Stored]) -> digest.Measured:
        try:
            return stored.measured(files)
        except SkillError as error:
            raise TeamError(f"{name} v{number}: {error.message}", error.hint) from error

    def _look_at_version(self, name: str, number: int) -> KnownVersion:
        try:
            files = self.files(name, number)
            measured = self._measured(name, number, files)
        except MirrorDamaged:
            raise  # says nothing about the version, and is over once the mirror is made again
        except TeamError as error:
            return KnownVersion(None, None, error.message, ())
        skill_md = files.get(digest.SKILL_MD)
        skill_id = self.declared_id(skill_md.data) if skill_md else None
        folder = layout.version_folder(name, number)
        doubts = [f"{folder}/{doubt}" for doubt in measured.doubts]
        doubts += [f"{folder} cannot be installed: {why}" for why in names.problems(files)[:1]]
        for path in files:
            if path.rpartition("/")[2] == layout.ATTRIBUTES:
                doubts += attributes.filters(f"{folder}/{path}", files[path].data)
        return KnownVersion(measured.digest, skill_id, None, tuple(doubts))

    # Receipts

    def receipts(self, skill_id: str, number: int) -> list[Committed]:
        """Return the receipts of a version by run id; each says whether it can be used."""
        found = []
        for spelled in self.spellings_of(skill_id):
            folder = f"{layout.EVALS}/{spelled}/v{number}"
            for name, entry in self.names(folder):
                place = layout.place_of(f"{folder}/{name}")
                if isinstance(place, layout.ReceiptPath):
                    found.append(self._committed(f"{folder}/{name}", place, entry))
        return sorted(found, key=lambda item: (item.run_id, item.path))

    def receipt_numbers(self, skill_id: str) -> list[int]:
        """Return the version numbers that an id has a receipts folder for, newest first."""
        numbers = {
            number
            for spelled in self.spellings_of(skill_id)
            for name, _ in self.names(f"{layout.EVALS}/{spelled}")
            if (number := layout.version_number(name))
        }
        return sorted(numbers, reverse=True)

    def skill_ids_with_receipts(self) -> list[str]:
        """Return the ids below `evals/`, in lower case."""
        return sorted(self._spellings)

    def receipt_bytes(self, committed: Committed) -> bytes:
        """Return a receipt's bytes as they are committed."""
        return self.view.read(committed.path.encode(), limit=_DOCUMENT_LIMIT)

    def _committed(self, path: str, place: layout.ReceiptPath, entry: Entry) -> Committed:
        if not entry.is_file:
            known = KnownReceipt.problem_of(f"{path} is not a regular file.")
        else:
            key = f"{path}:{entry.id.decode()}"
            known = self.known.receipts.get(key) or self._look_at(path, place)
            self.known.receipts[key] = known
        return Committed(path, place.skill_id.lower(), place.number, place.run_id, entry.id, known)

    def _look_at(self, path: str, place: layout.ReceiptPath) -> KnownReceipt:
        try:
            data = self.view.read(path.encode(), limit=_DOCUMENT_LIMIT)
        except MirrorDamaged:
            raise
        except TeamError as error:
            return KnownReceipt.problem_of(error.message)
        return KnownReceipt.of(data, path, place)

    # Names

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        spellings: dict[str, list[str]] = {}
        for name, _ in self.names(layout.EVALS):
            if is_skill_id(name):
                spellings.setdefault(name.lower(), []).append(name)
        return spellings

    def spellings_of(self, skill_id: str) -> list[str]:
        """Return the folders below `evals/` that spell an id, in whatever case."""
        return self._spellings.get(skill_id.lower(), [])

    def names(self, folder: str) -> list[tuple[str, Entry]]:
        """Return a folder's entries by name; a name that is not text is shown escaped.

        A folder that holds more names than are read shows none, and is named in `oversized`.
        """
        try:
            entries = self.view.entries(folder.encode())
        except FolderTooLarge as error:
            self._oversized[error.message] = None
            return []
        return sorted((raw.decode("utf-8", "backslashreplace"), e) for raw, e in entries.items())

    @property
    def oversized(self) -> list[str]:
        """A sentence for each folder met so far that holds more names than are read."""
        return list(self._oversized)
