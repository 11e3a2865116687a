# SPDX-License-Identifier: MIT
"""The cell of every row is the one that histogram counts it in, and that searchsorted finds."""

import contextlib
import itertools
import warnings

import numpy as np
import pytest
from exact.layouts import layouts
from exact.numpys_histogram import FLOATS, INTEGERS
from hypothesis import given
from hypothesis import strategies as st

from cydp import _threads as threads
from cydp import exact
from cydp.exact._bins import equal_bins, public_bins
from cydp.exact._histogram import grouped_histogram
from cydp.exact._histogramdd import cell_codes

DTYPES = [*FLOATS, *INTEGERS, "bool"]

BINS = {  # and a range
    "equal": (7, (-3.5, 100)),
    "one": (1, (0, 1)),
    "integers": (10, (0, 10)),
    "beyond 2**53": (5, (2**53 - 3, 2**53 + 12)),
    "uint64": (4, (0, 2**64 - 1)),
    "edges": ([-1, 0, 0.5, 2, 2, 7, 1e30], None),
    "integer edges": ([-(2**60), -1, 0, 2**53 + 1, 2**60 + 3], None),
    "uint64 edges": (np.array([0, 2**53 + 1, 2**63, 2**64 - 2], np.uint64), None),
}


def bins_of_dtypes():
    """Yield every dtype with all bins that it can have."""
    for dtype, given_bins in itertools.product(DTYPES, BINS.values()):
        with contextlib.suppress(ValueError):  # edges that are not distinct in this dtype
            yield dtype, public_bins(*given_bins, np.dtype(dtype))


def column(dtype, rng, n):
    """Numbers on edges, next to them, anywhere, and special ones."""
    dtype = np.dtype(dtype)
    some = np.array([0, 1, 2, 3, 5, 7, 10, 99, 100, 101])
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            x = rng.choice(np.append(some, [-1, 0.5, -3.5, 2**53, np.nan, np.inf, -np.inf]), n)
            near = np.nextafter(x.astype(dtype), rng.choice([-np.inf, np.inf], n).astype(dtype))
            return np.where(rng.random(n) < 0.5, x.astype(dtype), near).astype(dtype)
    limits = np.iinfo(dtype)
    ends = [e + d for e in (limits.min, limits.max, 2**53, 2**60, 2**63) for d in range(-3, 4)]
    ends = [e for e in [*ends, *some.tolist()] if limits.min <= e <= limits.max]
    return rng.choice(np.array(ends, dtype), n)


def counts_of(codes, cells):
    assert codes.dtype == np.uint32
    return np.bincount(codes.reshape(-1), minlength=cells + 1)[: cells + 1]


