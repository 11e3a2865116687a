# SPDX-License-Identifier: MIT
"""exact.histogram is numpy's answer, bin for bin and edge for edge."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact.layouts import layouts
from exact.numpys_histogram import BOTH_SIGNS, FLOATS, INTEGERS, around, check
from hypothesis import assume, given
from hypothesis import strategies as st

from cydp import _threads as threads
from cydp import exact
from cydp.exact._bins import public_bins


def counts_by_comparison(x, edges):
    """Count by comparing each number with each edge: what floats do without an error."""
    x = np.asarray(x).astype(edges.dtype)
    within = (edges[:-1, None] <= x) & (x < edges[1:, None])
    within[-1] |= x == edges[-1]
    return within.sum(axis=1).tolist()


# Equal bins

AWKWARD: list[Any] = [
    (6, (0.1, 0.7)), (1, (0, 1)), (3, (-1 / 3, 1 / 3)), (10, (-5, 5)), (100, (0, 100)),
    (97, (1e-3, 1e3)), (49, (-7.7, -1.1)), (1000, (-math.pi, math.e)),
]  # fmt: skip


def test_next_to_every_edge() -> None:
    for (bins, range), dtype in itertools.product(AWKWARD, FLOATS):
        edges = exact.histogram(np.array([], dtype), bins, range)[1]
        assert edges.dtype == dtype
        assert check(around(edges, np.dtype(dtype).type), bins, range).sum() > 0


EXTREME: list[Any] = [
    (3, (0, 1e-300)),  # subnormal bins are below what the fast kernel takes
    (3, (0, 2e-308)), (2, (0, 5e-323)), (1, (0, 5e-324)), (5, (-8e307, 8e307)),
    (1, (0, 1.7e308)), (10, (1e15, 1e15 + 100)), (100, (2.0**52, 2.0**52 + 800)),
    (4, (-1e-310, 1e300)),
]  # fmt: skip


def test_extreme_magnitudes() -> None:
    for bins, range in EXTREME:
        edges = exact.histogram([], bins, range)[1]
        check(around(edges, np.float64), bins, range)


def test_integers() -> None:
    some: list[Any] = [(10, (0, 100)), (7, (-3, 120)), (3, (0.5, 99.5)), (256, (-1, 255))]
    for dtype, (bins, range) in itertools.product(INTEGERS, some):
        limits = np.iinfo(dtype)
        x = np.arange(max(limits.min, -300), min(limits.max, 300) + 1).astype(dtype)
        check(np.append(x, np.array([limits.min, limits.max], dtype)), bins, range)


ROUNDED: list[Any] = [
    (0, 2**60), (0.0, 2.0**60), (2**60 + 1, 2**60 + 10**6), (-(2**63), 2**63 - 1),
    (2**53 - 1, 2**53 + 101), (1 - 2**53, 2**53 - 1), (np.uint64(0), np.uint64(2**64 - 1)),
    (np.int64(2**61), np.int64(2**62)), (np.uint64(2**61), np.uint64(2**62)),
]  # fmt: skip


def test_integers_that_float64_rounds() -> None:
    steps = [0, 1, 2, 3, 5, 100, 101, 511, 512, 513, 1000, 10**6 - 1, 10**6, 10**6 + 1]
    bases = [0, 2**53, 2**60, 2**60 + 10**6, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
    values = [base + sign * step for base in bases for step in steps for sign in (-1, 1)]
    values += [-value for value in values]
    for dtype in ("int64", "uint64"):
        limits = np.iinfo(dtype)
        x = np.array([value for value in values if limits.min <= value <= limits.max], dtype)
        for range in ROUNDED:
            assert check(x, 10, range).sum() > 0


ENDS: list[Any] = [
    *((dtype(0.1), dtype(0.7)) for dtype in (np.float16, np.float32, np.float64)),
    (np.int8(0), np.int8(127)), (np.uint64(0), np.int8(100)), [0, 1], np.array([0, 1]),
    np.array([0.25, 0.75], np.float32), (2, 2), (0.1, 0.1), (np.uint8(0), np.uint8(0)),
]  # fmt: skip


def test_kinds_of_ranges_and_counts() -> None:
    for ends, dtype in itertools.product(ENDS, ["bool", *FLOATS, *INTEGERS]):
        check(np.linspace(0, 3, 50).astype(dtype), 5, ends)
    for bins in (np.int64(4), np.uint8(4), np.array(4)):
        check([0.1, 0.2, 0.3], bins, (0, 1))


def test_range_of_the_data() -> None:
    for dtype in ("bool", *FLOATS, *INTEGERS):
        x = np.random.default_rng(1).integers(0, 100, 1000).astype(dtype)
        check(x, 10)
        check(x[:1], 3)  # a range of one point is widened
        check(x[:0], 3)


def test_a_million_bins() -> None:
    x = np.random.default_rng(2).random(100_000)
    check(x, 10**6, (0, 1))
    check(x.astype(np.float32), 10**6, (-1, 1))


@st.composite
def equal_bins(draw):
    dtype = np.dtype(draw(st.sampled_from(FLOATS)))
    width = 8 * dtype.itemsize
    limit = {16: 2.0**13, 32: 2.0**100, 64: 2.0**500}[width]
    finite = st.floats(-limit, limit, allow_nan=False, width=width)
    lo, hi = sorted(draw(st.tuples(finite, finite)))
    bins = draw(st.one_of(st.integers(1, 50), st.integers(1, 5000)))
    x = np.array(draw(st.lists(st.floats(width=width), max_size=30)), dtype)
    return x, bins, (lo, hi)


@given(equal_bins())
def test_any_equal_bins(case):
    x, bins, range = case
    try:
        edges = public_bins(bins, range, x.dtype).edges
    except ValueError:
        assume(False)
    x = np.concatenate([x, around(edges[:: max(1, bins // 50)], x.dtype.type)])
    counts = exact.histogram(x, bins, range)[0]
    assert counts.tolist() == counts_by_comparison(x, edges)
    # Narrower ones numpy may count wrongly, or fail at, depending on the data.
    if np.diff(edges).min() >= 8 * np.spacing(np.abs(edges).max()):
        check(x, bins, range)


def test_bins_as_narrow_as_the_spacing_of_floats() -> None:
    for dtype, lo in (("float16", 1000), ("float32", 2**23), ("float64", 2**52)):
        edges = exact.histogram(np.array([], dtype), 5, (lo, lo + 5))[1]
        x = around(edges, np.dtype(dtype).type)
        assert exact.histogram(x, 5, (lo, lo + 5))[0].tolist() == counts_by_comparison(x, edges)


def test_where_numpy_fails_the_edges_decide():
    x, range = np.float32([16777218]), (16777216.98, 16777217.02)
    with pytest.raises(IndexError):
        np.histogram(x, 1, range)
    counts, edges = exact.histogram(x, 1, range)
    assert counts.tolist() == counts_by_comparison(x, edges) == [1]


# Threads


def test_threads(monkeypatch):
    x = np.random.default_rng(9).normal(size=500_000)
    monkeypatch.setattr(threads, "THREADS_FROM", 1)
    for number in (1, 2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        for values in (x, x.astype(np.float32), (x * 100).astype(int), (x * 100).astype("int32")):
            check(values, 100, (-2, 2))
            check(values, BOTH_SIGNS)
            check(values, 100_000, (-2, 2))


# Kinds of data


def test_layouts() -> None:
    for dtype in ("bool", *FLOATS, *INTEGERS):
        x = np.random.default_rng(3).integers(0, 100, 9990).astype(dtype)
        x.flags.writeable = False
        matrix = x.reshape(10, -1)
        others = [
            matrix.T, np.broadcast_to(x[:100], (3, 100)), np.broadcast_to(x[0], 1000),
            np.array(x[0]), x[:0], x[:0].reshape(0, 3), x.view(type("Sub", (np.ndarray,), {})),
        ]  # fmt: skip
        for given_ in (*layouts(x), *layouts(matrix), *others):
            check(given_, 10, (0, 90))
            check(given_, [0, 1, 50, 60])
            if dtype != "float16":
                check(given_, 4, (0, 2**60))


def test_blocks() -> None:
    for rows in (65_535, 65_536, 65_537, 200_000):
        x = np.random.default_rng(4).random(rows).astype(np.float32)
        assert check(x, 10, (0, 1)).sum() == rows
        assert check(x, 100_000, (0, 1)).sum() == rows  # more bins than rows in a block
        assert check(x.astype(np.float64)[::-1], [0, 0.3, 1]).sum() == rows


def test_lists() -> None:
    for x in ([1, 2, 3.5], [True, False], (1, 2), [[1, 2], [3, 4]], [], 3.0, range(5),
              [np.float32(1)]):  # fmt: skip
        check(x, 3, (0, 4))


def test_masked_values_are_missing():
    x = np.ma.array([[1, 2, 3], [4, 5, 999]], mask=[[0, 0, 1], [0, 0, 1]])
    counts, edges = exact.histogram(x, 4)
    assert counts.tolist() == [1, 1, 0, 2]
    assert edges.tolist() == [1, 2, 3, 4, 5]
    assert exact.histogram(np.ma.array([1, 2]), 2, (0, 4))[0].tolist() == [1, 1]
    assert exact.histogram(np.ma.masked_all(3), 2)[0].tolist() == [0, 0]


def test_long_integers_are_outside():
    x = [None, 1, 10**30, -(10**30), 10**400, 3]
    assert exact.histogram(x, 2, (0, 4))[0].tolist() == [1, 1]


class Column:
    """A column of another library: an object array once it holds a null."""

    def __init__(self, *values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


class NAType:
    """As pandas.NA: its comparison is neither true nor false."""

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def test_every_null_is_missing() -> None:
    nulls = [None, NAType(), np.ma.masked, np.nan, Decimal("sNaN")]
    columns = [[True, False], [1, 3], [0.5, 2.5], [Fraction(1, 2), 3]]
    for null, values in itertools.product(nulls, columns):
        counts = exact.histogram(np.array(values, float), 2, (0, 4))[0]
        assert np.array_equal(exact.histogram([*values, null], 2, (0, 4))[0], counts)
        assert np.array_equal(exact.histogram((null, *values), 2, (0, 4))[0], counts)
        if null is not np.ma.masked:
            assert np.array_equal(exact.histogram(Column(*values, null), 2, (0, 4))[0], counts)
    assert exact.histogram([[None, 1], [2, 3]], 2, (0, 4))[0].tolist() == [1, 2]


def test_counting_gives_no_warning() -> None:
    """The suite turns warnings into errors, and numpy's floating-point errors here."""
    for dtype in (*FLOATS, *INTEGERS):
        info = np.finfo(dtype) if dtype in FLOATS else np.iinfo(dtype)
        x = np.array([info.min, info.max, 0, 1], dtype)
        if dtype in FLOATS:
            x = np.append(x, np.array([np.nan, np.inf, -np.inf, info.smallest_subnormal], dtype))
            signalling = np.array(np.inf, dtype).view(f"u{x.itemsize}") + 1
            x = np.append(x, signalling.astype(f"u{x.itemsize}").view(dtype))
        cases: list[Any] = [(10, (0, 1)), (3, (0, 2**60)), ([0, 1, 7], None), ([-np.inf, 0], None)]
        with np.errstate(all="raise"):
            for bins, range in cases:
                if dtype != "float16" or bins != 3:
                    public_bins(bins, range, x.dtype).count(x)


def test_a_release_takes_no_range_from_the_data() -> None:
    """What it takes is refused without one (test_refusals.py), and edges need none."""
    assert public_bins([0, 1], None, np.dtype(float)).count([0.5]).tolist() == [1]
    with pytest.raises(TypeError):  # bins were made for one dtype
        public_bins(2, (0, 10), np.dtype(np.int64)).count([0.5])
