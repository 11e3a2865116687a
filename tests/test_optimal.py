"""accounting/optimal.py against sums of fractions; test_accounting_rows.py has the reference."""

import math
from fractions import Fraction
from typing import Any

import pytest

from cydp import ZCDP, ApproxDP, PureDP, convert, optimal_composition
from cydp.accounting.optimal import delta_of


def exact_delta(epsilon: float, count: int, at: float) -> Fraction:
    """Return theorem 3.3's delta, in fractions of the floats of its exponentials."""
    e, whole = Fraction(math.exp(epsilon)), Fraction(math.exp(at))
    total = Fraction(0)
    for lies in range(count + 1):
        total += math.comb(count, lies) * max(e ** (count - lies) - whole * e**lies, Fraction(0))
    return total / (1 + e) ** count


@pytest.mark.parametrize("epsilon", [0.001, 0.3, 2.0, 11.0])
@pytest.mark.parametrize("count", [1, 2, 17, 60])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.6, 0.95])
def test_delta_of_small_compositions(epsilon: float, count: int, share: float) -> None:
    at = share * count * epsilon
    expected = exact_delta(epsilon, count, at)
    found = delta_of(Fraction(str(epsilon)), count, Fraction(at))
    assert abs(found / expected - 1) < 1e-9


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
    found = optimal_composition(epsilon, count, 1e-6).epsilon
    assert 0 <= found / Fraction(expected) - 1 <= Fraction(1, 10**9)


def test_ends() -> None:
    assert optimal_composition(1, 0, 0.5).epsilon == 0
    assert optimal_composition(0, 100, 0.5).epsilon == 0
    assert optimal_composition(1, 1, 1e-300).epsilon <= 1
    assert optimal_composition(0.5, 10**6, 1e-9).epsilon < 10**6 / 2
    assert delta_of(Fraction(1), 3, Fraction(3)) == 0
    assert delta_of(Fraction(1), 3, Fraction(0)) > 0


def test_convert() -> None:
    assert convert(PureDP(1), delta=1e-6) == ApproxDP(1, 1e-6)
    assert convert(PureDP(1, rho=1e-3), delta=1e-6).epsilon < 1
    assert convert(PureDP("0.01") * 1000, delta=1e-6).epsilon < 2
    assert convert(ApproxDP(1, 1e-6), delta=1e-5) == ApproxDP(1, 1e-5)
    assert convert(ApproxDP(9, 1e-6, rho="0.01"), delta=1e-8).epsilon < 1
    found = convert(ZCDP(0.5), delta=1e-6)
    assert found.epsilon == pytest.approx(Fraction("5.22153444453017"), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: optimal_composition(-1, 1, 0.1), ValueError, "epsilon"),
        (lambda: optimal_composition(math.nan, 1, 0.1), ValueError, "epsilon"),
        (lambda: optimal_composition(1, -1, 0.1), ValueError, "count"),
        (lambda: optimal_composition(1, 10**8, 0.1), ValueError, "count"),
        (lambda: optimal_composition(1, 1.5, 0.1), TypeError, "count"),  # type: ignore[arg-type]
        (lambda: optimal_composition(1, 1, 0), ValueError, "delta"),
        (lambda: optimal_composition(1, 1, 1), ValueError, "delta"),
        (lambda: optimal_composition("1e400", 1, 0.1), ValueError, "epsilon"),
        (lambda: convert(ApproxDP(1, 0.1), delta=0.01), ValueError, "delta"),
        (lambda: convert(1, delta=0.01), TypeError, "loss must be"),  # type: ignore[arg-type]
        (lambda: convert(ZCDP(1), delta=0), ValueError, "delta"),
    ],
)
def test_bad_parameters(call: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        call()