def test_codes_are_counted_as_the_histogram_counts():
    """In every layout; with many rows, too, which are found by cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for (dtype, bins), n in itertools.product(bins_of_dtypes(), [0, 1, 300, 20_001]):
            x = column(dtype, np.random.default_rng(n), n)
            cells = len(bins.edges) - 1
            codes = cell_codes([bins], [x])
            assert counts_of(codes, cells)[:cells].tolist() == bins.count(x).tolist()
            assert counts_of(codes, cells).sum() == n
            for layout in [] if n > 300 else layouts(x):
                assert cell_codes([bins], [layout]).tolist() == codes.tolist()


def test_each_row_has_the_code_of_its_histogram():
    """A histogram of one row counts in the bin that is its code in many."""
    for dtype, bins in bins_of_dtypes():
        x = column(dtype, np.random.default_rng(5), 9000)
        codes = cell_codes([bins], [x])
        for value in np.unique(x):
            rows = codes[(x == value) | ((x != x) & (value != value))]
            alone = np.append(bins.count(np.array([value])), 1)
            assert set(rows.tolist()) == {int(alone.argmax())}


def test_codes_are_those_of_searchsorted():
    for dtype in FLOATS:
        rng = np.random.default_rng(7)
        edges = np.cumsum(rng.uniform(0.1, 2, 101)).astype(dtype)
        x = np.concatenate([rng.choice(edges, 9000), rng.uniform(-5, 120, 9000)]).astype(dtype)
        x[::50] = np.nan
        expected = np.searchsorted(edges, x, "right") - 1
        expected[x == edges[-1]] = 99
        expected[~((x >= edges[0]) & (x <= edges[-1]))] = 100
        assert cell_codes([public_bins(edges, None, x.dtype)], [x]).tolist() == expected.tolist()


@given(st.data())
def test_any_numbers_in_any_edges(data):
    dtype = np.dtype(data.draw(st.sampled_from([*FLOATS, *INTEGERS])))
    if dtype.kind == "f":
        width = {"float16": 16, "float32": 32, "float64": 64}[dtype.name]
        numbers = st.floats(width=width, allow_nan=False, allow_infinity=False)
        entries = st.floats(width=width)
    else:
        entries = numbers = st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    edges = np.sort(np.array(data.draw(st.lists(numbers, min_size=2, max_size=9)), dtype))
    either = st.one_of(st.sampled_from(edges.tolist()), entries)
    x = np.array(data.draw(st.lists(either, max_size=30)), dtype)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(x), max_size=len(x))), bool)
    bins = public_bins(edges, None, dtype)
    cells = len(edges) - 1
    for column in (x, np.ma.masked_array(x, mask), np.ma.masked_array(x)):
        codes = cell_codes([bins], [column])
        assert counts_of(codes, cells)[:cells].tolist() == bins.count(column).tolist()
    masked = cell_codes([bins], [np.ma.masked_array(x, mask)])
    assert masked.tolist() == np.where(mask, cells, codes).tolist()  # rows keep their places


def test_shapes_are_kept():
    x = np.array([[0.5, 3], [1.5, np.nan], [9, 1]])
    bins = public_bins(4, (0, 4), x.dtype)
    expected = [[0, 3], [1, 4], [4, 1]]
    for given_x in (x, np.asfortranarray(x), x.copy().T.copy().T):
        assert cell_codes([bins], [given_x]).tolist() == expected
    assert cell_codes([bins], [np.array(1.5)]).shape == ()
    assert int(cell_codes([bins], [np.array(1.5)])) == 1
    assert cell_codes([bins], [np.ma.masked_array(1.5, True)]).tolist() == 4


@pytest.mark.parametrize(
    ("n", "number"), [(0, 1), (20, 1), (200_001, 3)], ids=["no rows", "few rows", "blocks, threads"]
)
def test_several_columns(n, number, monkeypatch):
    monkeypatch.setattr(threads, "NUM_THREADS", number)
    monkeypatch.setattr(threads, "THREADS_FROM", 1)
    rng = np.random.default_rng(n)
    columns = [rng.uniform(-1, 11, n), rng.integers(-1, 6, n, np.int16), rng.normal(0, 2, n)]
    columns[2][::7] = np.nan
    grids = [
        equal_bins(10, (0, 10), columns[0].dtype),
        public_bins([0, 1, 4], None, columns[1].dtype),
        public_bins(5, (-4, 4), columns[2].dtype),
    ]
    codes = cell_codes(grids, columns)
    parts = [cell_codes([grid], [x]) for grid, x in zip(grids, columns, strict=True)]
    a, b, c = (part.astype(np.int64) for part in parts)
    inside = (a < 10) & (b < 2) & (c < 5)
    assert codes.tolist() == np.where(inside, (a * 2 + b) * 5 + c, 100).tolist()
    bins = [10, np.array([0, 1, 4]), np.linspace(-4, 4, 6)]
    counts, _ = exact.histogramdd(columns, bins, [(0, 10), None, None])
    assert counts_of(codes, 100)[:100].tolist() == counts.reshape(-1).tolist()
    hidden = np.ma.masked_array(columns[1], np.arange(n) % 3 == 0)
    masked = cell_codes(grids, [columns[0], hidden, columns[2]])
    assert masked.tolist() == np.where(np.arange(n) % 3 == 0, 100, codes).tolist()


def joined(codes, n_groups, cells, bins):
    """Count by numpy, from the codes of groups and of bins."""
    inside = (codes < n_groups) & (cells < bins)
    joint = codes[inside].astype(np.int64) * bins + cells[inside]
    return np.bincount(joint, minlength=n_groups * bins).reshape(n_groups, bins)


def blocks_of(codes, x):
    return [(codes[i : i + 4000], x[i : i + 4000]) for i in range(0, len(codes), 4000)]


def test_each_group_has_a_histogram():
    for number, (dtype, bins) in enumerate(bins_of_dtypes()):
        n, n_groups = 9001, (0, 1, 9, 5000)[number % 4]
        rng = np.random.default_rng(n_groups)
        x = column(dtype, rng, n)
        codes = rng.integers(0, n_groups + 2, n).astype(np.uint32)
        codes[:4] = [2**31, 2**32 - 1, 2**31 - 1, n_groups]
        cells = len(bins.edges) - 1
        expected = joined(codes, n_groups, cell_codes([bins], [x]), cells)
        for values in layouts(x):
            counts = grouped_histogram(bins, blocks_of(codes, values), n_groups)
            assert counts.dtype == np.int64
            assert np.array_equal(counts, expected)
        hidden = np.ma.masked_array(x, rng.random(n) < 0.3)
        expected = joined(codes, n_groups, cell_codes([bins], [hidden]), cells)
        assert np.array_equal(grouped_histogram(bins, blocks_of(codes, hidden), n_groups), expected)
        empty = grouped_histogram(bins, [(codes[:0], x[:0])], n_groups)
        assert empty.shape == (n_groups, cells)
        assert empty.sum() == 0
