"""exact.histogram beside np.histogram; each run's answer is that of the other."""

import numpy as np
import pytest
from numpy_reference import histogram_counts

from cydp import exact

ROWS = 10_000_000
WAYS = {
    "cydp": lambda x, bins, range: exact.histogram(x, bins, range)[0],
    "numpy": histogram_counts,
}


@pytest.fixture(scope="module")
def uniform():
    return np.random.default_rng(1).random(ROWS)


def compare(benchmark, way, group, x, bins, range=None):
    benchmark.group = group
    counts = benchmark.pedantic(WAYS[way], (x, bins, range), rounds=5, warmup_rounds=1)
    np.testing.assert_array_equal(counts, WAYS["numpy"](x, bins, range))
    assert counts.sum() > 0


@pytest.mark.parametrize("way", WAYS)
def bench_equal_bins_float64(benchmark, way, uniform):
    compare(benchmark, way, "histogram: 100 equal bins, 1e7 float64", uniform, 100, (0, 1))


@pytest.mark.parametrize("way", WAYS)
def bench_given_edges_float64(benchmark, way, uniform):
    edges = np.sort(np.random.default_rng(2).random(101))
    compare(benchmark, way, "histogram: 100 given edges, 1e7 float64", uniform, edges)


@pytest.mark.parametrize("way", WAYS)
def bench_equal_bins_int64(benchmark, way, uniform):
    x = (uniform * 10**6).astype(np.int64)
    compare(benchmark, way, "histogram: 100 equal bins, 1e7 int64", x, 100, (0, 10**6))
