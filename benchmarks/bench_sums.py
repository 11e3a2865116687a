"""Exact clamped sums beside numpy's, which are not exact; answers agree up to its rounding."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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

ROWS = size(10**7)
GROUPS = {"10": 10, "10^3": 10**3, "10^5": 10**5, "10^6": 10**6, "10^7": 10**7}
COLUMNS = {
    "float64": (0.0, 1.0),
    "float32": (0.0, 1.0),
    "int64": (0, 10**6),
    "int32": (0, 10**6),
}


def column(dtype: str) -> NDArray[Any]:
    upper = COLUMNS[dtype][1]
    spread = np.random.default_rng(1).random(ROWS) * 2 - 0.5  # half of it is clamped
    x: NDArray[Any] = (spread * upper).astype(dtype)
    return x


def keys_of(groups: int, dtype: str) -> NDArray[Any]:
    return np.random.default_rng(2).integers(0, size(groups), ROWS).astype(dtype)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


@pytest.mark.parametrize("dtype", COLUMNS)
def bench_clamped_sum(benchmark: Any, dtype: str) -> None:
    benchmark.group = f"clamped sum, 10^7 {dtype}"
    x, (lower, upper) = column(dtype), COLUMNS[dtype]
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum(x, (lower, upper)).value,
            "numpy": lambda: numpy_reference.clamped_sum(x, lower, upper),
            "numpy, sum alone": lambda: np.sum(x),
        },
        rounds=21,
        moved=x.nbytes,
    )
    assert float(answers["cydp"]) == pytest.approx(float(answers["numpy"]), rel=1e-4)


def bench_clamped_sum_coarse_int64(benchmark: Any) -> None:
    benchmark.group = "clamped sum, 10^7 int64, step 2"
    x = column("int64")
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum(x, (0, 10**6), step=2).value,
            "numpy": lambda: numpy_reference.clamped_sum(x, 0, 10**6),
            "numpy, sum alone": lambda: np.sum(x),
        },
        rounds=21,
        moved=x.nbytes,
    )
    assert float(answers["cydp"]) == pytest.approx(float(answers["numpy"]), rel=1e-4)


def bench_sum_and_squares(benchmark: Any) -> None:
    benchmark.group = "clamped sum and sum of squares, 10^7 float64"
    x = column("float64")
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum_and_squares(x, (0, 1))[1].value,
            "numpy": lambda: np.clip(x, 0, 1).var(),
        },
        rounds=15,
        moved=x.nbytes,
    )
    squares = float(np.square(np.clip(x, 0, 1)).sum())
    assert float(answers["cydp"]) == pytest.approx(squares, rel=1e-6)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("name", GROUPS)
def bench_grouped_clamped_sum(benchmark: Any, name: str, dtype: str) -> None:
    benchmark.group = f"grouped clamped sum, 10^7 float64, {name} groups of {dtype}"
    x, codes = np.random.default_rng(1).random(ROWS), keys_of(GROUPS[name], dtype)
    groups = size(GROUPS[name])
    ways: dict[str, Callable[[], Any] | None] = {
        "cydp": lambda: exact.grouped_clamped_sum(codes, x, groups, (0, 1)),
        "numpy": lambda: numpy_reference.grouped_sums(codes, x, groups),
    }
    if dtype == "int64" and name in ("10^3", "10^6"):
        ways |= tables(codes, x)
    moved = codes.nbytes + x.nbytes + 8 * groups
    answers = in_turn.measure(benchmark, ways, rounds=11, moved=moved)
    ours = answers.pop("cydp")
    units = ours.units * float(ours.step)
    for answer in answers.values():
        found = answer
        if not isinstance(answer, np.ndarray):
            found = np.zeros(groups)
            found[np.asarray(answer["code"])] = np.asarray(answer["x"])
        np.testing.assert_allclose(units, found, rtol=1e-6, atol=1e-6)


def tables(codes: Any, x: Any) -> dict[str, Callable[[], Any] | None]:
    """The ways of tables, which clamp too; Polars has as many threads as it was started with."""
    ways: dict[str, Callable[[], Any] | None] = {}
    polars, duckdb = rivals.here("polars"), rivals.here("DuckDB")
    if polars is not None:
        number = polars.thread_pool_size()
        frame = polars.DataFrame({"code": codes, "x": x})
        total = polars.col("x").clip(0, 1).sum()
        name = "polars" if number == 1 else f"polars, {number} threads"
        ways[name] = lambda: frame.group_by("code").agg(total)
    if duckdb is not None:
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        connection.register("numbers", {"code": codes, "x": x})
        query = "SELECT code, sum(greatest(least(x, 1), 0)) AS x FROM numbers GROUP BY code"
        ways["DuckDB"] = lambda: connection.execute(query).fetchnumpy()
    return ways


@pytest.mark.parametrize("work", ["clamped sum", "10^3 groups", "10^6 groups"])
def bench_two_threads(benchmark: Any, work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second thread, beside what it gains np.sum on the same bytes."""
    benchmark.group = f"two threads: 10^7 float64, {work}"
    pool, x = ThreadPoolExecutor(2), column("float64")
    columns, way = [x], lambda: exact.clamped_sum(x, (0, 1)).units
    if work != "clamped sum":
        groups = GROUPS[work.split()[0]]
        codes = keys_of(groups, "int64")
        columns.append(codes)
        way = lambda: exact.grouped_clamped_sum(codes, x, size(groups), (0, 1)).units  # noqa: E731

    def on(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return way()

    def numpy_on(number: int) -> Callable[[], Any]:
        parts = [part for whole in columns for part in np.array_split(whole, number)]
        shares = [parts[i::number] for i in range(number)]
        return lambda: sum(pool.map(lambda share: sum(map(np.sum, share)), shares))

    answers = in_turn.measure(
        benchmark,
        {
            "cydp, two threads": lambda: on(2),
            "cydp, one thread": lambda: on(1),
            "yardstick, np.sum of the columns, two threads": numpy_on(2),
            "yardstick, np.sum of the columns, one thread": numpy_on(1),
        },
        rounds=21,
        moved=sum(each.nbytes for each in columns),
        threads=2,
    )
    np.testing.assert_array_equal(answers["cydp, two threads"], answers["cydp, one thread"])
    pool.shutdown()
