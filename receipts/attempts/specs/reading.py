"""Reads a spec: the YAML file that says which tasks are tried, with which skills."""

import math
import re
import warnings
from pathlib import Path, PurePath

from receipts.attempts.specs import servers, yamlnodes
from receipts.attempts.specs.model import Bar, Spec
from receipts.attempts.specs.problems import Place, Problems
from receipts.attempts.specs.sources import source
from receipts.attempts.specs.tasks import Tasks
from receipts.attempts.specs.yamlnodes import Fields, Value
from receipts.errors import SpecError, StoreError
from receipts.filenames import shown
from receipts.files import StrPath, read_limited

_KEYS = ("skills", "sandbox", "mcp", "user_customizations", "bar", "tasks")
_SANDBOX = ("forbidden_files", "extra_path")
_BAR = ("success", "activation")
_RETIRED = {
    "judge": "'judge' is no key any more: --judge-model chooses the judge of a run; remove it",
    "skill": "'skill' is no key any more: list each SKILL.md under 'skills', and choose the agent"
    " of a run with --model",
}


def name_of(path: StrPath) -> str:
    """Return the name of a spec, which its results are filed under.

    That is the file's name without its extension, and without `.eval` before it.

    Raises:
        SpecError: The file's name gives none.
    """
    file = PurePath(path).name
    name = PurePath(file).stem.removesuffix(".eval")
    if name in ("", ".", "..") or "\\" in name:
        raise SpecError(
            f"{shown(file)} gives a spec no name, which its results would be filed under.",
            "Rename it to NAME.eval.yaml.",
        )
    return name


def read(path: StrPath) -> Spec:
    """Read a spec and the files that it names, but not its skills.

    Raises:
        SpecError: It cannot be used; every reason is named, with file and line.
    """
    name = name_of(path)
    file = str(path)
    problems = Problems(path)
    try:
        data = read_limited(path, yamlnodes.LIMIT, follow_links=True)
    except (FileNotFoundError, NotADirectoryError):
        raise SpecError(f"There is no spec {shown(file)}.") from None
    except StoreError as error:
        raise SpecError(error.message, error.hint) from error
    root = yamlnodes.document(data, file, problems)
    if root is None and not problems:
        problems.add(Place(file, 0), "it is empty; a spec needs at least 'tasks'")
    spec = _spec(root, name, Path(path), problems) if root else None
    problems.raise_any()
    if spec is None:  # never: what is no spec has a problem
        raise SpecError(f"{shown(file)} is no spec.")
    return spec


def _spec(root: Value, name: str, path: Path, problems: Problems) -> Spec | None:
    if not root.is_fields():
        root.refuse("a spec must be a mapping with 'tasks'")
        return None
    fields = root.fields("the spec", _KEYS, _RETIRED)
    if fields is None:
        return None
    tasks = fields.needed("tasks", "the spec")
    skills = fields.get("skills")
    found = [source(item) for item in (skills.items("'skills'") if skills else None) or ()]
    mcp = fields.get("mcp")
    customizations = fields.given("user_customizations")
    forbidden, extra = _sandbox(fields)
    return Spec(
        name=name,
        path=path,
        tasks=Tasks(path.parent, problems).read(tasks) if tasks else (),
        skills=tuple(entry for entry in found if entry),
        forbidden_files=forbidden,
        extra_path=tuple(path.parent / folder for folder in extra),
        mcp=servers.servers(mcp) if mcp else None,
        user_customizations=(
            customizations.boolean("'user_customizations'") if customizations else None
        ),
        bar=_bar(fields),
    )


def _sandbox(fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...]]:
    value = fields.get("sandbox")
    below = value.fields("'sandbox'", _SANDBOX) if value else None
    forbidden, extra = (below.get(key) if below else None for key in _SANDBOX)
    patterns = forbidden.texts("'forbidden_files'") if forbidden else ()
    for pattern in patterns:
        if forbidden and (why := _why_no_pattern(pattern)):
            forbidden.refuse(f"{shown(pattern)!r} is no regular expression: {why}")
    return patterns, extra.texts("'extra_path'") if extra else ()


def _why_no_pattern(pattern: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        return str(error)
    except (RecursionError, OverflowError):
        return "it is too large"
    return None


def _bar(fields: Fields) -> Bar | None:
    value = fields.get("bar")
    if value is None:
        return None
    if not value.is_fields():
        return Bar(success=_share(value, "'bar'"))
    below = value.fields("'bar'", _BAR)
    given = [below.get(key) if below else None for key in _BAR]
    if value.is_empty():
        value.refuse(f"'bar' holds none of {' and '.join(_BAR)}")
    shares = [
        _share(share, f"'{key}' of 'bar'") if share else None
        for key, share in zip(_BAR, given, strict=True)
    ]
    return Bar(*shares)


def _share(value: Value, who: str) -> float | None:
    share = value.number(who)
    if share is not None and not (math.isfinite(share) and 0 <= share <= 1):
        value.refuse(f"{who} is a share from 0 to 1, such as 0.8")
        return None
    return None if share is None else float(share)
