# SPDX-License-Identifier: MIT
"""Sorted columns of numbers on a grid, whole or by group, from which quantiles are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._columns.blocks import BLOCK_ROWS
from cydp.exact._grid import Array, Grid, check_shapes, split_numbers, split_pairs

__all__ = ["SortedUnits", "group_blocks", "round_units", "sort_groups", "sort_units"]

_SORTED_BY_NUMPY = 2**12  # numbers below which numpy's sort is faster


@dataclass(frozen=True, slots=True, repr=False, eq=False)  # a repr would show records
class SortedUnits:
    """The units of a column, sorted in each group. NOT private.

    Attributes
    ----------
    grid : Grid
        The grid that the numbers were rounded and clamped to.
    units : ndarray of int32 if the grid's units fit, else of int64
    offsets : ndarray of int64, shape (n_groups + 1,)
        Where groups begin; the last one is where the last group ends.

    """

    grid: Grid
    units: NDArray[Any]
    offsets: NDArray[np.int64]

    def padded(self, lowest: int, highest: int) -> SortedUnits:
        """Return one group with so many copies of the grid's lowest and highest units beside it."""
        if not lowest and not highest:
            return self
        kind = self.units.dtype
        ends = np.full(lowest, self.grid.lowest, kind), np.full(highest, self.grid.highest, kind)
        units = np.concatenate([ends[0], self.units, ends[1]])
        return SortedUnits(self.grid, units, np.array([0, len(units)], np.int64))

    def of_groups(self, groups: NDArray[np.int64]) -> SortedUnits:
        """Return the units of some groups; the groups' numbers are in order."""
        sizes = np.diff(self.offsets)
        stays = np.zeros(len(sizes), np.bool_)
        stays[groups] = True
        offsets = np.cumsum(np.append(0, sizes[groups]))
        return SortedUnits(self.grid, self.units[np.repeat(stays, sizes)], offsets)


def sort_units(values: Array, grid: Grid) -> SortedUnits:
    """Round and clamp numbers to a grid, as `clamped_sum` does, and sort them.

    Parameters
    ----------
    values : ndarray
        As `read_exact_numbers` returns it, of any shape. NaN and masked entries are dropped.
    grid : Grid
        From public parameters.

    Returns
    -------
    SortedUnits
        With one group.

    Examples
    --------
    >>> sort_units(np.array([2.75, np.nan, -np.inf, 1]), Grid(-1, 0, 20)).units
    array([0, 2, 6], dtype=int32)

    """
    kept = round_units(values, grid)
    _sort(kept, grid.lowest, grid.highest)
    return SortedUnits(grid, kept, np.array([0, len(kept)], np.int64))


def round_units(values: Array, grid: Grid) -> NDArray[Any]:
    """Return the units of numbers as `sort_units` rounds them, in the order given. NOT private.

    >>> round_units(np.array([2.75, np.nan, -np.inf, 1]), Grid(-1, 0, 20))
    array([6, 0, 2], dtype=int32)
    """
    units = np.empty(values.size, _dtype_of(grid))
    end = 0
    for rows, clamping in split_numbers(values, grid):
        end = _core.grid_units(rows, *clamping, units, end)
    return units[:end]


