"""DiscreteGaussian and Gaussian: parameters, calibration, exact sums."""

import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from reference import discrete_gaussian as oracle
from samplers.goodness_of_fit import LIMIT, REJECTED, cells, ends_of, p_value

import cydp
from cydp import ZCDP, ApproxDP, DiscreteGaussian, Gaussian
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rounding import decimal_above
from cydp.mechanisms import _discrete_gaussian_distribution as distribution
from cydp.mechanisms._discrete_gaussian_delta import discrete_delta
from cydp.testing import SeededGenerator

BITS = 200


def middle(bounds: tuple[int, int], bits: int = BITS) -> Fraction:
    return Fraction(sum(bounds), 2 * 2**bits)


def upper_tail(sigma2: Fraction, m: int) -> Fraction:
    """Return P(X >= m), by the oracle."""
    if m <= 0:
        return 1 - upper_tail(sigma2, 1 - m)
    return middle(oracle.tail_bounds(sigma2, m, BITS)) / 2


def exact_delta(sigma2: Fraction, sensitivity: int, epsilon: Fraction) -> Fraction:
    """Return the largest P(X in S) - exp(epsilon) P(X + sensitivity in S), summed term by term."""
    total = Fraction(0)
    e = Fraction(math.exp(epsilon))
    for k in range(-int(20 * math.sqrt(sigma2)) - 9, int(20 * math.sqrt(sigma2)) + 9):
        here = middle(oracle.probability_bounds(sigma2, k, BITS))
        there = middle(oracle.probability_bounds(sigma2, k + sensitivity, BITS))
        total += max(here - e * there, Fraction(0))
    return total


@pytest.mark.parametrize("sigma2", ["1/4", "1", "7.3", "100"])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_delta_is_the_exact_one(sigma2: str, sensitivity: int, epsilon: str) -> None:
    expected = float(exact_delta(Fraction(sigma2), sensitivity, Fraction(epsilon)))
    found = float(discrete_delta(Fraction(sigma2), sensitivity, Fraction(epsilon)))
    assert expected * (1 - 1e-12) - 1e-50 <= found <= expected * (1 + 1e-12) + 1e-50


@pytest.mark.parametrize("sigma2", ["1/1000", "1/4", "1", "17", "16000", "41000", "1e8"])
def test_probabilities_and_tails(sigma2: str) -> None:
    """Probabilities and tails against the oracle; beyond DIRECT the tails are bounded."""
    square = Fraction(sigma2)
    m = DiscreteGaussian(sigma2=square, sensitivity=1)
    sigma = math.sqrt(square)
    points = sorted({0, 1, 2, *(int(sigma * x) for x in (0.3, 1, 1.1, 3, 6))})
    for k in points:
        expected = float(middle(oracle.probability_bounds(square, k, BITS)))
        assert m.pmf(k) == m.pmf(-k) == pytest.approx(expected, rel=1e-12, abs=1e-55)
        above = float(upper_tail(square, k + 1))
        assert 1 - m.cdf(k) == pytest.approx(above, rel=1e-9, abs=1e-15)
        assert m.cdf(-k - 1) == pytest.approx(above, rel=1e-9, abs=1e-55)
        bounds = distribution.tail(sigma, k + 1)
        assert bounds.low <= above * (1 + 1e-13) + 1e-55
        assert above <= bounds.high * (1 + 2e-13) + 1e-55
        if k > sigma + 1:
            assert bounds.high - bounds.low <= above * (3e-10 + 10 / square)
    variance = float(middle(oracle.variance_bounds(square, BITS)))
    assert m.variance == pytest.approx(variance, rel=1e-10)
    assert m.pmf(np.array(points)).shape == (len(points),)
    for confidence in ("0.5", "0.95", "0.999999"):
        h = m.error_bound(confidence)
        miss = 1 - Fraction(confidence)
        assert 2 * upper_tail(square, h + 1) <= miss
        assert h == 0 or 2 * upper_tail(square, h - (square > 10**5)) > miss


def test_the_loss_of_what_was_asked_for() -> None:
    m = Gaussian(epsilon=1, delta=1e-6, sensitivity=1)
    assert m.loss == ApproxDP(1, 1e-6, rho=decimal_above(m.rho))


