# SPDX-License-Identifier: MIT
"""Integers that noise is added to."""

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_integers(value: Any) -> None:
    """Raise a TypeError for what is no integer and no array of integers, reading no value."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("value must be of integers, not bool")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("value must be without a mask: fill it first")
    if isinstance(value, int):
        return
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        if dtype.kind not in "iu":
            raise TypeError(f"value must be of integers, not of dtype {dtype}")
    elif isinstance(value, list | tuple):
        entries = np.array(value, object).flat
        if any(isinstance(entry, bool) or not isinstance(entry, int) for entry in entries):
            raise TypeError("value must be of integers")
    elif not hasattr(value, "__array__"):
        raise TypeError(f"value must be of integers, not {type(value).__name__}")


def read_integers(value: int | ArrayLike, bound: int) -> NDArray[np.int64]:
    """Return a new, contiguous int64 array of the values, cut to [-bound, bound]."""
    if isinstance(value, int):
        return np.array(min(max(value, -bound), bound), np.int64)
    array = np.asarray(value)
    if not hasattr(value, "dtype") and array.dtype.kind not in "iu":
        # numpy takes an empty list for floats, and long integers for floats or objects.
        array = np.array(value, object)
        cut = [min(max(int(entry), -bound), bound) for entry in array.flat]
        return np.array(cut, np.int64).reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise TypeError(f"value must be of integers, not of dtype {array.dtype}")
    if array.dtype.itemsize == 8 and array.dtype.kind == "u":
        array = np.minimum(array, np.uint64(bound))
    return cast("NDArray[np.int64]", np.array(array, np.int64, order="C"))
