# SPDX-License-Identifier: MIT
"""exact.histogram in edges that are given: numpy's answer, for few rows and for many."""

import itertools

import numpy as np
import pytest
from exact.numpys_histogram import BOTH_SIGNS, FLOATS, INTEGERS, around, check
from hypothesis import given
from hypothesis import strategies as st

from cydp import exact


def test_every_dtype_of_data_and_every_dtype_of_edges() -> None:
    some = ([0, 1, 3, 7, 100], [0, 10, 20, 30], [3, 3], [0, 0, 1, 1, 1, 2, 2], [5, 90])
    kinds = itertools.product(["bool", *FLOATS, *INTEGERS], [*FLOATS, *INTEGERS])
    for number, (dtype, edges_dtype) in enumerate(kinds):
        limits = (
            np.finfo(dtype) if dtype in FLOATS else np.iinfo(dtype) if dtype != "bool" else None
        )
        ends = [] if limits is None else [limits.min, limits.max]
        x = np.concatenate([np.linspace(0, 120, 241).astype(dtype), np.array(ends, dtype)])
        check(x, np.array(some[number % 5], edges_dtype))


LARGE = [
    [2**53, 2**53 + 1, 2**53 + 2, 2**60],
    [2**53, 2**53 + 2, 2**53 + 4, 2**53 + 6],
    np.array([2**53, 2**53 + 1, 2**63, 2**64 - 1], np.uint64),
    [-(2**63), 0, 2**63 - 1],
    [-np.inf, 0, np.inf],
    [-np.inf, -np.inf],
    [0, 2.0**63, np.inf],
    [-0.0, 0.0, 5e-324, 1],
]


def test_large_and_infinite_edges() -> None:
    integers = [0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 2**60, 2**63 - 1]
    for x in (
        np.array([*integers, -1, -(2**63)], "int64"),
        np.array([*integers, 2**63, 2**64 - 1], "uint64"),
        around(np.array(integers, float), np.float64),
    ):
        for edges in LARGE:
            check(x, edges)


def test_kinds_of_edges() -> None:
    x = [0.5, 1, 2, 3, 10]
    for edges in ([0, 1, 3], (0, 1, 3), range(4), np.arange(8)[::2], np.array([0, 2, 3], ">f4")):
        check(x, edges)
    check(x, [0, 1, 3], (5, 6))  # numpy ignores the range too
    given_edges = np.array([0.0, 1, 5])
    exact.histogram([0.5], given_edges)[1][0] = 9
    assert given_edges[0] == 0  # what is returned is a copy


@given(
    st.lists(st.floats(allow_nan=False), min_size=2, max_size=40),
    st.lists(st.floats(), max_size=40),
    st.integers(0, 3),
)
def test_any_given_edges(edges: list[float], x: list[float], repeats: int) -> None:
    ends = np.sort(np.repeat(edges, 1 + repeats))
    check(np.concatenate([x, around(ends[np.isfinite(ends)], np.float64)]), ends)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=40),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
)
def test_any_given_integer_edges(edges: list[int], x: list[int]) -> None:
    ends = np.sort(np.array(edges, np.int64))
    check(np.concatenate([np.array(x, np.int64), ends]), ends)


CLUSTERS = [1 + 2.0**-52 * np.arange(40), 1e10 + np.arange(40) / 64, 1e300 * np.arange(1, 20)]
UNEVEN = {
    "powers": np.geomspace(1e-3, 1e6, 101),
    "both signs": np.insert(BOTH_SIGNS, 50, -0.0),
    "clusters": np.concatenate(CLUSTERS),
    "random": np.sort(np.random.default_rng(5).random(101)),
    "normal": np.sort(np.random.default_rng(6).normal(size=5000)),
    "repeated": np.repeat([-1.5, 0.0, 2.0, 2.0 + 2**-51, 1e300], 3),
    "twice": np.repeat(np.sort(np.random.default_rng(7).random(50)), 2),
    "subnormal": np.cumsum(np.arange(60)) * 5e-324,
    "infinite": np.array([-np.inf, -np.inf, -1, 0.3, 2, 7, np.inf, np.inf]),
    "huge": np.array([-1.7e308, -1e308, 0, 5, 1e308, 1.7e308]),
    "integers": np.array([0, 1, 2, 4, 5, 9, 10, 11, 30]),
    "odd steps": np.arange(0, 1.01, 0.01),
    "254 bins": np.arange(255) ** 1.5,
    "255 bins": np.arange(256) ** 1.5,
    "float32": np.linspace(0, 1, 101, dtype=np.float32),
}


def test_uneven_edges() -> None:
    for edges in UNEVEN.values():
        near = around(edges, np.float64)
        near = np.concatenate([near, np.random.default_rng(8).permutation(near)])
        for dtype in FLOATS:
            with np.errstate(all="ignore"):
                counts = check(near.astype(dtype), edges)
            assert counts.sum() > 0 or dtype != "float64"
        for dtype in ("int32", "int64"):
            check(np.nan_to_num(near).clip(-1e9, 1e9).astype(dtype), edges)


# Rows so many that they are counted by cells


@pytest.mark.parametrize("dtype", FLOATS)
def test_many_rows_in_given_edges(dtype: str) -> None:
    """All rows, some or few of them on edges and next to them: those are compared."""
    for edges, share in itertools.product(UNEVEN.values(), (1.0, 0.01)):
        ends = edges
        if dtype != "float64" and np.isfinite(edges).all():
            ends = np.clip(edges, np.finfo(dtype).min, np.finfo(dtype).max)
        rng = np.random.default_rng(2)
        near = rng.choice(around(ends, np.dtype(dtype).type), 20_011)
        with np.errstate(all="ignore"):
            elsewhere = (rng.standard_cauchy(20_011) * 10).astype(dtype)
        x = np.where(rng.random(20_011) < share, near, elsewhere)
        counts = check(x, ends)
        pieces = [exact.histogram(x[i : i + 1000], ends)[0] for i in range(0, len(x), 1000)]
        assert np.array_equal(counts, np.sum(pieces, axis=0))  # of few rows: without cells


def test_many_integers_in_given_edges() -> None:
    for dtype in ("int8", "int32", "int64", "uint64"):
        rng = np.random.default_rng(3)
        limits = np.iinfo(dtype)
        x = rng.integers(limits.min, limits.max, 20_011, dtype, endpoint=True)
        x[::2] = rng.integers(0, 100, len(x[::2]))
        check(x, np.sort(rng.choice(x, 101)))
        check(x, np.array([0, 1, 2, 5, 10, 20, 50, 99, 100]))
        check(x, np.array([0, 0.5, 1, 2, 5, 10.25, 20, 50, 99, 100]))
