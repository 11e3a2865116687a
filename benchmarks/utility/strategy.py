"""Strategies for linear queries under pure DP: p-identity matrices, optimised from a tree.

The strategy is the cells and further non-negative rows, all columns of which sum to 1. Its error is
the trace of the inverse of its Gram matrix times the workload's.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import minimize

BRANCHING, STEPS = 16, 100  # of the tree from which it starts; of the optimisation


def ranges(cells: int) -> Any:
    """Return the Gram matrix of all ranges, over their number."""
    place = np.arange(cells)
    low, high = np.minimum.outer(place, place), np.maximum.outer(place, place)
    return (low + 1.0) * (cells - high) / (cells * (cells + 1) / 2)


def prefixes(cells: int) -> Any:
    """Return the Gram matrix of all sums from the left, over their number."""
    place = np.arange(cells)
    return (cells - np.maximum.outer(place, place)) / cells


@cache
def error(gram: Callable[[int], Any], cells: int) -> float:
    """Return the root mean square error of the strategy that is found, for epsilon = 1."""
    workload = gram(cells)

    def trace(flat: Any) -> tuple[float, Any]:
        rows = flat.reshape(-1, cells)
        sums = 1 + rows.sum(0)
        inverse = np.linalg.inv(np.eye(cells) + rows.T @ rows)
        weighted = workload * np.outer(sums, sums)
        slope = -2 * rows @ (inverse @ weighted @ inverse)
        slope += 2 * (inverse * workload) @ sums
        return float((inverse * weighted).sum()), slope.ravel()

    start = nodes(cells, BRANCHING).ravel()
    done = minimize(
        trace, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start),
        options={"maxiter": STEPS},
    )  # fmt: skip
    return float((2 * done.fun) ** 0.5)


def nodes(cells: int, branching: int) -> Any:
    """Return the nodes of a tree above its leaves, as rows of ones."""
    width, rows = branching, []
    while width <= cells:
        rows += [np.arange(cells) // width == node for node in range(-(-cells // width))]
        width *= branching
    return np.array(rows, float)
