"""_numbers/rounding.py: bounds as short decimals, never rounded inward."""

import math
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from cydp._numbers.rounding import (
    as_float,
    decimal_above,
    decimal_below,
    delta_above,
    delta_float_above,
    float_above,
    percent_of,
    root_above,
    words_above,
)

WHOLE = st.integers(1, 2**2000)
SIZES = st.builds(lambda n, d, e: Fraction(n, d) * Fraction(10) ** e,
                  st.integers(1, 2**60), st.integers(1, 2**60), st.integers(-340, 320))  # fmt: skip
DECIMALS = st.builds(lambda n, e: n * Fraction(10) ** e, st.integers(1, 10**7),
                     st.integers(-330, 305))  # fmt: skip
FLOATS = st.floats(0, exclude_min=True, allow_infinity=False).map(Fraction)
NUMBERS = st.one_of(SIZES, DECIMALS, FLOATS, st.builds(Fraction, WHOLE, WHOLE))
BELOW_1 = st.one_of(
    NUMBERS.filter(lambda number: number < 1),
    st.builds(lambda number: 1 - number, NUMBERS.filter(lambda number: number < 1)),
)
LARGEST = Fraction(math.nextafter(math.inf, 0))


def digits(number: Fraction) -> int:
    """Return how many significant digits a decimal has."""
    scale = 0
    while number.denominator != 1:
        number *= 10
        scale += 1
    return len(str(number.numerator).rstrip("0"))


@given(NUMBERS)
@example(Fraction(3, 10))
@example(Fraction(1, 10**400))
@example(Fraction(5e-324))
@example(Fraction(12345675, 10**330))
@example(LARGEST)
@example(LARGEST + 1)
def test_a_float_is_never_below(number: Fraction) -> None:
    """The decimal that it prints is next to the number, and not below it."""
    value = float_above(number)
    if value == math.inf:
        assert number > Fraction("1.79769e308")
        return
    printed = Fraction(repr(value))
    assert printed >= number
    assert digits(printed) <= 6
    tiny = Fraction(3, 10**323)
    assert printed <= number * Fraction(100_002, 100_000) + tiny
    assert printed < decimal_above(decimal_above(number) * Fraction(10**7 + 1, 10**7)) + tiny * 2


@given(NUMBERS)
def test_decimals_enclose(number: Fraction) -> None:
    low, high = decimal_below(number), decimal_above(number)
    assert low <= number <= high
    assert max(digits(low), digits(high)) <= 6
    assert (low == high) == (low == number)
    assert high - low <= number / 10**5


@given(BELOW_1.filter(bool))
@example(1 - Fraction(1, 2**53))
@example(1 - Fraction(1, 2**54))
@example(1 - Fraction(1, 10**400))
@example(Fraction(999_999, 10**6))
def test_a_delta_stays_below_1(number: Fraction) -> None:
    assert number <= delta_above(number) < 1
    value = delta_float_above(number)
    assert Fraction(repr(value)) >= number
    if number <= Fraction(999_999, 10**6):
        assert value == min(float_above(number), value)
        assert digits(Fraction(repr(value))) <= 6 or value > 0.999999
    assert (value < 1) == (number <= Fraction(math.nextafter(1, 0)))


@given(NUMBERS)
def test_json_keeps_what_a_float_prints(number: Fraction) -> None:
    value = as_float(number)
    if value is None:
        assert number > Fraction("1.79769e308")
        return
    assert Fraction(repr(value)) >= number
    near = float(number)
    assert (Fraction(repr(near)) == number) == (value == near and Fraction(repr(value)) == number)


@given(NUMBERS)
@example(Fraction(2))
@example(Fraction(9, 4))
@example(1 + Fraction(1, 2**400))
def test_a_root_is_rounded_up_or_exact(square: Fraction) -> None:
    """A root is mostly a sensitivity in the L2 norm: one that is too small breaks the promise."""
    root = root_above(square)
    assert root**2 >= square
    assert root**2 <= square * Fraction(100_003, 100_000) ** 2
    assert root_above(square**2) == square


@given(st.floats(1e-300, 1e308))
@example(0.12345649)
def test_words_are_no_less_than_a_bound(bound: float) -> None:
    assert Fraction(words_above(bound).replace(",", "")) >= Fraction(repr(bound))


@given(BELOW_1)
@example(Fraction(2, 3))
@example(1 - Fraction(1, 10**9))
def test_a_confidence_in_percent_is_no_more_than_it_is(confidence: Fraction) -> None:
    confidence = max(confidence, Fraction(1, 10**300))
    said = percent_of(confidence).removesuffix(" %").removeprefix("more than ")
    assert Fraction(said) <= 100 * confidence


def test_what_is_shown() -> None:
    shown = {
        Fraction(0): "0.0",
        Fraction(1): "1.0",
        Fraction(1, 3): "0.333334",
        Fraction("2.7129266"): "2.71293",
        Fraction("1e-6") / 3: "3.33334e-07",
        Fraction(1234567): "1234570.0",
        Fraction(3, 10): "0.3",
        Fraction(1, 2): "0.5",
        Fraction(10**400): "inf",
        Fraction(1, 10**400): "1e-323",
    }
    assert {number: repr(float_above(number)) for number in shown} == shown
    words = {0.12345649: "0.123457", 1234567.0: "1.23457e+06", math.inf: "inf"}
    assert {bound: words_above(bound) for bound in words} == words
    confidences = {
        Fraction(19, 20): "95 %",
        Fraction(2, 3): "66.6666 %",
        1 - Fraction(1, 10**25): "more than 99.9999 %",
    }
    assert {p: percent_of(p) for p in confidences} == confidences


def test_deltas_next_to_1() -> None:
    assert delta_float_above(Fraction(1)) == delta_float_above(1 - Fraction(1, 10**20)) == 1
    assert repr(delta_float_above(1 - Fraction(1, 3 * 10**7))) == "0.9999999666667"
    assert delta_float_above(Fraction(9, 8)) == 1.125
