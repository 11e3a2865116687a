# SPDX-License-Identifier: MIT
"""exact/_sorted_units.py: the units that clamped_sum adds, sorted, whole and by group."""

import itertools
import math
import random
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact.grid_sums import specials, units_of
from exact.layouts import layouts
from exact.numpys_histogram import FLOATS, INTEGERS
from numpy.typing import NDArray

from cydp._columns.reading import read_exact_numbers
from cydp.exact._grid import Grid, public_grid
from cydp.exact._sorted_units import SortedUnits, sort_groups, sort_units

Array = NDArray[Any]

GRIDS: list[Any] = [
    (0, 1, None), (-3, 5, 1), (-3, 5, 0.5), (1, 4, 0.25), (-4, -2, 4), (0, 10**6, None),
    (-(2**40), 2**40, None), (-(2**63), 2**64, None), (2.5, 2.5, 1), (-(2**70), 2**80, 2**63),
    (-(2**70), 2**120, 2**70), (0, 0, None), (Fraction(1, 3), Fraction(77, 10), None),
    (-1, 1, 2.0**-51), (2**50, 2**51, 1), (-(2**52), 2**52, 2), (0, 2**31, 1), (0, 2**31 - 1, 1),
]  # fmt: skip


def expected(values: list[Any], grid: Grid) -> list[int]:
    """Return the units of what is a number, sorted, by rational arithmetic."""
    lower, upper = grid.bounds
    numbers = [v for v in values if v is not None and v == v]
    return sorted(units_of(v, lower, upper, grid.step) for v in numbers)


def check(x: Any, grid: Grid) -> SortedUnits:
    values = read_exact_numbers(x)
    found = sort_units(values, grid)
    assert found.units.tolist() == expected(np.ma.asarray(values).ravel().tolist(), grid)
    assert found.offsets.tolist() == [0, len(found.units)]
    return found


def test_each_dtype_is_rounded_exactly() -> None:
    grids = [public_grid((lower, upper), step) for lower, upper, step in GRIDS]
    for dtype, grid in itertools.product(["bool", *FLOATS, *INTEGERS], grids):
        found = check(specials(dtype), grid)
        fits = grid.lowest >= -(2**31) and grid.highest < 2**31
        assert found.units.dtype == (np.int32 if fits else np.int64)


def test_what_is_missing_is_dropped() -> None:
    grid = Grid(0, 2, 9)  # 0 is outside
    x = np.ma.array([1.0, 50.0, 4.0, np.nan, -np.inf, np.inf], mask=[0, 1, 0, 0, 0, 0])
    assert check(x, grid).units.tolist() == [2, 2, 4, 9]
    assert check([1, None, 4, math.nan], grid).units.tolist() == [2, 4]
    assert check([None, math.nan], grid).units.tolist() == []
    assert check([], grid).units.tolist() == []
    large = Grid(0, 0, 2**51)
    assert check([2**51 - 1, 2**53 + 1, 0.5, None], large).units.tolist() == [0, 2**51 - 1, 2**51]


def test_each_layout_gives_the_same() -> None:
    x, grid = np.random.default_rng(1).integers(0, 200, (30, 20)).astype(float), Grid(-1, 3, 300)
    units = check(x, grid).units.tolist()
    for layout in (*layouts(x), x[::-1, ::-1], np.ma.array(x), x.astype(np.int16)):
        assert sort_units(layout, grid).units.tolist() == units


