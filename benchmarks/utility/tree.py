"""Many quantiles from a tree of noisy counts, made consistent: in doubles."""

from typing import Any

import numpy as np

BRANCHING, LEVELS = 10, 3


def quantiles(rng: Any, x: Any, qs: Any, bounds: Any, epsilon: float) -> Any:
    """Return the quantiles of the noisy counts of leaves, interpolated."""
    low, high = bounds
    leaves = BRANCHING**LEVELS
    counts = np.histogram(np.clip(x, low, high), leaves, bounds)[0]
    sums = np.concatenate(([0.0], np.cumsum(consistent(rng, counts, LEVELS / epsilon))))
    from_left, from_right = np.maximum.accumulate(sums), np.minimum.accumulate(sums[::-1])[::-1]
    ordered = (from_left + from_right) / 2
    return np.interp(np.multiply(qs, ordered[-1]), ordered, np.linspace(low, high, leaves + 1))


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
