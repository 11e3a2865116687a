"""cydp.exact beside numpy and others, none of which adds noise; answers are those of the others."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy_reference
import pytest
import rivals
from harness import in_turn
from harness.sizes import size
from numpy.typing import NDArray

from cydp import _threads as threads
from cydp import exact

ROWS, CELLS_ROWS = size(10**7), size(10**6)
KEYS = {"10": 10, "10^3": 10**3, "10^5": 10**5, "10^6": 10**6, "10^7": 10**7}
WORKS = ["100 equal bins", "100 given edges", "10^3 codes of int32", "10^3 codes of int64"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no rival two threads; bench_two_threads alone asks for more."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


@pytest.fixture(scope="module")
def uniform() -> NDArray[np.float64]:
    return np.random.default_rng(1).random(ROWS)


@pytest.fixture(scope="module")
def edges() -> NDArray[np.float64]:
    return np.sort(np.random.default_rng(2).random(101))


def codes_of(keys: int, dtype: str) -> NDArray[Any]:
    return np.random.default_rng(3).integers(0, size(keys), ROWS).astype(dtype)


def compare(
    benchmark: Any,
    group: str,
    ways: Mapping[str, Callable[[], Any] | None],
    rounds: int = 15,
    **limits: int,
) -> None:
    benchmark.group = group
    answers = in_turn.measure(benchmark, ways, rounds, **limits)
    ours = answers.pop("cydp") if "cydp" in answers else answers.pop("cydp, two threads")
    for way, answer in answers.items():
        if "histogram" in way:  # what lies at an edge may be counted beside it
            assert np.abs(answer - ours).sum() <= 4 + 2e-4 * ours.sum()
        else:
            np.testing.assert_array_equal(dense(answer, len(ours)), ours)
    assert ours.sum() > 0


def dense(answer: Any, keys: int) -> Any:
    """Return the counts of all keys in their order, where an answer is a table of keys."""
    if isinstance(answer, np.ndarray):
        return answer
    found = np.zeros(keys, np.int64)
    found[np.asarray(answer["code"])] = np.asarray(answer["count"])
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def bench_equal_bins(benchmark: Any, uniform: Any, dtype: str) -> None:
    upper = 1 if dtype.startswith("f") else 10**6
    x = (uniform * upper).astype(dtype)
    if dtype == "float32":
        x[x == 1] = 0  # rounded up to the end, where rivals differ
    ways = {
        "cydp": lambda: exact.histogram(x, 100, (0, upper))[0],
        "numpy": lambda: numpy_reference.histogram_counts(x, 100, (0, upper)),
        "boost-histogram": rivals.boost_histogram(x, 100, 0, upper),
        "fast-histogram": rivals.fast_histogram(x, 100, 0, upper),
    }
    compare(benchmark, f"histogram, 10^7 {dtype}, 100 equal bins", ways, moved=x.nbytes)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def bench_given_edges(benchmark: Any, uniform: Any, edges: Any, dtype: str) -> None:
    upper = 1 if dtype.startswith("f") else 10**6
    x, given = (uniform * upper).astype(dtype), (edges * upper).astype(dtype)
    ways = {
        "cydp": lambda: exact.histogram(x, given)[0],
        "numpy": lambda: numpy_reference.histogram_counts(x, given),
        "boost-histogram": boost_edges(x, given) if dtype == "float64" else None,
    }
    compare(benchmark, f"histogram, 10^7 {dtype}, 100 given edges", ways, moved=x.nbytes)


def boost_edges(x: Any, edges: Any) -> Callable[[], Any] | None:
    boost = rivals.here("boost-histogram")
    if boost is None:
        return None
    axis = boost.axis.Variable(edges)
    return lambda: boost.Histogram(axis, storage=boost.storage.Int64()).fill(x).view()


def bench_cells(benchmark: Any, uniform: Any) -> None:
    x, y = np.array_split(uniform[: 2 * CELLS_ROWS], 2)
    ends = [(0, 1), (0, 1)]
    boost, fast = rivals.here("boost-histogram"), rivals.here("fast-histogram")

    def fill() -> Any:
        axes = [boost.axis.Regular(100, 0, 1)] * 2
        return boost.Histogram(*axes, storage=boost.storage.Int64()).fill(x, y).view()

    ways = {
        "cydp": lambda: exact.histogramdd([x, y], 100, ends)[0],
        "numpy": lambda: numpy_reference.histogram2d_counts(x, y, 100, ends),
        "boost-histogram": boost and fill,
        "fast-histogram": fast and (lambda: fast.histogram2d(x, y, 100, ends)),
    }
    compare(benchmark, "histogramdd, 10^6 float64, 100 x 100 bins", ways, moved=2 * x.nbytes)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("name", KEYS)
def bench_bincount(benchmark: Any, name: str, dtype: str) -> None:
    x = codes_of(KEYS[name], dtype)
    ways: dict[str, Callable[[], Any] | None] = {
        "cydp": lambda: exact.bincount(x),
        "numpy": lambda: numpy_reference.counts(x),
    }
    if dtype == "int64" and name in ("10^3", "10^6"):
        ways |= tables(x)
    moved = x.nbytes + 8 * size(KEYS[name])
    compare(benchmark, f"bincount, 10^7 {dtype}, {name} codes", ways, moved=moved)


def tables(codes: Any) -> dict[str, Callable[[], Any] | None]:
    """The ways of tables; Polars has as many threads as it was started with."""
    ways: dict[str, Callable[[], Any] | None] = {}
    polars, duckdb = rivals.here("polars"), rivals.here("DuckDB")
    if polars is not None:
        number = polars.thread_pool_size()
        frame = polars.DataFrame({"code": codes})
        name = "polars" if number == 1 else f"polars, {number} threads"
        ways[name] = lambda: frame.group_by("code").len("count")
    if duckdb is not None:
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        connection.register("numbers", {"code": codes})
        query = "SELECT code, count(*) AS count FROM numbers GROUP BY code"
        ways["DuckDB"] = lambda: connection.execute(query).fetchnumpy()
    return ways


def bench_bincount_sorted(benchmark: Any) -> None:
    """Equal codes follow each other, so that an increment waits for the one before it."""
    x = np.sort(codes_of(10**5, "int64"))
    ways = {"cydp": lambda: exact.bincount(x), "numpy": lambda: numpy_reference.counts(x)}
    compare(benchmark, "bincount, 10^7 int64, 10^5 codes, sorted", ways, moved=x.nbytes)


@pytest.mark.parametrize("work", WORKS)
def bench_two_threads(
    benchmark: Any, uniform: Any, edges: Any, work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = (uniform * 1000).astype(work.split()[-1]) if "codes" in work else uniform
    ways: dict[str, Callable[[], Any]] = {
        "100 equal bins": lambda: exact.histogram(x, 100, (0, 1))[0],
        "100 given edges": lambda: exact.histogram(x, edges)[0],
    }
    way = ways.get(work, lambda: exact.bincount(x))

    def call(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return way()

    pair = {"cydp, two threads": lambda: call(2), "cydp, one thread": lambda: call(1)}
    compare(benchmark, f"two threads: 10^7 rows, {work}", pair, 31, moved=x.nbytes, threads=2)
