"""accounting/_renyi.py: Renyi divergences, against sums of 60 digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from cydp import (
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Plan,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import MeasureMismatchError, renyi_divergence

ORDERS = [1 + 1e-9, 1.01, 1.5, 2, 3.7, 64, 1e4, 1e9]
EPSILONS = ["1e-18", "1e-6", "0.1", "1", "5", "40", "1000"]
CLOSE = 1 + 1e-15  # more than the next float is away, and 1e-20


@pytest.fixture(autouse=True)
def precisely() -> Any:
    with mp.workdps(140):
        yield


def of_response(epsilon: Fraction, order: float) -> Any:
    e, alpha = mp.mpf(epsilon.numerator) / epsilon.denominator, mp.mpf(repr(order))
    c = e / 2
    return (mp.log(mp.cosh((2 * alpha - 1) * c)) - mp.log(mp.cosh(c))) / (alpha - 1)


def of_laplace(scale: Fraction, move: int, order: float) -> Any:
    """Return the divergence of discrete Laplace noise and the same, moved, term by term."""
    a, alpha = mp.exp(-mp.mpf(scale.denominator) / scale.numerator), mp.mpf(repr(order))
    middle = mp.fsum(a ** (alpha * k + (1 - alpha) * (move - k)) for k in range(1, move))
    below = a ** ((1 - alpha) * move) / (1 - a)  # of all integers up to 0
    above = a ** (alpha * move) / (1 - a)
    return mp.log((1 - a) / (1 + a) * (below + middle + above)) / (alpha - 1)


def is_tight(found: float, exact: Any) -> bool:
    """Whether a float prints at least an exact number, and is close to it."""
    return bool(exact * (1 - mp.mpf("1e-90")) <= mp.mpf(repr(found)) <= exact * CLOSE)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_pure_loss_has_the_divergence_of_randomized_response(epsilon: str) -> None:
    loss = PureDP(epsilon)
    found = renyi_divergence(loss, ORDERS)
    for order, each in zip(ORDERS, found.tolist(), strict=True):
        assert is_tight(each, of_response(loss.epsilon, order))
        assert each <= min(order * float(loss.rho), float(loss.epsilon)) * CLOSE
    assert np.all(np.diff(found) >= 0)
    assert renyi_divergence(loss, math.inf) == float(epsilon)
    for mechanism in (RandomizedResponse, ExponentialMechanism):
        given = {} if mechanism is RandomizedResponse else {"sensitivity": 1}
        if 1e-3 < float(epsilon) < 20:
            of_it = renyi_divergence(mechanism(epsilon=epsilon, **given), ORDERS)
            assert np.all(of_it <= found)


@pytest.mark.parametrize("move", [1, 2, 7, 300])
@pytest.mark.parametrize("epsilon", ["1e-6", "0.1", "1", "20"])
def test_discrete_laplace_noise(epsilon: str, move: int) -> None:
    noise = DiscreteLaplace(epsilon=epsilon, sensitivity=move)
    for order, each in zip(ORDERS, renyi_divergence(noise, ORDERS).tolist(), strict=True):
        assert is_tight(each, of_laplace(noise.scale, move, order))
    assert np.all(renyi_divergence(noise, ORDERS) <= renyi_divergence(noise.loss, ORDERS))


def test_laplace_noise_on_a_fine_grid_is_close_to_that_of_textbooks() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        noise = Laplace(epsilon=epsilon, sensitivity=1, coordinates=1)
        for order in (1.5, 2, 30):
            wanted = math.log(
                (order * math.exp((order - 1) * epsilon) + (order - 1) * math.exp(-order * epsilon))
                / (2 * order - 1)
            ) / (order - 1)  # fmt: skip
            found = float(renyi_divergence(noise, order))
            assert wanted * (1 - 1e-9) <= found <= wanted * 1.001


def test_a_rho_grows_with_the_order() -> None:
    for cost in (ZCDP("0.3"), DiscreteGaussian(rho="0.3", sensitivity=1)):
        assert renyi_divergence(cost, [[2, 4], [1.5, math.inf]]).tolist() == [
            [0.6, 1.2], [0.45, math.inf]
        ]  # fmt: skip
    calibrated = Gaussian(epsilon=1, delta=1e-6, sensitivity=1)
    rho = float(calibrated.rho)
    assert float(renyi_divergence(calibrated, 8)) == pytest.approx(8 * rho, rel=1e-5)
    claimed = PureDP(5, rho="0.01")
    assert renyi_divergence(claimed, [2, math.inf]).tolist() == [0.02, 5.0]
    assert renyi_divergence(ZCDP(0), [2, math.inf]).tolist() == [0, 0]
    assert renyi_divergence(PureDP(0), [2, math.inf]).tolist() == [0, 0]


def test_numbers_of_any_size() -> None:
    tiny = renyi_divergence(PureDP("1e-300"), [2, 1e300]).tolist()
    assert 0 < tiny[0] < 1e-320
    assert is_tight(tiny[1], of_response(Fraction("1e-300"), 1e300))
    assert renyi_divergence(PureDP("1e300"), [1.5, 1e300]).tolist() == [1e300, 1e300]
    assert renyi_divergence(ZCDP("1e300"), 1e300) == math.inf
    assert renyi_divergence(ZCDP(1), []).shape == (0,)


def test_what_has_no_divergence_is_refused() -> None:
    for cost in (ApproxDP(1, 1e-6), ApproxZCDP(1, 1e-6)):
        with pytest.raises(MeasureMismatchError, match="no Renyi divergence is finite"):
            renyi_divergence(cost, 2)
    for orders in (1, 0.5, -1, math.nan, [2, 1]):
        with pytest.raises(ValueError, match="greater than 1"):
            renyi_divergence(ZCDP(1), orders)
    for orders in ("2", [True], None, [2j]):
        with pytest.raises(TypeError, match="orders must be numbers"):
            renyi_divergence(ZCDP(1), orders)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cost must"):
        renyi_divergence(1.0, 2)  # type: ignore[arg-type]


def test_a_subclass_has_the_divergence_of_its_loss_alone() -> None:
    class Other(DiscreteLaplace):
        """It may release something else."""

    found = renyi_divergence(Other(epsilon=1, sensitivity=100), 2)
    assert found == renyi_divergence(PureDP(1), 2)


def test_the_items_of_a_plan_add_up() -> None:
    """Each as often as it is there; the mutant counts it once."""
    items = [(PureDP("0.1"), 30), (Gaussian(sigma=4, sensitivity=1), 2), (PureDP(9), 0)]
    orders = np.array([1.5, 2, 64])
    each = sum(count * renyi_divergence(cost, orders) for cost, count in items if count)
    found = renyi_divergence(Plan(items), orders)
    assert np.allclose(found, each, rtol=1e-14)
    assert (renyi_divergence(Plan([(cost, 1) for cost, _ in items[:2]]), orders) < found / 2).all()
    assert renyi_divergence(Plan([(ZCDP(1), 1), (PureDP(1), 1)]), np.inf) == np.inf
    assert renyi_divergence(Plan([]), 2) == 0
