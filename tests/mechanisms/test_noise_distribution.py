"""mechanisms/_noise_distribution.py and the laws that it shows: probabilities, quantiles, moments.

Expected values are by mpmath, with 60 digits or more, by sums over the integers for small
scales and by Euler and Maclaurin's formula (of mpmath, or none for Laplace noise) for others.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from cydp.mechanisms._discrete_gaussian_tails import decimal_tail
from cydp.mechanisms._noise_laws import GaussianLaw, LaplaceLaw, NoiseLaw

RELATIVE = 2e-12  # as the docstrings say
SCALES = [Fraction(text) for text in ("1/20", "1/3", "2", "14", "1000/3")] + [
    Fraction(2**40 + 1, 3), Fraction(2**56)
]  # fmt: skip
SIGMAS2 = [Fraction(text) for text in ("1/36", "1/2", "14", "9999", "10001", "39999", "40001")] + [
    Fraction(2**80, 3), Fraction(2**104)
]  # fmt: skip
CHANCES = [
    Fraction(text) for text in ("1e-1000", "1e-280", "1e-9", "1/100", "3/10", "1/2", "7/10")
] + [1 - Fraction(1, 10**12)]
DISTANCES = (0, 0.3, 1, 3, 10, 25, 36)  # in scales
MECHANISMS = [
    DiscreteLaplace(epsilon="0.5", sensitivity=7),
    DiscreteGaussian(sigma=14, sensitivity=1),
    Laplace(epsilon="0.5", sensitivity=7),
    Gaussian(sigma=14, sensitivity=1),
]
all_mechanisms = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
on_grids = pytest.mark.parametrize("mechanism", MECHANISMS[2:], ids=lambda m: type(m).__name__)


def exact(number: Fraction) -> mpf:
    return mpf(number.numerator) / number.denominator


def laplace_tail(scale: Fraction, m: int) -> mpf:
    """P(X >= m), m > 0."""
    p = mpmath.exp(-1 / exact(scale))
    return p**m / (1 + p)


@lru_cache
def sums(sigma2: Fraction) -> list[mpf]:
    """The sums of exp(-k**2 / (2 sigma2)) from each k on."""
    last = int(75 * math.sqrt(sigma2)) + 75
    with mpmath.workdps(110):
        weights = [mpmath.exp(-(mpf(k) ** 2) / (2 * exact(sigma2))) for k in range(last, -1, -1)]
        return list(accumulate(weights))[::-1]


def gaussian_tail(sigma2: Fraction, m: int) -> mpf:
    """P(X >= m), m > 0."""
    if sigma2 < 10**4:
        below = sums(sigma2)
        return below[m] / (2 * below[1] + 1)
    # Euler and Maclaurin's formula at m, by the trapezoid rule: another one than the library's.
    sigma = mpmath.sqrt(exact(sigma2))
    t = m / sigma
    density = mpmath.exp(-t * t / 2) / (sigma * mpmath.sqrt(2 * mpmath.pi))
    total = mpmath.erfc(t / mpmath.sqrt(2)) / 2 + density / 2
    for n in range(1, 32, 2):
        he = mpmath.hermite(n, t / mpmath.sqrt(2)) * mpf(2) ** (-mpf(n) / 2)
        total += mpmath.bernoulli(n + 1) / mpmath.factorial(n + 1) * he * density / sigma**n
    return total


def oracle(law: NoiseLaw, m: int) -> mpf:
    if isinstance(law, LaplaceLaw):
        return laplace_tail(law.scale, m)
    assert isinstance(law, GaussianLaw)
    return gaussian_tail(law.sigma2, m)


LAWS: list[NoiseLaw] = [*map(LaplaceLaw, SCALES), *map(GaussianLaw, SIGMAS2)]
LONG = [GaussianLaw(Fraction(text)) for text in ("9999", "39999")] + [
    GaussianLaw(Fraction(2**80, 3)), LaplaceLaw(Fraction(2**40 + 1, 3))
]  # fmt: skip
laws = pytest.mark.parametrize(
    "law",
    [pytest.param(law, marks=pytest.mark.long if law in LONG else ()) for law in LAWS],
    ids=lambda law: repr(law)[:40],
)


def width(law: NoiseLaw) -> Fraction:
    return law.scale if isinstance(law, LaplaceLaw) else Fraction(math.sqrt(law.sigma2))  # type: ignore[attr-defined]


@laws
def test_tails_and_quantiles(law: NoiseLaw) -> None:
    """Also where floats have no digits left: scales of 2**56, chances of 1e-1000."""
    with mpmath.workdps(100):  # a difference of tails loses digits
        for distance in DISTANCES:
            k = math.floor(Fraction(distance) * width(law))
            tail = oracle(law, k + 1)
            mass = oracle(law, k) - tail if k else 1 - 2 * tail
            if mass < 1e-300:
                continue
            found = [float(law.cdf(np.array(point))) for point in (-k - 1.0, float(k))]
            assert found == pytest.approx([float(tail), float(1 - tail)], rel=RELATIVE, abs=1e-300)
            assert float(law.pmf(np.array(float(k)))) == pytest.approx(float(mass), rel=RELATIVE)
    with mpmath.workdps(60):
        for q in CHANCES:
            if q < Fraction(1, 10**300) and isinstance(law, GaussianLaw) and law.sigma2 > 10**4:
                continue  # a second
            k = law.ppf(q)
            if 2 * q <= 1:  # P(X <= k) = P(X >= -k)
                inside = 1 if k == 0 else oracle(law, -k)
                assert inside >= exact(q) > oracle(law, 1 - k)
            else:
                inside = 1 if k == 0 else oracle(law, k)
                assert oracle(law, k + 1) <= exact(1 - q) < inside


@pytest.mark.long
def test_far_quantiles_of_wide_gaussians() -> None:
    with mpmath.workdps(80):
        for sigma2 in (Fraction(10001), Fraction(2**104)):
            k = GaussianLaw(sigma2).upper(Fraction(1, 10**1000))
            assert gaussian_tail(sigma2, k + 1) <= mpf(10) ** -1000 < gaussian_tail(sigma2, k)


def test_decimal_tails_agree_with_sums_on_both_sides_of_the_change_of_formulas() -> None:
    with mpmath.workdps(70):
        for sigma2 in (Fraction(9999), Fraction(10001)):
            for m in (1, 250):
                weights = (
                    mpmath.exp(-(mpf(k) ** 2) / (2 * exact(sigma2))) for k in range(m, m + 1600)
                )
                expected = mpmath.fsum(weights) / mpmath.sqrt(2 * mpmath.pi * exact(sigma2))
                found = mpf(str(decimal_tail(sigma2, m, 50)))
                assert abs(found / expected - 1) < mpf(10) ** -50
        assert decimal_tail(sigma2, 0, 50) > Decimal("0.5")


def test_moments_and_entropy() -> None:
    with mpmath.workdps(80):
        for scale in SCALES[:3]:
            p = mpmath.exp(-1 / exact(scale))
            masses = [(1 - p) / (1 + p) * p**k for k in range(1, int(150 * scale) + 150)]
            check_moments(LaplaceLaw(scale), masses, (1 - p) / (1 + p))
        for sigma2 in (*SIGMAS2[:3], Fraction("15.9"), Fraction("16.1")):
            weights = [mpmath.exp(-(mpf(k) ** 2) / (2 * exact(sigma2))) for k in range(1, 120)]
            total = 1 + 2 * mpmath.fsum(weights)
            check_moments(GaussianLaw(sigma2), [w / total for w in weights], 1 / total)


def check_moments(law: NoiseLaw, masses: list[mpf], center: mpf) -> None:
    second, fourth = (
        2 * mpmath.fsum(mpf(k) ** order * p for k, p in enumerate(masses, 1)) for order in (2, 4)
    )
    entropy = -center * mpmath.log(center) - 2 * mpmath.fsum(p * mpmath.log(p) for p in masses)
    assert center + 2 * mpmath.fsum(masses) == pytest.approx(1, abs=1e-40)
    assert law.variance == pytest.approx(float(second), rel=1e-12)
    assert law.kurtosis == pytest.approx(float(fourth / second**2 - 3), rel=1e-12, abs=1e-13)
    assert law.entropy == pytest.approx(float(entropy), rel=1e-12)


def test_extreme_scales_have_limits() -> None:
    tiny, huge = LaplaceLaw(Fraction(1, 10**6)), LaplaceLaw(Fraction(2**56))
    assert (tiny.kurtosis, tiny.entropy, tiny.variance) == (math.inf, 0, 0)
    assert huge.kurtosis == 5 - 2
    assert huge.entropy == pytest.approx(math.log(2 * math.e * 2**56), rel=1e-15)
    narrow, wide = GaussianLaw(Fraction(1, 10**6)), GaussianLaw(Fraction(2**112))
    assert (narrow.kurtosis, narrow.entropy, narrow.variance) == (math.inf, 0, 0)
    assert wide.entropy == pytest.approx(math.log(2 * math.pi * math.e * 2.0**112) / 2, rel=1e-15)
    assert [law.ppf(Fraction(1, 10**9)) for law in (tiny, narrow)] == [0, 0]
    still = DiscreteLaplace(epsilon=10**6, sensitivity=1)
    assert (still.variance, still.pmf(0), still.pmf(1), still.error_bound()) == (0, 1, 0, 0)


@all_mechanisms
def test_probabilities_sum_to_one_and_add_up_to_the_cdf(mechanism: Any) -> None:
    step = float(getattr(mechanism, "step", 1))
    low, high = -600, 600
    if step == 1:
        ks = np.arange(low, high + 1)
        masses = mechanism.pmf(ks)
        assert masses.sum() == pytest.approx(1, abs=1e-13)
        assert np.cumsum(masses) == pytest.approx(mechanism.cdf(ks), abs=1e-13)
        assert mechanism.cdf(ks) + mechanism.sf(ks) == pytest.approx(1, abs=1e-13)
    else:  # by the density, with the error of the trapezoid rule
        xs = np.linspace(low, high, 2**16 + 1)
        assert np.trapezoid(mechanism.pdf(xs), xs) == pytest.approx(1, abs=1e-5)
    assert mechanism.cdf(high) + mechanism.sf(high) == pytest.approx(1, abs=1e-15)


def test_the_variance_of_the_course() -> None:
    """f = 5, sensitivity 7, epsilon 0.5: the scale is b = 14, and 2 b**2 = 392."""
    integer, grid = MECHANISMS[0], MECHANISMS[2]
    p = math.exp(-1 / 14)
    assert integer.variance == pytest.approx(2 * p / (1 - p) ** 2, rel=1e-12)
    assert 391.8 < integer.variance < 391.9  # not 392: 2 b**2 - 1/6 + ...
    assert integer.variance == pytest.approx(392 - 1 / 6, abs=1e-3)
    # The grid's scale is at most a share of 2**-38 above 14, which pays for the rounding.
    assert 0 <= grid.variance - 392 < 392 * 2**-38
    assert grid.ppf("1/4", value=5) == pytest.approx(5 - 14 * math.log(2), abs=1e-9)
    assert (grid.mean, grid.median, grid.mode, grid.skewness) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", [DiscreteLaplace, Laplace])
def test_intervals_of_neighbours_differ_by_a_factor_of_e_to_the_epsilon(kind: Any) -> None:
    """The interval (4.7, 11.2] and others, for f(D) and a neighbour's f(D')."""
    for epsilon, sensitivity in ((1, 1), ("0.1", 1), (2, 5)):
        noise = kind(epsilon=epsilon, sensitivity=sensitivity)
        most = math.exp(float(Fraction(epsilon))) * (1 + 1e-9)

        def chance(low: float, high: float, f: int, noise: Any = noise) -> float:
            if low > f:  # where the cdf is close to 1, and has lost digits
                return float(noise.sf(low, value=f) - noise.sf(high, value=f))
            return float(noise.cdf(high, value=f) - noise.cdf(low, value=f))

        for low, high in ((4.7, 11.2), (-3.5, -3), (40.0, 41.5), (-90, 200)):
            ratio = chance(low, high, 8) / chance(low, high, 8 + sensitivity)
            assert 1 / most <= ratio <= most
        # Far from both values the factor is reached.
        reached = noise.sf(30, value=8 + sensitivity) / noise.sf(30, value=8)
        assert reached == pytest.approx(math.exp(float(Fraction(epsilon))), rel=1e-9)


@on_grids
def test_the_density_is_the_textbooks(mechanism: Any) -> None:
    xs = np.linspace(-100, 100, 1001)
    if isinstance(mechanism, Laplace):
        b = 14
        density = np.exp(-np.abs(xs) / b) / (2 * b)
        entropy = math.log(2 * math.e * b)
    else:
        density = np.exp(-0.5 * (xs / 14) ** 2) / (14 * math.sqrt(2 * math.pi))
        entropy = math.log(14 * math.sqrt(2 * math.pi * math.e))
    assert mechanism.pdf(xs) == pytest.approx(density, rel=1e-9)
    assert mechanism.entropy + math.log(mechanism.step) == pytest.approx(entropy, abs=1e-11)


@on_grids
def test_points_of_the_grid(mechanism: Any) -> None:
    step = mechanism.step
    assert mechanism.pmf(step / 2) == 0
    assert mechanism.pmf(3 * step) == pytest.approx(mechanism.pmf(0), rel=1e-9)
    assert mechanism.cdf(step / 2) == mechanism.cdf(0) < mechanism.cdf(step)
    # A value is rounded to the grid, ties to even, as a release rounds it.
    assert mechanism.pmf(0, value=step / 2) == mechanism.pmf(0)
    assert mechanism.pmf(0, value=3 * step / 2) == mechanism.pmf(2 * step)
    assert mechanism.ppf(0.5, value=4.7) == float(round(Fraction(4.7) / step) * step)
    assert mechanism.cdf(-5e-324) < mechanism.cdf(0.0)
    assert (mechanism.cdf(math.inf), mechanism.sf(-math.inf), mechanism.pmf(math.inf)) == (1, 1, 0)


@all_mechanisms
def test_shapes_and_types(mechanism: Any) -> None:
    xs = np.array([[0, 1, -4], [2, 3, 100]])
    functions = [mechanism.pmf, mechanism.cdf, mechanism.sf]
    if hasattr(mechanism, "pdf"):
        functions.append(mechanism.pdf)
    for function in functions:
        found = function(xs)
        assert found.shape == xs.shape
        assert found.dtype == np.float64
        assert np.array_equal(found, function(xs.tolist()))
        assert np.array_equal(found[0], [function(x) for x in (0, 1, -4)])
        assert type(function(3)) is type(function(Fraction(3))) is type(function(3.0)) is float
        assert function(3) == function(np.uint64(3)) == function(Fraction(3)) == function(3.0)
        assert np.array_equal(function(xs, value=7), function(xs - 7))
    quantiles = mechanism.ppf([[0.1, 0.9]])
    integer = isinstance(mechanism, DiscreteLaplace | DiscreteGaussian)
    assert quantiles.shape == (1, 2)
    assert quantiles.dtype == (np.int64 if integer else np.float64)
    assert quantiles[0, 0] == mechanism.ppf(0.1) == mechanism.ppf(np.float64(0.1))
    assert type(mechanism.ppf(0.1)) is (int if integer else float)
    assert mechanism.isf("1e-20") == -mechanism.ppf("1e-20") > 0
    assert mechanism.isf("3/4") == mechanism.ppf("1/4")


def test_integers_have_no_law_between_them_and_saturate() -> None:
    noise = DiscreteLaplace(epsilon=1, sensitivity=1)
    assert (noise.cdf(0.5), noise.pmf(0.5)) == (noise.cdf(0), 0)
    assert noise.ppf(0.999, value=2**63 - 3) == 2**63 - 1  # as released integers do


@all_mechanisms
def test_large_integers_are_not_rounded(mechanism: Any) -> None:
    for start in (10**17, 2**63 - 3, -(2**63)):
        exact = [start, start + 1, start + 2]
        for points in (exact, np.array(exact), np.array([Fraction(x) for x in exact])):
            for law in (mechanism.pmf, mechanism.cdf, mechanism.sf):
                np.testing.assert_array_equal(law(points, value=start), law([0, 1, 2]))
        assert mechanism.cdf([np.inf, -np.inf], value=start + 1).tolist() == [1, 0]
    unsigned = np.array([2**63 + 1], np.uint64)
    assert mechanism.cdf(unsigned, value=2**63 - 1) == mechanism.cdf(2)
    assert mechanism.cdf(2**63 - 1, value=-(2**63)) == 1
    # A float stands for its binary value, whatever the value beside it is.
    assert mechanism.pmf(1e17, value=10**17 + 1) == mechanism.pmf(-1)
