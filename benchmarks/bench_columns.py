"""Columns of data frames, strings among keys, and streams; answers are checked."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from harness import in_turn
from harness.processes import run
from harness.sizes import size

from cydp import _threads as threads
from cydp import exact

ROWS, KEYS = size(10**7), 1000
NULLS = "cydp, of pyarrow with nulls"


@pytest.mark.parametrize("work", ["bincount", "clamped_sum"])
def bench_columns(benchmark: Any, work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a column costs over the bare array; the median of differences is microseconds."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    benchmark.group = f"columns: {work} of 10^7 int64"
    x = np.random.default_rng(1).integers(0, KEYS, ROWS)
    columns = {
        "cydp": x,
        "cydp, of pandas": pd.Series(x),
        "cydp, of pandas with Arrow": pd.Series(x, dtype="int64[pyarrow]"),
        "cydp, of polars": pl.Series(x),
        "cydp, of pyarrow": pa.array(x),
        NULLS: pa.array(x, mask=x == 3),
    }
    there = x[x != 3]
    call = exact.bincount if work == "bincount" else lambda c: exact.clamped_sum(c, (0, 900)).units
    answers = in_turn.measure(
        benchmark,
        {name: lambda c=c: call(c) for name, c in columns.items()},
        rounds=15,
        moved=8 * ROWS,
    )
    for name, answer in answers.items():
        assert np.array_equal(answer, call(there) if name == NULLS else answers["cydp"])


@pytest.mark.parametrize("number", [1, 2])
def bench_strings(benchmark: Any, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", number)
    some = "one thread" if number == 1 else "two threads"
    benchmark.group = f"columns: counts of 10^7 strings by 10^3 keys, {some}"
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
            "pandas, value_counts of str": lambda: text.value_counts()[keys].to_numpy(),
            "pandas, value_counts of object": lambda: objects.value_counts()[keys].to_numpy(),
        },
        rounds=7,
        threads=number,
    )
    for answer in answers.values():
        assert np.array_equal(answer, answers["cydp"])


STREAM = """
import numpy as np
from cydp import exact

rows, repeats = map(int, sys.argv[1:])
chunk = min(rows, 10**6)
rng = np.random.default_rng(1)
chunks = [(rng.integers(0, 1000, chunk), rng.random(chunk)) for _ in range(4)]

def stream():
    cpu, start = process_time(), perf_counter()
    total = exact.GroupedAccumulator(1000, {"x": (0, 1)})
    counter = exact.HistogramAccumulator(100, (0, 1))
    for i in range(rows // chunk):
        codes, x = chunks[i % 4]
        total.update(codes, x=x)
        counter.update(x)
    counted = int(total.counts.sum()), int(counter.counts.sum())
    return perf_counter() - start, process_time() - cpu, counted

stream()
walls, cpus, counted = zip(*[stream() for _ in range(repeats)])
answer(seconds=[*np.percentile(walls, [25, 50, 75])], cpu=np.median(cpus), peak=peak(),
       counted=counted)
"""


def bench_stream(benchmark: Any) -> None:
    """Counts and sums of 10^3 groups and a histogram, in chunks of 10^6 rows, by one thread.

    Each number of rows has a process of its own, so that its peak memory is seen.
    """
    benchmark.group = "columns: 10^9 rows in chunks of 10^6"
    points: list[dict[str, Any]] = []

    def stream() -> None:
        for rows in sorted({size(10**power) for power in range(3, 10)}):
            found = run(STREAM, rows, 1 if rows > 10**8 else 3 if rows == 10**8 else 9)
            assert all(both == [rows, rows] for both in found.pop("counted"))
            points.append({"x": rows, **found})

    benchmark.pedantic(stream, rounds=1)
    benchmark.extra_info["curve"] = {
        "work": "grouped sums and a histogram, streamed",
        "axis": "rows",
        "unit": "rows",
        "points": points,
        "slope": slope(points),
    }


def slope(points: list[dict[str, Any]]) -> float:
    """The exponent of the growth of seconds, from 10^6 rows on: smaller calls have a fixed cost."""
    large = [point for point in points if point["x"] >= 10**6] or points
    rows, seconds = [p["x"] for p in large], [p["seconds"][1] for p in large]
    return float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])
