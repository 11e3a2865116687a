# SPDX-License-Identifier: MIT
"""Sums of clamped numbers, exact whatever the order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.entries import exactly, integers_of, sequence, undeclared
from cydp._columns.numbers import blocks, column, paired_blocks
from cydp._columns.type_names import of_dtype
from cydp._numbers.bounds import read_bounds
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import Exact, as_exact, read_integer
from cydp._numbers.rounding import decimal_above
from cydp._relations import check_relation
from cydp._sensitivity import check_missing, check_norm
from cydp.exact._grid import Grid, public_grid, step_exponent
from cydp.sensitivity import Sensitivity

__all__ = [
    "GridSum",
    "check_shapes",
    "clamped_sum",
    "clamped_sum_and_squares",
    "group_units",
    "grouped_clamped_sum",
    "integer_column",
    "number_column",
    "sum_on_grid",
]

_Array: TypeAlias = NDArray[Any]
_Dtype: TypeAlias = np.dtype[Any]

_BLOCK_ROWS = 65_536  # rows converted at a time
_MOST_SQUARED = 2**31  # units: the squares fit 62 bits
_MOST_SHIFT = 62  # the kernel's for int64
_ROUNDED = 2**53  # from here on not every integer is a float64


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GridSum:
    """An exact sum of numbers that were clamped and rounded to a grid. NOT private.

    `Laplace` and `Gaussian` release it: their noise is added to the exact sum, which becomes a
    float only afterwards.

    Attributes
    ----------
    units : int, or ndarray of int64, shape (n_groups,)
        The sum in steps of the grid.
    step : Fraction
        A power of two.
    bounds : (lower, upper), Fractions
        What one number that is not missing can add to `value`: multiples of the step.

    Raises
    ------
    TypeError, ValueError
        For other units, a step that is no power of two, or bounds that are no pair of its
        multiples.

    """

    units: int | NDArray[np.int64]
    step: Fraction
    bounds: tuple[Fraction, Fraction]

    def __post_init__(self) -> None:
        if isinstance(self.units, np.ndarray):
            if self.units.dtype != np.int64 or self.units.ndim != 1:
                raise TypeError("units must be an int, or an array of int64 of one dimension")
        elif isinstance(self.units, int | np.integer) and not isinstance(self.units, bool):
            object.__setattr__(self, "units", int(self.units))
        else:
            raise TypeError(
                f"units must be an int, or an array of int64, not {type(self.units).__name__}"
            )
        step = as_exact(Fraction(2) ** step_exponent(self.step))
        lower, upper = read_bounds(self.bounds)
        if (lower / step).denominator != 1 or (upper / step).denominator != 1:
            raise ValueError("bounds must be multiples of step")
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "bounds", (lower, upper))

    @property
    def value(self) -> Fraction | _Array:
        """Units * step, exactly; of groups, an object array of Fractions."""
        if isinstance(self.units, int):
            return as_exact(self.units * self.step)
        weight, parts = self.step.numerator, self.step.denominator
        return np.array([Exact(units * weight, parts) for units in self.units.tolist()], object)

    @explain_arguments
    def sensitivity(
        self, *, relation: str = "add-remove", missing: bool = True, norm: int = 1
    ) -> Sensitivity:
        """Return what one record can change in `value`; of groups, in all of them together.

        Parameters
        ----------
        relation : {"add-remove", "change-one"}, default "add-remove"
            Neighbours differ in one record's presence, or in its number and group.
        missing : bool, default True
            Whether a record may be there without a number (NaN, null, masked) or without a group.
            It matters under "change-one" only. False is the caller's promise that no record is.
        norm : {1, 2}, default 1
            L1, for Laplace noise, or L2, for Gaussian noise; of a single sum they are equal.

        Returns
        -------
        Sensitivity
            Of six digits, rounded up, where it is irrational. It carries its relation and its norm
            to the mechanism that it is passed to: only Gaussian ones take an L2 norm.

        Raises
        ------
        TypeError, ValueError
            For another relation, missing or norm.

        Examples
        --------
        >>> clamped_sum([3], (2, 5)).sensitivity(relation="change-one", missing=False)
        Sensitivity(3, relation='change-one')

        """
        check_relation(relation)
        check_missing(missing)
        check_norm(norm)
        lower, upper = self.bounds
        largest = max(abs(lower), abs(upper))
        zero = Fraction(0)
        inside = max(upper, zero) - min(lower, zero) if missing else upper - lower
        if relation == "add-remove":
            return Sensitivity(largest, relation=relation)
        if isinstance(self.units, int) or len(self.units) < 2:
            return Sensitivity(inside, relation=relation)
        # A record leaves one group for another, or changes inside its group.
        if norm == 1:
            return Sensitivity(2 * largest, relation=relation)
        moved = decimal_above(sqrt_bounds(Fraction(2))[1] * largest)
        return Sensitivity(max(moved, inside), relation=relation, norm=2)

    def __repr__(self) -> str:
        if isinstance(self.units, int):
            shown = f"{self.units} units"
        else:
            shown = f"{len(self.units)} groups in units"
        exponent = self.step.numerator.bit_length() - self.step.denominator.bit_length()
        return f"<GridSum: {shown} of 2**{exponent}, exact and NOT private>"


def sum_on_grid(units: int | NDArray[np.int64], grid: Grid) -> GridSum:
    """Return a sum on a grid, whose parts need no check."""
    total = object.__new__(GridSum)
    lower, upper = map(as_exact, grid.bounds)
    parts = {"units": units, "step": as_exact(grid.step), "bounds": (lower, upper)}
    for name, part in parts.items():
        object.__setattr__(total, name, part)
    return total


@explain_arguments
def clamped_sum(x: Column, bounds: Bounds, *, step: Number | None = None) -> GridSum:
    """Sum numbers after clamping them and rounding them to a grid, exactly. NOT private.

    Parameters
    ----------
    x : array_like of real numbers, any shape
        NaN, null and masked entries add nothing; infinities are clamped.
    bounds : (lower, upper)
        Clamping bounds, public. A float means its binary value.
    step : number, optional
        A power of two; numbers are rounded to its multiples, ties to even, and the bounds
        too. Default: the one with max(abs(lower), abs(upper)) / step in (2**28, 2**29],
        whatever the dtype of x is; 1 if both bounds are 0.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, such as bounds more than 2**51 steps from 0.

    Examples
    --------
    >>> clamped_sum([2**53, 1, float("nan")], (0, 2**50)).value
    Fraction(1125899906842624, 1)

    """
    grid = public_grid(bounds, step)
    values = number_column(x)
    units, (inner, weight) = 0, _inner(values, grid)
    for rows, number in _rows(values, inner):
        units += _core.grid_sum(rows, *number, _threads.threads_for(len(rows)))
    return sum_on_grid(units * weight, grid)


@explain_arguments
def clamped_sum_and_squares(
    x: Column, bounds: Bounds, *, step: Number | None = None
) -> tuple[GridSum, GridSum]:
    """Sum numbers, and the squares of the same rounded numbers, exactly. NOT private.

    Parameters
    ----------
    x, bounds, step
        As in `clamped_sum`; the bounds are at most 2**31 steps from 0.

    Returns
    -------
    (sum, sum_of_squares) : GridSum, GridSum
        The step of the second is the square of that of the first.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter.

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
    values = number_column(x)
    units, squares, (inner, weight) = 0, 0, _inner(values, grid)
    for rows, number in _rows(values, inner):
        many = _threads.threads_for(len(rows))
        more, more_squares = _core.grid_sum_and_squares(rows, *number, many)
        units += more
        squares += more_squares
    ends = grid.lowest**2, grid.highest**2
    least = 0 if grid.lowest <= 0 <= grid.highest else min(ends)
    squared = Grid(2 * grid.exponent, least, max(ends))
    return sum_on_grid(units * weight, grid), sum_on_grid(squares * weight**2, squared)


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
        Group of each number; what is masked or outside [0, n_groups) is left out.
    x : array_like of real numbers
        As in `clamped_sum`.
    n_groups : int
        How many groups there are, below 2**32 - 2.
    bounds, step
        As in `clamped_sum`.

    Returns
    -------
    GridSum
        With `units` of int64, shape (n_groups,).

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if so many rows with such bounds could reach 2**63 units.

    Examples
    --------
    >>> grouped_clamped_sum([0, 2, 2, 9], [1, 5, 7, 1], 3, (0, 6), step=1).units
    array([ 1,  0, 11])

    """
    groups = read_integer(n_groups, "n_groups")
    if not 0 <= groups < 2**32 - 2:
        raise ValueError(f"n_groups must be from 0 to 2**32 - 3, not {groups}")
    grid = public_grid(bounds, step)
    keys, values = integer_column(codes), number_column(x)
    check_shapes(keys, values, "x")
    if values.size * grid.largest >= 2**63:
        raise ValueError(
            f"step must be larger for so many rows: with bounds of {grid.largest} steps a sum "
            "could reach 2**63 steps"
        )
    units = group_units(keys, values, grid, groups)
    return sum_on_grid(units, grid)


def check_shapes(keys: _Array, values: _Array, name: str) -> None:
    """Raise a ValueError unless there is a code for each number."""
    if keys.shape != values.shape:
        raise ValueError(
            f"codes and {name} must have the same shape, not {keys.shape} and {values.shape}"
        )


def group_units(keys: _Array, values: _Array, grid: Grid, groups: int) -> NDArray[np.int64]:
    """Return the sums by group of what the numbers are on the grid, in units."""
    units, (inner, weight) = np.zeros(groups, np.int64), _inner(values, grid)
    for key_rows, rows, number in _paired_rows(keys, values, inner):
        many = _threads.threads_for(len(rows))
        _core.grid_sum_groups(key_rows, rows, *number, many, units)
    if weight > 1:
        units *= weight
    return units


def number_column(x: Column, name: str = "x") -> _Array:
    """Return a column of numbers; a list with integers beyond 2**53 may become one of objects.

    Each entry of a list is read by itself: beside a float an integer is as exact as alone.
    """
    x = sequence(x)
    values = column(x, name)
    if values.dtype.kind != "f" or (entries := undeclared(x, name)) is None:
        return values
    with np.errstate(invalid="ignore"):  # a signalling NaN
        large = (np.abs(np.ma.getdata(values)) >= np.float64(_ROUNDED)).any()
    return exactly(entries, name) if large else values


def integer_column(codes: Column) -> _Array:
    """Return a column of integers, by its dtype; of a list, by the types of its entries."""
    codes = sequence(codes)
    keys = column(codes, "codes")
    if keys.dtype.kind in "biu":
        return keys
    if (entries := undeclared(codes, "codes")) is None:
        raise TypeError(f"codes must hold integers, not {of_dtype(keys.dtype)}")
    return integers_of(entries, np.dtype(np.int64), "codes")


# What a kernel needs to read a column: exponent, lowest, highest.
_Number: TypeAlias = tuple[int, int, int]


def _inner(values: _Array, grid: Grid) -> tuple[Grid, int]:
    """Return the grid for the kernel, and how many units of the sum's one of it has."""
    return grid.of_integers() if values.dtype.kind in "biu" else (grid, 1)


