import click
import pytest

from store.amounts import age, age_text, size, size_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0d", 0), ("30d", 2_592_000), ("2w", 1_209_600), ("12h", 43_200), ("1.5h", 5400),
     ("90m", 5400), ("7s", 7)],
)  # fmt: skip
def test_ages(text: str, seconds: float) -> None:
    assert age(text) == seconds


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("123", 123), ("5G", 5 << 30), ("500M", 500 << 20), ("1.5k", 1536), ("2T", 2 << 40),
     ("5GB", 5 << 30), ("5GiB", 5 << 30), ("7B", 7)],
)  # fmt: skip
def test_sizes(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize(
    "text", ["", "d", "30", "-1d", "1e9d", "30 d", "30days", "٣d", "inf", "9" * 12 + "d", "nan"]
)
def test_what_is_no_age_is_refused_in_words(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no age, such as 30d"):
        age(text)


@pytest.mark.parametrize("text", ["", "G", "-5G", "5X", "5 G", "1e3", "٣", "9" * 16, "nan"])
def test_what_is_no_size_is_refused_in_words(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no size, such as 5G"):
        size(text)


def test_texts() -> None:
    assert [size_text(count) for count in (0, 1023, 1024, 1536, 5 << 30, 3 << 40, 2 << 50)] == [
        "0 B", "1023 B", "1.0 kB", "1.5 kB", "5.0 GB", "3.0 TB", "2048.0 TB",
    ]  # fmt: skip
    assert [age_text(seconds) for seconds in (-5, 0, 3600, 7300, 86_400, 30 * 86_400)] == [
        "0 hours", "0 hours", "1 hour", "2 hours", "1 day", "30 days",
    ]  # fmt: skip
