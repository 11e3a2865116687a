"""Published tables of real people are closer to the truth than noisy ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from publishing.tables import TABLES, exact_table, publish
from publishing.test_hierarchy import publish as publish_regions
from scipy.stats import binom

RELEASES = 24
SURE = 1e-6


def errors_of_tables() -> Iterator[tuple[float, float]]:
    """Give squared errors of noisy and of published tables, for each release."""
    exact = {", ".join(columns): exact_table(columns) for columns in TABLES}
    for seed in range(RELEASES):
        published = publish(seed=seed, epsilon="1/2")
        yield sum_errors(published, exact)


def errors_of_regions() -> Iterator[tuple[float, float]]:
    sure = publish_regions(epsilon=5000)
    exact = {name: each.noisy for name, each in sure.tables.items()}
    for seed in range(RELEASES):
        yield sum_errors(publish_regions(seed, epsilon="1/2"), exact)


def sum_errors(published: Any, exact: Any) -> tuple[float, float]:
    both = [
        [((np.asarray(counts) - exact[name]) ** 2).sum() for counts in (each.noisy, each.counts)]
        for name, each in published.tables.items()
    ]
    noisy, made = np.sum(both, axis=0)
    return float(noisy), float(made)


def is_closer(errors: Callable[[], Iterator[tuple[float, float]]]) -> bool:
    """Whether published tables are closer: on average, and by the sign test."""
    noisy, made = np.array(list(errors())).T
    wins = int(np.count_nonzero(made < noisy))
    return bool(made.mean() < noisy.mean() and binom.sf(wins - 1, RELEASES, 0.5) < SURE)


@pytest.mark.parametrize("errors", [errors_of_tables, errors_of_regions])
def test_published_tables_are_closer_than_noisy_ones(
    errors: Callable[[], Iterator[tuple[float, float]]],
) -> None:
    assert is_closer(errors)
