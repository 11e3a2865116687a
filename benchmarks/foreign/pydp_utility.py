"""python-dp's answers to the tasks of benchmarks/utility: Google's C++ library.

Rows of a user are bounded before, at random, since its algorithms take numbers without users.
"""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version as installed
from typing import Any

import kinds
import numpy as np
from pydp.algorithms import laplacian
from pydp.algorithms.numerical_mechanisms import LaplaceMechanism
from pydp.algorithms.partition_selection import create_partition_strategy
from pydp.algorithms.quantile_tree import QuantileTree

takes, answers = partial(kinds.takes, globals()), partial(kinds.answers, globals())
HEIGHT, BRANCHING = 4, 16  # of the tree of quantiles, as its own default

Draw = Callable[[], Any]


def version() -> Callable[[], str]:
    return lambda: installed("python-dp")


def count(rows: Any, epsilon: float, delta: float = 0) -> Draw:
    here = [1] * int(np.count_nonzero(rows))
    return lambda: laplacian.Count(epsilon=epsilon).quick_result(here)


def bounded(algorithm: Any, x: Any, bounds: Any, epsilon: float, rows: int = 1) -> Draw:
    kind = "int64" if np.asarray(x).dtype.kind in "iu" else "float"
    low, high = (int(end) if kind == "int64" else float(end) for end in bounds)
    values = x.tolist()
    made = partial(
        algorithm, epsilon=epsilon, lower_bound=low, upper_bound=high, dtype=kind,
        l0_sensitivity=1, linf_sensitivity=rows,
    )  # fmt: skip
    return lambda: made().quick_result(values)


def sum(x: Any, bounds: Any, epsilon: float) -> Draw:
    return bounded(laplacian.BoundedSum, x, bounds, epsilon)


def mean(x: Any, bounds: Any, epsilon: float, delta: float = 0) -> Draw:
    return bounded(laplacian.BoundedMean, x, bounds, epsilon)


def variance(x: Any, bounds: Any, epsilon: float) -> Draw:
    return bounded(laplacian.BoundedVariance, x, bounds, epsilon)


def quantiles(x: Any, qs: Any, bounds: Any, step: Any, epsilon: float) -> Draw:
    def draw() -> Any:
        tree = QuantileTree(*map(float, bounds), HEIGHT, BRANCHING)
        for number in x.tolist():
            tree.add_entry(number)
        found = np.asarray(tree.compute_quantiles(epsilon, 0, 1, 1, qs, "laplace"))
        return found if step is None else np.round(found / step) * step

    return draw


def noisy(counts: Any, epsilon: float) -> Any:
    mechanism = LaplaceMechanism(epsilon=epsilon, sensitivity=1.0)
    return [mechanism.add_noise(int(each)) for each in counts]


def histogram(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    counts = np.histogram(x, bins, range)[0]
    return lambda: noisy(counts, epsilon)


def known_keys(x: Any, keys: Any, epsilon: float) -> Draw:
    counts = [np.count_nonzero(x == key) for key in keys]
    return lambda: noisy(counts, epsilon)


def unknown_keys(
    x: Any, epsilon: float, delta: float, user: Any = None, max_partitions: int = 1
) -> Draw:
    """Half of epsilon selects keys, half is for noise on their counts."""
    half = epsilon / 2
    strategy = create_partition_strategy("truncated_geometric", half, delta, max_partitions)

    def draw() -> Any:
        here = x if user is None else x[some(user, max_partitions)]
        keys, counts = np.unique(here, return_counts=True)
        kept = [place for place, n in enumerate(counts) if strategy.should_keep(int(n))]
        noise = noisy(counts[kept], half / max_partitions)
        return dict(zip(keys[kept].tolist(), noise, strict=True))

    return draw


def some(user: Any, most: int) -> Any:
    """Return the places of at most so many random rows of each user."""
    order = np.random.default_rng().permutation(len(user))
    seen: dict[int, int] = {}
    found = []
    for place in order.tolist():
        before = seen.get(user[place], 0)
        if before < most:
            seen[user[place]] = before + 1
            found.append(place)
    return found


def top(x: Any, keys: int, k: int, epsilon: float) -> Draw:
    """The largest of noisy counts, since a row has one key; it has no selection."""
    counted = known_keys(x, np.arange(keys), epsilon)
    return lambda: np.argsort(np.negative(counted()))[:k].tolist()


def means_by_key(x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    draws = [mean(x[by == key], bounds, epsilon) for key in keys]
    return lambda: [draw() for draw in draws]


def marginals(table: Any, domains: Any, sets: Any, epsilon: float, delta: float = 0) -> Draw:
    counts = [
        np.count_nonzero((table[one] == left) & (table[other] == right))
        for one, other in sets
        for left in domains[one]
        for right in domains[other]
    ]
    return lambda: noisy(counts, epsilon / len(sets))


def user_sum(user: Any, x: Any, bounds: Any, epsilon: float, total: int) -> Draw:
    """Each user's sum is one number, clamped."""
    sums = np.bincount(user, x).astype(int)
    return bounded(laplacian.BoundedSum, sums, (0, total), epsilon)


def user_mean(user: Any, x: Any, bounds: Any, epsilon: float, rows: int) -> Draw:
    return lambda: bounded(laplacian.BoundedMean, x[some(user, rows)], bounds, epsilon, rows)()


def user_days(user: Any, x: Any, keys: Any, epsilon: float, rows: int) -> Draw:
    def draw() -> Any:
        kept = x[some(user, rows)]
        return noisy([np.count_nonzero(kept == key) for key in keys], epsilon / rows)

    return draw
