"""accounting/_calibration.py: the most that fits, and no more."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    calibrate,
)


def by_rho(rho: Fraction) -> DiscreteGaussian:
    return DiscreteGaussian(rho=rho, sensitivity=1)


def twice(x: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace(epsilon=2 * x, sensitivity=1)


def by_epsilon(epsilon: Fraction) -> Laplace:
    return Laplace(epsilon=epsilon, sensitivity=3)


def either(*, rho: Any = None, epsilon: Any = None, delta: Any = 0) -> ApproxDP:
    """Take a rho or an epsilon, as noise does; beside a delta only the latter is possible."""
    return ApproxDP(epsilon, delta, rho=rho)


counts = partial(DiscreteLaplace, sensitivity=1)
choices = partial(ExponentialMechanism, sensitivity=1)


@pytest.mark.parametrize(
    ("make", "budget", "count", "parameter"),
    [
        pytest.param(counts, PureDP(1), 10, Fraction(1, 10), id="a tenth of a pure budget"),
        pytest.param(by_epsilon, PureDP("0.3"), 7, Fraction(3, 70), id="a number of no digits"),
        pytest.param(twice, PureDP(1), 3, Fraction(1, 6), id="a mechanism that costs twice"),
        pytest.param(by_rho, ZCDP("1/3"), 7, Fraction(1, 21), id="rho"),
        pytest.param(counts, ApproxDP("1/3", 0), 7, Fraction(1, 21), id="a delta of 0"),
    ],
)
def test_budgets_that_add_up_are_used_up(
    make: Callable[[Fraction], Any], budget: Any, count: int, parameter: Fraction
) -> None:
    found = calibrate(make, budget, count=count)
    assert repr(found) == repr(by_name(make, parameter))
    spending = PrivacyFilter(budget)
    spending.charge(found, count)
    assert spending.remaining <= (ZCDP(0) if isinstance(budget, ZCDP) else PureDP(0))


def of_sums(rho: Fraction) -> Gaussian:
    return Gaussian(rho=rho, sensitivity=10)


@pytest.mark.parametrize(
    ("make", "budget", "count"),
    [
        pytest.param(by_rho, ApproxDP(1, 1e-6), 100, id="by the loss distribution"),
        pytest.param(by_rho, ApproxDP(1, 1e-6), 1, id="one release"),
        pytest.param(counts, ApproxDP("1/3", 1e-6), 3, id="by basic composition"),
        pytest.param(counts, ApproxDP(1, 1e-6), 100, id="by optimal composition"),
        pytest.param(choices, ApproxDP(0.1, 1e-5), 12, id="choices"),
        pytest.param(counts, ZCDP(1), 7, id="a pure loss in zCDP"),
        pytest.param(ZCDP, ApproxDP(1, "1e-400"), 5, id="a delta below floats"),
        pytest.param(by_epsilon, ApproxDP(2, 1e-9), 30, marks=pytest.mark.long),
        pytest.param(of_sums, ApproxDP(5, 1e-6), 1000, marks=pytest.mark.long),
    ],
)
def test_the_largest_that_fits(
    make: Callable[[Fraction], Any],
    budget: Any,
    count: int,
) -> None:
    given: list[Fraction] = []

    def made(parameter: Fraction) -> Any:
        given.append(parameter)
        return by_name(make, parameter)

    found = calibrate(made, budget, count=count)
    (parameter,) = {p for p in given if by_name(make, p) == found}

    def fits(mechanism: Any) -> bool:
        charged = getattr(mechanism, "loss", mechanism) * count
        if isinstance(budget, ApproxDP):
            charged = Plan([(mechanism, count)]).as_loss(budget.delta)
        return not PrivacyFilter(budget).would_exceed(charged)

    assert fits(found)
    digits, exponent = Decimal(f"{float(parameter):.5e}"), Decimal(f"{float(parameter):.0e}")
    assert Fraction(digits) == parameter, "a decimal of six digits"
    next_one = digits + Decimal((0, (1,), exponent.adjusted() - 5))
    assert not fits(by_name(make, Fraction(next_one)))


def by_name(make: Any, parameter: Fraction) -> Any:
    """Call a partial class, with parameters by name, or a function of one number."""
    return make(epsilon=parameter) if isinstance(make, partial) else make(parameter)


def test_the_parameter_is_found_by_its_name() -> None:
    """And what it is called with is all that is asked for."""
    pure, approximate, zcdp = PureDP(1), ApproxDP(1, 1e-6), ZCDP(1)
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (DiscreteLaplace, pure, {"sensitivity": 2}, "epsilon"),
        (DiscreteGaussian, zcdp, {"sensitivity": 2, "coordinates": 1}, "rho"),
        (either, approximate, {"delta": 1e-9}, "epsilon"),
        (Gaussian, zcdp, {"sensitivity": "1/3"}, "rho"),
        (ExponentialMechanism, pure, {"sensitivity": 1, "monotonic": True}, "epsilon"),
        (partial(RandomizedResponse, n_categories=4), pure, {}, "epsilon"),
        (PureDP, approximate, {}, "epsilon"),
        (ApproxDP, approximate, {"delta": 1e-8}, "epsilon"),
        (ZCDP, approximate, {}, "rho"),
    ]
    for mechanism, budget, parameters, name in cases:
        found = calibrate(mechanism, budget, count=3, **parameters)
        assert f"{name}=" in repr(found)
        one = partial(mechanism, **parameters)
        assert found == calibrate(lambda x, one=one, name=name: one(**{name: x}), budget, count=3)


def test_noise_that_cannot_be_smaller() -> None:
    """Beyond an epsilon of a million the scale is refused, and what fits below it is returned."""
    found = calibrate(DiscreteLaplace, ZCDP(10**20), sensitivity=1)
    assert math.isclose(found.epsilon, 10**6, rel_tol=1e-5)
