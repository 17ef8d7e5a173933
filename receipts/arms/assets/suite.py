"""The suite: one session whose result is scored as several cases."""

from collections.abc import Collection
from dataclasses import dataclass

from receipts.arms.assets import case
from receipts.arms.assets.case import Case
from receipts.arms.assets.folder import EvalFolder
from receipts.arms.assets.naming import row_problem
from receipts.arms.assets.yamlfile import Fields
from receipts.arms.checks import Check
from receipts.filenames import shown

FILE = "suite.yaml"
NAME = "suite"
_SUBCASE_KEYS = ("name", "checks")
_NOT_USED = {
    "checks": "checks belong to the sub-cases",
    "judge": "a suite is never judged",
    "bucket": "a suite has none",
}


@dataclass(frozen=True)
class SubCase:
    """One scored case of the suite: a row of its own, out of the shared session."""

    name: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Suite:
    """The shared session, without checks or rubric of its own, and what is scored in it."""

    session: Case
    subcases: tuple[SubCase, ...]


def read(fields: Fields, folder: EvalFolder, case_names: Collection[str]) -> Suite:
    """Read the suite; whatever cannot be used is refused in its report.

    Args:
        fields: The fields of its file.
        folder: The eval assets.
        case_names: The names of the cases, which no sub-case may have.
    """
    fields.check_keys((*case.KEYS, "cases"))
    for key, why in _NOT_USED.items():
        if fields.data.get(key) is not None:
            fields.warn(f"{fields.who}: '{key}' is not used, for {why}", key)
    if NAME in case_names:
        fields.refuse(f"{fields.who} and a case have the same name; rename the case's file")
    session = case.read_session(fields, NAME, folder, FILE)
    subcases: list[SubCase] = []
    items = fields.data.get("cases")
    if not isinstance(items, list) or not items:
        fields.refuse(f"{fields.who} needs a non-empty 'cases' list", "cases")
        items = []
    taken = set(case_names)
    for position in range(len(items)):
        sub = fields.below(f"{fields.who}: sub-case {position + 1}", "cases", position)
        found = _subcase(sub, fields.who) if sub else None
        if found is None:
            continue
        if found.name in taken:
            _refuse_name(fields, found.name, position, case_names)
        taken.add(found.name)
        subcases.append(found)
    return Suite(session, tuple(subcases))


def _subcase(fields: Fields, suite: str) -> SubCase | None:
    fields.check_keys(_SUBCASE_KEYS + case.KEYS)
    for key in case.KEYS:
        if key not in _SUBCASE_KEYS and fields.data.get(key) is not None:
            fields.refuse(f"{suite}: sub-case must not carry '{key}'", key)
    name = fields.text("name")
    if name is None:
        if fields.data.get("name") is None:
            fields.refuse(f"{suite}: sub-case needs a non-empty 'name'")
        return None
    if why := row_problem(name):
        fields.refuse(f"{suite}: the sub-case name {shown(name)} {why}", "name")
        return None
    fields.who = f"{suite}: sub-case '{name}'"
    if not isinstance(fields.data.get("checks"), list):
        fields.refuse(f"{fields.who} needs a 'checks' list", "checks")
        return None
    checks = case.checks_of(fields)
    if not checks:
        fields.warn(f"{fields.who} has no checks, so every arm ties: it measures nothing", "checks")
    return SubCase(name, checks)


def _refuse_name(fields: Fields, name: str, position: int, case_names: Collection[str]) -> None:
    why = (
        f"sub-case name '{name}' collides with authored case name"
        if name in case_names
        else f"duplicate sub-case name '{name}'"
    )
    fields.refuse(f"{fields.who}: {why}", "cases", position, "name")
