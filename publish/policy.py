"""What a team's policy will make of a skill, said before money is spent on measuring it."""

from pathlib import Path

from publish import managed, repository
from receipts.digest import SKILL_MD
from receipts.errors import ReceiptsError
from receipts.files import read_limited
from store import config
from store.config import TeamEntry

_LIMIT = 8 << 20


def category_notices(folder: Path) -> list[str]:
    """Return a sentence for each team whose policy will change the digest of a skill.

    A team may require a category. Publishing then adds one where SKILL.md declares none, and a
    receipt that measured the bytes without it is not attached. A folder or team that cannot be read
    gives no sentence: what comes next says so. A configuration that cannot be read is the sentence.
    """
    try:
        text = read_limited(folder / SKILL_MD, _LIMIT, follow_links=False).decode()
    except (OSError, ReceiptsError, UnicodeDecodeError):
        return []
    if managed.declared(text).category:
        return []
    try:
        teams = config.teams()
    except ReceiptsError as error:
        return [str(error)]
    return [
        f"{name} requires a category and SKILL.md declares none: publishing there will add one, "
        "which changes the digest, so receipts of these bytes will not be attached. Declare it "
        "first, in metadata.terum-category."
        for name in _requiring(teams)
    ]


def _requiring(teams: list[TeamEntry]) -> list[str]:
    names = []
    for entry in teams:
        try:
            with repository.opened(entry, create=False) as opened:
                if opened.snapshot().team.category_required:
                    names.append(entry.name)
        except ReceiptsError:
            continue
    return names
