"""Cases, suites and trigger prompts as people write them, and as nobody should."""

import os
import shutil
from pathlib import Path

import pytest

from receipts.arms import assets
from receipts.arms.assets import Assets, load
from receipts.digest import content_digest_of
from receipts.errors import EvalError


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    """The folder of a skill without assets."""
    folder = tmp_path / "skill" / "evals"
    (folder / "cases").mkdir(parents=True)
    return folder


def write(evals: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        place = evals / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def case(evals: Path, text: str, name: str = "cases/a.yaml") -> Assets:
    write(evals, {name: text})
    return load(evals)


def refused(evals: Path) -> list[str]:
    """Return the problems that end a reading, one a line."""
    with pytest.raises(EvalError) as caught:
        load(evals)
    assert caught.value.exit_code == 2
    assert "\x1b" not in caught.value.message
    heading, *problems = caught.value.message.split("\n  ")
    return problems or [heading]


FULL = """\
task: |
  Write a changelog.
checks:
  - file_exists: CHANGELOG.md
  - command_succeeds: test -s CHANGELOG.md
judge: Prefer the one that names every change.
files:
  src/a.txt: one
  ./bin/tool: |
    #!/bin/sh
  empty: ""
fixture: ../fixtures/app/
setup: git init -q
requires: [git, python3:yaml, 7]
timeout_minutes: 2.5
max_turns: 30
bucket: explicit
"""


def test_a_case_with_every_field(evals: Path) -> None:
    write(evals, {"fixtures/app/main.py": "x = 1\n", "cases/full.yaml": FULL})
    found = load(evals)
    [read] = found.cases
    assert read.name == "full"
    assert read.task == "Write a changelog.\n"
    assert [check.name for check in read.checks] == [
        "file_exists:CHANGELOG.md",
        "command_succeeds:test -s CHANGELOG.md",
    ]
    assert read.judge == "Prefer the one that names every change."
    assert read.files == {"src/a.txt": "one", "bin/tool": "#!/bin/sh\n", "empty": ""}
    assert read.fixture == evals / "fixtures" / "app"
    assert read.setup == "git init -q"
    assert read.requires == ("git", "python3:yaml", "7")
    assert (read.timeout_minutes, read.max_turns, read.bucket) == (2.5, 30, "explicit")
    assert read.file == "evals/cases/full.yaml"
    assert found.warnings == ()
    assert (found.suite, found.triggers) == (None, None)


def test_a_case_of_its_task_alone_measures_nothing_and_is_said_to(evals: Path) -> None:
    found = case(evals, "# nothing\n\ntask: do it\n")
    [read] = found.cases
    assert (read.checks, read.judge, read.files, read.fixture) == ((), None, {}, None)
    assert (read.timeout_minutes, read.max_turns) == (120.0, 200)
    assert found.warnings == (
        "evals/cases/a.yaml:3: case 'a' has no checks and no judge, so every arm ties: it measures "
        "nothing.",
    )


def test_a_case_with_a_judge_alone_measures_something(evals: Path) -> None:
    assert case(evals, "task: do it\njudge: the better one\n").warnings == ()
    assert len(case(evals, "task: do it\njudge: ' '\n").warnings) == 1


def test_cases_come_by_file_name_whatever_the_ending_is_spelt_like(evals: Path) -> None:
    names = ["b.yml", "a-b.YAML", "a.yaml", "B2.Yml", "\U0001f600.yaml", "\uff5e.yaml"]
    write(evals, {f"cases/{name}": "task: x\njudge: y\n" for name in names})
    write(evals, {"cases/notes.md": "", "cases/a.yaml.bak": "{", "cases/more/c.yaml": "{"})
    found = [each.name for each in load(evals).cases]
    assert found == ["B2", "a-b", "a", "b", "\U0001f600", "\uff5e"]


REFUSED = [
    # The task
    ("judge: x", "1: case 'a' needs a 'task'."),
    ("judge: x\ntask: ' '", "2: case 'a' needs a 'task'."),
    ("judge: x\ntask:", "2: case 'a' needs a 'task'."),
    ("task: [x]", "1: case 'a': 'task' must be a text."),
    ("task: 5", "1: case 'a': 'task' must be a text."),
    ('task: "a\\0b"', "1: case 'a': 'task' holds a character that no file or command can."),
    ('task: "a\\ud800"', "1: case 'a': 'task' holds a character that no file or command can."),
    # The other fields
    ("task: x\nchecks:\n  file_exists: a", "2: case 'a': 'checks' must be a list."),
    ("task: x\njudge: [y]", "2: case 'a': 'judge' must be a text."),
    ("task: x\nsetup: true", "2: case 'a': 'setup' must be a text."),
    ("task: x\nbucket: other", "2: case 'a': unknown bucket 'other'. The buckets are explicit, "
        "implicit, contextual, negative, adversarial."),
    ("task: x\nbucket: Negativ", "2: case 'a': unknown bucket 'Negativ'. Did you mean 'negative'?"),
    *((f"task: x\n\ntimeout_minutes: {value}", "3: case 'a': 'timeout_minutes' must be a number "
        "greater than 0 and at most 120.") for value in ("0", "-1", "120.1", "'5'", ".inf", ".nan",
        "true", "[5]")),
    *((f"task: x\nmax_turns: {value}", "2: case 'a': 'max_turns' must be a positive integer.")
        for value in ("0", "-1", "1.5", "'5'", ".inf", "1e300", "true")),
    ("task: x\nrequires: git", "2: case 'a': 'requires' must be a list."),
    ("task: x\nrequires:\n- git\n-", "4: case 'a': 'requires' item 2 must be a text."),
    ("task: x\nrequires: ['a b']", "2: case 'a': 'requires' has a b, which is neither the name of "
        "a program nor `python3:` and that of a module."),
    ("task: x\nrequires: [-v]", "2: case 'a': 'requires' has -v, which"),
    ("task: x\nrequires: [a/b]", "2: case 'a': 'requires' has a/b, which"),
    ("task: x\nrequires: ['python3:os; exit']", "2: case 'a': 'requires' has python3:os; exit,"),
    # Inline files
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
    # The document
    ("", "1: case 'a' is empty; it must be a map of fields."),
    ("# only this\n", "1: case 'a' is empty;"),
    ("- task: x\n", "1: case 'a' is no map;"),
    ("just text\n", "1: case 'a' is no map;"),
    ("task: x\njudge: y\ntask: z\n", "3: case 'a': Map keys must be unique."),
    ("task: x\nfiles: {a: b, a: c}\n", "2: case 'a': Map keys must be unique."),
    ("task: x\n---\ntask: y\n", "2: case 'a': The text holds more than one document."),
    ("task: x\njudge: *gone\n", "2: case 'a': Unresolved alias: gone."),
    ("task: x\njudge: 'open\n", "case 'a': "),
    ("task: " + "[" * 3000, "1: case 'a': The text nests too deeply."),
    (b"\xef\xbb\xbftask: x\n", "1: it starts with a byte order mark; save it as UTF-8 without"),
    ("task: x\n".encode("utf-16"), "1: it is UTF-16; save it as UTF-8."),
    ("task: x\n".encode("utf-16-be"), "1: it holds a NUL byte, so it is no text."),
    (b"task: x\njudge: caf\xe9\n", "2: byte 0xe9 is not UTF-8; save the file as UTF-8."),
    (b"task: x\n\n\0", "3: it holds a NUL byte, so it is no text."),
    (b"task: x\n#" + b"y" * (1 << 20), " it has more than the 1,048,576 bytes that are read."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_a_case_is_refused_for(evals: Path, text: str | bytes, sentence: str) -> None:
    write(evals, {"cases/a.yaml": text})
    [problem] = refused(evals)
    assert problem.startswith("evals/cases/a.yaml:")
    assert sentence in problem


def test_aliases_that_multiply_are_refused(evals: Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{this}: &{this} [{', '.join([f'*{last}'] * 9)}]\n"
        for last, this in zip("abcdefgh", "bcdefghi", strict=True)
    )
    write(evals, {"cases/a.yaml": bomb + "task: *i\n"})
    [problem] = refused(evals)
    assert "Excessive alias count" in problem


def test_a_value_that_holds_itself_is_no_check(evals: Path) -> None:
    found = case(evals, "task: x\nchecks: &all\n- *all\n- transcript_mentions: *all\n")
    assert "unrecognized check spec" in found.warnings[0]
    assert "malformed check: it must be a text" in found.warnings[1]


def test_everything_that_is_wrong_is_said_at_once(evals: Path) -> None:
    write(
        evals,
        {
            "cases/a.yaml": "judge: x\nmax_turns: 0\n",
            "cases/b.yaml": "a: 1\na: 2\n",
            "suite.yaml": "task: x\n",
            "triggers.yaml": "should_trigger: x\n",
        },
    )
    with pytest.raises(EvalError) as caught:
        load(evals)
    assert caught.value.message.split("\n  ") == [
        "5 things must be put right before an evaluation:",
        "evals/cases/a.yaml:1: case 'a' needs a 'task'.",
        "evals/cases/a.yaml:2: case 'a': 'max_turns' must be a positive integer.",
        "evals/cases/b.yaml:2: case 'b': Map keys must be unique.",
        "evals/suite.yaml:1: suite 'suite' needs a non-empty 'cases' list.",
        "evals/triggers.yaml:1: triggers.yaml: 'should_trigger' must be a list.",
    ]


def test_many_problems_are_counted_and_not_all_shown(evals: Path) -> None:
    write(evals, {f"cases/c{number}.yaml": "judge: x" for number in range(100)})
    with pytest.raises(EvalError) as caught:
        load(evals)
    lines = caught.value.message.split("\n")
    assert lines[0].startswith("100 things")
    assert len(lines) == 22
    assert lines[-1] == "  and 80 more"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\x1b[31m", "cannot be seen"),
        ("a\nb", "cannot be seen"),
        ("a\u202eb", "cannot be seen"),
        ("a\u200bb", "cannot be seen"),
        (".hidden", "starts with a dot"),
        (" a", "starts with a dot or blank"),
        ("a ", "ending in a dot or blank"),
        ("a.", "ending in a dot or blank"),
        ("x" * 101, "more than 100 characters"),
        ("con", "Windows device"),
        ("Aux.old", "Windows device"),
        ("a:b", "Windows"),
        ("a\\b", "Windows"),
        ("a*", "Windows"),
    ],
)
def test_names_that_no_file_of_a_run_can_have(evals: Path, name: str, why: str) -> None:
    write(evals, {f"cases/{name}.yaml": "task: x\njudge: y\n"})
    [problem] = refused(evals)
    assert "a case cannot be called" in problem
    assert why in problem
    assert problem.isprintable()


@pytest.mark.parametrize("name", ["x" * 100, "two words", "日本語", "a.b", "UPPER_lower-1"])
def test_names_that_it_can(evals: Path, name: str) -> None:
    [found] = case(evals, "task: x\njudge: y\n", f"cases/{name}.yaml").cases
    assert found.name == name


@pytest.mark.parametrize(
    ("first", "second"),
    [("x.yaml", "x.yml"), ("A.yaml", "a.yaml"), ("caf\u00e9.yml", "cafe\u0301.yaml")],
)
def test_one_name_twice_is_refused(evals: Path, first: str, second: str) -> None:
    write(evals, {f"cases/{name}": "task: x\njudge: y\n" for name in (first, second)})
    if len(os.listdir(evals / "cases")) < 2:
        pytest.skip("this file system takes them for one name already")
    [problem] = refused(evals)
    assert f"evals/cases/{first}" in problem
    assert f"evals/cases/{second}" in problem
    assert "rename one" in problem


def test_links_anywhere_are_refused_by_name(evals: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("task: x\njudge: y\n")
    write(evals, {"fixtures/app/main.py": "", "cases/b.yaml": "task: x\njudge: y\n"})
    (evals / "cases" / "a.yaml").symlink_to(tmp_path / "outside.yaml")
    (evals / "fixtures" / "app" / "secrets").symlink_to("/etc")
    (evals / "fixtures" / "gone").symlink_to("nowhere")
    os.mkfifo(evals / "fixtures" / "app" / "pipe")
    assert sorted(refused(evals)) == [
        f"evals/{path}: it is {kind}; every machine must find the same files there."
        for path, kind in [
            ("cases/a.yaml", "a symbolic link"),
            ("fixtures/app/pipe", "neither a file nor a folder"),
            ("fixtures/app/secrets", "a symbolic link"),
            ("fixtures/gone", "a symbolic link"),
        ]
    ]


def test_the_folder_itself_is_no_link_and_no_file(evals: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(evals)
    with pytest.raises(EvalError, match="link is a symbolic link"):
        load(tmp_path / "link")
    shutil.rmtree(evals)
    evals.write_text("x")
    with pytest.raises(EvalError, match="evals is a file"):
        load(evals)


def test_folders_in_the_place_of_files(evals: Path) -> None:
    for path in ("cases/x.yaml", "suite.yaml", "triggers.yaml"):
        (evals / path).mkdir()
    assert refused(evals) == [
        "evals/cases/x.yaml: it is a folder, and a case is one file.",
        "evals/suite.yaml: it is a folder, and must be a file.",
        "evals/triggers.yaml: it is a folder, and must be a file.",
    ]
    shutil.rmtree(evals / "cases")
    (evals / "cases").write_text("task: x\n")
    assert "evals/cases: it is a file, and must be the folder of the cases." in refused(evals)


def test_a_file_whose_name_is_no_text(evals: Path) -> None:
    write(evals, {"cases/a.yaml": "task: x\njudge: y\n"})
    with open(os.path.join(os.fsencode(evals), b"cases", b"\xff.yaml"), "wb"):
        pass
    [problem] = refused(evals)
    assert "is called what is not valid UTF-8" in problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_what_cannot_be_read(evals: Path) -> None:
    write(evals, {"cases/a.yaml": "task: x\n", "fixtures/b": ""})
    (evals / "cases" / "a.yaml").chmod(0)
    (evals / "fixtures" / "b").chmod(0)
    assert len(refused(evals)) == 2


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


def test_numbers_in_files_are_written_as_javascript_does_and_said(evals: Path) -> None:
    found = case(evals, "task: x\njudge: y\nfiles:\n  a: 1.10\n  b: true\n  c: '1.10'\n")
    assert found.cases[0].files == {"a": "1.1", "b": "true", "c": "1.10"}
    assert found.warnings == (
        "evals/cases/a.yaml:4: case 'a': 'files': the content of a is not in quotes and is written "
        "as `1.1`.",
        "evals/cases/a.yaml:5: case 'a': 'files': the content of b is not in quotes and is written "
        "as `true`.",
    )


def test_unknown_fields_are_named_with_the_one_that_was_meant(evals: Path) -> None:
    found = case(evals, "task: x\nCheck: []\njudge: y\nxyzzy: 1\nfixtures: z\n")
    assert found.warnings == (
        "evals/cases/a.yaml:2: case 'a': unknown key 'Check' is ignored. Did you mean 'checks'?",
        "evals/cases/a.yaml:4: case 'a': unknown key 'xyzzy' is ignored.",
        "evals/cases/a.yaml:5: case 'a': unknown key 'fixtures' is ignored. Did you mean "
        "'fixture'?",
    )


CHECKS = """\
task: x
checks:
  - file_exists: a
  - file_exist: b
  - {file_exists: c, file_absent: d}
  - transcript_mentions: ""
  - transcript_omits: ""
  - file_exists: ./
  - file_absent: ../out
  - command_matching: a[]
  - no_command_matching: a[]
  - command_matching: (
  - file_exists: a
  - command_succeeds: "true"
"""


def test_checks_that_tell_no_arms_apart_are_named(evals: Path) -> None:
    found = case(evals, CHECKS)
    assert len(found.cases[0].checks) == 12
    always, never = (f"{end} in every arm, whatever the agent does." for end in ("passes", "fails"))
    assert [line.removeprefix("evals/cases/a.yaml:") for line in found.warnings] == [
        "4: case 'a': check 2 (file_exist) fails in every arm: unknown check kind 'file_exist'. "
        "Did you mean 'file_exists'?",
        '5: case \'a\': check 3 ({"file_exists": "c", "file_absent": "d"}) fails in every arm: '
        "unrecognized check spec.",
        f"6: case 'a': check 4 (transcript_mentions:) {always}",
        f"7: case 'a': check 5 (transcript_omits:) {never}",
        f"8: case 'a': check 6 (file_exists:./) {always}",
        f"9: case 'a': check 7 (file_absent:../out) {never}",
        f"10: case 'a': check 8 (command_matching:a[]) {never}",
        f"11: case 'a': check 9 (no_command_matching:a[]) {always}",
        "12: case 'a': check 10 (command_matching:() fails in every arm: malformed check: the "
        "pattern `(` cannot be searched: a `(` has no `)`.",
        "13: case 'a': check 11 (file_exists:a) is there twice.",
        f"14: case 'a': check 12 (command_succeeds:true) {always}",
    ]


SUITE = """\
task: Review the diff.
fixture: fixtures/repo
setup: git init -q
timeout_minutes: 10
cases:
  - name: finds the null
    checks: [{ transcript_mentions: resolveTerms }]
  - name: stays calm
    checks:
      - transcript_omits: roundHalfUp
"""


def test_a_suite(evals: Path) -> None:
    write(evals, {"suite.yaml": SUITE, "fixtures/repo/a.js": ""})
    found = load(evals)
    assert found.suite is not None
    session = found.suite.session
    assert (session.name, session.checks, session.judge) == ("suite", (), None)
    assert session.fixture == evals / "fixtures" / "repo"
    assert (session.timeout_minutes, session.file) == (10.0, "evals/suite.yaml")
    assert {each.name: each.checks[0].name for each in found.suite.subcases} == {
        "finds the null": "transcript_mentions:resolveTerms",
        "stays calm": "transcript_omits:roundHalfUp",
    }
    assert found.warnings == ()


def test_what_a_suite_does_not_use_is_said(evals: Path) -> None:
    text = "task: x\nchecks: []\njudge: y\nbucket: negative\ncases: [{name: a, checks: []}]\n"
    write(evals, {"suite.yaml": text})
    found = load(evals)
    assert found.suite is not None
    assert found.suite.session.bucket is None
    assert found.warnings == (
        "evals/suite.yaml:2: suite 'suite': 'checks' is not used, for checks belong to the "
        "sub-cases.",
        "evals/suite.yaml:3: suite 'suite': 'judge' is not used, for a suite is never judged.",
        "evals/suite.yaml:4: suite 'suite': 'bucket' is not used, for a suite has none.",
        "evals/suite.yaml:5: suite 'suite': sub-case 'a' has no checks, so every arm ties: it "
        "measures nothing.",
    )


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        ("{}", "2: suite 'suite' needs a non-empty 'cases' list."),
        ("[]", "2: suite 'suite' needs a non-empty 'cases' list."),
        ("[a]", "2: suite 'suite': sub-case 1 must be a map."),
        ("[{checks: []}]", "2: suite 'suite': sub-case needs a non-empty 'name'."),
        ("[{name: 5, checks: []}]", "2: suite 'suite': sub-case 1: 'name' must be a text."),
        ("[{name: ' ', checks: []}]", "2: suite 'suite': the sub-case name ' ' is blank."),
        ('[{name: "\\e[1m", checks: []}]', "holds a character that cannot be seen."),
        ("[{name: a}]", "2: suite 'suite': sub-case 'a' needs a 'checks' list."),
        ("[{name: a, checks: x}]", "2: suite 'suite': sub-case 'a' needs a 'checks' list."),
        ("\n- {name: a, checks: []}\n- checks: []\n  name: a",
            "5: suite 'suite': duplicate sub-case name 'a'."),
        ("\n- name: one\n  checks: []", "3: suite 'suite': sub-case name 'one' collides with "
            "authored case name."),
        *((f"\n- name: b\n  checks: []\n  {key}: x", f"5: suite 'suite': sub-case must not carry "
            f"'{key}'.") for key in ("judge", "task", "files", "fixture", "setup", "bucket",
            "requires", "timeout_minutes", "max_turns")),
    ],
)  # fmt: skip
def test_what_a_suite_is_refused_for(evals: Path, cases: str, sentence: str) -> None:
    write(evals, {"suite.yaml": f"task: x\ncases: {cases}\n"})
    write(evals, {"cases/one.yaml": "task: x\njudge: y\n"})
    [problem] = refused(evals)
    assert problem.startswith("evals/suite.yaml:")
    assert sentence in problem


def test_a_case_cannot_have_the_name_of_the_suite_beside_one(evals: Path) -> None:
    assert case(evals, "task: x\njudge: y\n", "cases/suite.yaml").cases[0].name == "suite"
    write(evals, {"suite.yaml": "task: x\ncases: [{name: a, checks: []}]\n"})
    [problem] = refused(evals)
    assert "suite 'suite' and a case have the same name" in problem


def test_triggers(evals: Path) -> None:
    write(
        evals, {"triggers.yaml": "should_trigger: [one, 2, true]\nshould_not_trigger:\n- three\n"}
    )
    found = load(evals)
    assert found.triggers is not None
    assert found.triggers.should == ("one", "2", "true")
    assert found.triggers.should_not == ("three",)
    assert found.warnings == ()
    write(evals, {"triggers.yaml": "should_trigger: [one]\n"})
    found = load(evals)
    assert found.triggers is not None
    assert found.triggers.should_not == ()


def test_trigger_prompts_that_are_odd(evals: Path) -> None:
    text = "should_trigger: [a, b, a]\nshould_not_trigger:\n- c\n- b\nshould_triger: [x]\n"
    write(evals, {"triggers.yaml": text})
    assert [line.removeprefix("evals/triggers.yaml:") for line in load(evals).warnings] == [
        "5: triggers.yaml: unknown key 'should_triger' is ignored. Did you mean 'should_trigger'?",
        "1: triggers.yaml: 'should_trigger' has one prompt twice.",
        "4: triggers.yaml: a prompt is in both lists, so one of them is missed.",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[a]", "1: triggers.yaml is no map"),
        ("should_trigger: a", "1: triggers.yaml: 'should_trigger' must be a list."),
        (
            "should_trigger:\n- a\n- [b]",
            "3: triggers.yaml: 'should_trigger' item 2 must be a text.",
        ),
        ("should_trigger:\n- a\n- ' '", "3: triggers.yaml: 'should_trigger' item 2 is blank."),
        ("should_trigger: [a", "triggers.yaml: "),
    ],
)
def test_what_triggers_are_refused_for(evals: Path, text: str, sentence: str) -> None:
    write(evals, {"triggers.yaml": text})
    [problem] = refused(evals)
    assert problem.startswith("evals/triggers.yaml:")
    assert sentence in problem


def test_nothing_to_evaluate_says_what_to_do(evals: Path) -> None:
    write(evals, {"fixtures/app/a": "", "triggers.yaml": "should_trigger: []\n"})
    for folder in (evals, evals.parent / "elsewhere"):
        with pytest.raises(EvalError) as caught:
            load(folder)
        assert f"{folder} holds no case (cases/NAME.yaml)" in caught.value.message
        assert "`receipts eval`" in caught.value.hint
        assert "--no-gen" in caught.value.hint
        assert assets.read(folder).cases == ()


def test_files_that_may_have_been_meant_are_named(evals: Path) -> None:
    names = ("suite.yml", "trigger.yaml", "notes.yaml", "README.md")
    write(evals, dict.fromkeys(names, ""))
    (evals / "case").mkdir()
    (evals / "fixtures").mkdir()
    found = case(evals, "task: x\njudge: y\n")
    assert sorted(found.warnings) == [
        "evals/case: it is not read; is it meant to be cases?",
        "evals/suite.yml: it is not read; is it meant to be suite.yaml?",
        "evals/trigger.yaml: it is not read; is it meant to be triggers.yaml?",
    ]


def test_the_digest_is_over_every_path_and_byte_as_a_skill_s_is(evals: Path) -> None:
    files: dict[str, str | bytes] = {
        "cases/a.yaml": "task: x\njudge: y\n",
        "fixtures/\U0001f600": b"\x00\xff",
        "fixtures/\uff5e": "",
        "SKILL.txt": "---\nlicense: x\n---\n",
    }
    write(evals, files)
    expected = content_digest_of(
        {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    )
    assert load(evals).digest == expected
    write(evals, {".DS_Store": "x", "fixtures/Thumbs.db": "x"})
    assert load(evals).digest == expected
    write(evals, {"fixtures/more": "x"})
    changed = load(evals).digest
    assert changed != expected
    (evals / "fixtures" / "more").rename(evals / "fixtures" / "moved")
    assert load(evals).digest not in (expected, changed)