@pytest.mark.parametrize("sensitivity", [1, 2, Fraction(7, 2)])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-3), (3, 1e-9), (5, 0.1)])
def test_calibration(sensitivity: Any, epsilon: Any, delta: float) -> None:
    """The delta in use is at most the one asked for, and a little less noise exceeds it."""
    m = DiscreteGaussian(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    steps = math.floor(sensitivity)
    assert exact_delta(m.sigma2, steps, Fraction(str(epsilon))) <= delta
    assert exact_delta(m.sigma2 * Fraction(97, 100), steps, Fraction(str(epsilon))) > delta
    fifty = DiscreteGaussian(sensitivity=sensitivity, epsilon=epsilon, delta=delta, coordinates=50)
    assert m.error_bound(0.95, count=50) == fifty.error_bound(0.95, count=50)
    wide = DiscreteGaussian(sensitivity=sensitivity, epsilon=epsilon, delta=delta, coordinates=2)
    assert wide.sigma2 > m.sigma2
    assert m._sigma2(2) == wide.sigma2 == wide._sigma2(1)
    assert wide.rho == wide.loss.rho == decimal_above(sensitivity**2 / (2 * wide.sigma2))


def test_extreme_confidences() -> None:
    h = DiscreteGaussian(sigma=10, sensitivity=1).error_bound(1 - Fraction(1, 10**400))
    assert 428 <= h <= 432
    assert DiscreteGaussian(sigma=10, sensitivity=1).error_bound(1 - Fraction(1, 10**250)) < h


def test_parameters() -> None:
    m = DiscreteGaussian(sensitivity=3, rho="0.5")
    assert (m.sigma2, m.rho, m.loss, m.sensitivity) == (9, Fraction(1, 2), ZCDP(0.5), 3)
    assert (
        DiscreteGaussian(sensitivity=3, sigma=3).rho
        == DiscreteGaussian(sensitivity=3, sigma2=9).rho
        == m.rho
    )
    assert DiscreteGaussian(sigma2="1/3", sensitivity=1).sigma2 == Fraction(1, 3)
    assert DiscreteGaussian(rho=0.5, coordinates=7, sensitivity=1).sigma2 == 1
    for m in (
        DiscreteGaussian(sensitivity=3, rho="0.5"),
        DiscreteGaussian(sigma=2, coordinates=4, sensitivity=1),
        DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1),
        Gaussian(rho=2, sensitivity=1),
        Gaussian(sensitivity=2, sigma2=3),
        Gaussian(epsilon=1, delta=1e-6, step=2.0**-30, coordinates=3, sensitivity=1),
    ):
        assert eval(repr(m), vars(cydp)) == m
        assert pickle.loads(pickle.dumps(m)) == m
        with pytest.raises(dataclasses.FrozenInstanceError):
            m._parameters = None  # type: ignore[misc, assignment]


def test_the_grid_is_paid_for() -> None:
    m = Gaussian(sensitivity=3, rho=0.5)
    assert m.step == Fraction(2, 2**40)  # the largest at or below 3 / 2**40
    assert m.sigma2 == (3 + m.step) ** 2
    assert m.rho == m.loss.rho == Fraction(1, 2)
    many = Gaussian(sensitivity=3, rho=0.5, coordinates=2)
    assert many.sigma2 == (3 + sqrt_bounds(Fraction(2))[1] * m.step) ** 2
    assert m._steps2(2) * m.step**2 == many.sigma2
    assert Gaussian(sigma=3, sensitivity=1).sigma > 3
    for sigma in (1, 2, 2.01, 3.99, 4, 1e-30, 1e30):
        g = Gaussian(sensitivity=sigma, sigma=sigma).step
        assert g <= Fraction(str(sigma)) / 2**40 < 2 * g