def sort_groups(codes: NDArray[np.uint32], values: Array, n_groups: int, grid: Grid) -> SortedUnits:
    """Sort the numbers of each group as `sort_units` does.

    Parameters
    ----------
    codes : ndarray of uint32, the shape of values
        The group of each number. Rows with a masked code, or with one of n_groups or more, are
        left out.
    values, grid
        As in `sort_units`.
    n_groups : int
        Less than 2**32 - 2.

    Returns
    -------
    SortedUnits

    Raises
    ------
    ValueError
        If codes and values have different shapes.

    Examples
    --------
    >>> groups = sort_groups(np.array([1, 0, 1], np.uint32), np.array([5, 9, 4]), 2, Grid(0, 0, 9))
    >>> groups.units, groups.offsets
    (array([9, 4, 5], dtype=int32), array([0, 1, 3]))

    """
    check_shapes(codes, values, "x")
    bits = (grid.highest - grid.lowest).bit_length()
    if bits + n_groups.bit_length() > 63:
        return _sort_wide_groups(codes, values, n_groups, grid)
    # Group and unit make one integer: sorting these is several times as fast as sorting twice.
    keys, end = np.empty(values.size, np.int64), 0
    for code_rows, unit_rows in group_blocks(codes, values, n_groups, grid):
        block = keys[end : end + len(unit_rows)]
        np.left_shift(code_rows, bits, out=block, dtype=np.int64)
        block += unit_rows
        block -= grid.lowest
        end += len(unit_rows)
    keys = keys[:end]
    _sort(keys, 0, (n_groups << bits) - 1)
    groups = np.empty(end, np.uint32)
    for first in range(0, end, BLOCK_ROWS):
        groups[first : first + BLOCK_ROWS] = keys[first : first + BLOCK_ROWS] >> bits
    offsets = _offsets_of(groups, n_groups)
    keys &= (1 << bits) - 1
    keys += grid.lowest
    return SortedUnits(grid, keys.astype(_dtype_of(grid), copy=False), offsets)


def _sort_wide_groups(
    codes: NDArray[np.uint32], values: Array, n_groups: int, grid: Grid
) -> SortedUnits:
    groups, units, end = np.empty(values.size, np.uint32), np.empty(values.size, np.int64), 0
    for code_rows, unit_rows in group_blocks(codes, values, n_groups, grid):
        groups[end : end + len(unit_rows)] = code_rows
        units[end : end + len(unit_rows)] = unit_rows
        end += len(unit_rows)
    order = np.lexsort((units[:end], groups[:end]))
    return SortedUnits(grid, units[order], _offsets_of(groups[:end], n_groups))


def _sort(units: NDArray[Any], lowest: int, highest: int) -> None:
    if units.size < _SORTED_BY_NUMPY:
        units.sort()
    else:
        _core.sort_units(units, lowest, highest)


def _dtype_of(grid: Grid) -> np.dtype[Any]:
    ends = np.iinfo(np.int32)
    fits = ends.min <= grid.lowest and grid.highest <= ends.max
    return np.dtype(np.int32 if fits else np.int64)


def _offsets_of(groups: NDArray[np.uint32], n_groups: int) -> NDArray[np.int64]:
    offsets = np.zeros(n_groups + 1, np.int64)
    if n_groups:
        _core.bincount(groups, offsets[1:], _threads.threads_for(len(groups)))
    return np.cumsum(offsets, out=offsets)


def group_blocks(
    codes: NDArray[np.uint32], values: Array, n_groups: int, grid: Grid
) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.int64]]]:
    """Yield the codes below n_groups and their units, in steps of the grid.

    Rows of NaN and masked ones are left out. Each block overwrites the one before it.
    """
    units = np.empty(min(values.size, BLOCK_ROWS), np.int64)
    for code_rows, rows, clamping in split_pairs(codes, values, grid):
        for first in range(0, len(rows), BLOCK_ROWS):
            block = slice(first, first + BLOCK_ROWS)
            yield _round_present(code_rows[block], rows[block], n_groups, clamping, units)


def _round_present(
    codes: NDArray[np.uint32],
    rows: Array,
    n_groups: int,
    clamping: tuple[int, int, int],
    units: NDArray[np.int64],
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    inside = codes < n_groups
    codes, rows = codes[inside], rows[inside]  # copies, in which another thread writes no NaN
    if rows.dtype.kind == "f":
        present = ~np.isnan(rows)
        if not present.all():
            codes, rows = codes[present], rows[present]
    return codes, units[: _core.grid_units(rows, *clamping, units, 0)]
