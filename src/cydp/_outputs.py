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

__all__ = ["INT64_OR_INT32", "prepare_output", "read_length", "read_shape"]

INT64_OR_INT32 = "int64 or int32"


def prepare_output(
    size: Size | None,
    out: NDArray[Any] | None,
    dtype: np.dtype[Any],
    *,
    allowed: str = "",
) -> NDArray[Any]:
    """Return `out` if it fits, or a new array of shape `size` if `out` is None.

    Errors name the dtypes that are `allowed`, if the caller takes several.

    Raises
    ------
    TypeError, ValueError
        If `out` is not a native, contiguous, writable array of the dtype, or has another shape
        than `size`; if `size` is not a shape.

    """
    if out is None:
        return np.empty(read_shape(cast("Size", size)), dtype)
    allowed = allowed or str(dtype)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out must be a numpy array of {allowed}, not {type(out).__name__}")
    if out.dtype != dtype or not out.dtype.isnative:
        given = (
            out.dtype.name if out.dtype.isnative else f"{out.dtype.name} in the other byte order"
        )
        raise TypeError(f"out must have dtype {allowed} in native byte order, not {given}")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out must be C-contiguous, aligned and writable")
    if size is not None and read_shape(size) != out.shape:
        raise ValueError(f"size must equal the shape of out, {out.shape}, not {read_shape(size)}")
    return out


def read_length(n: Integer, name: str) -> int:
    """Return a length as an int, or raise a TypeError or ValueError that names it."""
    value = read_integer(n, name)
    if not 0 <= value < 2**60:
        shown = f", not {value}" if abs(value) < 10**18 else ""
        raise ValueError(f"{name} must be from 0 to 2**60 - 1{shown}")
    return value


def read_shape(size: Size) -> tuple[int, ...]:
    """Return the shape of an array, or raise a TypeError or ValueError that names size."""
    if isinstance(size, Sequence | np.ndarray) and not isinstance(size, str | bytes):
        shape = tuple(read_length(n, "each entry of size") for n in size)
    elif hasattr(size, "__index__"):
        shape = (read_length(size, "size"),)
    else:
        raise TypeError(
            f"size must be an integer or a tuple of integers, not {type(size).__name__}"
        )
    if math.prod(shape) > np.iinfo(np.intp).max // 8:
        raise ValueError("size must be that of an array that memory can hold")
    return shape
