"""Moments, and what follows from them, against sums over the distributions themselves."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import cydp
from cydp.teach.utility._case import Spread, binomial_tail, spread_of


def moments_of(noise: cydp.DiscreteLaplace | cydp.DiscreteGaussian) -> tuple[float, float]:
    """E Y**2 and E Y**4 of Y = X**2 / variance - 1, by summing over the distribution."""
    far = noise.isf(1e-300 if isinstance(noise, cydp.DiscreteLaplace) else 1e-200)
    k = np.arange(-int(far), int(far) + 1)
    y = k.astype(float) ** 2 / noise.variance - 1
    return float(noise.pmf(k) @ y**2), float(noise.pmf(k) @ y**4)


def test_moments_of_laplace_noise_are_those_of_its_distribution() -> None:
    for epsilon in ("0.05", 1, 5):
        noise = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1)
        spread, linear = spread_of(noise, 7), spread_of(noise, 7, linear=True)
        assert spread is not None
        assert linear is not None
        assert (spread.second, spread.fourth) == pytest.approx(moments_of(noise), rel=1e-9)
        assert (spread.copies, linear.copies) == (7, 1)  # combinations depend on each other
        assert linear.fourth > spread.fourth
    assert spread_of(cydp.DiscreteLaplace(epsilon=200, sensitivity=1), 1) is None  # not known


def test_moments_of_gaussian_noise_bound_those_of_its_distribution() -> None:
    for sigma2 in (1, "1.37", 10, 10**4):
        noise = cydp.DiscreteGaussian(sigma2=sigma2, sensitivity=1)
        second, fourth = moments_of(noise)
        spread, linear = spread_of(noise, 7), spread_of(noise, 7, linear=True)
        assert spread is not None
        assert linear is not None
        assert second <= spread.second <= second * 1.002
        assert fourth <= spread.fourth <= fourth * 1.05
        assert (spread.copies, linear.copies) == (7, 1)
    assert spread_of(cydp.DiscreteGaussian(sigma2="0.5", sensitivity=1), 1) is None


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 2, -3), (1, 10, 0)])
def test_linear_combinations_have_smaller_moments_than_stated(weights: tuple[int, ...]) -> None:
    """For noise with moments far from a normal distribution's."""
    noise = cydp.DiscreteLaplace(epsilon=2, sensitivity=1)
    k = np.arange(-25, 26)
    law = np.ones(1)
    for weight in weights:
        scaled = np.zeros(50 * abs(weight) + 1)
        scaled[:: abs(weight) or 1] = noise.pmf(k) if weight else 1
        law = np.convolve(law, scaled)
    at = np.arange(len(law)) - len(law) // 2
    y = at.astype(float) ** 2 / float(law @ at.astype(float) ** 2) - 1
    spread = spread_of(noise, 1, linear=True)
    assert spread is not None
    assert float(law @ y**2) <= spread.second * (1 + 1e-9)
    assert float(law @ y**4) <= spread.fourth


def test_the_tolerance_rests_on_the_fourth_moment_of_a_mean() -> None:
    """Markov's inequality, with the moment of the mean by enumeration of all draws."""
    law = [(Fraction(-1), Fraction(3, 4)), (Fraction(3), Fraction(1, 4))]
    second, fourth = (sum(p * y**order for y, p in law) for order in (2, 4))
    n = 4
    moment = Fraction(0)
    for draws in product(law, repeat=n):
        chance = Fraction(1)
        for _, p in draws:
            chance *= p
        moment += chance * (sum(y for y, _ in draws) / n) ** 4
    failure = 1e-5  # small, so that the fourth moment gives the smaller tolerance
    found = Spread(second=float(second), fourth=float(fourth), copies=2).tolerance(2, failure)
    assert float(moment) <= found**4 * failure * (1 + 1e-12)
    assert found**4 * failure <= float(moment) * 1.3


@pytest.mark.parametrize("epsilon", ["0.2", "1.5"])
def test_small_errors_are_as_rare_as_stated(epsilon: str | int) -> None:
    """The exact law of the sum of 40 squares, up to the stated number of their mean."""
    noise, n, failure = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=1), 40, 0.1
    spread = spread_of(noise, 1)
    assert spread is not None
    low, high = spread.interval(n, failure)
    assert 0 < low < 1 < high
    top = int(low * n * noise.variance)
    squares = np.zeros(top + 1)
    k = np.arange(int(top**0.5) + 1)
    squares[k**2] = noise.pmf(k) * np.where(k == 0, 1, 2)
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, squares)[: top + 1]
    assert law.sum() <= failure / 10
    two_points = Spread(second=3.0, fourth=np.inf, copies=1).interval(n, failure)[0]  # 4 or 0
    exact = binomial_tail(n, 0.75, n - int(two_points * n / 4))  # of zeros
    assert failure / 1000 < exact <= failure / 10


def test_binomial_tails_are_exact() -> None:
    p = Fraction(1, 20)
    for trials, least in ((10, 0), (10, 3), (200, 20), (200, 200)):
        ways = ((comb(trials, k), k) for k in range(least, trials + 1))
        exact = sum(n * p**k * (1 - p) ** (trials - k) for n, k in ways)
        assert binomial_tail(trials, 0.05, least) == pytest.approx(float(exact), rel=1e-9)