@pytest.mark.parametrize("kind", [DiscreteGaussian, Gaussian])
@pytest.mark.parametrize(
    ("args", "error", "says"),
    [
        ({}, TypeError, "rho must be given, or sigma"),
        ({"rho": 1, "sigma": 1}, TypeError, "only one of rho and sigma must"),
        ({"sigma": 1, "sigma2": 1}, TypeError, "only one of sigma and sigma2"),
        ({"rho": 1, "epsilon": 1, "delta": 0.1}, TypeError, "only one of rho and epsilon with"),
        ({"epsilon": 1}, TypeError, "delta must be given with epsilon"),
        ({"delta": 0.1}, TypeError, "epsilon must be given with delta"),
        ({"epsilon": 1, "delta": 0}, ValueError, "delta"),
        ({"epsilon": 1, "delta": 1}, ValueError, "delta"),
        ({"epsilon": 0, "delta": 0.1}, ValueError, "epsilon"),
        ({"epsilon": 1, "delta": math.nan}, ValueError, "delta"),
        ({"rho": 0}, ValueError, "rho"),
        ({"rho": -1}, ValueError, "rho"),
        ({"rho": True}, TypeError, "rho"),
        ({"rho": np.array([1])}, TypeError, "rho"),
        ({"sigma": math.inf}, ValueError, "sigma"),
        ({"sigma2": "x"}, ValueError, "sigma2"),
        ({"sigma": 1j}, TypeError, "sigma"),
        ({"rho": 1, "sensitivity": 0}, ValueError, "sensitivity"),
        ({"rho": 1, "coordinates": 0}, ValueError, "coordinates"),
        ({"rho": 1, "coordinates": 2.0}, TypeError, "coordinates"),
    ],
    ids=str,
)
def test_bad_parameters(kind: Any, args: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        kind(**{"sensitivity": 1, **args})


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"sigma": 1e-4}, "sigma must be between 1e-3 and"),
        ({"sigma": 2.0**57}, "sigma must be between 1e-3 and"),
        ({"sigma2": 1e-8}, "sigma2 must be between 1e-6 and"),
        ({"rho": 1e30}, r"rho must give a sigma, sensitivity / sqrt\(2 rho\), between"),
        ({"epsilon": 1e7, "delta": 0.1}, "epsilon and delta must give a sigma between"),
    ],
)
def test_sigma_of_the_discrete_one_has_a_range(args: Any, says: str) -> None:
    """The error names what was given."""
    with pytest.raises(ValueError, match=f"^{says}"):
        DiscreteGaussian(**args, sensitivity=1)


@pytest.mark.parametrize("x", [0.0, 1.25, -1e6, 1e12, 5e-7])
@pytest.mark.parametrize(
    "m", [Gaussian(rho=0.5, sensitivity=1), Gaussian(sensitivity=2, sigma="0.1", step=2.0**-10)]
)
def test_every_release_is_the_exact_sum_rounded_once(m: Gaussian, x: float) -> None:
    noise = SeededGenerator(3).discrete_gaussian(sigma2=m.sigma2 / m.step**2)
    units = round(Fraction(x) / m.step) + noise
    assert m.release(x, rng=SeededGenerator(3)) == float(units * m.step)
    coded = DiscreteGaussian(sigma=10, sensitivity=1)
    noise = SeededGenerator(3).discrete_gaussian(10)
    assert coded.release(7, rng=SeededGenerator(3)) == 7 + noise
    assert coded.release([7, 8], rng=SeededGenerator(3)).shape == (2,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Gaussian(sigma=1e30, sensitivity=1),
        lambda: Gaussian(sigma=1, step=2.0**-60, sensitivity=1),
        lambda: Gaussian(sensitivity=1e-30, rho=1e-300),
    ],
)
def test_noise_too_wide_for_its_grid(make: Any) -> None:
    with pytest.raises(ValueError, match=r"sigma must be between .* steps of the grid"):
        make()


def test_releases_saturate() -> None:
    least, most = -(2**63), 2**63 - 1
    m = DiscreteGaussian(sigma=2**56, sensitivity=1)
    for end in (least, most):
        released = m.release(np.full(1000, end))
        assert 400 < (released == end).sum() < 600
        assert (np.abs(released.astype(float) - end) < 2**60).all()
    assert m.release(10**30) > 2**61


def test_goodness_of_fit(seeded: Seeded) -> None:
    """In steps of a coarse grid; mutants: the rounding not paid for, sigma 1 % larger."""
    m, n = Gaussian(sensitivity=1, sigma=1, step=0.25, coordinates=1), 10**6
    released = np.asarray(m.release(np.full(n, 3.1), rng=seeded(3)))
    samples = ((released - 3.0) * 4).astype(int)
    for sigma2, right in ((25, True), (16, False), (Fraction(51, 2), False)):
        tail = lambda k, s=Fraction(sigma2): 2 * upper_tail(s, k) if k else Fraction(1)  # noqa: E731
        ends, probabilities = cells(ends_of(1, 40), tail, n)
        p = p_value([samples], n, ends, probabilities)
        assert p > LIMIT if right else p < REJECTED