def _rows(values: _Array, grid: Grid) -> Iterator[tuple[_Array, _Number]]:
    if values.dtype == object:
        values, grid = grid.units_of(values), replace(grid, exponent=0)
    read = _read_as(values.dtype)
    with np.errstate(all="ignore"):  # converting a signalling NaN may warn
        for rows in blocks(values, read, _BLOCK_ROWS):
            rows, exponent = _shifted(rows, grid.exponent)
            yield rows, (exponent, grid.lowest, grid.highest)


def _paired_rows(
    keys: _Array, values: _Array, grid: Grid
) -> Iterator[tuple[_Array, _Array, _Number]]:
    if keys.size == 0:
        return
    if values.dtype == object:
        values, grid = grid.units_of(values), replace(grid, exponent=0)
    reads = keys.dtype.newbyteorder("="), _read_as(values.dtype)
    with np.errstate(all="ignore"):
        for key_rows, rows in paired_blocks((keys, values), reads, _BLOCK_ROWS):
            rows, exponent = _shifted(rows, grid.exponent)
            yield key_rows, rows, (exponent, grid.lowest, grid.highest)


def _read_as(dtype: _Dtype) -> _Dtype:
    """Return a dtype that holds all values of this one and that a kernel reads."""
    kind, size = dtype.kind, dtype.itemsize
    if kind == "f":
        return np.dtype(np.float64 if size == 8 else np.float32)
    if size == 8:
        return dtype.newbyteorder("=")
    return np.dtype(np.int32 if size < 4 or kind == "i" else np.float64)


def _shifted(rows: _Array, exponent: int) -> tuple[_Array, int]:
    """Return integers of 64 bits as int64, for a step that the kernel has a shift for.

    A bit shifted out stays as a lowest one, which must be below half of the step.
    """
    if rows.dtype.kind == "f" or rows.dtype.itemsize < 8:
        return rows, exponent
    if rows.dtype.kind == "u":
        if exponent < 3:  # so the bounds are below 2**54, and all from there on is clamped
            rows = np.minimum(rows, np.uint64(2**63 - 1)).view(np.int64)
        else:
            rows, exponent = (
                ((rows >> np.uint64(1)) | (rows & np.uint64(1))).view(np.int64),
                exponent - 1,
            )
    if exponent > _MOST_SHIFT:
        rows, exponent = (rows >> 8) | ((rows & 255) != 0), min(exponent - 8, _MOST_SHIFT)
    return rows, exponent
