"""exact.histogram beside np.histogram; each run's answer is that of the other."""

from typing import Any

import in_turn
import numpy as np
import pytest
from numpy.typing import NDArray
from numpy_reference import histogram_counts

from cydp import exact

ROWS = 10_000_000


@pytest.fixture(scope="module")
def uniform() -> NDArray[np.float64]:
    return np.random.default_rng(1).random(ROWS)


def compare(
    benchmark: Any, group: str, x: NDArray[Any], bins: Any, range: tuple[float, float] | None
) -> None:
    benchmark.group = group
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.histogram(x, bins, range)[0],
            "numpy": lambda: histogram_counts(x, bins, range),
        },
        rounds=7,
    )
    np.testing.assert_array_equal(answers["cydp"], answers["numpy"])
    assert answers["cydp"].sum() > 0


def bench_equal_bins_float64(benchmark: Any, uniform: NDArray[np.float64]) -> None:
    compare(benchmark, "histogram: 100 equal bins, 1e7 float64", uniform, 100, (0, 1))


def bench_given_edges_float64(benchmark: Any, uniform: NDArray[np.float64]) -> None:
    edges = np.sort(np.random.default_rng(2).random(101))
    compare(benchmark, "histogram: 100 given edges, 1e7 float64", uniform, edges, None)


def bench_equal_bins_int64(benchmark: Any, uniform: NDArray[np.float64]) -> None:
    x = (uniform * 10**6).astype(np.int64)
    compare(benchmark, "histogram: 100 equal bins, 1e7 int64", x, 100, (0, 10**6))
