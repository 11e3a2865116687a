# SPDX-License-Identifier: MIT
"""The array that samples are written to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Size
from cydp._numbers.rational import read_integer

__all__ = ["prepare_output", "read_length"]


def prepare_output(
    size: Size | None, out: NDArray[Any] | None, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return `out` if it fits, or a new array of shape `size` if `out` is None.

    Raises
    ------
    TypeError, ValueError
        If `out` is not a native, contiguous, writable array of the dtype, or has another shape
        than `size`; if `size` is not a shape.

    """
    if out is None:
        shape = _read_shape(cast("Size", size))
        if math.prod(shape) > np.iinfo(np.intp).max // 8:
            raise ValueError("size must be that of an array that memory can hold")
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out must be a numpy array of {dtype}, not {type(out).__name__}")
    if out.dtype != dtype or not out.dtype.isnative:
        given = (
            out.dtype.name if out.dtype.isnative else f"{out.dtype.name} in the other byte order"
        )
        raise TypeError(f"out must have dtype {dtype} in native byte order, not {given}")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out must be C-contiguous, aligned and writable")
    if size is not None and _read_shape(size) != out.shape:
        raise ValueError(f"size must equal the shape of out, {out.shape}, not {_read_shape(size)}")
    return out


def read_length(n: Integer, name: str) -> int:
    """Return a length as an int, or raise a TypeError or ValueError that names it."""
    value = read_integer(n, name)
    if not 0 <= value < 2**60:
        shown = f", not {value}" if abs(value) < 10**18 else ""
        raise ValueError(f"{name} must be from 0 to 2**60 - 1{shown}")
    return value


def _read_shape(size: Size) -> tuple[int, ...]:
    if isinstance(size, Sequence | np.ndarray) and not isinstance(size, str | bytes):
        return tuple(read_length(n, "each entry of size") for n in size)
    if not hasattr(size, "__index__"):
        raise TypeError(
            f"size must be an integer or a tuple of integers, not {type(size).__name__}"
        )
    return (read_length(size, "size"),)
