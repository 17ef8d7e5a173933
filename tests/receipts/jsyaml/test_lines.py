"""Where values stand, which messages about them name."""

import pytest

from receipts.jsyaml import YamlError, load_with_lines
from receipts.jsyaml.lines import Path

TEXT = """\
# a comment
task: |
  several

  lines
"checks":
  - file_exists: a
  -
    command_matching: >-
      b
files: {a.txt: 1,
  "b\\u00e9.txt": 2, 3: x}
shared: &all
  deep:
    down: 1
again: *all
😀: [1,
 2, k: v]
? explicit
: !!str 5
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("task",), 2),
        (("checks",), 6),
        (("checks", 0), 7),
        (("checks", 0, "file_exists"), 7),
        (("checks", 1), 9),
        (("checks", 1, "command_matching"), 9),
        (("files", "a.txt"), 11),
        (("files", "bé.txt"), 12),
        (("files", "3"), 12),
        (("shared", "deep", "down"), 15),
        (("again", "deep", "down"), 16),
        (("😀", 0), 17),
        (("😀", 1), 18),
        (("😀", 2, "k"), 18),
        (("explicit",), 19),
        (("missing", "below"), 2),
        (("checks", 7), 6),
    ],
)
def test_the_line_of_each_value(path: Path, line: int) -> None:
    data, lines = load_with_lines(TEXT)
    assert data["files"] == {"3": "x", "a.txt": 1.0, "bé.txt": 2.0}
    assert lines.at(path) == line


def test_nothing_stands_at_the_first_line() -> None:
    data, lines = load_with_lines("# only this\n")
    assert data is None
    assert lines.at(("task",)) == 1


def test_what_is_deep_stands_where_what_holds_it_does() -> None:
    _, lines = load_with_lines("a:\n" + "".join(f"{' ' * n}- b:\n" for n in range(2, 40, 2)))
    assert lines.at(("a", *(0, "b") * 9)) == lines.at(("a", *(0, "b") * 3, 0)) == 5


def test_faults_carry_theirs() -> None:
    with pytest.raises(YamlError) as caught:
        load_with_lines("a: 1\nb: 2\na: 3\n")
    assert caught.value.line == 3
