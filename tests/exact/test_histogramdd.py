# SPDX-License-Identifier: MIT
"""exact.histogramdd is numpy's answer, bin for bin and edge for edge."""

import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exact.layouts import layouts
from exact.numpys_histogram import FLOATS, INTEGERS
from hypothesis import given
from hypothesis import strategies as st

from cydp import _threads as threads
from cydp import exact


def check(columns, bins, range=None):
    """Demand numpy's counts and edges."""
    counts, edges = exact.histogramdd(columns, bins, range)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numpy_counts, numpy_edges = np.histogramdd(columns, bins, range)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, numpy_counts)
    assert len(edges) == len(numpy_edges)
    for ours, theirs in zip(edges, numpy_edges, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    return counts


def rows(n, dimensions, seed=1):
    return list(np.random.default_rng(seed).normal(size=(dimensions, n)))


def test_equal_bins():
    for dimensions in (1, 2, 3, 5):
        x = rows(1000, dimensions)
        check(x, 4)
        check(x, [*range(2, 2 + dimensions)])
        check(x, 3, [(-1, 1)] * dimensions)
        check(x, 3, [None, (-1, 2), (0, 1), None, (-3, 3)][:dimensions])
        check(np.array(x).T, 4)  # a matrix has its columns as numpy's has


def test_given_edges():
    x, y = rows(1000, 2)
    check([x, y], [[-1, 0, 2], [-np.inf, 0, 0, 1]])
    check([x, y], (np.array([-1, 0.5, 1], np.float32), 7))
    check([x, y], (7, np.array([-1, 0, 1])), [(0, 1), None])
    check([np.round(x), np.round(y)], [[-2, -1, 0, 1, 2], 4])


def test_on_and_next_to_edges():
    edges = np.linspace(0.1, 0.7, 7)
    near = np.concatenate([edges, np.nextafter(edges, -9), np.nextafter(edges, 9), [0.0, -0.0]])
    special = np.concatenate([near, [np.nan, np.inf, -np.inf, 5e-324]])
    x, y = (grid.ravel() for grid in np.meshgrid(special, special))
    counts = check([x, y], 6, [(0.1, 0.7)] * 2)
    assert counts.sum() > 300
    check([x, y], [edges, [0, 0.1, 0.7, np.inf]])


def test_dtypes():
    for dtype in ("bool", *FLOATS, *INTEGERS):
        x = np.random.default_rng(2).integers(0, 100, (2, 500)).astype(dtype)
        check(list(x), 4, [(0, 90), (1, 70)])
        check(list(x), [[0, 1, 50], [0.5, 3, 99]])
        if dtype not in ("bool", "float16"):
            check(list(x), 5)
        check([x[0], np.linspace(0, 1, 500)], 3, [(0, 90), (0, 1)])


def test_large_integers():
    x = np.array([2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0])
    check([x, x], [[2**53, 2**53 + 1, 2**60], 1], [None, (0, 2.0**63)])
    y = np.array([2**53, 2**53 + 1, 2**64 - 1, 2**63, 0], np.uint64)
    edges = np.array([2**53 + 1, 2**63, 2**64 - 1], np.uint64)
    check([y, y], [edges, 2], [None, (0, 2.0**64)])


def test_layouts():
    x = np.random.default_rng(3).integers(0, 100, (400, 3)).astype(float)
    x.flags.writeable = False
    for given_ in (*layouts(x), x[::-2]):
        check(given_, 3)
    check([x[:, 0], list(x[:, 1]), tuple(x[:, 2])], 3)
    check([x[:, 0].astype(">f8"), x[:, 1].astype(">i4")], 3)
    check([[], []], 2)
    check([[5.0], [5.0]], 2)
    unaligned = np.frombuffer(b"-" + x[:, 0].tobytes(), float, offset=1)
    check([unaligned, x[:, 1]], 3)


def test_a_million_bins():
    check(rows(10_000, 2), 1000)


def test_many_rows_and_threads(monkeypatch):
    x = [column.astype(dtype) for column, dtype in zip(rows(200_000, 3), "fdd", strict=True)]
    expected = check(x, [10, 5, [-1, 0, 0.3]], [(-2, 2), (-1, 1), None])
    monkeypatch.setattr(threads, "THREADS_FROM", 1)
    for number in (2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        counts, _ = exact.histogramdd(x, [10, 5, [-1, 0, 0.3]], [(-2, 2), (-1, 1), None])
        np.testing.assert_array_equal(counts, expected)


def test_masked_and_null_rows_are_missing():
    x = np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0])
    y = np.ma.array([1, 2, 3, 999], mask=[0, 0, 0, 1])
    counts, edges = exact.histogramdd([x, y], 2)
    assert counts.tolist() == [[1, 0], [0, 1]]
    assert [edge.tolist() for edge in edges] == [[1, 2, 3], [1, 2, 3]]
    for table in ([[1, None, 3], [1, 2, 3]], {"a": [1, None, 3], "b": [1, 2, 3]}):
        assert exact.histogramdd(table, 2, [(0, 4)] * 2)[0].tolist() == [[1, 0], [0, 1]]


@given(
    st.lists(st.tuples(st.floats(width=32), st.integers(-5, 5)), max_size=40),
    st.lists(st.floats(-10, 10), min_size=2, max_size=20),
    st.integers(1, 12),
)
def test_any(pairs, edges, count):
    x = np.array([pair[0] for pair in pairs], np.float32)
    y = np.array([pair[1] for pair in pairs], np.int64)
    check([np.append(x, np.float32(edges)), np.append(y, np.arange(len(edges)))],
          [np.sort(edges), count], [None, (-3, 3)])  # fmt: skip


def test_columns_of_mixed_dtypes_have_numpys_edges():
    columns = [np.array([1, 2], "u2"), np.array([1, 2], "i2"), np.array([0.1, 0.7], "f4")]
    for x in (columns, columns[::-1]):
        np.testing.assert_array_equal(exact.histogramdd(x, 3)[1], np.histogramdd(x, 3)[1])


def test_tables():
    """A table of any library, in several pieces, its integers narrower than the other column."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 10, 1000).astype(np.int16), rng.random(1000)
    null = rng.random(1000) < 0.2
    ends = [(0, 10), (0, 1)]
    expected = np.histogram2d(a[~null], b[~null], 5, ends)[0].tolist()
    table = pa.table({"a": pa.array(a, mask=null), "b": b})
    words = table.set_column(0, "a", table["a"].dictionary_encode())
    pieces = pa.concat_tables([table[:7], table[7:7], table[7:]])
    nested = pa.RecordBatch.from_struct_array(pieces.to_struct_array().combine_chunks()[3:])
    for shape in (table, words, pieces, duckdb.from_arrow(table), pl.DataFrame(table),
                  table.to_pandas(types_mapper=pd.ArrowDtype)):  # fmt: skip
        assert exact.histogramdd(shape, 5, ends)[0].tolist() == expected
    some = np.histogram2d(a[3:][~null[3:]], b[3:][~null[3:]], 5, ends)[0]
    assert exact.histogramdd(nested, 5, ends)[0].tolist() == some.tolist()
    assert exact.histogramdd(table[:0], 5, ends)[0].sum() == 0
    series = pd.Series([1, 2], dtype="Int64"), pd.Series([None, 2], dtype="Int64")
    for column in (pa.array([1, 2]), *series):  # whatever its first entry is
        with pytest.raises(TypeError, match=r"columns must be a table$"):
            exact.histogramdd(column, 5, ends[:1])
