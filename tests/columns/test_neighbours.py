"""Neighbouring tables: one record changes its own part of an aggregate and nothing else."""

import itertools
from collections import UserList
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import exact
from cydp.exact import GroupedAccumulator, HistogramAccumulator

# What the same records become in the hands of each library; many infer a dtype from them.
UNDECLARED: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "sequence": UserList,
    "objects": lambda x: np.array(x, object),
    "pandas objects": lambda x: pd.Series(x, dtype=object),
    "pandas frame of objects": lambda x: pd.DataFrame({"x": pd.Series(x, dtype=object)}),
}


def nullable(x: list[Any]) -> Any:
    """Return a Series of Int64 if all are whole, else of Float64; how, may warn in pandas."""
    with np.errstate(invalid="ignore"):
        return pd.Series(x, dtype=float).convert_dtypes()


INFERRED: dict[str, Callable[[list[Any]], Any]] = {
    "numpy": lambda x: np.array([np.nan if entry is None else entry for entry in x]),
    "numpy masked": lambda x: np.ma.array(
        np.array([0 if entry is None else entry for entry in x]),
        mask=[entry is None for entry in x],
    ),
    "pandas": lambda x: pd.Series(x, dtype=None if x else float),
    "pandas frame": lambda x: pd.DataFrame({"x": pd.Series(x, dtype=None if x else float)}),
    "pandas nullable": nullable,
    "pandas category": lambda x: pd.Series(x, dtype=float).astype("category"),
    "polars": lambda x: pl.Series(x, strict=False),
    "polars frame": lambda x: pl.DataFrame({"x": pl.Series(x, strict=False)}),
    "pyarrow": pa.array,
    "pyarrow table": lambda x: pa.table({"x": pa.array(x)}),
    "DuckDB": lambda x: duckdb.from_arrow(pa.table({"x": pa.array(x)})),
}
SHAPES = UNDECLARED | INFERRED

TABLE: list[Any] = [10, 20, 7, 3]
NEIGHBOURS: list[list[Any]] = [
    *([*TABLE, one] for one in (12.5, 12, None, -3.0, 1e300, float("inf"), float("nan"))),
    [12.5, *TABLE],
    [None, *TABLE],
    TABLE[1:],
    TABLE[:-1],
]
SMALL: list[list[Any]] = [[], [3], [None], [2.5], [float("nan")], [3, None]]
GRIDS = [((0, 15), None), ((-4, 9), None), ((2, 5), 0.5)]


