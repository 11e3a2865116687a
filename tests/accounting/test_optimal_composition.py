"""accounting/_optimal_composition.py against sums of fractions; test_reference_rows.py has more."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from cydp import ZCDP, ApproxDP, PureDP
from cydp._numbers.rounding import decimal_above
from cydp.accounting import convert, optimal_composition
from cydp.accounting._optimal_composition import delta_of, epsilon_of


def exact_delta(epsilon: float, count: int, at: float) -> Fraction:
    """Return theorem 3.3's delta, in fractions of the floats of its exponentials."""
    e, whole = Fraction(math.exp(epsilon)), Fraction(math.exp(at))
    total = Fraction(0)
    for lies in range(count + 1):
        total += math.comb(count, lies) * max(e ** (count - lies) - whole * e**lies, Fraction(0))
    return total / (1 + e) ** count


def test_delta_of_small_compositions() -> None:
    wrong = []
    for epsilon, count, share in product((0.001, 0.3, 11.0), (1, 2, 17, 60), (0.0, 0.1, 0.6, 0.95)):
        at = share * count * epsilon
        expected = exact_delta(epsilon, count, at)
        found = delta_of(Fraction(str(epsilon)), count, Fraction(at))
        if abs(found / expected - 1) >= 1e-9:
            wrong.append((epsilon, count, share))
    assert wrong == []


@pytest.mark.parametrize(
    ("epsilon", "count", "expected"),
    [
        ("0.01", 10**4, "4.8855156010073155303"),
        ("0.001", 10**6, "4.8865437437576490078"),
        ("0.0003", 10**7, "4.6026779635327360741"),
    ],
)
def test_many_losses(epsilon: str, count: int, expected: str) -> None:
    """Expected: theorem 3.3 summed and inverted with 40 digits, by mpmath.

    Logarithms of factorials, summed in floats, would give 1.2e-8 less for 10**6.
    """
    found = epsilon_of(Fraction(epsilon), count, Fraction(1, 10**6))
    assert 0 <= found / Fraction(expected) - 1 <= Fraction(1, 10**9)
    told = optimal_composition(epsilon=epsilon, count=count, delta=1e-6)
    assert told.epsilon == decimal_above(found)
    assert len(repr(told)) == len("ApproxDP(epsilon=4.88552, delta=1e-06)")


def test_next_to_the_largest_loss() -> None:
    """There only the outcome without a lie counts; a difference of floats would be nothing."""
    wrong, plans = [], (("1.708", 10), ("0.1", 10), ("0.01", 200), ("9", 1))
    for (each, count), gap in product(plans, ("1.1e-6", "1e-9", "1e-20", "1e-200")):
        with localcontext(prec=50):
            truths = 1 / (1 + (-Decimal(each)).exp())
            expected = Fraction(truths**count) * Fraction(gap) * (1 - Fraction(gap) / 2)
        found = delta_of(Fraction(each), count, count * Fraction(each) - Fraction(gap))
        if not 0 <= found / expected - 1 < 1e-9:
            wrong.append((each, count, gap))
    assert wrong == []


@pytest.mark.parametrize(
    ("each", "count", "gap", "bits"),
    [
        ("0.01", 2000, "0.01", 1992.2),  # (2000 ln(1 + e**-0.01) - ln(1 - e**-0.01)) / ln(2)
        ("0.001", 10**7, "0.001", 4095),  # more: then the least that another loss may have
        ("1", 1, Fraction(1, 10**1000), 1022.5),  # gaps below the least normal float are that
    ],
)
def test_deltas_below_all_floats(each: str, count: int, gap: Any, bits: float) -> None:
    found = delta_of(Fraction(each), count, count * Fraction(each) - Fraction(gap))
    assert found.numerator == 1
    assert bits - 1.1 <= math.log2(found.denominator) <= bits
    assert delta_of(Fraction(each), count, count * Fraction(each)) == 0
    assert ApproxDP(1, found).delta == found


def test_losses_below_all_floats() -> None:
    for count, delta in ((1, "1e-1000"), (10**7, 0.5)):
        assert optimal_composition(
            epsilon="1e-400", count=count, delta=delta
        ).epsilon == count * Fraction("1e-400")
    assert optimal_composition(epsilon="1e-280", count=100, delta=0.5).epsilon < Fraction("1e-279")
    assert optimal_composition(epsilon="0.1", count=3, delta="1e-1000").epsilon == Fraction("0.3")


def test_ends() -> None:
    assert optimal_composition(epsilon=1, count=0, delta=0.5).epsilon == 0
    assert optimal_composition(epsilon=0, count=100, delta=0.5).epsilon == 0
    assert optimal_composition(epsilon=1, count=1, delta=1e-300).epsilon <= 1
    assert optimal_composition(epsilon=0.5, count=10**6, delta=1e-9).epsilon < 10**6 / 2
    assert delta_of(Fraction(1), 3, Fraction(3)) == 0
    assert delta_of(Fraction(1), 3, Fraction(0)) > 0


def test_convert() -> None:
    assert convert(PureDP(1), delta=1e-6) == ApproxDP(1, 1e-6)
    assert convert(PureDP(1, rho=1e-3), delta=1e-6).epsilon < 1
    assert convert(PureDP("0.01") * 1000, delta=1e-6).epsilon < 2
    assert convert(ApproxDP(1, 1e-6), delta=1e-5) == ApproxDP(1, 1e-5)
    assert convert(ApproxDP(9, 1e-6, rho="0.01"), delta=1e-8).epsilon < 1
    found = convert(ZCDP(0.5), delta=1e-6)
    assert repr(found) == "ApproxDP(epsilon=5.22154, delta=1e-06)", "5.22153444453017"
    assert convert(ApproxDP(1, "1e-9"), delta=1e-6).epsilon == 1


def test_an_exact_sum_is_kept() -> None:
    """It uses up a budget of itself."""
    found = optimal_composition(epsilon="1/7", count=3, delta="1e-1000")
    assert found.epsilon == Fraction(3, 7)
    assert convert(PureDP("1/7"), delta=1e-6).epsilon == Fraction(1, 7)
