"""All the cards of this machine: its libraries' and its teams'."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from publish import repository
from publish.copies import declared_id
from publish.git import MirrorDamaged
from publish.names import is_skill_name
from publish.repository import Repository
from publish.teamcards import Reading, team_card
from receipts import check
from receipts.attempts import references, results
from receipts.attempts.results import UnusableRoot
from receipts.errors import ReceiptError, ReceiptsError, SkillError, StoreError, UsageError
from receipts.nearest import did_you_mean
from receipts.receipt import read_receipt
from store import cards, config, library, lookup, runs
from store.cards import Card
from store.library import InstalledSkill, NoSuchSkill
from store.lookup import Found


def find_receipt(reference: str) -> Found:
    """Return the receipt that a person means by FILE, RUN or SKILL, here or in a team.

    Raises:
        ReceiptsError: As `store.lookup.find`, when no team has the skill either.
    """
    with ExitStack() as stack:
        readings, unread = _readings(stack)

        def team_receipt(digest: str) -> bytes | None:
            found = (reading.receipt_of(digest)[0] for reading in readings)
            return next((data for data in found if data is not None), None)

        try:
            return lookup.find(reference, team_receipt)
        except ReceiptError as error:
            raise _with_unread(error, unread) from None
        except NoSuchSkill as error:
            published = [
                team_card(reading.name, reading.snapshot, reference)
                for reading in readings
                if is_skill_name(reference) and reading.snapshot.numbers(reference)
            ]
            for card in published:
                if card.receipt is not None:
                    notes = [f"{card.version} in team {card.team}", *card.notes]
                    return Found(read_receipt(card.receipt), [], notes)
            if published:
                first = published[0]
                why = first.reason.rstrip(".")
                why = f"{reference} {first.latest} of team {first.team}: {why}."
                raise _with_unread(ReceiptError(why), unread) from None
            known = [*error.known, *_published(readings)]
            raise _with_unread(NoSuchSkill(reference, known), unread) from None


def find_receipt_or_run(reference: str, run_id: str | None = None) -> Found | str:
    """Return the receipt, or the path of the saved run of attempts, that a person means.

    Args:
        reference: What was typed.
        run_id: Which saved run of a spec; means nothing beside a file.

    Raises:
        UsageError: It is the name of a spec with saved runs and of an installed skill as well.
        ReceiptsError: As `find_receipt`, or there is no such run.
    """
    root = results.root_of(os.curdir)
    try:
        path = references.saved_run(reference, root)
        if path is not None and path != reference and references.is_spec(reference, root):
            _refuse_two_meanings(reference)
        if run_id is not None and not os.path.isfile(reference):
            return results.pick(reference, run_id, root)
    except UnusableRoot:
        # In the way of saved runs alone, as long as something else can be meant.
        with suppress(ReceiptsError):
            return find_receipt(reference)
        raise
    return find_receipt(reference) if path is None else path


def _refuse_two_meanings(name: str) -> None:
    skills = library.skills_in(library.roots()).skills
    if any(skill.name == name for skill in skills):
        raise UsageError(
            f"{name} is a spec with saved runs, and an installed skill.",
            f"Name the run by {name}.eval.yaml, or the skill by its folder.",
        )


def all_cards(skill: str | None, which: str | None) -> tuple[list[Card], list[str]]:
    """Return the cards, and a sentence for each folder or team that could not be read.

    Args:
        skill: Only the cards of this skill: its name, or the path of its folder, which need not be
            in a library. Of a path the cards are the folder's, and the teams' of its name.
        which: `library` or `team` for one kind only, None for both.

    Raises:
        SkillError: `skill` was given and neither a library nor a team has it.
    """
    wanted = _wanted(skill)
    with ExitStack() as stack:
        readings, problems = _readings(stack)
        try:
            found, unread = _cards(wanted, which, readings)
        except MirrorDamaged:
            sound = []
            for reading in readings:
                try:
                    _cards(wanted, which, [reading])
                    sound.append(reading)
                except MirrorDamaged as damage:
                    problems.append(f"{reading.name}: {damage}")
            found, unread = _cards(wanted, which, sound)
            readings = sound
        problems += unread
        if wanted.name is not None and not found:
            raise _with_unread(_no_cards(wanted.name, readings), problems)
    return found, problems


class _Wanted(NamedTuple):
    """The cards that are asked for: all, those of a name, or a folder's and those of its name."""

    name: str | None
    folder: InstalledSkill | None


def _wanted(skill: str | None) -> _Wanted:
    if skill is None or not library.is_path(skill):
        return _Wanted(skill, None)
    folder = Path(os.path.abspath(library.find(skill)))
    return _Wanted(folder.name, InstalledSkill(folder.name, folder, folder.parent))


def _cards(
    wanted: _Wanted, which: str | None, readings: list[Reading]
) -> tuple[list[Card], list[str]]:
    found: list[Card] = []
    problems: list[str] = []
    if which != "team":
        mine = [wanted.folder] if wanted.folder else []
        if not mine:
            mine, problems = library.skills_in(library.roots())
        local = runs.survey()
        found += [
            _with_contradictions(cards.library_card(item, declared_id(item.path), local, readings))
            for item in mine
            if wanted.name in (None, item.name)
        ]
    if which != "library":
        found += [
            team_card(reading.name, reading.snapshot, name)
            for reading in readings
            for name in reading.snapshot.skills()
            if wanted.name in (None, name)
        ]
    return found, problems


def _no_cards(name: str, readings: list[Reading]) -> SkillError:
    """Return the error about a name that has no card, with what was probably meant."""
    installed = [item.name for item in library.skills_in(library.roots()).skills]
    hint = did_you_mean(name, [*installed, *_published(readings)])
    if name in [entry.name for entry in config.teams()]:
        hint = (
            f"{name} is a team, and --team takes no name here: `receipts cards --team` shows the "
            "skills of all your teams."
        )
    return SkillError(
        f"No skill named {name} is in a library or a team of this machine.",
        hint or "See what there is: receipts cards",
    )


def _published(readings: list[Reading]) -> Iterator[str]:
    """Yield the names of the teams' skills, as far as they can be read."""
    for reading in readings:
        with suppress(MirrorDamaged):
            yield from reading.snapshot.skills()


def _with_contradictions(card: Card) -> Card:
    found = check.contradictions(card.receipt) if card.receipt else []
    return card._replace(notes=(*card.notes, *(cards.contradiction(card.name, x) for x in found)))


def _readings(stack: ExitStack) -> tuple[list[Reading], list[str]]:
    """Open every team of this machine for reading; return also why some could not be."""
    readings, problems = [], []
    for entry in config.teams():
        try:
            opened = stack.enter_context(repository.opened(entry, create=False))
            readings.append(_reading(opened))
            stack.callback(_remember, opened)
        except ReceiptsError as error:
            problems.append(f"{entry.name}: {error}")
    return readings, problems


def _remember(opened: Repository) -> None:
    """Spare the next command what was read; where that cannot be, showing is no place to say so."""
    with suppress(StoreError):
        opened.remember()


def _with_unread(error: ReceiptsError, unread: list[str]) -> ReceiptsError:
    """Make an error say too which teams could not be asked."""
    error.hint = " ".join([error.hint, *unread]).strip()
    return error


def _reading(opened: Repository) -> Reading:
    snapshot = opened.snapshot()
    _ = snapshot.team  # what is no team repository has no cards
    return Reading(opened.name, snapshot)
