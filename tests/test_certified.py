"""certified.py: bounds hold, and are tight."""

from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cydp.certified import exp_bounds, ln_bounds, sqrt_bounds

WIDE = Context(200)
fixed = settings(derandomize=True, deadline=None, max_examples=200)
NUMBERS = st.fractions(Fraction(1, 10**9), 10**6, max_denominator=10**9)


def exactly(x: Fraction) -> Decimal:
    return WIDE.divide(Decimal(x.numerator), Decimal(x.denominator))


@fixed
@given(NUMBERS, st.integers(5, 80))
def test_bounds(x: Fraction, digits: int) -> None:
    for bounds, value in (
        (exp_bounds(-x, digits), WIDE.exp(WIDE.minus(exactly(x)))),
        (ln_bounds(x, digits), WIDE.ln(exactly(x))),
        (sqrt_bounds(x, digits), WIDE.sqrt(exactly(x))),
    ):
        low, high = bounds
        assert low <= high
        truth = Fraction(value)
        slack = abs(truth) / 10**150
        assert low <= truth + slack
        assert truth - slack <= high
    low, high = sqrt_bounds(x, digits)
    assert high - low <= low / 10 ** (digits - 3)


@pytest.mark.parametrize("x", [0, 1, Fraction(9, 4), Fraction(1, 2**300)])
def test_exact_roots(x: Fraction) -> None:
    low, high = sqrt_bounds(Fraction(x), 300)
    assert low == high
    assert low**2 == x


def test_far_exponents() -> None:
    low, high = exp_bounds(Fraction(-(10**4)))
    assert 0 < low < high < Fraction(1, 10**4342)
