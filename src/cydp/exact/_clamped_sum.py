# SPDX-License-Identifier: MIT
"""Sums of clamped numbers, exact whatever their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.reading import read_exact_numbers, read_group_codes
from cydp._numbers.rational import read_integer
from cydp.exact._grid import (
    Array,
    Grid,
    check_shapes,
    kernel_grid,
    public_grid,
    split_numbers,
    split_pairs,
)
from cydp.exact._grid_sum import GridSum, sum_on_grid

__all__ = [
    "clamped_sum",
    "clamped_sum_and_squares",
    "grouped_clamped_sum",
    "sum_groups",
    "sum_units",
    "sum_units_and_squares",
]

_MOST_SQUARED = 2**31  # units: their squares fit 62 bits


@explain_arguments
def clamped_sum(x: Column, bounds: Bounds, *, step: Number | None = None) -> GridSum:
    """Sum numbers after clamping them and rounding them to a grid, exactly. NOT private.

    Parameters
    ----------
    x : array_like of real numbers, any shape
        NaN, null and masked entries add nothing. Infinities are clamped.
    bounds : (lower, upper)
        Numbers are clamped to these ends, which must be public. A float means its binary value.
    step : number, optional
        A power of two. Numbers and bounds are rounded to its multiples, ties to even. Default: the
        power of two with max(abs(lower), abs(upper)) / step in (2**28, 2**29], whatever the dtype
        of x is; 1 if both bounds are 0.

    Returns
    -------
    GridSum

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, such as bounds more than 2**51 steps from 0.

    Notes
    -----
    The sum does not depend on the order of the numbers, on the number of threads or on the
    platform.

    Examples
    --------
    >>> clamped_sum([2**53, 1, float("nan")], (0, 2**50)).value
    Fraction(1125899906842624, 1)

    """
    grid = public_grid(bounds, step)
    return sum_on_grid(sum_units(read_exact_numbers(x), grid), grid)


def sum_units(values: Array, grid: Grid) -> int:
    """Return the sum of numbers, in units of the grid."""
    units, (inner, ratio) = 0, kernel_grid(values, grid)
    for rows, clamping in split_numbers(values, inner):
        units += _core.grid_sum(rows, *clamping, _threads.threads_for(len(rows)))
    return units * ratio


@explain_arguments
def clamped_sum_and_squares(
    x: Column, bounds: Bounds, *, step: Number | None = None
) -> tuple[GridSum, GridSum]:
    """Sum numbers, and the squares of the same rounded numbers, exactly. NOT private.

    Parameters
    ----------
    x, bounds, step
        As in `clamped_sum`, but the bounds may be at most 2**31 steps from 0.

    Returns
    -------
    (sum, sum_of_squares) : GridSum, GridSum
        The step of the sum of squares is the square of the step of the sum.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> [float(total.value) for total in clamped_sum_and_squares([0.5, 3, -7], (-1, 2))]
    [1.5, 5.25]

    """
    grid = public_grid(bounds, step)
    if grid.largest > _MOST_SQUARED:
        raise ValueError(
            "bounds must be at most 2**31 steps from 0 for squares: give a larger step"
        )
    units, squares = sum_units_and_squares(read_exact_numbers(x), grid)
    ends = grid.lowest**2, grid.highest**2
    least = 0 if grid.lowest <= 0 <= grid.highest else min(ends)
    squared = Grid(2 * grid.exponent, least, max(ends))
    return sum_on_grid(units, grid), sum_on_grid(squares, squared)


def sum_units_and_squares(values: Array, grid: Grid) -> tuple[int, int]:
    """Return the sum of numbers, and the sum of their squares, in units of the grid."""
    units, squares, (inner, ratio) = 0, 0, kernel_grid(values, grid)
    for rows, clamping in split_numbers(values, inner):
        threads = _threads.threads_for(len(rows))
        more, more_squares = _core.grid_sum_and_squares(rows, *clamping, threads)
        units += more
        squares += more_squares
    return units * ratio, squares * ratio**2


@explain_arguments
def grouped_clamped_sum(
    codes: Column,
    x: Column,
    n_groups: Integer,
    bounds: Bounds,
    *,
    step: Number | None = None,
) -> GridSum:
    """Sum the numbers of each group as `clamped_sum` does. NOT private.

    Parameters
    ----------
    codes : array_like of int, the shape of x
        The group of each number. Rows with a masked code, or with one outside [0, n_groups), are
        left out.
    x : array_like of real numbers
        As in `clamped_sum`.
    n_groups : int
        The number of groups, less than 2**32 - 2.
    bounds, step
        As in `clamped_sum`.

    Returns
    -------
    GridSum
        Its `units` are an array of int64, shape (n_groups,).

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if the sum of a group could reach 2**63 units with this
        number of rows and these bounds.

    Examples
    --------
    >>> grouped_clamped_sum([0, 2, 2, 9], [1, 5, 7, 1], 3, (0, 6), step=1).units
    array([ 1,  0, 11])

    """
    groups = read_integer(n_groups, "n_groups")
    if not 0 <= groups < 2**32 - 2:
        raise ValueError(f"n_groups must be from 0 to 2**32 - 3, not {groups}")
    grid = public_grid(bounds, step)
    group_codes, values = read_group_codes(codes), read_exact_numbers(x)
    check_shapes(group_codes, values, "x")
    if values.size * grid.largest >= 2**63:
        raise ValueError(
            f"step must be larger for this number of rows: with bounds of {grid.largest} steps a "
            "sum could reach 2**63 steps"
        )
    return sum_on_grid(sum_groups(group_codes, values, grid, groups), grid)


def sum_groups(codes: Array, values: Array, grid: Grid, groups: int) -> NDArray[np.int64]:
    """Return the sum of each group, in units of the grid."""
    units, (inner, ratio) = np.zeros(groups, np.int64), kernel_grid(values, grid)
    for code_rows, rows, clamping in split_pairs(codes, values, inner):
        threads = _threads.threads_for(len(rows))
        _core.grid_sum_groups(code_rows, rows, *clamping, threads, units)
    if ratio > 1:
        units *= ratio
    return units
