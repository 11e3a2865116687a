"""Columns of data frames, and strings among keys; answers are checked."""

from typing import Any

import numpy as np
import pytest
from harness import in_turn
from harness.sizes import size

from cydp import _threads as threads
from cydp import exact

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

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
