"""Eval assets: the cases, the suite and the trigger prompts of a skill, as their author wrote them.

    evals/cases/NAME.yaml   one case a file
    evals/suite.yaml        one session that is scored as several cases
    evals/triggers.yaml     prompts that should make an agent choose the skill, or should not
    evals/...               whatever cases copy into their sandboxes

They may come from a teammate, so nothing in them is taken on trust; all that cannot be used is
refused at once, each with file and line.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from receipts.arms.assets import case, suite, triggers
from receipts.arms.assets.case import Case
from receipts.arms.assets.folder import EvalFolder
from receipts.arms.assets.naming import file_problem
from receipts.arms.assets.report import Report
from receipts.arms.assets.suite import SubCase, Suite
from receipts.arms.assets.triggers import Triggers
from receipts.arms.assets.yamlfile import read as read_yaml
from receipts.digest import utf16_order
from receipts.errors import EvalError
from receipts.filenames import folded, shown
from receipts.nearest import nearest

__all__ = ["Assets", "Case", "SubCase", "Suite", "Triggers", "digest_of", "load", "read"]

_CASES = "cases"
_ENDINGS = (".yaml", ".yml")
_TOP = {"cases": _CASES, "suite": suite.FILE, "triggers": triggers.FILE}


@dataclass(frozen=True)
class Assets:
    """All eval assets of a skill.

    Attributes:
        cases: The cases, sorted by file name.
        suite: The suite, if there is one.
        triggers: The trigger prompts, if there are any.
        warnings: What is odd in them, one sentence each.
        digest: `sha256:` and the hash of every path and its bytes below `evals/`.
    """

    cases: tuple[Case, ...]
    suite: Suite | None
    triggers: Triggers | None
    warnings: tuple[str, ...]
    digest: str


def load(evals: Path) -> Assets:
    """Read the eval assets of a skill, of which there must be some.

    Args:
        evals: The folder `evals` of the skill.

    Raises:
        EvalError: There are none, or some cannot be used; it names each with file and line.
    """
    found = read(evals)
    if found.cases or found.suite or found.triggers:
        return found
    raise EvalError(
        f"There is nothing to evaluate: {evals} holds no case ({_CASES}/NAME.yaml), no {suite.FILE}"
        f" and no {triggers.FILE}.",
        "`receipts eval` writes cases and triggers for a skill unless --no-gen is given; or write "
        f"the first case yourself, {evals.name}/{_CASES}/NAME.yaml, with a `task` and `checks`.",
    )


def read(evals: Path) -> Assets:
    """Read the eval assets of a skill, of which there may be none.

    Raises:
        EvalError: Some cannot be used; it names each with file and line.
    """
    report = Report()
    folder = EvalFolder(evals, report)
    _warn_of_names(folder, report)
    cases = tuple(_cases(folder, report))
    found_suite = _suite(folder, {each.name for each in cases}, report)
    found_triggers = _triggers(folder, report)
    digest = folder.digest()
    report.raise_problems()
    return Assets(cases, found_suite, found_triggers, report.shown_warnings(), digest)


def digest_of(evals: Path) -> str:
    """Return the digest of a folder of eval assets, without a look at what they say.

    Raises:
        EvalError: Something in it is neither a file nor a folder, or cannot be read.
    """
    report = Report()
    digest = EvalFolder(evals, report).digest()
    report.raise_problems()
    return digest


def _cases(folder: EvalFolder, report: Report) -> Iterator[Case]:
    if _CASES in folder.files:
        report.refuse(folder.place(_CASES), "it is a file, and must be the folder of the cases")
    taken: dict[str, str] = {}
    for path, name in _case_files(folder, report):
        who = f"case '{shown(name)}'"
        if why := file_problem(name):
            report.refuse(folder.place(path), f"a case cannot be called {shown(name)}: it {why}")
            continue
        other = taken.setdefault(folded(name), path)
        if other != path:
            report.refuse(
                folder.place(path),
                f"{who} and the one in {folder.place(other)} have the same name, or take it for the"
                " same on systems that ignore case; rename one",
            )
            continue
        fields = read_yaml(folder, path, who, report)
        if fields:
            yield case.read(fields, name, folder, path)


def _case_files(folder: EvalFolder, report: Report) -> Iterator[tuple[str, str]]:
    """Yield path and name of each case, sorted by file name."""
    prefix = f"{_CASES}/"
    for path in sorted([*folder.files, *folder.names], key=utf16_order):
        name, ending = os.path.splitext(path.removeprefix(prefix))
        if not path.startswith(prefix) or "/" in name or ending.lower() not in _ENDINGS:
            continue
        if path in folder.names:
            report.refuse(folder.place(path), "it is a folder, and a case is one file")
        else:
            yield path, name


def _suite(folder: EvalFolder, case_names: set[str], report: Report) -> Suite | None:
    if not _is_file(folder, suite.FILE, report):
        return None
    fields = read_yaml(folder, suite.FILE, f"suite '{suite.NAME}'", report)
    return suite.read(fields, folder, case_names) if fields else None


def _triggers(folder: EvalFolder, report: Report) -> Triggers | None:
    if not _is_file(folder, triggers.FILE, report):
        return None
    fields = read_yaml(folder, triggers.FILE, triggers.FILE, report)
    found = triggers.read(fields) if fields else None
    return found if found and (found.should or found.should_not) else None


def _is_file(folder: EvalFolder, path: str, report: Report) -> bool:
    if path in folder.names:
        report.refuse(folder.place(path), "it is a folder, and must be a file")
    return path in folder.files


def _warn_of_names(folder: EvalFolder, report: Report) -> None:
    """Warn of what lies beside the assets and may have been meant for one of them."""
    for path in [*folder.files, *folder.names]:
        stem, ending = os.path.splitext(path)
        is_candidate = ending.lower() in _ENDINGS if path in folder.files else not ending
        near = nearest(stem, _TOP) if is_candidate and "/" not in path else None
        if near and path not in _TOP.values():
            report.warn(folder.place(path), f"it is not read; is it meant to be {_TOP[near]}?")
