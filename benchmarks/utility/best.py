"""The best method known for each kind of task: a formula of its error, or numpy that simulates it.

None of it protects anybody: its noise is of doubles, from a generator that is not cryptographic.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from utility import factorizations, pieces, strategy, tree
from utility.errors import Error

Draw = Callable[[], Any]
MANY = 50  # quantiles, from which on a tree has less error


def discrete_laplace(scale: float) -> float:
    """Return its standard deviation."""
    return (2 * np.exp(-1 / scale)) ** 0.5 / -np.expm1(-1 / scale)


def count(rng: Any, rows: Any, epsilon: float, delta: float = 0) -> Error:
    """Discrete Laplace noise, which no other noise of the same epsilon beats [1]."""
    return Error(discrete_laplace(1 / epsilon))


def sum(rng: Any, x: Any, bounds: Any, epsilon: float) -> Error:
    """The staircase mechanism [2]."""
    return Error(max(map(abs, bounds)) * staircase(epsilon))


def staircase(epsilon: float) -> float:
    """Return its standard deviation for a sensitivity of 1."""
    b = np.exp(-epsilon)
    return float((((b * (1 + b) / 2) ** (2 / 3) + b) / (1 - b) ** 2) ** 0.5)


def mean(rng: Any, x: Any, bounds: Any, epsilon: float, delta: float = 0) -> Draw:
    """Sums of x - L and of U - x, each with all of epsilon [3]."""
    low, high = bounds
    return mean_of(rng, (x - low).sum() / (high - low), len(x), bounds, 1 / epsilon)


def mean_of(rng: Any, part: Any, rows: Any, bounds: Any, scale: float) -> Draw:
    low, high = bounds

    def draw() -> Any:
        above, below = (
            sums + rng.laplace(0, scale, np.shape(sums)) for sums in (part, rows - part)
        )
        return low + (high - low) * share(above, above + below)

    return draw


def share(part: Any, whole: Any) -> Any:
    """Return part / whole between 0 and 1."""
    return np.clip(part / np.maximum(whole, 1), 0, 1)


def variance(rng: Any, x: Any, bounds: Any, epsilon: float) -> Draw:
    """Sums of s^2, (1 - s)^2 and 2 s (1 - s), each with all of epsilon: s is x between 0 and 1."""
    low, high = bounds
    s = (x - low) / (high - low)
    parts = np.array([(s**2).sum(), ((1 - s) ** 2).sum(), (2 * s * (1 - s)).sum()])

    def draw() -> Any:
        squares, rest, mixed = parts + rng.laplace(0, 1 / epsilon, 3)
        rows = squares + rest + mixed
        centre = share(squares + mixed / 2, rows)
        return (high - low) ** 2 * max(share(squares, rows) - centre**2, 0)

    return draw


def quantiles(rng: Any, x: Any, qs: Any, bounds: Any, step: Any, epsilon: float) -> Draw:
    """The exponential mechanism; for several, by halves [4]; a tree of counts between few [11].

    Permute-and-flip [5] chooses one of few points.
    """
    if len(qs) > MANY:
        return lambda: tree.quantiles(rng, x, qs, bounds, epsilon)
    asked = pieces.Pieces(x, bounds, step)
    if len(qs) == 1:
        return lambda: asked.one(rng, qs[0], epsilon, flip=step is not None)
    return lambda: asked.several(rng, qs, epsilon)


def histogram(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Error:
    """Discrete Laplace noise on each count [1]."""
    return Error(discrete_laplace(1 / epsilon))


def known_keys(rng: Any, x: Any, keys: Any, epsilon: float) -> Error:
    """Discrete Laplace noise on each count [1]."""
    return Error(discrete_laplace(1 / epsilon))


def unknown_keys(
    rng: Any, x: Any, epsilon: float, delta: float, user: Any = None, max_partitions: int = 1
) -> Draw:
    """One Laplace noise on each count, with a threshold [6]."""
    p = np.exp(-epsilon / max_partitions)
    # A key of one user is released where noise is at least t: with probability p^t / (1 + p).
    threshold = 1 + np.ceil(np.log(delta / max_partitions * (1 + p)) / np.log(p))

    def draw() -> Any:
        here = x if user is None else x[some(rng, user, max_partitions)]
        keys, counts = np.unique(here, return_counts=True)
        noisy = counts + geometric(rng, p, len(counts))
        kept = noisy >= threshold
        return dict(zip(keys[kept].tolist(), noisy[kept].tolist(), strict=True))

    return draw


def geometric(rng: Any, p: float, n: int) -> Any:
    """Return discrete Laplace noise, as the difference of two geometric numbers."""
    return rng.geometric(1 - p, n) - rng.geometric(1 - p, n)


def some(rng: Any, user: Any, most: int) -> Any:
    """Return the places of at most so many random rows of each user."""
    order = rng.permutation(len(user))
    ordered = order[np.argsort(user[order], kind="stable")]
    starts = np.flatnonzero(np.diff(user[ordered], prepend=-1))
    lengths = np.diff(starts, append=len(user))
    place = np.arange(len(user)) - np.repeat(starts, lengths)
    return ordered[place < most]


def top(rng: Any, x: Any, keys: int, k: int, epsilon: float) -> Draw:
    """Permute-and-flip [5]; for several, Laplace noise once on all counts, as a row has one key."""
    counts = np.bincount(x, minlength=keys)
    if k == 1:
        return lambda: [int(np.argmax(counts + rng.exponential(1 / epsilon, keys)))]
    return lambda: np.argsort(-counts - rng.laplace(0, 1 / epsilon, keys))[:k].tolist()


def means_by_key(rng: Any, x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    """Sums of x - L and of U - x of each key, each with all of epsilon [3]."""
    low, high = bounds
    part = np.array([(x[by == key] - low).sum() / (high - low) for key in keys])
    rows = np.array([(by == key).sum() for key in keys])
    return mean_of(rng, part, rows, bounds, 1 / epsilon)


def ranges(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Error:
    """A p-identity strategy, optimised for all ranges [7]."""
    return Error(strategy.error(strategy.ranges, bins) / epsilon)


def prefixes(rng: Any, x: Any, bins: int, range: Any, epsilon: float) -> Error:
    """The same for sums from the left [7]."""
    return Error(strategy.error(strategy.prefixes, bins) / epsilon)


def running(rng: Any, events: Any, epsilon: float, delta: float) -> Error:
    """The square-root factorization, with Gaussian noise [8]."""
    sigma = factorizations.gaussian(epsilon, delta)
    return Error(factorizations.square_root(len(events)) * sigma)


def marginals(
    rng: Any, table: Any, domains: Any, sets: Any, epsilon: float, delta: float = 0
) -> Error:
    """Laplace noise on the cells of all columns [1], or Gaussian noise on residuals [9]."""
    sizes = {name: len(domain) for name, domain in domains.items()}
    found = factorizations.cells(sizes, sets) * discrete_laplace(1 / epsilon)
    if delta:
        sigma = factorizations.gaussian(epsilon, delta)
        found = min(found, factorizations.residuals(sizes, sets) * sigma)
    return Error(found)


def user_sum(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, total: float) -> Error:
    """Each user's sum clamped, and the staircase mechanism [2]."""
    sums = np.bincount(user, x)
    left_out = (sums - np.minimum(sums, total)).sum()
    return Error(float(np.hypot(left_out, total * staircase(epsilon))))


def user_mean(rng: Any, user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    """Sums of x - L and of U - x [3], where a user's rows weigh at most as much as so many."""
    (low, high), weights = bounds, weights_of(user, rows)
    part = (weights * (np.clip(x, low, high) - low)).sum() / (high - low)
    return mean_of(rng, part, weights.sum(), bounds, rows / epsilon)


def user_days(rng: Any, user: Any, x: Any, keys: Any, epsilon: float, rows: int) -> Error:
    """Counts of rows with such weights, and Laplace noise."""
    left_out = np.array([(1 - weights_of(user, rows))[x == key].sum() for key in keys])
    return Error(float(np.hypot(np.sqrt(np.mean(left_out**2)), rows * staircase(epsilon))))


def weights_of(user: Any, rows: int) -> Any:
    """Return the weight of each row: 1, or less for those of a user who has more rows."""
    return np.minimum(1, rows / np.bincount(user)[user])
