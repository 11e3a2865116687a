# SPDX-License-Identifier: MIT
"""Columns of numbers in the blocks, dtypes and units that the kernels of sums on a grid take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.blocks import BLOCK_ROWS, blocks, is_for_kernel, paired_blocks
from cydp.exact._grid import Grid

__all__ = [
    "Array",
    "check_shapes",
    "kernel_grid",
    "split_numbers",
    "split_pairs",
]

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
