# SPDX-License-Identifier: MIT
"""Counts in bins from the data are marked, by parameters alone, and stay so."""

import copy
import pickle

import numpy as np
import pandas as pd

from cydp import exact
from cydp.exact._bins import DataBinCounts

X = np.array([1.0, 2, 3, 9])
CODES = np.array([0, 2, 2])

MARKED = {
    "histogram": lambda x: exact.histogram(x, 3)[0],
    "histogram, None": lambda x: exact.histogram(x, np.int32(3), None)[0],
    "histogramdd": lambda x: exact.histogramdd([x, x], 3)[0],
    "histogramdd, one of two": lambda x: exact.histogramdd([x, x], 3, [(0, 9), None])[0],
    "histogramdd, edges and bins": lambda x: exact.histogramdd([x, x], [[0, 9], 2])[0],
    "bincount": lambda x: exact.bincount(x.astype(int)),
    "bincount, 0": lambda x: exact.bincount(x.astype(int), minlength=0),
}
PUBLIC = {
    "histogram": lambda x: exact.histogram(x, 3, (0, 9))[0],
    "histogram, edges": lambda x: exact.histogram(x, [0, 1, 9])[0],
    "histogram, many bins": lambda x: exact.histogram(x, 2000, (0, 9))[0],
    "histogramdd": lambda x: exact.histogramdd([x, x], 3, [(0, 9), (0, 9)])[0],
    "histogramdd, edges": lambda x: exact.histogramdd([x], [[0, 1, 9]])[0],
    "histogramdd, both": lambda x: exact.histogramdd([x, x], [3, [0, 9]], [(0, 9), None])[0],
    "bincount": lambda x: exact.bincount(x.astype(int), 20),
    "bincount, a code beyond": lambda x: exact.bincount(x.astype(int), 2),
    "accumulator": lambda x: exact.HistogramAccumulator(3, (0, 9)).update(x).counts,
}
TABLES = [X, X[:1], X[:0], np.append(X, 3), np.ma.masked_array(X, [1, 0, 0, 0]), X - 1]


def test_bins_from_the_data_are_marked_whatever_the_data_is():
    found = {(name, type(call(x))) for name, call in MARKED.items() for x in TABLES}
    assert found == {(name, DataBinCounts) for name in MARKED}


def test_other_counts_are_arrays():
    found = {(name, type(call(x))) for name, call in PUBLIC.items() for x in TABLES}
    assert found == {(name, np.ndarray) for name in PUBLIC}


COMPUTED = {
    "slice": lambda c: c[1:],
    "list of places": lambda c: c[[0, 1]],
    "sum": lambda c: c + np.arange(3),
    "sum on the right": lambda c: np.arange(3) + c,
    "np.add": lambda c: np.add(1, c),
    "share": lambda c: c / 4,
    "comparison": lambda c: c > 1,
    "running sum": lambda c: np.cumsum(c),
    "differences": lambda c: np.diff(c),
    "clipped": lambda c: np.clip(c, 0, 1),
    "rows": lambda c: c.reshape(1, 3),
    "sums of rows": lambda c: c.reshape(1, 3).sum(axis=0),
    "another dtype": lambda c: c.astype(np.int32),
    "concatenation": lambda c: np.concatenate([c, c]),
    "concatenation with others": lambda c: np.concatenate([np.arange(3), c]),
    "stack": lambda c: np.stack([np.arange(3), c]),
    "copy": lambda c: c.copy(),
    "deep copy": copy.deepcopy,
    "pickle": lambda c: pickle.loads(pickle.dumps(c)),
}


def test_what_is_computed_is_marked():
    counts = exact.histogram(X, 3)[0]
    for name, way in COMPUTED.items():
        marked, bare = way(counts), way(np.asarray(counts))
        assert (type(marked), type(bare)) == (DataBinCounts, np.ndarray), name
        assert (marked.dtype, marked.tolist()) == (bare.dtype, bare.tolist()), name
        assert (repr(marked), str(marked)) == (repr(bare), str(bare)), name


def test_the_mark_is_dropped_by_who_asks():
    counts = exact.histogram(X, 3)[0]
    for way in (np.asarray, np.array, lambda c: c.view(np.ndarray), lambda c: np.pad(c, 1)):
        assert type(way(counts)) is np.ndarray
    assert np.shares_memory(np.asarray(counts), counts)


def test_numbers_are_those_of_any_array():
    counts = exact.histogramdd([X, X], 3)[0]
    for number in (counts.sum(), counts.max(), np.sum(counts), counts[0, 0], counts.mean()):
        assert isinstance(number, np.generic)
        assert np.ndim(number) == 0
    assert counts.sum() == 4
    assert isinstance(counts.any(), np.bool)
    assert counts.tolist() == [[3, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert pd.Series(exact.histogram(X, 3)[0]).sum() == 4
    counts[0, 0] += 1
    assert counts.sum() == 5
