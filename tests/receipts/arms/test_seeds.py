"""What a case puts into its sandbox: inline files and fixtures."""

from pathlib import Path

import pytest

from tests.receipts.arms.asset_files import case, refused, write

REFUSED = [
    ("task: x\nfiles: [a]", "2: case 'a': 'files' must be a map."),
    ("task: x\nfiles:\n  a:\n", "3: case 'a': 'files': the content of a must be a text; an empty "
        'file is "".'),
    ("task: x\nfiles:\n  a: {b: c}\n", "3: case 'a': 'files': the content of a must be a text;"),
    ("task: x\nfiles:\n  b: ok\n  /etc/x: y", "4: case 'a': 'files': /etc/x is no path of a file "
        "inside the sandbox."),
    *((f"task: x\nfiles:\n  {path}: y", f"3: case 'a': 'files': {why}") for path, why in [
        ("../x", "../x has a segment `..`, which may lead out of the sandbox."),
        ("a/../b", "a/../b has a segment `..`"),
        ("'..\\x'", "..\\x has a segment `..`"),
        ("'a\\..\\x'", "a\\..\\x has a segment `..`"),
        ("'a\\b'", "a\\b holds `\\` or `:`"),
        ("'C:/x'", "C:/x holds `\\` or `:`"),
        ("'C:x'", "C:x holds `\\` or `:`"),
        ("a/", "a/ is no path of a file"),
        ("./", "./ is no path of a file"),
        ("''", "'' is no path of a file"),
        (".claude/settings.json", ".claude/settings.json lies in .claude, which belongs to"),
        ("./.CLAUDE/x", "./.CLAUDE/x lies in .claude"),
        (".claude", ".claude lies in .claude"),
        (".Agents/skills/x/SKILL.md", ".Agents/skills/x/SKILL.md lies in .agents"),
        (".codex/config.toml", ".codex/config.toml lies in .codex"),
        (".git/hooks/pre-commit", ".git/hooks/pre-commit lies in .git"),
        ('".cl\\u200caude/x"', "'.cl\\u200caude/x' lies in .claude"),
        ("'.claude./x'", ".claude./x has a segment ending in a dot or blank"),
        ("git~1/config", "git~1/config has a segment that some systems take for `.git`"),
        ("a/NUL.txt", "a/NUL.txt has a segment that names a Windows device."),
        ('"a\\0b"', "'a\\x00b' holds a control character."),
        ('"a\\x1b[1m"', "'a\\x1b[1m' holds a control character."),
        ("'a?b'", "a?b holds one of"),
    ]),
    *((f"task: x\nfiles:\n  {first}: x\n  {second}: y", f"4: case 'a': {why}")
        for first, second, why in [
        ("a", "./a", "two 'files' are a."),
        ("A", "a", "'files': a and A take the same name on systems that ignore case"),
        ("a", "a/b", "'files': a is a file, and a/b needs a folder"),
        ("a/b", "a", "'files': a is a file, and a/b needs a folder"),
    ]),
    ('task: x\nfiles:\n  a: "\\udc00"', "3: case 'a': 'files': the content of a holds half of a"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_inline_files_that_are_refused(evals: Path, text: str, sentence: str) -> None:
    write(evals, {"cases/a.yaml": text})
    [problem] = refused(evals)
    assert problem.startswith("evals/cases/a.yaml:")
    assert sentence in problem


def test_numbers_in_files_are_written_as_javascript_does_and_said(evals: Path) -> None:
    found = case(evals, "task: x\njudge: y\nfiles:\n  a: 1.10\n  b: true\n  c: '1.10'\n")
    assert found.cases[0].files == {"a": "1.1", "b": "true", "c": "1.10"}
    assert found.warnings == (
        "evals/cases/a.yaml:4: case 'a': 'files': the content of a is not in quotes and is written "
        "as `1.1`.",
        "evals/cases/a.yaml:5: case 'a': 'files': the content of b is not in quotes and is written "
        "as `true`.",
    )


@pytest.mark.parametrize(
    ("fixture", "why"),
    [
        ("gone", "gone does not exist: there is no folder evals/cases/gone."),
        ("../fixtures/file.txt", "does not exist: there is no folder evals/fixtures/file.txt."),
        ("../..", "../.. leads out of evals/."),
        ("../../../other", "leads out of evals/."),
        ("/etc", "/etc is absolute or has an empty"),
        ("C:/x", "holds `\\` or `:`"),
        ("..\\fixtures\\app", "holds `\\` or `:`"),
        ("../fixtures//app", "is absolute or has an empty"),
        ("", "'' is absolute or has an empty"),
        ("..", "holds the cases themselves"),
        (".", "holds the cases themselves"),
        ("../cases", "holds the cases themselves"),
        ("../fixtures/agent", "holds .Claude, which belongs to the agent."),
        ("../fixtures/other", "holds .agents, which belongs to the agent."),
    ],
)
def test_fixtures_that_are_refused(evals: Path, fixture: str, why: str) -> None:
    write(
        evals,
        {
            "fixtures/app/main.py": "",
            "fixtures/file.txt": "",
            "fixtures/agent/.Claude/settings.json": "",
            "fixtures/other/.agents/x": "",
            "cases/a.yaml": f"task: x\njudge: y\nfixture: '{fixture}'\n",
        },
    )
    [problem] = refused(evals)
    assert problem.startswith("evals/cases/a.yaml:3: case 'a': fixture ")
    assert why in problem


def test_a_fixture_may_lie_beside_its_case_and_hold_what_a_project_does(evals: Path) -> None:
    write(evals, {"cases/app/src/.claude/x": "", "cases/app/.git/HEAD": ""})
    [found] = case(evals, "task: x\njudge: y\nfixture: ./app\n").cases
    assert found.fixture == evals / "cases" / "app"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ("src: x", "has a folder where 'files' has the file src."),
        ("main.py/x: y", "has the file main.py where 'files' needs a folder."),
    ],
)
def test_files_that_do_not_fit_the_fixture(evals: Path, files: str, why: str) -> None:
    write(evals, {"fixtures/app/main.py": "", "fixtures/app/src/a": ""})
    text = f"task: x\njudge: y\nfixture: ../fixtures/app\nfiles:\n  {files}\n"
    write(evals, {"cases/a.yaml": text})
    [problem] = refused(evals)
    assert why in problem
