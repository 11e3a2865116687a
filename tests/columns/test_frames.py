"""Frames of pandas: their own columns are read, never their index, in every kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import Laplace, exact
from cydp.testing import SeededGenerator

KERNELS: dict[str, Callable[[Any], Any]] = {
    "cydp.histogram": lambda x: cydp.histogram(x, 4, (0, 8), epsilon=1000).counts,
    "histogram": lambda x: exact.histogram(x, 4, (0, 8))[0],
    "histogramdd": lambda x: exact.histogramdd(x, 4, [(0, 8)])[0],
    "histogramdd, of a list": lambda x: exact.histogramdd([x], 4, [(0, 8)])[0],
    "bincount": lambda x: exact.bincount(x, 9),
    "clamped_sum": lambda x: exact.clamped_sum(x, (0, 8), step=1).units,
    "clamped_sum_and_squares": lambda x: [
        total.units for total in exact.clamped_sum_and_squares(x, (0, 8), step=1)
    ],
    "grouped_clamped_sum": lambda x: exact.grouped_clamped_sum(x, x, 9, (0, 8), step=1).units,
    "bound_contributions": lambda x: exact.bound_contributions(
        x, x, max_partitions=1, rng=SeededGenerator(1)
    ),
    "match_keys": lambda x: exact.match_keys(x, [4, 1]),
    "value_counts": lambda x: exact.value_counts(x, [4, 1]),
    "Keys": lambda x: exact.value_counts([4, 1, 1], exact.Keys(x)),
    "HistogramAccumulator": lambda x: exact.HistogramAccumulator(4, (0, 8)).update(x).counts,
    "GroupedAccumulator": lambda x: (
        exact.GroupedAccumulator(9, {"x": (0, 8)}, step={"x": 1}).update(x, x=x).sums["x"].units
    ),
}


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]", "category", "object"])
def test_a_frame_counts_whichever_rows_a_mask_left(dtype: str) -> None:
    """After a mask pandas keeps a RangeIndex only if the rows left are evenly spaced."""
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5]}).astype(dtype)
    even, uneven = ([True, False, True, False, True], [True, True, False, True, False])
    for kernel, compute in KERNELS.items():
        if (dtype, kernel) == ("object", "cydp.histogram"):  # a release takes no objects
            continue
        for rows in (even, uneven, [False] * 5):
            if kernel == "Keys" and not any(rows):
                continue
            left = frame[rows]
            expected: Any = np.array([1, 2, 3, 4, 5])[rows]
            if kernel == "histogramdd":
                expected = [expected]
            named = left.set_axis(pd.Index(["x"] * len(left)))  # an index of text
            multiple = named.set_axis(pd.MultiIndex.from_tuples([("a", "b")]), axis=1)
            for given in (left, named, multiple):
                assert np.array_equal(compute(given), compute(expected)), (kernel, rows)


@pytest.mark.parametrize("label", ["collect", "to_table", "columns", "read_all", "to_pylist"])
def test_labels_of_a_series_decide_about_nothing(label: str) -> None:
    """pandas has them as attributes, and other libraries are known by their attributes."""
    expected = {name: compute([1, 4]) for name, compute in KERNELS.items() if name != "histogramdd"}
    for dtype in ("int64", "Int64", "int64[pyarrow]"):
        series = pd.Series([1, 4], dtype=dtype, index=[label, "b"])
        for name, value in expected.items():
            assert np.array_equal(KERNELS[name](series), value), (name, dtype)
        assert Laplace(epsilon=1, sensitivity=1).release(series).index.tolist() == [label, "b"]


def test_a_frame_of_two_columns_or_none_is_refused() -> None:
    same_names = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    two, none = pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame(index=[1, 2])
    others = (pl.DataFrame(), pa.table({}), pl.DataFrame({"a": [1], "b": [2]}))
    for kernel, compute in KERNELS.items():
        for frame in (two, none, none[:0], same_names, *others):
            if kernel == "histogramdd" and len(frame) and frame.shape[1]:
                continue
            with pytest.raises((TypeError, ValueError), match=r"^\w+ must be "):
                compute(frame)


def test_columns_of_one_name_are_columns_still() -> None:
    frame = pd.DataFrame([[1, 0.5], [3, 1.5]], columns=["a", "a"], index=[7, 7])
    counts, _ = exact.histogramdd(frame, 2, [(0, 4), (0, 2)])
    assert counts.tolist() == [[1, 0], [0, 1]]


def test_accumulators_come_back_from_frames_with_any_index() -> None:
    counts = exact.HistogramAccumulator(3, (0, 6)).update([1, 1, 5])
    groups = exact.GroupedAccumulator(2, {"x": (0, 8)}).update([0, 1], x=[3, 4.5])
    for table, read in (
        (counts, lambda t: type(counts).from_arrow(t, (0, 6), dtype=float).counts),
        (groups, lambda t: type(groups).from_arrow(t, {"x": (0, 8)}).sums["x"].units),
    ):
        frame = pa.table(table).to_pandas()
        expected = read(pa.table(table).replace_schema_metadata(None))
        indices = [range(5, 5 + len(frame)), ["k"] * len(frame)]
        shown = [frame, *map(frame.set_axis, indices)]
        for again in (*shown, frame.convert_dtypes(), frame.sort_index(axis=1)):
            assert np.array_equal(read(again), expected)
        missing = frame.convert_dtypes()
        missing.loc[0, "count"] = pd.NA
        renamed = frame.set_axis(["a"] * frame.shape[1], axis=1)
        for bad in (frame[[]], frame.assign(more=1), renamed, missing):
            with pytest.raises(ValueError, match=r"table must (have|be)"):
                read(bad)
    twice = pa.Table.from_arrays([pa.array([1])] * 2, names=["count", "count"])
    with pytest.raises(ValueError, match="table must have columns of different names"):
        exact.HistogramAccumulator.from_arrow(twice)
