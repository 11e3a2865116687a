"""accounting/calibration.py: the most that fits, and no more."""

import math
from collections.abc import Callable
from fractions import Fraction
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
    calibrate,
)
from cydp.accounting import AdaptivityError, MeasureMismatchError, numerical


def by_rho(rho: Fraction) -> DiscreteGaussian:
    return DiscreteGaussian(rho=rho, sensitivity=1)


def falling(epsilon: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace(epsilon=1 / epsilon, sensitivity=1)


def by_epsilon(epsilon: Fraction) -> Laplace:
    return Laplace(epsilon=epsilon, sensitivity=3)


@pytest.mark.parametrize(
    ("make", "budget", "count", "parameter"),
    [
        (DiscreteLaplace, PureDP(1), 10, Fraction(1, 10)),
        (by_epsilon, PureDP("0.3"), 7, Fraction(3, 70)),
        (lambda x: DiscreteLaplace(epsilon=2 * x, sensitivity=1), PureDP(1), 3, Fraction(1, 6)),
        (by_rho, ZCDP("1/3"), 7, Fraction(1, 21)),
    ],
)
def test_budgets_that_add_up_are_used_up(
    make: Callable[[Fraction], Any], budget: Any, count: int, parameter: Fraction
) -> None:
    found = calibrate(make, budget, count)
    assert found == make(parameter)
    spending = PrivacyFilter(budget)
    spending.charge(found, count)
    assert spending.remaining * 1 == type(budget)(0)


@pytest.mark.parametrize("extra", [True, False])
@pytest.mark.parametrize(
    ("make", "budget", "count"),
    [
        (by_rho, ApproxDP(1, 1e-6), 100),
        (by_rho, ApproxDP(1, 1e-6), 1),
        (DiscreteLaplace, ApproxDP(1, 1e-6), 100),
        (by_epsilon, ApproxDP(2, 1e-9), 30),
        (ExponentialMechanism, ApproxDP(0.1, 1e-5), 12),
        (DiscreteLaplace, ZCDP(1), 7),
        (lambda rho: Gaussian(rho=rho, sensitivity=10), ApproxDP(5, 1e-6), 1000),
    ],
)
def test_the_largest_that_fits(
    make: Callable[[Fraction], Any],
    budget: Any,
    count: int,
    extra: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not extra:
        monkeypatch.setattr(numerical, "installed", lambda: False)
    given: list[Fraction] = []

    def made(parameter: Fraction) -> Any:
        given.append(parameter)
        return make(parameter)

    found = calibrate(made, budget, count)
    (parameter,) = {p for p in given if make(p) == found}

    def fits(mechanism: Any) -> bool:
        if isinstance(budget, ZCDP):
            return count * mechanism.loss.rho <= budget.rho
        return Plan([(mechanism, count)]).epsilon(budget.delta) <= budget.epsilon

    assert fits(found)
    assert not fits(make(parameter * Fraction(100_001, 100_000)))


def test_the_extra_allows_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = calibrate(by_rho, ApproxDP(1, 1e-6), 100)
    monkeypatch.setattr(numerical, "installed", lambda: False)
    assert calibrate(by_rho, ApproxDP(1, 1e-6), 100).sigma > tight.sigma * 1.05


MAKERS = r"DiscreteLaplace or lambda rho: DiscreteGaussian\(rho=rho\)"


@pytest.mark.parametrize(
    ("make", "budget", "count", "error", "says"),
    [
        (by_rho, PureDP(1), 1, MeasureMismatchError, "says nothing"),
        (DiscreteLaplace, PureDP(0), 1, ValueError, "budget"),
        (DiscreteLaplace, 1, 1, TypeError, "budget"),
        (DiscreteLaplace, PureDP(1), 0, ValueError, "count"),
        (DiscreteLaplace, PureDP(1), 1.5, TypeError, "count"),
        (lambda epsilon: epsilon, PureDP(1), 1, TypeError, "a loss or a mechanism"),
        (lambda epsilon: epsilon, ApproxDP(1, 0.1), 1, TypeError, "a loss or a mechanism"),
        (lambda _: PureDP(1), ZCDP(2), 1, ValueError, "must cost more"),
        (lambda _: PureDP(1), ApproxDP(0.1, 1e-6), 1, ValueError, "that fits"),
        (lambda _: PureDP(0), PureDP(1), 1, ValueError, "must cost"),
        (DiscreteLaplace, PureDP(1e-12), 10**9, ValueError, "scale"),
        (Plan, PureDP(1), 1, TypeError, "items must be"),
        (
            DiscreteLaplace(epsilon=1, sensitivity=1),
            PureDP(1),
            1,
            TypeError,
            f"make_mechanism must be {MAKERS}, not a D",
        ),
        (PureDP(1), PureDP(1), 1, TypeError, f"make_mechanism must be {MAKERS}, not a PureDP"),
        (DiscreteGaussian, ZCDP(1), 1, TypeError, f"must take one privacy parameter, as {MAKERS}"),
        (Gaussian, ApproxDP(1, 1e-6), 3, TypeError, f"one privacy parameter, as {MAKERS} does"),
        (Laplace, PureDP(1), 1, TypeError, f"{MAKERS} does; it raised: .* 'sensitivity'"),
        (lambda _: 3, PureDP(1), 1, TypeError, f"make_mechanism must return .* as {MAKERS} does"),
        (falling, PureDP(3), 1, ValueError, "must cost more for a larger"),
        (falling, PureDP("0.3"), 1, ValueError, "must cost more for a larger"),
        (falling, ZCDP(3), 2, ValueError, "must cost more for a larger"),
        (falling, ApproxDP(1, 1e-6), 100, ValueError, "must cost more for a larger"),
        (DiscreteLaplace, ApproxDP("1e400", 1e-6), 1, ValueError, "budget must be between"),
        (DiscreteLaplace, ApproxDP("1e-400", 1e-6), 1, ValueError, "budget must be between"),
    ],
)
def test_bad_parameters(
    make: Any, budget: Any, count: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        calibrate(make, budget, count)


def test_the_slow_bound_is_asked_only_near_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []
    composed = numerical.composed

    def counted(pairs: Any) -> Any:
        asked.extend(pair.rho for pair in pairs)
        return composed(pairs)

    monkeypatch.setattr(numerical, "composed", counted)
    calibrate(by_rho, ApproxDP(1, 1e-6), 200)
    assert max(asked) < 2 * min(asked)


def test_a_plan_is_no_budget() -> None:
    with pytest.raises(AdaptivityError):
        calibrate(DiscreteLaplace, Plan([]), 1)  # type: ignore[arg-type]


def test_noise_that_cannot_be_smaller() -> None:
    """Beyond an epsilon of a million the scale is refused, and what fits below it is returned."""
    found = calibrate(DiscreteLaplace, ZCDP(10**20))
    assert math.isclose(found.epsilon, 10**6, rel_tol=1e-5)
