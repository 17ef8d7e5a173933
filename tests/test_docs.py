"""The documentation against the code: verbs, options, links, dependencies, records, packages."""

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from receipts.arms import assets
from receipts.cli import VERBS, cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
RECORDS = sorted((DOCS / "adr").glob("*.md"))
PACKAGES = ("receipts", "store", "publish", "hooks")

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_RECEIPTS = re.compile(r"^(?:\w*\$ )?receipts +(\S[^|;&\n]*)", re.MULTILINE)
_CASE = re.compile(r"^```yaml\n(task:.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) +(.+)$", re.MULTILINE)
_OPTION_ROW = re.compile(r"^\| `--.*?\|", re.MULTILINE)
_MACHINE_PATH = re.compile(r"(?<![\w~.])/(?:home|root|tmp|Users|work)/")


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the names by which a page's headings are linked to."""
    titles = (title.replace("`", "") for _, title in _HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands(
    name: str = "receipts", command: click.Command = cli
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it, `receipts` itself first."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below is not None
            yield from commands(f"{name} {word}", below)


def section(page: Path, title: str) -> str:
    """Return what stands below a heading, up to the next one."""
    text = page.read_text("utf-8")
    for heading in _HEADING.finditer(text):
        if heading[2] == title:
            following = _HEADING.search(text, heading.end())
            return text[heading.end() : following.start() if following else len(text)]
    raise AssertionError(f"{page.name} has no heading {title!r}")


def options(command: click.Command) -> set[str]:
    """Return the long options of a command, but for `--help`."""
    declared = {
        spelling
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for spelling in (*parameter.opts, *parameter.secondary_opts)
        if spelling.startswith("--")
    }
    return declared - {"--help"}


COMMANDS = dict(commands())


def test_the_walk_finds_every_verb() -> None:
    assert {f"receipts {verb}" for verb in VERBS} < COMMANDS.keys()
    assert "receipts team create" in COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_lists_the_options_of_each_command_and_no_others(name: str) -> None:
    title = "Command line" if name == "receipts" else name
    rows = _OPTION_ROW.findall(section(DOCS / "reference" / "cli.md", title))
    documented = {spelling for row in rows for spelling in re.findall(r"`(--[\w-]+)`", row)}
    assert documented == options(COMMANDS[name])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_CODE.sub("", prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_path_of_some_machine(page: Path) -> None:
    assert _MACHINE_PATH.findall(page.read_text("utf-8")) == []


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    requirements = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(item for extra in project["project"]["optional-dependencies"].values() for item in extra),
    ]
    names = {re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0] for requirement in requirements}
    names.discard(project["project"]["name"])
    explained = set(
        re.findall(
            r"^\| `([\w.-]+)` \|", (DOCS / "dependencies.md").read_text("utf-8"), re.MULTILINE
        )
    )
    assert names - explained == set()


def test_decision_records_are_numbered_without_gaps_and_listed() -> None:
    assert [int(record.name[:4]) for record in RECORDS] == list(range(len(RECORDS)))
    index = (DOCS / "index.md").read_text("utf-8")
    for record in RECORDS:
        text = record.read_text("utf-8")
        assert text.startswith(f"# {record.name[:4]}: ")
        assert 25 <= text.count("\n") <= 80, record.name
        assert f"(adr/{record.name})" in index


def test_packages_import_only_those_before_them() -> None:
    wrong = []
    for position, package in enumerate(PACKAGES):
        later = set(PACKAGES[position + 1 :])
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_bytes())):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += (
                    [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                )
                wrong += [f"{file}: {name}" for name in names if name.split(".")[0] in later]
    assert wrong == []


SNIPPETS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(_PYTHON.findall(page.read_text("utf-8")))
]


def test_there_is_python_on_the_pages() -> None:
    assert len(SNIPPETS) >= 4


@pytest.mark.parametrize("code", SNIPPETS)
def test_python_on_a_page_runs_as_it_is_pasted(
    code: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    for place in (".claude/skills/changelog", "path/to/skill"):
        (home / place).mkdir(parents=True)
        (home / place / "SKILL.md").write_text("---\nname: changelog\ndescription: d\n---\n")
    names: dict[str, object] = {}
    exec(code, names)  # the page's own code
    assert names.keys() - {"__builtins__"}


SHELL_LINES = [
    pytest.param(words, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, words in enumerate(
        _RECEIPTS.findall("".join(_SHELL.findall(page.read_text("utf-8"))))
    )
]


@pytest.mark.parametrize("line", SHELL_LINES)
def test_commands_on_a_page_have_the_options_that_they_are_given(line: str) -> None:
    words = shlex.split(line, comments=True)
    names = [" ".join(["receipts", *words[:count]]) for count in (2, 1, 0)]
    name = next(name for name in names if name in COMMANDS)
    assert name != "receipts" or words[0].startswith("-"), f"no verb {words[0]}"
    given = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help"}
    assert given <= options(COMMANDS[name])


CASES = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(_CASE.findall(page.read_text("utf-8")))
]


@pytest.mark.parametrize("text", CASES)
def test_cases_on_a_page_are_read_without_a_warning(text: str, tmp_path: Path) -> None:
    place = tmp_path / "evals" / ("suite.yaml" if "\ncases:" in text else "cases/case.yaml")
    for folder in re.findall(r"^fixture: (.+)$", text, re.MULTILINE):
        (place.parent / folder).mkdir(parents=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    assert assets.load(tmp_path / "evals").warnings == ()


def test_there_are_commands_and_cases_on_the_pages() -> None:
    assert len(SHELL_LINES) > 50
    assert len(CASES) >= 7


def test_every_guarantee_names_tests_that_are_there() -> None:
    rows = re.findall(
        r"^\| (?!promise|---)(.+?) \| (.+?) \|", (DOCS / "guarantees.md").read_text(), re.MULTILINE
    )
    assert len(rows) > 30
    for promise, shown_by in rows:
        named = re.findall(r"`(tests/[^`]+\.py)`", shown_by)
        assert named, promise
        assert [path for path in named if not (ROOT / path).is_file()] == [], promise
