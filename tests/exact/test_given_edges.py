# SPDX-License-Identifier: MIT
"""exact.histogram in edges that are given: numpy's answer, for few rows and for many."""

import numpy as np
import pytest
from exact.numpys_histogram import BOTH_SIGNS, FLOATS, INTEGERS, around, check, fixed
from hypothesis import given
from hypothesis import strategies as st

from cydp import exact


@pytest.mark.parametrize("edges_dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("dtype", ["bool", *FLOATS, *INTEGERS])
@pytest.mark.parametrize(
    "edges", [[0, 1, 3, 7, 100], [0, 10, 20, 30], [3, 3], [0, 0, 1, 1, 1, 2, 2], [5, 90]], ids=str
)
def test_given_edges(edges, edges_dtype, dtype):
    limits = np.finfo(dtype) if dtype in FLOATS else np.iinfo(dtype) if dtype != "bool" else None
    ends = [] if limits is None else [limits.min, limits.max]
    x = np.concatenate([np.linspace(0, 120, 241).astype(dtype), np.array(ends, dtype)])
    check(x, np.array(edges, edges_dtype))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
@pytest.mark.parametrize(
    "edges",
    [
        [2**53, 2**53 + 1, 2**53 + 2, 2**60],
        [2**53, 2**53 + 2, 2**53 + 4, 2**53 + 6],
        np.array([2**53, 2**53 + 1, 2**63, 2**64 - 1], np.uint64),
        [-(2**63), 0, 2**63 - 1],
        [-np.inf, 0, np.inf],
        [-np.inf, -np.inf],
        [0, 2.0**63, np.inf],
        [-0.0, 0.0, 5e-324, 1],
    ],
    ids=str,
)
def test_large_and_infinite_edges(edges, dtype):
    integers = [0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 2**60, 2**63 - 1]
    x = {
        "int64": np.array([*integers, -1, -(2**63)], "int64"),
        "uint64": np.array([*integers, 2**63, 2**64 - 1], "uint64"),
        "float64": around(np.array(integers, float), np.float64),
    }[dtype]
    check(x, edges)


def test_kinds_of_edges():
    x = [0.5, 1, 2, 3, 10]
    for edges in ([0, 1, 3], (0, 1, 3), range(4), np.arange(8)[::2], np.array([0, 2, 3], ">f4")):
        check(x, edges)
    check(x, [0, 1, 3], (5, 6))  # numpy ignores the range too


def test_edges_are_a_copy():
    given_edges = np.array([0.0, 1, 5])
    edges = exact.histogram([0.5], given_edges)[1]
    edges[0] = 9
    assert given_edges[0] == 0


@fixed
@given(
    st.lists(st.floats(allow_nan=False), min_size=2, max_size=40),
    st.lists(st.floats(), max_size=40),
    st.integers(0, 3),
)
def test_any_given_edges(edges, x, repeats):
    edges = np.sort(np.repeat(edges, 1 + repeats))
    x = np.concatenate([x, around(edges[np.isfinite(edges)], np.float64)])
    check(x, edges)


@fixed
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=40),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
)
def test_any_given_integer_edges(edges, x):
    edges = np.sort(np.array(edges, np.int64))
    check(np.concatenate([np.array(x, np.int64), edges]), edges)


CLUSTERS = [1 + 2.0**-52 * np.arange(40), 1e10 + np.arange(40) / 64, 1e300 * np.arange(1, 20)]
UNEVEN = {
    "powers": np.geomspace(1e-3, 1e6, 101),
    "both signs": BOTH_SIGNS,
    "clusters": np.concatenate(CLUSTERS),
    "random": np.sort(np.random.default_rng(5).random(101)),
    "normal": np.sort(np.random.default_rng(6).normal(size=5000)),
    "repeated": np.repeat(np.arange(20.0), 5),
    "twice": np.repeat(np.sort(np.random.default_rng(7).random(50)), 2),
    "subnormal": np.cumsum(np.arange(60)) * 5e-324,
    "infinite": np.array([-np.inf, -np.inf, -1, 0.3, 2, 7, np.inf, np.inf]),
    "huge": np.array([-1.7e308, -1e308, 0, 5, 1e308, 1.7e308]),
    "integers": np.array([0, 1, 2, 4, 5, 9, 10, 11, 30]),
    "odd steps": np.arange(0, 1.01, 0.01),
    "float32": np.linspace(0, 1, 101, dtype=np.float32),
}


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64"])
@pytest.mark.parametrize("name", UNEVEN)
def test_uneven_edges(name, dtype):
    edges = UNEVEN[name]
    x = around(edges, np.float64)
    x = np.concatenate([x, np.random.default_rng(8).permutation(x)])
    with np.errstate(all="ignore"):
        x = x.astype(dtype) if dtype in FLOATS else np.nan_to_num(x).clip(-1e9, 1e9).astype(dtype)
    assert check(x, edges).sum() > 0 or dtype != "float64"


# Rows so many that they are counted by cells

GIVEN = {
    "irregular": np.cumsum(np.random.default_rng(1).uniform(0.1, 2, 101)),
    "powers": np.logspace(-3, 3, 101),
    "both signs": np.concatenate([-np.logspace(9, -9, 50), [-0.0], np.logspace(-9, 9, 50)]),
    "repeated": np.repeat([-1.5, 0.0, 2.0, 2.0 + 2**-51, 1e300], 3),
    "subnormal": np.arange(100) ** 2 * 5e-324,
    "clusters": np.sort(np.concatenate([1 + np.arange(60) * 2**-52, np.logspace(0, 300, 60)])),
    "infinite": np.array([-np.inf, -3.7, 0.0, 1.1, 2.5, np.inf]),
    "254 bins": np.arange(255) ** 1.5,
    "255 bins": np.arange(256) ** 1.5,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("share", [1.0, 0.3, 0.01])  # of rows on edges and next to them
def test_many_rows_in_given_edges(kind, dtype, share):
    edges = GIVEN[kind]
    if dtype != "float64" and np.isfinite(edges).all():
        edges = np.clip(edges, np.finfo(dtype).min, np.finfo(dtype).max)
    rng = np.random.default_rng(2)
    near = rng.choice(around(edges, np.dtype(dtype).type), 20_011)
    with np.errstate(all="ignore"):
        elsewhere = (rng.standard_cauchy(20_011) * 10).astype(dtype)
    x = np.where(rng.random(20_011) < share, near, elsewhere)
    counts = check(x, edges)
    pieces = [exact.histogram(x[i : i + 1000], edges)[0] for i in range(0, len(x), 1000)]
    assert np.array_equal(counts, np.sum(pieces, axis=0))  # of few rows: without cells


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_many_integers_in_given_edges(dtype):
    rng = np.random.default_rng(3)
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, 20_011, dtype, endpoint=True)
    x[::2] = rng.integers(0, 100, len(x[::2]))
    check(x, np.sort(rng.choice(x, 101)))
    check(x, np.array([0, 1, 2, 5, 10, 20, 50, 99, 100]))
    check(x, np.array([0, 0.5, 1, 2, 5, 10.25, 20, 50, 99, 100]))
