# SPDX-License-Identifier: MIT
"""The grid that numbers are clamped and rounded to, and columns in blocks of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Number
from cydp._columns.blocks import BLOCK_ROWS, blocks, is_for_kernel, paired_blocks
from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import Exact, as_exact, format_binary, read_binary, round_near

__all__ = [
    "MOST_STEPS",
    "Array",
    "Grid",
    "centre_of",
    "check_shapes",
    "kernel_grid",
    "public_grid",
    "read_exponent",
    "split_numbers",
    "split_pairs",
]


MOST_STEPS = 2**51  # from zero to a bound
_LEAST_EXPONENT, _MOST_EXPONENT = -1021, 1022
_KEPT = 256  # grids of the bounds and steps that callers wrote last
_KEPT_TYPES = frozenset({int, float, str, Fraction, Exact, type(None), np.float64, np.int64})
_ADDED = {"added": True}  # ledgers of before lack the field, and its default is not recorded
_DEFAULT_BITS = 29  # the larger bound is at most 2**29 default steps from zero


@dataclass(frozen=True)
class Grid:
    """Multiples of a power of two, from the lowest to the highest unit.

    Attributes
    ----------
    exponent : int
        The step, or unit, is 2**exponent.
    lowest, highest : int
        The bounds in units, rounded to integers.
    ends : tuple of Fraction, or ()
        The bounds as they were given, if they are no multiples of the step.

    """

    exponent: int
    lowest: int
    highest: int
    ends: tuple[Fraction, ...] = field(default=(), repr=False, kw_only=True, metadata=_ADDED)

    @cached_property
    def step(self) -> Fraction:
        """One unit, in the unit of the data."""
        power = 1 << abs(self.exponent)
        return Exact(power) if self.exponent >= 0 else Exact(1, power)

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The bounds in the unit of the data, rounded to multiples of the step."""
        step = self.step
        return as_exact(self.lowest * step), as_exact(self.highest * step)

    @property
    def declared(self) -> tuple[Fraction, ...]:
        """The bounds as they were given, in the unit of the data."""
        return self.ends or self.bounds

    @cached_property
    def short_bounds(self) -> tuple[Fraction, Fraction]:
        """The bounds for people: the shortest decimals that are rounded to them, 0.1 for 0.1."""
        lower, upper = self.bounds
        return round_near(lower, self.step / 2), round_near(upper, self.step / 2)

    def values_of(self, steps: NDArray[np.int64]) -> NDArray[Any]:
        """Return units in the unit of the data, as floats."""
        return np.asarray(steps * np.float64(self.step))

    def units_of(self, numbers: NDArray[Any]) -> np.ma.MaskedArray[Any, Any]:
        """Return integers and fractions of any size in units, rounded and clamped."""
        step = self.step
        units = (round(number / step) for number in np.ma.getdata(numbers).ravel().tolist())
        clamped = np.array([min(max(unit, self.lowest), self.highest) for unit in units], np.int64)
        return np.ma.MaskedArray(clamped.reshape(numbers.shape), np.ma.getmaskarray(numbers))

    @cached_property
    def for_integers(self) -> tuple[Grid, int]:
        """The grid that integers need, and its step over the step of this one.

        If the step is below 1 and the bounds are integers, it is the grid of step 1, for which
        kernels shift nothing. Else it is this grid.
        """
        ratio = 1 << max(-self.exponent, 0)
        if self.largest == 0 or self.lowest % ratio or self.highest % ratio:
            return self, 1
        ends = self.lowest // ratio, self.highest // ratio
        return Grid(max(self.exponent, 0), *ends, ends=self.ends), ratio

    @property
    def largest(self) -> int:
        """The largest number of units that one number can add or subtract."""
        return max(abs(self.lowest), abs(self.highest))


def public_grid(bounds: Bounds, step: Number | None, name: str = "bounds") -> Grid:
    """Return the grid of a sum, from its parameters alone.

    Parameters
    ----------
    bounds : (lower, upper)
        They are read exactly: a float means its binary value.
    step : number, optional
        A power of two. Default: the power of two with max(abs(lower), abs(upper)) / step in
        (2**28, 2**29]; 1 if both bounds are 0.
    name : str
        The name of the bounds in an error.

    Raises
    ------
    TypeError, ValueError
        If bounds or step is not allowed.

    Examples
    --------
    >>> public_grid((0, 100), step=1)
    Grid(exponent=0, lowest=0, highest=100)

    """
    if type(bounds) is tuple and len(bounds) == 2:
        lower, upper = bounds
        if type(lower) in _KEPT_TYPES and type(upper) in _KEPT_TYPES and type(step) in _KEPT_TYPES:
            return _kept_grid(lower, upper, step, name)
    return _read_grid(bounds, step, name)


@lru_cache(_KEPT, typed=True)  # typed: True == 1, and a float is not the Fraction that it equals
def _kept_grid(lower: Number, upper: Number, step: Number | None, name: str) -> Grid:
    return _read_grid((lower, upper), step, name)


def _read_grid(bounds: Bounds, step: Number | None, name: str) -> Grid:
    low, high = read_bounds(bounds, name)
    given = None if step is None else read_exponent(step)
    exponent = _default_exponent(low, high) if given is None else given
    if given is None and exponent < _LEAST_EXPONENT:
        raise ValueError(
            f"{name} must be (0, 0), or one of them more than "
            f"2**{_LEAST_EXPONENT + _DEFAULT_BITS - 1} from 0, unless step is given"
        )
    if not _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
        raise ValueError(
            f"step must be from 2**{_LEAST_EXPONENT} to 2**{_MOST_EXPONENT}, not 2**{exponent}"
        )
    if max(abs(low), abs(high)) > MOST_STEPS * Fraction(2) ** exponent:
        raise ValueError(
            f"{name} must be at most 2**51 steps from 0, not ({format_binary(low)}, "
            f"{format_binary(high)}) with step={format_binary(Fraction(2) ** exponent)}: give a "
            "larger step"
        )
    unit = Fraction(2) ** exponent
    grid = Grid(exponent, round(low / unit), round(high / unit))
    return grid if grid.bounds == (low, high) else replace(grid, ends=(low, high))


