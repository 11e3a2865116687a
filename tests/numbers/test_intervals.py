"""_numbers/intervals.py: bounds hold, and are tight."""

from decimal import Context, Decimal
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from cydp._numbers.intervals import (
    exp_below,
    exp_bounds,
    exp_interval,
    ln_bounds,
    quotients,
    sqrt_bounds,
)

WIDE = Context(200)
NUMBERS = st.fractions(Fraction(1, 10**9), 10**6, max_denominator=10**9)


def exactly(x: Fraction) -> Decimal:
    return WIDE.divide(Decimal(x.numerator), Decimal(x.denominator))


@given(NUMBERS, st.integers(5, 80))
@example(Fraction(1), 5)
@example(Fraction(1, 3), 60)
def test_bounds(x: Fraction, digits: int) -> None:
    for bounds, value in (
        (exp_bounds(-x, digits), WIDE.exp(WIDE.minus(exactly(x)))),
        (ln_bounds(x, digits), WIDE.ln(exactly(x))),
        (sqrt_bounds(x, digits), WIDE.sqrt(exactly(x))),
        (tuple(map(Fraction, quotients(x, digits))), exactly(x)),
    ):
        low, high = bounds
        assert low <= high
        truth = Fraction(value)
        slack = abs(truth) / 10**150
        assert low <= truth + slack
        assert truth - slack <= high
    low, high = sqrt_bounds(x, digits)
    assert high - low <= low / 10 ** (digits - 3)


@given(NUMBERS)
@example(Fraction(1, 10**9))
@example(Fraction(1, 10**100))  # where 1 + x is the better bound
@example(Fraction(10**6))
def test_a_fraction_below_exp_is_as_close_as_its_bits_allow(x: Fraction) -> None:
    below, high = exp_below(x), exp_bounds(x)[1]
    assert 1 < below <= high
    assert high - below <= (high - 1) / 10**28 + high / 10**57
    above = exp_bounds(x)[0]
    assert max(above, 1 + x) >= below


def test_exact_roots() -> None:
    for x in (Fraction(0), Fraction(1), Fraction(9, 4), Fraction(1, 2**300)):
        low, high = sqrt_bounds(x, 300)
        assert low == high
        assert low**2 == x


def test_far_exponents() -> None:
    low, high = exp_bounds(Fraction(-(10**4)))
    assert 0 < low < high < Fraction(1, 10**4342)
    least, most = exp_interval(Fraction(-(10**9)))
    assert 0 < least < most


def test_what_is_next_to_1() -> None:
    """The logarithm of 1 is 0; a decimal next to that has 10**18 digits as a fraction."""
    for x in (Fraction(1), 1 - Fraction(1, 2**4000), 1 + Fraction(1, 2**4000)):
        low, high = ln_bounds(x)
        assert low <= min(x - 1, 0)
        assert max(x - 1, 0) <= high + (x - 1) ** 2
        assert high - low < Fraction(1, 10**58)
    assert quotients(Fraction(1, 3), 3) == (Decimal("0.333"), Decimal("0.334"))
