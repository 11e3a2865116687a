# SPDX-License-Identifier: MIT
"""What tests of exact.histogram share: numpy's answer, and numbers around edges."""

import warnings

import numpy as np

from cydp import exact

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
BOTH_SIGNS = np.concatenate([-np.geomspace(1e6, 1e-6, 50), np.geomspace(1e-6, 1e6, 50)])


def numpy_histogram(x, bins, range=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of bool
        x = np.array(x)  # numpy 2.0 crashes on unaligned data, and now and then on swapped bytes
        return np.histogram(x.astype(x.dtype.newbyteorder("=")), bins, range)


def check(x, bins, range=None):
    """Demand numpy's counts and edges, in values and dtypes."""
    counts, edges = exact.histogram(x, bins, range)
    numpy_counts, numpy_edges = numpy_histogram(x, bins, range)
    assert counts.dtype == np.int64
    assert edges.dtype == numpy_edges.dtype
    np.testing.assert_array_equal(edges, numpy_edges)
    np.testing.assert_array_equal(counts, numpy_counts)
    return counts


def around(edges, dtype):
    """Every edge, its neighbours, the middles, and what is special."""
    edges = np.asarray(edges).astype(dtype)
    with np.errstate(all="ignore"):
        near = [edges, edges[:-1] / 2 + edges[1:] / 2]
        near += [np.nextafter(edges, dtype(-np.inf)), np.nextafter(edges, dtype(np.inf))]
    special = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0]
    limits = [np.finfo(dtype).max, np.finfo(dtype).min, np.finfo(dtype).smallest_subnormal]
    return np.concatenate([*near, np.array(special + limits, dtype)]).astype(dtype)