def _default_exponent(low: Fraction, high: Fraction) -> int:
    bound = max(abs(low), abs(high))
    if bound == 0:
        return 0
    # The least e with bound <= 2**e is the difference of the lengths in bits, or one more.
    e = bound.numerator.bit_length() - bound.denominator.bit_length()
    return (e if bound <= Fraction(2) ** e else e + 1) - _DEFAULT_BITS


def read_exponent(step: Number) -> int:
    """Return the exponent of a step that is a power of two.

    Raises
    ------
    TypeError, ValueError
        If step is not a power of two.

    Examples
    --------
    >>> read_exponent(0.25)
    -2

    """
    number = read_binary(step, "step")
    ends = sorted((number.numerator, number.denominator))
    if ends[0] != 1 or ends[1] & (ends[1] - 1):
        raise ValueError(
            f"step must be a power of two, such as 1 or 0.5, not {format_binary(number)}"
        )
    exponent = ends[1].bit_length() - 1
    return exponent if number >= 1 else -exponent


def centre_of(grid: Grid) -> int:
    """Return the middle of the bounds, in steps: half a step is rounded down."""
    return (grid.lowest + grid.highest) // 2


Array: TypeAlias = NDArray[Any]
Clamping: TypeAlias = tuple[int, int, int]
"""The exponent of the step, and the lowest and highest unit, as a kernel takes them."""

_KERNELS = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32)))
_MOST_SHIFT = 62  # bits by which the kernels shift an int64, at most


def check_shapes(codes: Array, values: Array, name: str) -> None:
    """Raise a ValueError unless there is a code for each number."""
    if codes.shape != values.shape:
        raise ValueError(
            f"codes and {name} must have the same shape, not {codes.shape} and {values.shape}"
        )


def kernel_grid(values: Array, grid: Grid) -> tuple[Grid, int]:
    """Return the grid that kernels use for this dtype, and its step over the step of `grid`."""
    return grid.for_integers if values.dtype.kind in "biu" else (grid, 1)


def split_numbers(values: Array, grid: Grid) -> Iterable[tuple[Array, Clamping]]:
    """Return blocks of rows that are not masked, each with its clamping."""
    dtype = values.dtype
    if (
        type(values) is np.ndarray
        and dtype in _KERNELS
        and grid.exponent <= _MOST_SHIFT
        and is_for_kernel(values, dtype)
    ):  # what small calls mostly pass: nothing is converted
        return [(values.reshape(-1), (grid.exponent, grid.lowest, grid.highest))]
    return _convert_numbers(values, grid)


def _convert_numbers(values: Array, grid: Grid) -> Iterator[tuple[Array, Clamping]]:
    if values.dtype == object:
        values, grid = grid.units_of(values), replace(grid, exponent=0)
    dtype = _kernel_dtype(values.dtype)
    with np.errstate(all="ignore"):  # converting a signalling NaN may warn
        for rows in blocks(values, dtype, BLOCK_ROWS):
            rows, exponent = _shift(rows, grid.exponent)
            yield rows, (exponent, grid.lowest, grid.highest)


def split_pairs(codes: Array, values: Array, grid: Grid) -> Iterator[tuple[Array, Array, Clamping]]:
    """Yield blocks of codes and of numbers together, each with its clamping."""
    if codes.size == 0:
        return
    if values.dtype == object:
        values, grid = grid.units_of(values), replace(grid, exponent=0)
    dtypes = codes.dtype.newbyteorder("="), _kernel_dtype(values.dtype)
    with np.errstate(all="ignore"):
        for code_rows, rows in paired_blocks((codes, values), dtypes, BLOCK_ROWS):
            rows, exponent = _shift(rows, grid.exponent)
            yield code_rows, rows, (exponent, grid.lowest, grid.highest)


def _kernel_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype that holds all values of this one and that the kernels read."""
    kind, size = dtype.kind, dtype.itemsize
    if kind == "f":
        return np.dtype(np.float64 if size == 8 else np.float32)
    if size == 8:
        return dtype.newbyteorder("=")
    return np.dtype(np.int32 if size < 4 or kind == "i" else np.float64)


def _shift(rows: Array, exponent: int) -> tuple[Array, int]:
    """Return integers of 64 bits as int64, and a step to which the kernels can shift them.

    If a bit that is shifted out is 1, the lowest bit becomes 1. The lowest bit is worth less than
    half of the step, so the rounding stays the same.
    """
    if rows.dtype.kind == "f" or rows.dtype.itemsize < 8:
        return rows, exponent
    if rows.dtype.kind == "u":
        if exponent < 3:  # the bounds are below 2**54, so all larger numbers are clamped
            rows = np.minimum(rows, np.uint64(2**63 - 1)).view(np.int64)
        else:
            rows, exponent = (
                ((rows >> np.uint64(1)) | (rows & np.uint64(1))).view(np.int64),
                exponent - 1,
            )
    if exponent > _MOST_SHIFT:
        rows, exponent = (rows >> 8) | ((rows & 255) != 0), min(exponent - 8, _MOST_SHIFT)
    return rows, exponent
