"""accounting/_dominating_pairs.py: each pair is at least as far apart as what it stands for.

Hockey-stick divergences are summed in floats here, from the distributions alone, and compared; the
proofs are in docs/accounting/dominating_pairs.md.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from cydp.accounting._dominating_pairs import (
    GaussianPair,
    LaplacePair,
    NormalPair,
    gaussian_pairs,
    laplace_pairs,
)

ROUNDING = 1e-9  # also of losses that are put together
Floats = NDArray[np.float64]
Losses = tuple[Floats, Floats]  # logarithms of the ratio, and probabilities


def moved(log_mass: Callable[[Floats], Floats], reach: int, steps: int) -> Losses:
    """Return the losses of noise on the integers and the same noise moved by `steps`."""
    x = np.arange(-reach, reach + 1.0)
    mass = np.exp(log_mass(x))
    return log_mass(x) - log_mass(x - steps), mass / mass.sum()


def laplace(scale: float, steps: int) -> Losses:
    return moved(lambda x: -np.abs(x) / scale, math.ceil(40 * scale) + steps, steps)


def gaussian(sigma2: float, steps: int) -> Losses:
    return moved(lambda x: -(x**2) / (2 * sigma2), math.ceil(12 * math.sqrt(sigma2)) + 9, steps)


def both(one: Losses, other: Losses) -> Losses:
    losses = np.add.outer(one[0], other[0]).ravel()
    return losses, np.multiply.outer(one[1], other[1]).ravel()


def delta(pair: Losses, epsilon: float) -> float:
    losses, mass = pair
    over = losses > epsilon
    return float((mass[over] * -np.expm1(epsilon - losses[over])).sum())


def further(pair: Losses, other: Losses, most: float) -> bool:
    """Whether a pair is at least as far apart as another one, at every epsilon up to `most`."""
    return all(
        delta(pair, epsilon) >= delta(other, epsilon) * (1 - 1e-12) - ROUNDING
        for epsilon in np.linspace(0, most, 41)
    )


@pytest.mark.parametrize(
    ("scale", "parts"),
    [(0.3, (1, 1)), (1, (1, 2)), (4, (3, 2)), (25, (1, 5)), (0.3, (1, 1, 1)), (4, (1, 1, 1))],
)
def test_one_coordinate_is_worst_for_laplace(scale: float, parts: tuple[int, ...]) -> None:
    spread: Losses = (np.zeros(1), np.ones(1))
    for steps in parts:
        losses, mass = laplace(scale, steps)
        levels, where = np.unique(losses.round(9), return_inverse=True)
        spread = both(spread, (levels, np.bincount(where, mass)))
    single = laplace(scale, sum(parts))
    most = sum(parts) / scale
    assert further(single, spread, most)
    assert not further(spread, single, most)  # and this test could have said so


@pytest.mark.parametrize(
    ("scale", "factor", "steps"), [(0.5, 2, 1), (3, 3, 2), (20, 5, 4), (0.5, 5, 4), (20, 2, 1)]
)
def test_a_coarser_grid_is_worse_for_laplace(scale: float, factor: int, steps: int) -> None:
    fine, coarse = laplace(scale * factor, steps * factor), laplace(scale, steps)
    assert further(coarse, fine, steps / scale)
    assert not further(fine, coarse, steps / scale)


@pytest.mark.parametrize("make", [laplace, gaussian])
def test_a_smaller_move_costs_less(make: Callable[[float, int], Losses]) -> None:
    for size, steps in product((0.5, 4, 30), (1, 2, 7)):
        assert further(make(size, steps + 1), make(size, steps), 3 * steps)
        assert not further(make(size, steps), make(size, steps + 1), 3 * steps)


def test_pairs_of_laplace_noise() -> None:
    third = Fraction(1, 3)
    assert laplace_pairs(third, Fraction(1)) == {LaplacePair(third): 1}
    assert laplace_pairs(third, Fraction(7, 2)) == {LaplacePair(third * 6 / 7, 3): 1}
    assert laplace_pairs(third, Fraction(1, 2)) == {LaplacePair(third): 1}
    assert laplace_pairs(third, Fraction(7), or_more=True) == {LaplacePair(third): 1}
    for norm in (4096, 4097, 12_289, 10**9, 2**40 + 1):
        ((pair, times),) = laplace_pairs(third, Fraction(norm)).items()
        assert times == 1
        assert isinstance(pair, LaplacePair)
        factor = Fraction(pair.epsilon / third * norm, pair.steps)  # of the grids
        assert factor.denominator == 1  # what the proof wants
        assert norm <= pair.steps * factor <= norm * (1 + Fraction(1, 4096))


def test_roots_that_were_rounded_down() -> None:
    """Without that, a plan would take three ones for two."""
    root = math.sqrt(3)
    assert Fraction(root) ** 2 < 3
    assert DiscreteGaussian(sensitivity=root, sigma2=9)._pairs == {GaussianPair(Fraction(9)): 3}
    three = 0.1 * 3 * 10 - 1e-12
    assert Fraction(three) < 3
    ((pair, _),) = DiscreteLaplace(epsilon=1, sensitivity=three)._pairs.items()
    assert isinstance(pair, LaplacePair)
    assert pair.steps == 3
    assert pair.epsilon > 1


def test_pairs_of_laplace_noise_for_any_number_of_entries() -> None:
    """One pair covers the pair of any number of entries, to which norm and scale grow."""
    noise = Laplace(epsilon=0.5, sensitivity=1)
    ((whole, _),) = noise._pairs.items()
    assert isinstance(whole, LaplacePair)
    assert whole.steps == 4096
    for entries in (1, 2, 10**3, 10**6, 10**12):
        norm = noise._compute_steps(entries) * noise.epsilon
        moved_to = -(-math.floor(norm) // whole.steps) * whole.steps
        assert (
            noise.epsilon * moved_to / norm <= whole.epsilon <= noise.epsilon * Fraction(1001, 1000)
        )
    ((known, _),) = Laplace(epsilon=0.5, sensitivity=1, coordinates=3)._pairs.items()
    assert known.epsilon < whole.epsilon


def vectors(norm2: int, entries: int) -> list[tuple[int, ...]]:
    side = range(math.isqrt(norm2) + 1)
    return [v for v in product(side, repeat=entries) if 0 < sum(x * x for x in v) <= norm2]


def of(pairs: dict[GaussianPair, int]) -> Losses:
    ((pair, times),) = pairs.items()
    total: Losses = (np.zeros(1), np.ones(1))
    for _ in range(times):
        total = both(total, gaussian(float(pair.sigma2), pair.steps))
    return total


@pytest.mark.parametrize(
    ("sigma2", "norm2"), [(0.5, Fraction(1)), (2, Fraction(5, 2)), (0.5, Fraction(3))]
)
def test_short_moves_of_gaussian_noise(sigma2: float, norm2: Fraction) -> None:
    pairs = gaussian_pairs(norm2, Fraction(sigma2), None)
    assert pairs == {GaussianPair(Fraction(sigma2)): math.floor(norm2)}
    stands = of(pairs)  # type: ignore[arg-type]
    for vector in vectors(math.floor(norm2), 3):
        spread: Losses = (np.zeros(1), np.ones(1))
        for steps in vector:
            if steps:
                spread = both(spread, gaussian(sigma2, steps))
        assert further(stands, spread, 4)
    if norm2 > 2:
        assert not further(gaussian(sigma2, 1), spread, 4)


def normal(rho: Fraction, epsilon: float) -> float:
    """Return the divergence of normal distributions with means that differ by the root of 2 rho."""
    mu = math.sqrt(2 * rho)

    def phi(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(
    ("sigma2", "vector"),
    [
        (7, (1,)),
        (30, (2,)),
        (7, (1, 1, 1, 1)),
        (100, (3, 1)),
        (30, (2, 2, 1)),
        (100, (5,)),
        (7, (9, 3)),
        (100, (1,)),
        (7, (3, 1)),
    ],
)
def test_normal_pairs(sigma2: int, vector: tuple[int, ...]) -> None:
    norm2 = sum(x * x for x in vector)
    pairs = gaussian_pairs(Fraction(norm2), Fraction(sigma2), None, or_more=True)
    ((pair, _),) = pairs.items()  # type: ignore[union-attr]
    assert isinstance(pair, NormalPair)
    assert pair.rho == Fraction(norm2, 2 * (sigma2 - 3))
    spread: Losses = (np.zeros(1), np.ones(1))
    for steps in vector:
        losses, mass = both(spread, gaussian(sigma2, steps))
        levels, where = np.unique(losses.round(9), return_inverse=True)
        spread = levels, np.bincount(where, mass)
    naive = Fraction(norm2, 2 * sigma2)  # the mutant takes integers for real numbers
    exceeds = []
    for epsilon in np.linspace(0.001, 3 * math.sqrt(2 * pair.rho), 60):
        exact = delta(spread, epsilon)
        assert normal(pair.rho, epsilon) >= exact * (1 - 1e-9) - ROUNDING
        exceeds.append(exact > normal(naive, epsilon) * (1 + 1e-9) + 1e-9)
    assert any(exceeds)


def test_which_pairs_gaussian_mechanisms_have() -> None:
    assert DiscreteGaussian(sigma2=400, sensitivity=1)._pairs == {GaussianPair(Fraction(400)): 1}
    assert DiscreteGaussian(sensitivity="1.5", sigma2=9)._pairs == {GaussianPair(Fraction(9)): 2}
    assert DiscreteGaussian(sensitivity="1.5", sigma2=9, coordinates=1)._pairs == {
        GaussianPair(Fraction(9)): 1
    }
    assert DiscreteGaussian(sensitivity=5, sigma2=9, coordinates=1)._pairs == {
        GaussianPair(Fraction(9), 5): 1
    }
    assert DiscreteGaussian(sensitivity=2, sigma2=9)._pairs == {NormalPair(Fraction(1, 3)): 1}
    assert DiscreteGaussian(sensitivity=2, sigma2=6)._pairs is None
    assert DiscreteGaussian(sigma=2000, sensitivity=1)._pairs == {
        NormalPair(Fraction(1, 2 * (2000**2 - 3))): 1
    }
    assert DiscreteLaplace(epsilon=1, sensitivity=3)._pairs == {LaplacePair(Fraction(1), 3): 1}
    for coordinates in (None, 5):
        noise = Gaussian(rho=0.125, coordinates=coordinates, sensitivity=1)
        ((pair, times),) = noise._pairs.items()  # type: ignore[union-attr]
        assert times == 1
        assert Fraction(1, 8) < pair.rho < Fraction(1, 8) * (1 + Fraction(1, 10**9))
    assert Gaussian(rho=0.5, step=2, sensitivity=1)._pairs is None
