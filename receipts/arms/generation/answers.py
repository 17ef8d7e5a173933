"""A model's answer, read strictly: the files that it describes, or what is wrong with it.

What every case must be is looked at when the files are loaded as cases; here stands what is asked
of generated ones alone.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from receipts import jsyaml, terminal

FEWEST_CASES = 3
MOST_CASES = 7
PROMPTS = 5
"""Of each list of trigger prompts."""

_MOST_CHECKS = 5
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 60
_RESERVED = "suite"
# No shell among them: nothing of an answer runs before a person has seen it.
_CHECKS = {
    *("file_exists", "file_absent", "transcript_mentions", "transcript_omits"),
    *("command_matching", "no_command_matching"),
}
_FIELDS = ("task", "bucket", "requires", "files", "checks")
_LISTS = ("should_trigger", "should_not_trigger")


class Answer(NamedTuple):
    """The files by their path below `evals/`, without head; none when there are problems."""

    files: dict[str, bytes]
    problems: list[str]


def cases(text: str) -> Answer:
    """Read an answer that is to hold cases."""
    document = _document(text)
    items = document.get("cases") if document is not None else None
    if not isinstance(items, list):
        return Answer({}, ['it is no JSON object {"cases": [...]}'])
    problems = [
        problem for position, item in enumerate(items, 1) for problem in _of_case(position, item)
    ]
    if not FEWEST_CASES <= len(items) <= MOST_CASES:
        problems.append(f"it has {len(items)} cases, and {FEWEST_CASES} to {MOST_CASES} are wanted")
    if problems:
        return Answer({}, problems)
    names = [item["name"] for item in items]
    problems = [
        f"two cases are called {name}" for name in sorted(set(names)) if names.count(name) > 1
    ]
    if not any(item["bucket"] == "adversarial" for item in items):
        problems.append("no case is adversarial")
    return _written(
        {
            f"cases/{item['name']}.yaml": {key: item[key] for key in _FIELDS if item.get(key)}
            for item in items
        },
        problems,
    )


def triggers(text: str) -> Answer:
    """Read an answer that is to hold trigger prompts."""
    document = _document(text)
    if document is None or set(document) != set(_LISTS):
        return Answer({}, [f"it is no JSON object with exactly {' and '.join(_LISTS)}"])
    problems = []
    for key in _LISTS:
        prompts = document[key]
        if not isinstance(prompts, list) or not all(_is_text(prompt) for prompt in prompts):
            problems.append(f"{key} is no list of texts")
        elif len(prompts) != PROMPTS:
            problems.append(f"{key} has {len(prompts)} prompts, and exactly {PROMPTS} are wanted")
    return _written({"triggers.yaml": {key: document[key] for key in _LISTS}}, problems)


def _document(text: str) -> dict[str, Any] | None:
    """Return the JSON object of an answer, from its first `{` to its last `}`."""
    start, end = text.find("{"), text.rfind("}")
    try:
        document = json.loads(text[start : end + 1], strict=False) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _of_case(position: int, item: object) -> Iterator[str]:
    """Yield what is wrong with a case."""
    if not isinstance(item, dict):
        yield f"case {position} is no map"
        return
    name = item.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        yield (
            f"case {position} needs a name of lower-case letters, digits and single hyphens, of at "
            f"most {_LONGEST_NAME} characters"
        )
        return
    who = f"case {name}"
    if name == _RESERVED:
        yield f"no case may be called {name}"
    for key in sorted(item.keys() - {"name", *_FIELDS}):
        yield f"{who} has the field {terminal.one_line(key)}, which generated cases do not have"
    for key in ("task", "bucket"):
        if not _is_text(item.get(key)):
            yield f"{who} needs a {key}, a text"
    requires = item.get("requires") or []
    if not isinstance(requires, list) or not all(_is_text(each) for each in requires):
        yield f"{who}: requires is no list of texts"
    files = item.get("files") or {}
    if not isinstance(files, dict) or not all(isinstance(each, str) for each in files.values()):
        yield f"{who}: files is no map of texts"
    checks = item.get("checks")
    if not isinstance(checks, list) or not 1 <= len(checks) <= _MOST_CHECKS:
        yield f"{who} needs a list of 1 to {_MOST_CHECKS} checks"
        return
    for number, check in enumerate(checks, 1):
        if not (
            isinstance(check, dict)
            and len(check) == 1
            and all(kind in _CHECKS and _is_text(given) for kind, given in check.items())
        ):
            yield (
                f"{who}: check {number} is no map of one of {', '.join(sorted(_CHECKS))} and a text"
            )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _written(documents: dict[str, dict[str, Any]], problems: list[str]) -> Answer:
    if problems:
        return Answer({}, problems)
    return Answer({path: jsyaml.dump(each).encode() for path, each in documents.items()}, [])
