"""workloads/_chernoff_bounds.py: bounds hold, with the stated probability, for sums of noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import DiscreteGaussian, DiscreteLaplace
from cydp.workloads._chernoff_bounds import Terms, bound_sums

Masses = NDArray[np.float64]


def distribution(noise: DiscreteLaplace | DiscreteGaussian, weights: list[int]) -> Masses:
    """Return the chances of a sum of noise with integer weights, by convolution, centred."""
    total = np.ones(1)
    for weight in weights:
        reach = 400
        masses = np.zeros(2 * reach * abs(weight) + 1)
        masses[:: abs(weight)] = noise.pmf(np.arange(-reach, reach + 1))
        total = np.convolve(total, masses)
    return total


def chance_beyond(masses: Masses, bound: float) -> float:
    middle = len(masses) // 2
    return float(masses[np.abs(np.arange(len(masses)) - middle) > bound].sum())


NOISES = (
    DiscreteLaplace(epsilon=1, sensitivity=3),
    DiscreteLaplace(epsilon=5, sensitivity=1),
    DiscreteGaussian(sigma2=9, sensitivity=1),
)
WEIGHTS = ([1], [1] * 6, [3, 1, -1], [4, 4])


def test_a_bound_holds_and_is_no_luxury() -> None:
    for weights, confidence, noise in product(WEIGHTS, ("0.5", "0.95", "0.9999"), NOISES):
        squares, largest = np.array([np.square(weights).sum()]), max(map(abs, weights))
        (bound,) = bound_sums([Terms(noise, squares * 1.0, float(largest))], confidence, 1)
        masses = distribution(noise, weights)
        allowed = 1 - float(Fraction(confidence))
        assert chance_beyond(masses, bound) <= allowed
        if noise.variance > 1 and allowed < 0.5:  # a third of the bound would not hold
            assert chance_beyond(masses, bound / 3) > allowed


def test_a_bound_of_equal_weights_is_that_of_chernoff() -> None:
    """For both tails: the least of (ln(2 / failure) + n ln E exp(t X)) / t over all t."""
    for n, confidence, count in product((1, 6, 50), ("0.5", "0.95"), (1, 10)):
        for noise in NOISES[:2]:
            rate = float(1 / noise.scale)  # type: ignore[union-attr]
            t = np.linspace(0, rate, 20_001)[1:-1]
            logs = 2 * np.log(-np.expm1(-rate)) - np.log(-np.expm1(t - rate))
            logs -= np.log(-np.expm1(-t - rate))
            nats = np.log(2 * count / (1 - float(Fraction(confidence))))
            found = bound_sums([Terms(noise, np.array([float(n)]))], confidence, count)
            least = ((nats + n * logs) / t).min()
            assert least <= found * (1 + 1e-6) <= 1.05 * least


def test_bounds_of_different_noise_add_up() -> None:
    one, two = DiscreteLaplace(epsilon=1, sensitivity=1), DiscreteLaplace(epsilon=1, sensitivity=4)
    terms = [Terms(one, np.array([4.0]), 2.0), Terms(two, np.array([1.0]), 1.0)]
    (bound,) = bound_sums(terms, 0.95, 1)
    masses = np.convolve(distribution(one, [2]), distribution(two, [1]))
    assert chance_beyond(masses, bound) <= 0.05 < chance_beyond(masses, bound / 2)
    (alone,) = bound_sums(terms[:1], 0.95, 1)
    assert alone < bound


def test_many_together_are_a_union() -> None:
    noise, squares = DiscreteLaplace(epsilon=1, sensitivity=1), np.array([5.0])
    together = bound_sums([Terms(noise, squares)], "0.95", 10)
    assert together == pytest.approx(bound_sums([Terms(noise, squares)], "0.995", 1))
    assert bound_sums([Terms(noise, np.zeros(2))], 0.95, 1).tolist() == [0, 0]
