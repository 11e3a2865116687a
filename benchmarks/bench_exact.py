"""cydp.exact beside numpy and boost-histogram; each run's answer is that of the others."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import in_turn
import numpy as np
import pytest
from numpy.typing import NDArray
from numpy_reference import histogram_counts
from rivals import boost_histogram

import cydp
from cydp import exact

ROWS = 10_000_000


@pytest.fixture(scope="module")
def uniform() -> NDArray[np.float64]:
    return np.random.default_rng(1).random(ROWS)


@pytest.fixture(scope="module")
def edges() -> NDArray[np.float64]:
    return np.sort(np.random.default_rng(2).random(101))


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """Set the number of threads; one is what all benchmarks but those of threads use."""
    before = cydp._threads.NUM_THREADS

    def use(n: int) -> None:
        cydp._threads.NUM_THREADS = n

    use(1)
    yield use
    use(before)


def compare(
    benchmark: Any, group: str, ways: Mapping[str, Callable[[], Any] | None], rounds: int = 15
) -> None:
    benchmark.group = group
    answers = in_turn.measure(benchmark, ways, rounds=rounds)
    for answer in answers.values():
        np.testing.assert_array_equal(answer, answers["cydp"])
    assert answers["cydp"].sum() > 0


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("bins", ["equal bins", "given edges"])
def bench_histogram(
    benchmark: Any, threads: Any, uniform: Any, edges: Any, dtype: str, bins: str
) -> None:
    scale = 1 if dtype.startswith("f") else 10**6
    x = (uniform * scale).astype(dtype)
    if bins == "equal bins":
        given, range = 100, (0, scale)
        boost = boost_histogram(x, 100, 0, scale) if dtype == "float64" else None
    else:
        given, range, boost = (edges * scale).astype(dtype), None, None
    ways = {
        "cydp": lambda: exact.histogram(x, given, range)[0],
        "numpy": lambda: histogram_counts(x, given, range),
        "boost-histogram": boost,
    }
    compare(benchmark, f"histogram: 100 {bins}, 1e7 {dtype}", ways)


def bench_histogramdd(benchmark: Any, threads: Any, uniform: Any) -> None:
    x, y = uniform[: 10**6], uniform[10**6 : 2 * 10**6]
    ends = [(0, 1), (0, 1)]
    ways = {
        "cydp": lambda: exact.histogramdd([x, y], 100, ends)[0],
        "numpy": lambda: np.histogramdd([x, y], 100, ends)[0],
    }
    compare(benchmark, "histogramdd: 100 x 100 bins, 1e6 float64", ways, 7)


@pytest.mark.parametrize("codes", [10**3, 10**6, 10**7])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def bench_bincount(benchmark: Any, threads: Any, codes: int, dtype: str) -> None:
    x = np.random.default_rng(3).integers(0, codes, ROWS).astype(dtype)
    ways = {"cydp": lambda: exact.bincount(x), "numpy": lambda: np.bincount(x)}
    compare(benchmark, f"bincount: {codes} codes, 1e7 {dtype}", ways)


@pytest.mark.parametrize("work", ["equal bins", "given edges", "bincount int32", "bincount int64"])
def bench_two_threads(benchmark: Any, threads: Any, uniform: Any, edges: Any, work: str) -> None:
    codes = (uniform * 1000).astype(work.split()[1]) if work.startswith("bincount") else None

    def call(n: int) -> Any:
        threads(n)
        if work == "equal bins":
            return exact.histogram(uniform, 100, (0, 1))[0]
        if work == "given edges":
            return exact.histogram(uniform, edges)[0]
        return exact.bincount(codes)

    ways = {"cydp": lambda: call(2), "one thread": lambda: call(1)}
    compare(benchmark, f"two threads: {work}, 1e7 rows", ways, 31)
