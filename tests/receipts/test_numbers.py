import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receipts.numbers import fixed, percent


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0625, 3, "0.063"),
        (0.5, 0, "1"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (1.005, 2, "1.00"),
        (1.45, 1, "1.4"),
        (8.345, 2, "8.35"),
        (0.000001, 7, "0.0000010"),
        (0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.0, 0, "0"),
        (-0.001, 2, "-0.00"),
        (-1e-300, 0, "-0"),
        (0.219, 3, "0.219"),
        (123.456, 0, "123"),
        (99.999, 2, "100.00"),
        (5, 1, "5.0"),
        (2**53 - 1, 2, "9007199254740991.00"),
        (123456789012345680000.0, 2, "123456789012345683968.00"),
        (1e21, 2, "1e+21"),
        (-1.5e300, 0, "-1.5e+300"),
        (math.nan, 2, "NaN"),
        (math.inf, 2, "Infinity"),
        (-math.inf, 2, "-Infinity"),
    ],
)
def test_fixed_rounds_as_javascript_does(value: float, digits: int, text: str) -> None:
    assert fixed(value, digits) == text


@given(st.floats(-1e20, 1e20), st.integers(0, 8))
def test_fixed_is_the_nearest_decimal(value: float, digits: int) -> None:
    text = fixed(value, digits)
    assert abs(float(text) - value) <= 0.5 * 10**-digits + abs(value) * 2**-52
    assert len(text.partition(".")[2]) == digits
    assert text.startswith("-") == (value < 0)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (4 / 9, "+44%"),
        (1 / 8, "+13%"),
        (-1 / 8, "-13%"),
        (-1 / 3, "-33%"),
        (0.0, "+0%"),
        (-0.0, "+0%"),
        (0.001, "+0%"),
        (-0.001, "-0%"),
        (1, "+100%"),
        (-1, "-100%"),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text