def test_a_signalling_nan_is_missing_and_warns_of_nothing() -> None:
    bits = np.array([0x7FF0000000000001, 0x4000000000000000], np.uint64).view(np.float64)
    narrow = np.array([0x7F800001, 0x40000000], np.uint32).view(np.float32)
    codes = np.zeros(2, np.uint32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (bits, narrow):
            assert sort_units(x, Grid(0, 0, 9)).units.tolist() == [2]
            assert sort_groups(codes, x, 1, Grid(0, 0, 9)).units.tolist() == [2]


def test_long_columns_are_sorted() -> None:
    """By numpy, or by an odd or even number of digits."""
    for size in (4095, 4096, 70_000):
        rng = np.random.default_rng(size)
        x = rng.normal(size=size)
        x[rng.random(size) < 0.1] = np.nan
        for grid in (Grid(-20, -(2**21), 2**21), Grid(-44, -(2**46), 2**45), Grid(3, 0, 0)):
            found = sort_units(x, grid)
            units = np.clip(np.rint(np.ldexp(x[x == x], -grid.exponent)), grid.lowest, grid.highest)
            assert np.array_equal(found.units, np.sort(units))


# Groups -----------------------------------------------------------------------------------------


def check_groups(codes: Array, x: Array, n_groups: int, grid: Grid) -> SortedUnits:
    found = sort_groups(codes, x, n_groups, grid)
    groups: list[list[Any]] = [[] for _ in range(n_groups)]
    pairs = np.ma.asarray(codes).ravel().tolist(), np.ma.asarray(x).ravel().tolist()
    for code, value in zip(*pairs, strict=True):
        if code is not None and code < n_groups:
            groups[code].append(value)
    assert found.offsets.dtype == np.int64
    assert found.offsets[0] == 0
    assert len(found.offsets) == n_groups + 1
    ends = found.offsets.tolist()
    for group, (values, first, end) in enumerate(zip(groups, ends, ends[1:], strict=False)):
        assert found.units[first:end].tolist() == expected(values, grid), group
    assert ends[-1] == len(found.units)
    return found


def test_groups_of_each_dtype() -> None:
    grids = [Grid(0, -3, 9), Grid(-20, -(2**29), 2**29), Grid(-44, -(2**51), 2**51), Grid(0, 7, 7)]
    dtypes = ["float64", "float32", "int64", "uint64", "int32", "bool"]
    for number, (dtype, grid) in enumerate(itertools.product(dtypes, grids)):
        rng = np.random.default_rng(1)
        x, n_groups = rng.choice(specials(dtype), 500), (0, 1, 7, 300, 8)[number % 5]
        codes = rng.integers(0, n_groups + 3, x.size).astype(np.uint32)
        check_groups(codes, x, n_groups, grid)
        masks = rng.random((2, x.size)) < 0.2
        masked = np.ma.array(codes, mask=masks[0]), np.ma.array(x, mask=masks[1])
        check_groups(*masked, n_groups, grid)


@pytest.mark.parametrize(
    ("n_groups", "n", "grid"),
    [(groups, 6000, Grid(-40, -(2**51), 2**51)) for groups in (2**12 - 1, 2**14, 2**20)]
    + [(1000, 150_000, Grid(-10, -2048, 2048))],
    ids=["12 bits", "14 bits", "20 bits", "blocks"],
)
def test_groups_and_grids_that_no_key_of_64_bits_holds(n_groups: int, n: int, grid: Grid) -> None:
    """And, of a narrow grid, blocks of many rows."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, n_groups + n_groups // 10, n).astype(np.uint32)
    codes[:9] = [0, n_groups - 1, 2**32 - 1] * 3
    codes[9:3000] //= 2000
    x = rng.normal(size=n) * 3000
    x[::50] = np.nan
    found = sort_groups(codes, x, n_groups, grid)
    kept = (codes < n_groups) & ~np.isnan(x)
    units = np.clip(np.rint(np.ldexp(x[kept], -grid.exponent)), grid.lowest, grid.highest)
    assert np.array_equal(found.units, units[np.lexsort((units, codes[kept]))])
    counts = np.bincount(codes[kept], minlength=n_groups)
    assert np.array_equal(found.offsets[1:], np.cumsum(counts))


def test_any_order_of_the_rows_gives_the_same() -> None:
    rng, codes, x = random.Random(4), np.arange(500, dtype=np.uint32) % 7, np.arange(500) / 9
    whole = sort_groups(codes, x, 7, Grid(-3, 0, 300))
    for _ in range(20):
        order = rng.sample(range(500), 500)
        found = sort_groups(codes[order], x[order], 7, Grid(-3, 0, 300))
        assert np.array_equal(found.units, whole.units)
        assert np.array_equal(found.offsets, whole.offsets)
