"""Many quantiles from a tree of noisy counts, between a few private quantiles: in doubles."""

from typing import Any

import numpy as np
from utility.pieces import Pieces

BRANCHING, LEVELS = 16, 2
PARTS, SHARE = 16, 0.1  # between a few quantiles, which have so much of epsilon


def quantiles(rng: Any, x: Any, qs: Any, bounds: Any, epsilon: float) -> Any:
    """Return the quantiles of the noisy counts of cells, interpolated.

    The cells are parts of equal width of the ranges between quantiles, which are chosen by halves:
    so there are as many of them where numbers are close.
    """
    asked = Pieces(x, bounds, None)
    few = asked.several(rng, [part / PARTS for part in range(1, PARTS)], SHARE * epsilon)
    cells, ends = BRANCHING**LEVELS, np.array([bounds[0], *few, bounds[1]])
    edges = np.interp(np.linspace(0, PARTS, cells + 1), np.arange(PARTS + 1), ends)
    ranks = np.searchsorted(asked.x, edges[1:-1], "right")
    counts = np.diff(ranks, prepend=0, append=len(x))
    estimates = consistent(rng, counts, LEVELS / ((1 - SHARE) * epsilon))
    sums = np.concatenate(([0.0], np.cumsum(estimates)))
    from_left, from_right = np.maximum.accumulate(sums), np.minimum.accumulate(sums[::-1])[::-1]
    ordered = (from_left + from_right) / 2
    return np.interp(np.multiply(qs, ordered[-1]), ordered, edges)


def consistent(rng: Any, counts: Any, scale: float) -> Any:
    """Return least squares of leaves, of the noisy counts of all levels below the root."""
    estimates, variance = [counts + rng.laplace(0, scale, len(counts))], 1.0
    while len(counts) > BRANCHING:
        counts = counts.reshape(-1, BRANCHING).sum(1)
        below = estimates[-1].reshape(-1, BRANCHING).sum(1)
        weight = BRANCHING * variance
        noisy = counts + rng.laplace(0, scale, len(counts))
        variance = 1 / (1 + 1 / weight)
        estimates.append(variance * (noisy + below / weight))
    found = estimates.pop()
    while estimates:
        parts = estimates.pop().reshape(-1, BRANCHING)
        found = (parts + (found - parts.sum(1))[:, None] / BRANCHING).ravel()
    return found
