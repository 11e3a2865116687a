"""diffprivlib's answers to the tasks of benchmarks/utility: under add-remove, and of rows alone.

Its own mean and variance take the number of rows for public, so a mean is a sum and a count here.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import diffprivlib
import kinds
import numpy as np
from diffprivlib import tools
from diffprivlib.mechanisms import PermuteAndFlip

warnings.simplefilter("ignore")  # what it says of its own future
takes, answers = partial(kinds.takes, globals()), partial(kinds.answers, globals())

Draw = Callable[[], Any]


def version() -> Callable[[], str]:
    return lambda: diffprivlib.__version__


def count(rows: Any, epsilon: float, delta: float = 0) -> Draw:
    return lambda: tools.count_nonzero(rows, epsilon=epsilon)


def sum(x: Any, bounds: Any, epsilon: float) -> Draw:
    return lambda: tools.sum(x, epsilon=epsilon, bounds=bounds)


def mean(x: Any, bounds: Any, epsilon: float, delta: float = 0) -> Draw:
    def draw() -> Any:
        rows = tools.count_nonzero(np.ones(len(x)), epsilon=epsilon / 2)
        return np.clip(tools.sum(x, epsilon=epsilon / 2, bounds=bounds) / max(rows, 1), *bounds)

    return draw


def quantiles(x: Any, qs: Any, bounds: Any, step: Any, epsilon: float) -> Draw:
    def draw() -> Any:
        found = np.asarray(tools.quantile(x, qs, epsilon=epsilon, bounds=bounds))
        return found if step is None else np.round(found / step) * step

    return draw


def histogram(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    return lambda: tools.histogram(x, epsilon=epsilon, bins=bins, range=range)[0]


def known_keys(x: Any, keys: Any, epsilon: float) -> Draw:
    return histogram(x, len(keys), (keys[0], keys[-1] + 1), epsilon)


def top(x: Any, keys: int, k: int, epsilon: float) -> Draw:
    """One by its selection; several as the largest of noisy counts, since a row has one key."""
    if k > 1:
        counted = histogram(x, keys, (0, keys), epsilon)
        return lambda: np.argsort(-counted())[:k].tolist()
    utility = np.bincount(x, minlength=keys).astype(float).tolist()
    mechanism = PermuteAndFlip(epsilon=epsilon, sensitivity=1, utility=utility, monotonic=True)
    return lambda: [mechanism.randomise()]


def means_by_key(x: Any, by: Any, keys: Any, bounds: Any, epsilon: float) -> Draw:
    draws = [mean(x[by == key], bounds, epsilon) for key in keys]
    return lambda: [draw() for draw in draws]


def ranges(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    return histogram(x, bins, range, epsilon)


def prefixes(x: Any, bins: int, range: Any, epsilon: float) -> Draw:
    draw = histogram(x, bins, range, epsilon)
    return lambda: np.cumsum(draw())


def marginals(table: Any, domains: Any, sets: Any, epsilon: float, delta: float = 0) -> Draw:
    def draw() -> Any:
        found = []
        for names in sets:
            ends = [(domains[name][0], domains[name][-1] + 1) for name in names]
            counts, *_ = tools.histogramdd(
                tuple(table[name] for name in names), epsilon=epsilon / len(sets),
                bins=[len(domains[name]) for name in names], range=ends,
            )  # fmt: skip
            found.append(counts.ravel())
        return np.concatenate(found)

    return draw
