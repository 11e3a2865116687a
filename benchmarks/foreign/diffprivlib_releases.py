"""Releases of diffprivlib that promise what cydp's of the same name do.

Each function is the shortest code that we know, and `bench_releases.py` counts its lines.
"""

from typing import Any

from diffprivlib import tools
from questions import BOUNDS, LEVELS, QS


def count(people: Any) -> Any:
    return tools.count_nonzero(people["married"], epsilon=1)


def sum(people: Any) -> Any:
    return tools.sum(people["income"], epsilon=1, bounds=BOUNDS)


def mean_of_n(people: Any) -> Any:
    return tools.mean(people["income"], epsilon=1, bounds=BOUNDS)


def variance_of_n(people: Any) -> Any:
    return tools.var(people["income"], epsilon=1, bounds=BOUNDS)


def median_of_n(people: Any) -> Any:
    return tools.median(people["income"], epsilon=1, bounds=BOUNDS)


def quantiles_of_n(people: Any) -> Any:
    return tools.quantile(people["income"], QS, epsilon=1, bounds=BOUNDS)


def histogram(people: Any) -> Any:
    return tools.histogram(people["age"], epsilon=1, bins=10, range=(0, 100))


def histogramdd(people: Any) -> Any:
    table = people["age"], people["sex"]
    return tools.histogramdd(table, epsilon=1, bins=(5, 2), range=[(0, 100), (0, 2)])


def value_counts(people: Any) -> Any:
    return tools.histogram(people["educ"], epsilon=1, bins=16, range=(1, 17))


def means(people: Any) -> Any:
    means = []
    for level in LEVELS:  # tools.mean would publish how many rows a level has
        here = people["educ"] == level
        n = tools.count_nonzero(here, epsilon=0.5)
        means.append(tools.sum(people["income"] * here, epsilon=0.5, bounds=BOUNDS) / max(n, 1))
    return means


def counts_and_means(people: Any) -> Any:
    counts, means = [], []
    for level in LEVELS:
        here = people["educ"] == level
        counts.append(tools.count_nonzero(here, epsilon=0.5))
        total = tools.sum(people["income"] * here, epsilon=0.5, bounds=BOUNDS)
        means.append(total / max(counts[-1], 1))
    return means
