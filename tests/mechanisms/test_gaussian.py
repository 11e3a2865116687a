"""DiscreteGaussian and Gaussian: parameters, calibration, tails, the grid."""

import math
import pickle
from fractions import Fraction

import pytest
from reference import discrete_gaussian as oracle

import cydp
from cydp import ZCDP, ApproxDP, DiscreteGaussian, Gaussian
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rounding import decimal_above
from cydp.mechanisms import _discrete_gaussian_tails as tails

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
    e, wide = Fraction(math.exp(epsilon)), int(12 * math.sqrt(sigma2)) + 9 + sensitivity
    masses = [middle(oracle.probability_bounds(sigma2, k, BITS)) for k in range(wide + 1)]
    total = Fraction(0)
    for k in range(-wide, wide - sensitivity):
        total += max(masses[abs(k)] - e * masses[abs(k + sensitivity)], Fraction(0))
    return total


@pytest.mark.parametrize("sigma2", ["1/1000", "1", "17", "16000", "41000", "1e8"])
def test_tails_and_error_bounds(sigma2: str) -> None:
    """Against the oracle; beyond a sigma of 200 the tails are bounded."""
    square = Fraction(sigma2)
    m = DiscreteGaussian(sigma2=square, sensitivity=1)
    sigma = math.sqrt(square)
    points = sorted({0, 1, 2, *(int(sigma * x) for x in (0.3, 1, 1.1, 3, 6))})
    for k in points:
        above = float(upper_tail(square, k + 1))
        bounds = tails.tail(sigma, k + 1)
        assert bounds.low <= above * (1 + 1e-13) + 1e-55
        assert above <= bounds.high * (1 + 2e-13) + 1e-55
        if k > sigma + 1:
            assert bounds.high - bounds.low <= above * (3e-10 + 10 / square)
    variance = float(middle(oracle.variance_bounds(square, BITS)))
    assert m.variance == pytest.approx(variance, rel=1e-10)
    for confidence in ("0.5", "0.95", "0.999999"):
        h = m.error_bound(confidence)
        miss = 1 - Fraction(confidence)
        assert 2 * upper_tail(square, h + 1) <= miss
        assert h == 0 or 2 * upper_tail(square, h - (square > 10**5)) > miss


def test_calibration() -> None:
    """The delta in use is at most the one asked for, and a little less noise exceeds it."""
    for norm, epsilon, delta in (
        (1, "1", "1e-6"), (2, "0.1", "1e-3"), (Fraction(7, 2), "3", "1e-9"), (2, "5", "0.1"),
    ):  # fmt: skip
        given = {"epsilon": epsilon, "delta": delta, "sensitivity": norm}
        m = DiscreteGaussian(**given)  # type: ignore[arg-type]
        steps = math.floor(norm)
        assert exact_delta(m.sigma2, steps, Fraction(epsilon)) <= Fraction(delta)
        less = m.sigma2 * Fraction(97, 100)
        assert exact_delta(less, steps, Fraction(epsilon)) > Fraction(delta)
        fifty = DiscreteGaussian(**given, coordinates=50)  # type: ignore[arg-type]
        assert m.error_bound(0.95, count=50) == fifty.error_bound(0.95, count=50)
        wide = DiscreteGaussian(**given, coordinates=2)  # type: ignore[arg-type]
        assert wide.sigma2 > m.sigma2
        assert m._sigma2(2) == wide.sigma2 == wide._sigma2(1)
        assert wide.rho == wide.loss.rho == decimal_above(norm**2 / (2 * wide.sigma2))
    asked = Gaussian(epsilon=1, delta=1e-6, sensitivity=1)
    assert asked.loss == ApproxDP(1, 1e-6, rho=decimal_above(asked.rho))


def test_parameters() -> None:
    m = DiscreteGaussian(sensitivity=3, rho="0.5")
    assert (m.sigma2, m.rho, m.loss, m.sensitivity) == (9, Fraction(1, 2), ZCDP(0.5), 3)
    for other in (
        DiscreteGaussian(sensitivity=3, sigma=3),
        DiscreteGaussian(sensitivity=3, sigma2=9),
    ):
        assert (other.rho, other.sigma2) == (m.rho, m.sigma2)
    assert DiscreteGaussian(sigma2="1/3", sensitivity=1).sigma2 == Fraction(1, 3)
    assert DiscreteGaussian(rho=0.5, coordinates=7, sensitivity=1).sigma2 == 1
    for each in (
        m,
        DiscreteGaussian(sigma=2, coordinates=4, sensitivity=1),
        DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1),
        Gaussian(rho=2, sensitivity=1),
        Gaussian(sensitivity=2, sigma2=3),
        Gaussian(epsilon=1, delta=1e-6, step=2.0**-30, coordinates=3, sensitivity=1),
    ):
        assert eval(repr(each), vars(cydp)) == pickle.loads(pickle.dumps(each)) == each
        assert each.__dataclass_params__.frozen  # type: ignore[attr-defined]


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