def sums_of(
    shape: Callable[[list[Any]], Any], x: list[Any], bounds: Any, step: Any
) -> list[exact.GridSum]:
    """Every sum there is of a table; of groups, all of them one."""
    codes = np.zeros(len(x), int)
    steps = None if step is None else {"x": step}
    grouped = GroupedAccumulator(1, {"x": bounds}, step=steps).update(codes, x=shape(x))
    return [
        exact.clamped_sum(shape(x), bounds, step=step),
        *exact.clamped_sum_and_squares(shape(x), bounds, step=step),
        exact.grouped_clamped_sum(codes, shape(x), 1, bounds, step=step),
        grouped.sums["x"],
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_the_stated_sensitivity_holds_between_neighbours(name: str) -> None:
    """One record that is fractional, missing, first or last changes neither grid nor the rest."""
    shape, place = SHAPES[name], list(SHAPES).index(name)
    pairs = [(TABLE, other) for other in NEIGHBOURS]
    pairs += [(x, y) for x, y in itertools.permutations(SMALL, 2) if abs(len(x) - len(y)) == 1]
    # A list takes all grids, and every other shape one of them.
    for grid in GRIDS if name == "list" else GRIDS[place % 3 :][:1]:
        for x, y in pairs:
            for one, other in zip(sums_of(shape, x, *grid), sums_of(shape, y, *grid), strict=True):
                described = [(s.step, s.bounds, s.sensitivity()) for s in (one, other)]
                assert described[0] == described[1], (x, y)
                most = one.sensitivity() / one.step
                assert np.abs(np.subtract(one.units, other.units)) <= most, (x, y)


# Beside a float, numpy and pandas would round the integers among these.
EXTREME = [2**54 + 9, 2**63, -1, 2**64 + 2**12 + 1, 0.5, Fraction(1, 3), Decimal("1e30"), None,
           float("inf"), -(10**400), float("nan"), np.float32(0.1), np.uint64(2**63 + 2**11 + 1),
           True, 3]  # fmt: skip


@pytest.mark.parametrize("name", UNDECLARED)
def test_each_entry_of_a_list_is_rounded_by_itself(name: str) -> None:
    shape, place = UNDECLARED[name], list(UNDECLARED).index(name)
    grids = [((-(2**60), 2**66), 2**16), ((-5, 2**55), 16), ((-(2**60), 2**80), None)]
    for bounds, step in grids if name == "list" else grids[place % 3 :][:1]:
        alone = [exact.clamped_sum(shape([one]), bounds, step=step).units for one in EXTREME]
        for i, j in itertools.combinations(range(len(EXTREME)), 2):
            for pair in ((i, j), (j, i)) if name == "list" else ((i, j),):
                found = exact.clamped_sum(shape([EXTREME[k] for k in pair]), bounds, step=step)
                assert found.units == alone[i] + alone[j], pair
        assert exact.clamped_sum(shape(EXTREME), bounds, step=step).units == sum(alone)


def test_a_list_is_rounded_exactly() -> None:
    """2**54 + 9 lies above the middle of two multiples of 16; the float next to it does not."""
    for beside in ([], [0.5], [None], [Fraction(1, 3)]):
        assert exact.clamped_sum([2**54 + 9, *beside], (0, 2**55), step=16).units == 2**50 + 1


@pytest.mark.parametrize("name", UNDECLARED)
def test_codes_are_told_by_the_types_of_entries(name: str) -> None:
    """Which codes are in a list, missing or however large, decides about no error."""
    shape = UNDECLARED[name]
    integers = [0, 1, 2**63, -(2**70), 2**64, None, np.int8(1), True]
    for n in range(len(integers) + 1):
        for codes in (integers[:n], integers[n:]):
            counts = [sum(code is not None and code == group for code in codes) for group in (0, 1)]
            ones = np.ones(len(codes))
            summed = exact.grouped_clamped_sum(shape(codes), ones, 2, (0, 1), step=1)
            assert summed.units.tolist() == counts
            total = GroupedAccumulator(2).update(shape(codes))
            assert total.counts.tolist() == counts
            counter = HistogramAccumulator([0, 1, 2], dtype="int64").update(shape(codes))
            assert counter.counts.tolist() == counts
    for bad in ([0.5], [float("nan")], [0, 1.0], [None, float("nan")]):
        with pytest.raises(TypeError, match="float"):
            exact.grouped_clamped_sum(shape(bad), np.ones(len(bad)), 2, (0, 1))


def test_whether_all_are_missing_decides_about_no_error() -> None:
    """A dtype is refused by itself, not by what it holds."""
    missing = [np.ma.masked_all(2), np.full(2, np.nan), pa.array([None, None], pa.float32()),
               pl.Series([None], dtype=pl.Float64), pd.Series([None], dtype="Float64")]  # fmt: skip
    for x in (*missing, np.array([]), pl.Series([], dtype=pl.Float64), pd.Series([], dtype=float)):
        with pytest.raises(TypeError, match="codes"):
            exact.grouped_clamped_sum(x, np.zeros(len(x)), 1, (0, 1))
        with pytest.raises(TypeError, match="codes"):
            exact.bincount(x)
        with pytest.raises(TypeError, match="int64"):
            HistogramAccumulator(2, (0, 2), dtype="int64").update(x)
    for x in (pa.nulls(2), pl.Series([None, None]), duckdb.sql("select null as a from range(2)")):
        assert exact.grouped_clamped_sum(x, [1, 1], 1, (0, 1)).units.tolist() == [0]
        assert exact.bincount(x).tolist() == []
        assert HistogramAccumulator(2, (0, 2), dtype="int64").update(x).counts.tolist() == [0, 0]
        assert exact.match_keys(x, [1]).tolist() == exact.match_keys(x, ["a"]).tolist() == [1, 1]


def test_releases_of_neighbours_differ_by_a_record() -> None:
    shapes = [name for name in SHAPES if "objects" not in name]
    bins_and_ends = [(4, (0, 16)), ([0, 8, 12, 13, 30], None), ([0, 2**53, 2**60], None)]
    for name, (bins, ends) in itertools.product(shapes, bins_and_ends):
        plain = cydp.histogram(SHAPES[name](TABLE), bins, ends, epsilon=1000)
        for neighbour in NEIGHBOURS:
            other = cydp.histogram(SHAPES[name](neighbour), bins, ends, epsilon=1000)
            assert np.abs(plain.counts - other.counts).sum() <= 1, (name, neighbour)
            assert (other.counts.dtype, other.edges.dtype) == (np.int64, plain.edges.dtype)
            assert other.edges.tolist() == plain.edges.tolist()
            assert other.mechanism == plain.mechanism


def test_a_list_is_counted_as_floats_whatever_stands_in_it() -> None:
    """A fractional record moves no other across an edge that float64 does not tell from it."""
    edges = [2**53, 2**53 + 1, 2**53 + 2]
    for beside in ([], [0.5], [None], [10**400], [2**64]):
        release = cydp.histogram([2**53 + 1, *beside], edges, epsilon=1000)
        accumulated = HistogramAccumulator(edges).update([2**53 + 1, *beside])
        assert release.counts.tolist() == accumulated.counts.tolist() == [0, 1]
        narrow = HistogramAccumulator([0, 2**24 + 1, 2**25], dtype="float32")
        assert narrow.update([2**24 + 1, *beside]).counts[0] == 1 + (0.5 in beside)
