"""The errors of the best strategies known for linear queries: matrices that get noise."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations

import numpy as np


def gaussian(epsilon: float, delta: float) -> float:
    """Return the least sigma for (epsilon, delta) and an L2 sensitivity of 1 [10]."""

    def lost(sigma: float) -> float:
        def below(t: float) -> float:
            return math.erfc(-t / math.sqrt(2)) / 2

        half, moved = 1 / (2 * sigma), epsilon * sigma
        return below(half - moved) - math.exp(epsilon) * below(-half - moved)

    low, high = 1e-3, 1e3
    for _ in range(100):
        sigma = math.sqrt(low * high)
        low, high = (low, sigma) if lost(sigma) <= delta else (sigma, high)
    return high


def square_root(steps: int) -> float:
    """Return the root mean square error of all totals, in sigmas."""
    k = np.arange(1, steps)
    squares = np.concatenate(([1.0], np.cumprod(1 - 1 / (2 * k)))) ** 2
    largest = squares.sum()  # of a column
    return float(np.sqrt((squares * np.arange(steps, 0, -1)).sum() / steps * largest))


def residuals(sizes: Mapping[str, int], sets: Sequence[tuple[str, ...]]) -> float:
    """Return the root mean square error of all cells of marginals, in sigmas.

    Each subset A of a set of columns has a residual with noise of a variance v_A. It costs
    p_A / v_A, where p_A is the product of 1 - 1 / n over its columns, and adds u_A v_A to the sum
    of all squares. Of all v with costs of 1 in total the least sum is (sum of sqrt(p_A u_A))^2.
    """
    closure = {part for names in sets for part in subsets(names)}
    cells = sum(math.prod(sizes[name] for name in names) for names in sets)
    total = 0.0
    for part in closure:
        p = math.prod(1 - 1 / sizes[name] for name in part)
        u = sum(
            p
            * math.prod(sizes[name] for name in names)
            / math.prod(sizes[name] ** 2 for name in names if name not in part)
            for names in sets
            if {*part} <= {*names}
        )
        total += math.sqrt(p * u)
    return total / math.sqrt(cells)


def cells(sizes: Mapping[str, int], sets: Sequence[tuple[str, ...]]) -> float:
    """Return the same of sums of cells of all columns, in standard deviations of a cell."""
    joint = math.prod(sizes.values())
    return math.sqrt(
        joint * len(sets) / sum(math.prod(sizes[name] for name in names) for names in sets)
    )


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(names, k) for k in range(len(names) + 1)))
