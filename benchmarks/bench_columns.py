"""Columns of data frames, strings among keys, and streams; answers are checked."""

import resource
from time import perf_counter
from typing import Any

import in_turn
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cydp import _threads as threads
from cydp import exact

ROWS, KEYS = 10**7, 1000


@pytest.mark.parametrize("work", ["bincount", "clamped_sum"])
def bench_columns(benchmark: Any, work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a column costs over the bare array; the median of differences is microseconds."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    benchmark.group = f"{work} of 1e7 int64 in a column"
    x = np.random.default_rng(1).integers(0, KEYS, ROWS)
    columns = {
        "numpy": x,
        "pandas": pd.Series(x),
        "pandas of Arrow": pd.Series(x, dtype="int64[pyarrow]"),
        "polars": pl.Series(x),
        "pyarrow": pa.array(x),
        "pyarrow with nulls": pa.array(x, mask=x == 3),
    }
    call = exact.bincount if work == "bincount" else lambda c: exact.clamped_sum(c, (0, 900)).units
    answers = in_turn.measure(
        benchmark, {name: lambda c=c: call(c) for name, c in columns.items()}, rounds=15
    )
    for name, answer in answers.items():
        if name != "pyarrow with nulls":
            assert np.array_equal(answer, answers["numpy"])


@pytest.mark.parametrize("number", [1, 2])
def bench_strings(benchmark: Any, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", number)
    benchmark.group = f"counts of 1e7 strings by 1e3 keys, threads: {number}"
    keys = [f"key number {i}" if i % 2 else f"k{i}" for i in range(KEYS)]
    words = np.array(keys, object)[np.random.default_rng(1).integers(0, KEYS, ROWS)]
    text = pd.Series(words, dtype="str")
    objects = pd.Series(words, dtype=object)

    def counts() -> Any:
        return exact.value_counts(text, keys)

    answers = in_turn.measure(
        benchmark,
        {
            "cydp": counts,
            "value_counts of str": lambda: text.value_counts()[keys].to_numpy(),
            "value_counts of object": lambda: objects.value_counts()[keys].to_numpy(),
        },
        rounds=7,
    )
    for answer in answers.values():
        assert np.array_equal(answer, answers["cydp"])


def bench_stream(benchmark: Any) -> None:
    """10^9 rows in chunks of 10^6: peak memory beyond the first chunk's, and the slope of time."""
    benchmark.group = "10^9 rows in chunks of 10^6"
    rng = np.random.default_rng(1)
    chunks = [(rng.integers(0, 1000, 10**6), rng.random(10**6)) for _ in range(4)]
    total = exact.GroupedAccumulator(1000, {"x": (0, 1)})
    counter = exact.HistogramAccumulator(100, (0, 1))

    def update(i: int) -> None:
        codes, x = chunks[i % 4]
        total.update(codes, x=x)
        counter.update(x)

    def stream() -> None:
        update(0)
        first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = []
        for tenth in range(10):
            start = perf_counter()
            for i in range(tenth == 0, 100):
                update(i)
            seconds.append((perf_counter() - start) / (100 - (tenth == 0)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first
        slope = np.polyfit(np.arange(10), seconds, 1)[0] / np.mean(seconds)
        benchmark.extra_info["beyond the first chunk"] = f"{grown / 1024:.1f} MiB"
        benchmark.extra_info["a chunk"] = f"{np.median(seconds) * 1e3:.2f} ms"
        benchmark.extra_info["slope of a chunk's time, over each tenth"] = f"{slope:+.1%}"

    benchmark.pedantic(stream, rounds=1)
    assert total.counts.sum() == counter.counts.sum() == 10**9
