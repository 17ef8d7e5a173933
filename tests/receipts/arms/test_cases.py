"""Cases as people write them, and as nobody should."""

from pathlib import Path

import pytest

from receipts.arms.assets import load
from tests.receipts.arms.asset_files import case, refused, write

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
