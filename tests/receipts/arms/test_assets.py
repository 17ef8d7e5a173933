"""The folder of eval assets: its names, links, digest, and all that is wrong at once."""

import os
import shutil
import time
from pathlib import Path

import pytest

from receipts.arms import assets
from receipts.arms.assets import load
from receipts.digest import content_digest_of
from receipts.errors import EvalError
from tests.receipts.arms.asset_files import case, refused, write


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


def test_files_of_a_hostile_size_take_little_time(evals: Path) -> None:
    many = 20_000
    write(
        evals,
        {
            "cases/a-keys.yaml": "task: x\n" + "".join(f"k{at}: 1\n" for at in range(many)),
            "cases/checks.yaml": "task: x\nchecks:\n" + "- file_exists: a\n" * many,
            "cases/kinds.yaml": "task: x\nchecks:\n" + "- file_exist: a\n" * many,
            "cases/files.yaml": "task: x\nfiles:\n"
            + "".join(f"  a{at}: x\n" for at in range(many)),
            "triggers.yaml": "should_trigger:\n" + "- a\n" * many,
        },
    )
    started = time.monotonic()
    found = load(evals)
    assert time.monotonic() - started < 60
    assert len(found.warnings) == 101
    assert "case 'a-keys': 19980 more unknown keys are ignored." in found.warnings[20]
    assert found.warnings[-1].startswith("and ")


def test_a_message_stays_on_its_line(evals: Path) -> None:
    found = case(evals, 'task: x\njudge: y\n"a\\nevals/cases/b.yaml:1: \\e[2Jforged": z\n')
    assert found.warnings == (
        r"evals/cases/a.yaml:3: case 'a': unknown key 'a evals/cases/b.yaml:1: \x1b[2Jforged' is "
        "ignored.",
    )
