"""How two folders differ, through the command line too."""

import json
from pathlib import Path

import pytest

from receipts import cli, difference
from receipts.difference import Difference
from receipts.digest import content_digest
from receipts.errors import SkillError

HEAD = "---\nname: s\n---\n"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("old", "new"):
        folder = tmp_path / name
        (folder / "docs").mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"{HEAD}# s\n")
        (folder / "docs" / "a.md").write_bytes(b"one\ntwo\n")
        (folder / "run.sh").write_bytes(b"true\n")
    return tmp_path / "old", tmp_path / "new"


def edit_nothing(new: Path) -> None:
    (new / "evals").mkdir()
    (new / "evals" / "a.yaml").touch()


def edit_managed_fields(new: Path) -> None:
    (new / "SKILL.md").write_text("---\nname: 's'\nlicense: MIT\n---\n# s\n")


def edit_line_endings(new: Path) -> None:
    (new / "docs" / "a.md").write_bytes(b"one\r\ntwo\r\n")


def edit_line_endings_of_skill_md(new: Path) -> None:
    (new / "SKILL.md").write_bytes(f"{HEAD}# s\n".replace("\n", "\r\n").encode())


def edit_line_endings_and_more(new: Path) -> None:
    (new / "docs" / "a.md").write_bytes(b"one\r\ntwo \r\n")


def edit_executable_bit(new: Path) -> None:
    (new / "run.sh").chmod(0o755)


def edit_by_adding_and_removing(new: Path) -> None:
    (new / "docs" / "a.md").rename(new / "docs" / "b.md")


def edit_everything(new: Path) -> None:
    edit_executable_bit(new)
    (new / "run.sh").write_bytes(b"false\n")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (edit_nothing, []),
        (edit_managed_fields, []),
        (edit_line_endings, [Difference("docs/a.md", "line endings")]),
        (edit_line_endings_of_skill_md, [Difference("SKILL.md", "line endings")]),
        (edit_line_endings_and_more, [Difference("docs/a.md", "changed")]),
        (edit_executable_bit, [Difference("run.sh", "executable bit")]),
        (
            edit_by_adding_and_removing,
            [Difference("docs/a.md", "removed"), Difference("docs/b.md", "added")],
        ),
        (
            edit_everything,
            [Difference("run.sh", "changed"), Difference("run.sh", "executable bit")],
        ),
    ],
)
def test_each_way_to_differ(pair: tuple[Path, Path], edit: object, expected: object) -> None:
    old, new = pair
    assert callable(edit)
    edit(new)
    before, after, found = difference.compare_folders(old, new)
    assert found == expected
    counts = [item for item in found if item.kind != difference.EXECUTABLE]
    assert (before.digest == after.digest) == (not counts)


def test_the_verb_says_both_digests_and_each_file(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = pair
    edit_line_endings(new)
    edit_executable_bit(new)
    (old / "gone").touch()
    (new / "new\x1b[31m").touch()
    assert cli.run(["digest", str(old), str(new)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        f"{content_digest(old)}  {old}",
        f"{content_digest(new)}  {new}",
        "  docs/a.md: only line endings differ",
        "  gone: only in the first",
        "  new\\x1b[31m: only in the second",
        "  run.sh: only the executable bit differs, which does not count",
    ]
    assert cli.run(["digest", str(old), str(new), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["equal"], document["first"]["path"]) == (False, str(old))
    assert document["differences"][0] == {"path": "docs/a.md", "kind": "line endings"}
    assert document["second"]["digest"] == content_digest(new)


def test_equal_folders_are_said_to_be_equal(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    edit_executable_bit(pair[1])
    assert cli.run(["digest", *map(str, pair)]) == 0
    assert "The digests are equal." in capsys.readouterr().out
    assert cli.run(["digest", *map(str, pair), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["equal"] is True


def test_explain_is_about_one_folder(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["digest", "--explain", *map(str, pair)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: --explain is about one folder.\n  Leave out the second folder.\n"


def test_a_folder_that_cannot_be_measured_is_the_error(pair: tuple[Path, Path]) -> None:
    with pytest.raises(SkillError, match="gone does not exist"):
        difference.compare_folders(pair[0], pair[1] / "gone")
