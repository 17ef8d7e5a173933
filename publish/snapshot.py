"""One commit of a team repository, read as a team: its skills, versions, receipts and people.

Everything here comes from a repository that anybody may have written to. What cannot be read is
named and left out, and never hides what can.
"""

import stat
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar

from publish import attributes, documents, layout, managed, stored
from publish.documents import Person, Team
from publish.git import Entry, FolderTooLarge, MirrorDamaged, TreeView
from publish.knowledge import Knowledge, Shelf
from publish.known import BROKEN, Judged, KnownFolder, KnownReceipt, KnownVersion
from publish.names import is_handle, is_skill_name
from publish.stored import Stored
from receipts import check, digest, filenames, skillmd
from receipts.errors import ReceiptsError, SkillError, TeamError
from receipts.filenames import shortened
from receipts.forms import is_skill_id

_DOCUMENT_LIMIT = 1 << 20
_T = TypeVar("_T")


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
        known: What earlier readings found out; grows as this one reads.
        is_past: Whether there is a newer commit, and what is found at this one is not kept.

    Attributes:
        oversized: A sentence for each folder met so far that holds more names than are read.
    """

    def __init__(
        self, view: TreeView, known: Knowledge | None = None, *, is_past: bool = False
    ) -> None:
        self.view = view
        self.known = known or Knowledge()
        self._is_past = is_past
        self._folders: dict[str, KnownFolder[KnownVersion]] = {}
        self._receipts: dict[str, KnownFolder[tuple[Judged, ...]]] = {}
        self.oversized: dict[str, str] = {}

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
        return [name for name, _ in self.names(layout.SKILLS) if self.is_skill(name)]

    def is_skill(self, name: str) -> bool:
        """Say whether a skill of this name holds at least one version."""
        return is_skill_name(name) and bool(self._folder(name).numbers)

    def numbers(self, name: str) -> list[int]:
        """Return the version numbers of a skill, newest first."""
        return sorted(self._folder(name).numbers, reverse=True)

    def versions(self, name: str) -> Iterator[Version]:
        """Yield a skill's versions, newest first."""
        for number in self.numbers(name):
            yield self.version(name, number)

    def version(self, name: str, number: int) -> Version:
        """Return one version, measured; what was measured before is not read again."""
        folder = self._folder(name)
        known = folder.found.get(number)
        if known is None:
            known = self._look_at_version(name, number, is_folder=bool(folder.numbers.get(number)))
            if number in folder.numbers:
                folder.found[number] = known
                self._learned(self.known.versions, name)
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
        return next(iter(self.owners_of(skill_id)), None)

    def owners_of(self, skill_id: str) -> list[str]:
        """Return the names of the skills that declare an id: several after a copy by hand."""
        return self._owners.get(skill_id.lower(), [])

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

    @cached_property
    def _owners(self) -> dict[str, list[str]]:
        owners: dict[str, list[str]] = {}
        for name in self.skills():
            if skill_id := self.skill_id(name, or_older=True):
                owners.setdefault(skill_id, []).append(name)
        return owners

    def _folder(self, name: str) -> KnownFolder[KnownVersion]:
        if name not in self._folders:
            path = f"{layout.SKILLS}/{name}"
            self._folders[name] = self._known_at(self.known.versions, path, name)
        return self._folders[name]

    def _look_at_version(self, name: str, number: int, *, is_folder: bool) -> KnownVersion:
        folder = layout.version_folder(name, number)
        if not is_folder:
            return KnownVersion(None, None, f"{folder} is not a folder.")
        try:
            files = self.files(name, number)
            measured = self._measured(name, number, files)
        except MirrorDamaged:
            raise  # says nothing about the version, and is over once the mirror is made again
        except TeamError as error:
            return KnownVersion(None, None, error.message)
        skill_md = files.get(digest.SKILL_MD)
        skill_id = self.declared_id(skill_md.data) if skill_md else None
        doubts = [f"{folder}/{doubt}" for doubt in measured.doubts]
        doubts += [f"{folder} cannot be installed: {why}" for why in filenames.problems(files)[:1]]
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
            found += [
                Committed(
                    f"{folder}/{run_id}.json", spelled.lower(), number, run_id, blob.encode(), known
                )
                for run_id, blob, known in self._judged(spelled, number)
            ]
        return sorted(found, key=lambda item: (item.run_id, item.path))

    def receipt_numbers(self, skill_id: str) -> list[int]:
        """Return the version numbers that an id has a receipts folder for, newest first."""
        spellings = self.spellings_of(skill_id)
        return sorted(
            {number for spelled in spellings for number in self._folder_of(spelled).numbers},
            reverse=True,
        )

    def skill_ids_with_receipts(self) -> list[str]:
        """Return the ids below `evals/`, in lower case."""
        return sorted(self._spellings)

    def receipt_bytes(self, committed: Committed) -> bytes:
        """Return a receipt's bytes as they are committed.

        Raises:
            TeamError: It is broken, and is no regular file or too large.
        """
        if committed.known.state == BROKEN:
            return self.view.read(committed.path.encode(), limit=_DOCUMENT_LIMIT)
        entry = Entry(stat.S_IFREG, committed.blob)  # read before: it is one
        return self.view.content(entry, committed.path)

    def contradictions(self, name: str, shown: Committed, data: bytes) -> list[str]:
        """Return what contradicts itself in the receipt that is shown for a skill.

        Only that there is nothing is kept, for that stays true: a time that lies in the future
        today will not for ever.
        """
        blob = shown.blob.decode()
        if self.known.consistent.get(name) == blob:
            return []
        found = check.contradictions(data)
        if not found:
            self.known.consistent.put(name, blob)
        return found

    def _folder_of(self, spelled: str) -> KnownFolder[tuple[Judged, ...]]:
        if spelled not in self._receipts:
            path = f"{layout.EVALS}/{spelled}"
            self._receipts[spelled] = self._known_at(self.known.receipts, path, spelled)
        return self._receipts[spelled]

    def _judged(self, spelled: str, number: int) -> tuple[Judged, ...]:
        """Return the receipts below a folder of `evals/`; what was judged is not read again."""
        known = self._folder_of(spelled)
        if not known.numbers.get(number):
            return ()
        if number not in known.found:
            folder = f"{layout.EVALS}/{spelled}/v{number}"
            # Not those that are broken: one that is no regular file has the id of a good one.
            earlier = known.before.pop(number, ())
            judged = {item[:2]: item for item in earlier if item.known.state != BROKEN}
            found = []
            for name, entry in self.names(folder):
                place = layout.place_of(f"{folder}/{name}")
                if isinstance(place, layout.ReceiptPath):
                    key = place.run_id, entry.id.decode()
                    item = judged.get(key) if entry.is_file else None
                    found.append(
                        item or Judged(*key, self._look_at(f"{folder}/{name}", place, entry))
                    )
            known.found[number] = tuple(found)
            self._learned(self.known.receipts, spelled)
        return known.found[number]

    def _look_at(self, path: str, place: layout.ReceiptPath, entry: Entry) -> KnownReceipt:
        if not entry.is_file:
            return KnownReceipt.problem_of(f"{path} is not a regular file.")
        try:
            data = self.view.read(path.encode(), limit=_DOCUMENT_LIMIT)
        except MirrorDamaged:
            raise
        except TeamError as error:
            return KnownReceipt.problem_of(error.message)
        return KnownReceipt.of(data, path, place)

    # What is known

    def _known_at(self, shelf: Shelf[KnownFolder[_T]], path: str, name: str) -> KnownFolder[_T]:
        """Return what is known of a folder of version folders as it is at this commit."""
        tree = (self.view.tree_id(path.encode()) or b"").decode()
        known = shelf.get(name)
        if known is None or known.tree != tree:
            numbers = {
                number: entry.id.decode() if entry.is_tree else ""
                for below, entry in self.names(path)
                if (number := layout.version_number(below))
            }
            known = known.moved_to(tree, numbers) if known else KnownFolder(tree, numbers)
            if tree and not self._is_past:
                shelf.put(name, known)
        return known

    def _learned(self, shelf: Shelf[KnownFolder[_T]], name: str) -> None:
        if not self._is_past:
            shelf.touch(name)

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
            self.oversized[folder] = error.message
            return []
        return sorted((raw.decode("utf-8", "backslashreplace"), e) for raw, e in entries.items())
