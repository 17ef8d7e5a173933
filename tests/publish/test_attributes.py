import pytest

from publish.attributes import filters

SENTENCE = (
    "x/.gitattributes line {} has git pass files through the filter {}: what git checks out or "
    "takes in by hand is then not what receipts reads and writes."
)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (b"* -text\n*.md text eol=lf\n", []),
        (b"skills/** filter=lfs diff=lfs\n", [(1, "lfs")]),
        (b"* -text\r\n\r\n*.bin\tfilter=lfs\r\nb filter=git-crypt", [(3, "lfs"), (4, "git-crypt")]),
        (b"# a filter=lfs\n  # b filter=lfs\n", []),
        (b"a -filter\nb !filter\nc filter\nd filter=\n", []),
        (b"filter=lfs\n", []),  # the name of a file
        (b"* filter=\x1b[31m\xff\n", [(1, "\\x1b[31m\ufffd")]),
        (b"* filter=" + b"x" * 500, [(1, "x" * 60)]),
    ],
)
def test_each_line_that_asks_for_a_filter_is_named(
    data: bytes, found: list[tuple[int, str]]
) -> None:
    assert filters("x/.gitattributes", data) == [SENTENCE.format(*item) for item in found]


def test_a_huge_file_is_looked_at_as_far_as_anybody_would() -> None:
    assert len(filters("a", b"* filter=lfs\n" * 200_000)) < 100_000
