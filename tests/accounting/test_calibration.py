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
    PartitionSelection,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    calibrate,
)
from cydp.accounting import AdaptivityError, MeasureMismatchError
from cydp.accounting import _pld as pld


def by_rho(rho: Fraction) -> DiscreteGaussian:
    return DiscreteGaussian(rho=rho, sensitivity=1)


def falling(epsilon: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace(epsilon=1 / epsilon, sensitivity=1)


def by_epsilon(epsilon: Fraction) -> Laplace:
    return Laplace(epsilon=epsilon, sensitivity=3)


A_CLASS = "mechanism must be a class such as cydp.DiscreteLaplace"

counts = partial(DiscreteLaplace, sensitivity=1)
choices = partial(ExponentialMechanism, sensitivity=1)


@pytest.mark.parametrize(
    ("make", "budget", "count", "parameter"),
    [
        (counts, PureDP(1), 10, Fraction(1, 10)),
        (by_epsilon, PureDP("0.3"), 7, Fraction(3, 70)),
        (lambda x: DiscreteLaplace(epsilon=2 * x, sensitivity=1), PureDP(1), 3, Fraction(1, 6)),
        (by_rho, ZCDP("1/3"), 7, Fraction(1, 21)),
        (counts, ApproxDP("1/3", 0), 7, Fraction(1, 21)),
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


@pytest.mark.parametrize("extra", [True, False])
@pytest.mark.parametrize(
    ("make", "budget", "count"),
    [
        (by_rho, ApproxDP(1, 1e-6), 100),
        (by_rho, ApproxDP(1, 1e-6), 1),
        (counts, ApproxDP(1, 1e-6), 100),
        (counts, ApproxDP("1/3", 1e-6), 3),
        (by_epsilon, ApproxDP(2, 1e-9), 30),
        (choices, ApproxDP(0.1, 1e-5), 12),
        (counts, ZCDP(1), 7),
        pytest.param(
            lambda rho: Gaussian(rho=rho, sensitivity=10), ApproxDP(5, 1e-6), 1000,
            marks=pytest.mark.long,
        ),
        (lambda rho: ZCDP(rho), ApproxDP(1, "1e-400"), 5),
    ],
)  # fmt: skip
def test_the_largest_that_fits(
    make: Callable[[Fraction], Any],
    budget: Any,
    count: int,
    extra: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not extra:
        monkeypatch.setattr(pld, "installed", lambda: False)
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
    """Call a partial class, whose parameters have names, or a function of one number."""
    return make(epsilon=parameter) if isinstance(make, partial) else make(parameter)


def test_the_extra_allows_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = calibrate(by_rho, ApproxDP(1, 1e-6), count=100)
    monkeypatch.setattr(pld, "installed", lambda: False)
    assert calibrate(by_rho, ApproxDP(1, 1e-6), count=100).sigma > tight.sigma * 1.05


@pytest.mark.parametrize(
    ("mechanism", "parameters", "name"),
    [
        (DiscreteLaplace, {"sensitivity": 2}, "epsilon"),
        (DiscreteGaussian, {"sensitivity": 2, "coordinates": 1}, "rho"),
        pytest.param(
            DiscreteGaussian, {"sensitivity": 2, "delta": 1e-9}, "epsilon", marks=pytest.mark.long
        ),
        pytest.param(Gaussian, {"sensitivity": "1/3"}, "rho", marks=pytest.mark.long),
        (ExponentialMechanism, {"sensitivity": 1, "monotonic": True}, "epsilon"),
        (PartitionSelection, {"delta": 1e-9, "max_partitions": 3}, "epsilon"),
        (partial(RandomizedResponse, n_categories=4), {}, "epsilon"),
        (PureDP, {}, "epsilon"),
        (ApproxDP, {"delta": 1e-8}, "epsilon"),
        (ZCDP, {}, "rho"),
    ],
)
def test_the_parameter_is_found_by_its_name(mechanism: Any, parameters: Any, name: str) -> None:
    """And what it is called with is all that is asked for."""
    budget = ApproxDP(1, 1e-6)
    found = calibrate(mechanism, budget, count=3, **parameters)
    assert f"{name}=" in repr(found)
    one = partial(mechanism, **parameters)
    assert found == calibrate(lambda x: one(**{name: x}), budget, count=3)


@pytest.mark.parametrize(
    ("mechanism", "budget", "parameters", "error", "says"),
    [
        (by_rho, PureDP(1), {}, MeasureMismatchError, "PureDP"),
        (counts, PureDP(0), {}, ValueError, "budget must be greater than 0"),
        (counts, 1, {}, TypeError, "budget must be"),
        (counts, PureDP(1), {"count": 0}, ValueError, "count must be at least 1, not 0"),
        (counts, PureDP(1), {"count": 1.5}, TypeError, "count must be an integer, not float"),
        (lambda epsilon: epsilon, PureDP(1), {}, TypeError, f"^{A_CLASS}, or return a mechanism"),
        (lambda epsilon: epsilon, ApproxDP(1, 0.1), {}, TypeError, "or a loss, not Exact"),
        (lambda _: PureDP(1), ZCDP(2), {}, ValueError, "must cost more"),
        (lambda _: PureDP(1), ApproxDP(0.1, 1e-6), {}, ValueError, "fit the budget for some"),
        (lambda _: PureDP(0), PureDP(1), {}, ValueError, "must cost"),
        (counts, PureDP(1e-12), {"count": 10**9}, ValueError, "scale"),
        (Plan, PureDP(1), {}, TypeError, "it raised: items must be"),
        (counts(epsilon=1), PureDP(1), {}, TypeError,
         f"^{A_CLASS}, not an instance of it: pass DiscreteLaplace itself, and its parameters by"),
        (PureDP(1), DiscreteLaplace, {}, TypeError, f"^{A_CLASS}, and the budget comes after it"),
        ("Laplace", PureDP(1), {}, TypeError, f"^{A_CLASS}, not str$"),
        (None, PureDP(1), {}, TypeError, f"^{A_CLASS}, not None$"),
        (Laplace, PureDP(1), {}, TypeError,
         "^mechanism must take epsilon and .* such as sensitivity=1; it raised: sensitivity must"),
        (Laplace, PureDP(1), {"sensitivty": 1}, TypeError, "raised: .* did you mean sens"),
        (Laplace, PureDP(1), {"sensitivity": -1}, ValueError, "^sensitivity must be greater than"),
        (DiscreteLaplace, PureDP(1), {"sensitivity": 1, "epsilon": 1}, TypeError,
         "^epsilon must not be given: calibrate finds it$"),
        (DiscreteGaussian, ZCDP(1), {"sensitivity": 1, "rho": 1, "epsilon": 1}, TypeError,
         "^rho must not be given: calibrate finds it$"),
        (DiscreteGaussian, ZCDP(1), {"sensitivity": 1, "sigma": 3}, TypeError, "only one of"),
        (lambda _: 3, PureDP(1), {}, TypeError, "return a mechanism or a loss, not int"),
        (falling, PureDP(3), {}, ValueError, "must cost more for a larger"),
        (falling, PureDP("0.3"), {}, ValueError, "must cost more for a larger"),
        (falling, ZCDP(3), {"count": 2}, ValueError, "must cost more for a larger"),
        (falling, ApproxDP(1, 1e-6), {"count": 100}, ValueError, "must cost more for a larger"),
        (counts, ApproxDP("1e400", 1e-6), {}, ValueError, "budget must be between"),
        (counts, ApproxDP("1e-400", 1e-6), {}, ValueError, "budget must be between"),
    ],
)  # fmt: skip
def test_bad_parameters(
    mechanism: Any, budget: Any, parameters: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says) as raised:
        calibrate(mechanism, budget, **parameters)
    assert "\n" not in str(raised.value)


def test_the_slow_bound_is_asked_only_near_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Fraction] = []
    compose = pld.compose

    def counted(pairs: Any) -> Any:
        asked.extend(pair.rho for pair in pairs)
        return compose(pairs)

    monkeypatch.setattr(pld, "compose", counted)
    calibrate(by_rho, ApproxDP(1, 1e-6), count=200)
    assert max(asked) < 2 * min(asked)


def test_a_plan_is_no_budget() -> None:
    with pytest.raises(AdaptivityError):
        calibrate(DiscreteLaplace, Plan([]), sensitivity=1)  # type: ignore[arg-type]


def test_noise_that_cannot_be_smaller() -> None:
    """Beyond an epsilon of a million the scale is refused, and what fits below it is returned."""
    found = calibrate(DiscreteLaplace, ZCDP(10**20), sensitivity=1)
    assert math.isclose(found.epsilon, 10**6, rel_tol=1e-5)
