"""Exact clamped sums beside numpy's, which are not exact; answers agree up to its rounding."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import in_turn
import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import _threads as threads
from cydp import exact

ROWS = 10_000_000
GROUPS = [10**3, 10**6]
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


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


@pytest.mark.parametrize("dtype", COLUMNS)
def bench_clamped_sum(benchmark: Any, dtype: str) -> None:
    benchmark.group = f"clamped sum, 1e7 {dtype}"
    x, (lower, upper) = column(dtype), COLUMNS[dtype]
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum(x, (lower, upper)).value,
            "np.clip().sum()": lambda: np.clip(x, lower, upper).sum(),
            "np.sum()": lambda: np.sum(x),
        },
        rounds=21,
    )
    assert float(answers["cydp"]) == pytest.approx(float(answers["np.clip().sum()"]), rel=1e-4)


def bench_clamped_sum_coarse_int64(benchmark: Any) -> None:
    benchmark.group = "clamped sum, 1e7 int64, step 2"
    x = column("int64")
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum(x, (0, 10**6), step=2).value,
            "np.sum()": lambda: np.sum(x),
        },
        rounds=21,
    )
    assert float(answers["cydp"]) == pytest.approx(float(np.clip(x, 0, 10**6).sum()), rel=1e-6)


def bench_sum_and_squares(benchmark: Any) -> None:
    benchmark.group = "clamped sum and sum of squares, 1e7 float64"
    x = column("float64")
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.clamped_sum_and_squares(x, (0, 1))[1].value,
            "np.clip().var()": lambda: np.clip(x, 0, 1).var(),
        },
        rounds=11,
    )
    squares = float(np.square(np.clip(x, 0, 1)).sum())
    assert float(answers["cydp"]) == pytest.approx(squares, rel=1e-6)


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def bench_grouped_clamped_sum(benchmark: Any, groups: int, dtype: str) -> None:
    benchmark.group = f"grouped clamped sum, 1e7 float64, {groups} groups of {dtype}"
    x = np.random.default_rng(1).random(ROWS)
    codes = np.random.default_rng(2).integers(0, groups, ROWS).astype(dtype)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.grouped_clamped_sum(codes, x, groups, (0, 1)),
            "np.bincount": lambda: np.bincount(codes, x, groups),
        },
        rounds=11,
    )
    units = answers["cydp"].units * float(answers["cydp"].step)
    np.testing.assert_allclose(units, answers["np.bincount"], rtol=1e-6, atol=1e-6)


def bench_two_threads(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a second thread gains, over what it gains np.sum on the same bytes."""
    benchmark.group = "two threads, 1e7 rows"
    pool = ThreadPoolExecutor(2)
    x = column("float64")
    keys = {groups: np.random.default_rng(2).integers(0, groups, ROWS) for groups in GROUPS}

    def cydp_on(number: int, way: Callable[[], Any]) -> Callable[[], Any]:
        def call() -> Any:
            monkeypatch.setattr(threads, "NUM_THREADS", number)
            return way()

        return call

    def numpy_on(number: int, *columns: NDArray[Any]) -> Callable[[], Any]:
        parts = [part for whole in columns for part in np.array_split(whole, number)]
        shares = [parts[i::number] for i in range(number)]
        return lambda: sum(pool.map(lambda share: sum(map(np.sum, share)), shares))

    pairs: dict[str, tuple[Callable[[], Any], NDArray[Any] | None]] = {
        "clamped_sum": (lambda: exact.clamped_sum(x, (0, 1)).units, None),
    }
    for groups, codes in keys.items():
        pairs[f"grouped_clamped_sum, {groups} groups"] = (
            lambda codes=codes, groups=groups: exact.grouped_clamped_sum(codes, x, groups, (0, 1)),
            codes,
        )
    for name, (way, codes) in pairs.items():
        columns = (x,) if codes is None else (codes, x)
        ways = [cydp_on(1, way), cydp_on(2, way), numpy_on(1, *columns), numpy_on(2, *columns)]
        seconds = np.array([[timed(each) for each in ways] for _ in range(23)])[2:]
        gain, of_numpy = seconds[:, 0] / seconds[:, 1], seconds[:, 2] / seconds[:, 3]
        for what, ratios in (("gain", gain), ("over np.sum's", gain / of_numpy)):
            low, median, high = np.percentile(ratios, [25, 50, 75])
            benchmark.extra_info[f"{name}, {what}"] = f"{median:.3g} ({low:.3g} to {high:.3g})"
    benchmark.pedantic(pairs["clamped_sum"][0], rounds=1)


def timed(way: Callable[[], Any]) -> float:
    start = perf_counter()
    way()
    return perf_counter() - start
