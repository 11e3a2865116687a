"""What Tumult's and PipelineDP's documentation says of their noise, simulated in numpy.

Neither is installed: one needs Spark, of the other the package lists have no wheel. Both split
epsilon evenly among the parts of an answer, and bound how many rows of a user count.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from utility import best
from utility.best import geometric, some
from utility.errors import Error

Draw = Callable[[], Any]


def count(rng: Any, rows: Any, epsilon: float, delta: float = 0) -> Error:
    return Error(best.discrete_laplace(1 / epsilon))


def sum(rng: Any, x: Any, bounds: Any, epsilon: float) -> Error:
    return Error(max(map(abs, bounds)) * 2**0.5 / epsilon)


def mean(rng: Any, x: Any, bounds: Any, epsilon: float, delta: float = 0) -> Draw:
    """Half of epsilon for the count, half for the sum of x - the middle of the bounds."""
    return halves(rng, (x - np.mean(bounds)).sum(), len(x), bounds, 2 / epsilon)


def halves(rng: Any, total: Any, rows: Any, bounds: Any, scale: float) -> Draw:
    low, high = bounds

    def draw() -> Any:
        counts = rows + rng.laplace(0, scale, np.shape(rows))
        sums = total + rng.laplace(0, scale * (high - low) / 2, np.shape(rows))
        return np.clip(sums / np.maximum(counts, 1) + (low + high) / 2, low, high)

    return draw


def variance(rng: Any, x: Any, bounds: Any, epsilon: float) -> Draw:
    """A third of epsilon for each of the count, the sum and the sum of squares."""
    middle, half = np.mean(bounds), (bounds[1] - bounds[0]) / 2
    scaled = (x - middle) / half
    parts = np.array([len(x), scaled.sum(), (scaled**2).sum()])

    def draw() -> Any:
        rows, total, squares = parts + rng.laplace(0, 3 / epsilon, 3)
        rows = max(rows, 1)
        return half**2 * np.clip(squares / rows - (total / rows) ** 2, 0, 1)

    return draw


def histogram(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Error:
    return Error(best.discrete_laplace(1 / epsilon))


def known_keys(rng: Any, x: Any, keys: Any, epsilon: float) -> Error:
    return Error(best.discrete_laplace(1 / epsilon))


def unknown_keys(
    rng: Any, x: Any, epsilon: float, delta: float, user: Any = None, max_partitions: int = 1
) -> Draw:
    """Half of epsilon for a threshold on noisy counts of users, half for the counts."""
    p = np.exp(-epsilon / 2 / max_partitions)
    threshold = 1 + np.ceil(np.log(delta / max_partitions * (1 + p)) / np.log(p))

    def draw() -> Any:
        here = x if user is None else x[some(rng, user, max_partitions)]
        keys, counts = np.unique(here, return_counts=True)
        kept = counts + geometric(rng, p, len(keys)) >= threshold
        noisy = counts + geometric(rng, p, len(keys))
        return dict(zip(keys[kept].tolist(), noisy[kept].tolist(), strict=True))

    return draw


def means_by_key(rng: Any, x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    totals = np.array([(x[by == key] - np.mean(bounds)).sum() for key in keys])
    return halves(rng, totals, np.array([(by == key).sum() for key in keys]), bounds, 2 / epsilon)


def user_sum(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, total: float) -> Error:
    """PipelineDP clamps each user's sum."""
    sums = np.bincount(user, x)
    left_out = (sums - np.minimum(sums, total)).sum()
    return Error(float(np.hypot(left_out, total * 2**0.5 / epsilon)))


def user_mean(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    low, high = bounds

    def draw() -> Any:
        kept = np.clip(x[some(rng, user, rows)], low, high)
        total = (kept - (low + high) / 2).sum()
        return halves(rng, total, len(kept), bounds, 2 * rows / epsilon)()

    return draw


def user_days(rng: Any, user: Any, x: Any, keys: Any, epsilon: float, rows: int) -> Draw:
    def draw() -> Any:
        kept = x[some(rng, user, rows)]
        counts = np.array([(kept == key).sum() for key in keys])
        return counts + geometric(rng, np.exp(-epsilon / rows), len(keys))

    return draw
