# SPDX-License-Identifier: MIT
"""Blocks of rows: columns are converted for a kernel in pieces that stay in the cache."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core

__all__ = ["BLOCK_ROWS", "block_rows", "blocks", "is_for_kernel", "paired_blocks"]

BLOCK_ROWS = 65_536
"""How many rows to convert at a time."""


def block_rows(counts: int) -> int:
    """Return how many rows to hand to a kernel that visits every count once in each call.

    >>> block_rows(10), block_rows(10**6)
    (65536, 1000000)
    """
    return max(BLOCK_ROWS, counts)


def blocks(values: NDArray[Any], dtype: np.dtype[Any], rows: int) -> Iterator[NDArray[Any]]:
    """Yield values as contiguous arrays of another dtype, in any order.

    Masked values are left out. Nothing is copied that need not be.

    Parameters
    ----------
    values : ndarray
        Of any shape.
    dtype : dtype
        It must hold every value of the array's own dtype.
    rows : int
        How many values to convert at a time.

    """
    if not isinstance(values, np.ma.MaskedArray) and is_for_kernel(values, dtype):
        yield values.reshape(-1)  # the usual case, also of small calls
        return
    for (block,) in paired_blocks((values,), (dtype,), rows):
        yield block


def paired_blocks(
    columns: tuple[NDArray[Any], ...], dtypes: tuple[np.dtype[Any], ...], rows: int
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield columns of one shape together, as `blocks` does a single column.

    A row is left out if any of its values is masked.
    """
    if any(isinstance(values, np.ma.MaskedArray) for values in columns):
        mask = functools.reduce(np.logical_or, map(np.ma.getmaskarray, columns)).reshape(-1)
        for unmasked in _unmasked_blocks(list(map(np.ma.getdata, columns)), mask, rows):
            yield from paired_blocks(unmasked, dtypes, rows)
        return
    if all(map(is_for_kernel, columns, dtypes)):
        yield tuple(values.reshape(-1) for values in columns)
        return
    if columns[0].size == 0:
        return
    op_flags: Any = [["readonly", "aligned", "contig", "nbo"]] * len(columns)
    converted = np.nditer(
        tuple(map(np.atleast_1d, columns)),  # of a 0-d array numpy 2.0 gives an unfilled buffer
        flags=["buffered", "external_loop"],
        op_flags=op_flags,  # numpy's stub lacks "contig"
        op_dtypes=dtypes,
        casting="safe",
        order="K",
        buffersize=min(rows, columns[0].size),
    )
    for block in converted:
        yield block if isinstance(block, tuple) else (block,)


def is_for_kernel(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether a kernel of this dtype reads an array without a mask as it is."""
    flags = values.flags
    return values.dtype == dtype and flags.c_contiguous and flags.aligned


def _unmasked_blocks(
    columns: Sequence[NDArray[Any]], mask: NDArray[np.bool_], rows: int
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the rows that the mask does not hide; each block overwrites the one before it."""
    flat = [values.reshape(-1) for values in columns]
    buffers = [np.empty(min(rows, mask.size), values.dtype) for values in flat]
    for first in range(0, mask.size, rows):
        block = slice(first, first + rows)
        hidden = np.ascontiguousarray(mask[block]).view(np.uint8)
        yield tuple(
            buffer[
                : _core.drop_masked(
                    np.ascontiguousarray(values[block]).view(np.uint8),
                    values.itemsize,
                    hidden,
                    buffer.view(np.uint8),
                )
            ]
            for values, buffer in zip(flat, buffers, strict=True)
        )
