# SPDX-License-Identifier: MIT
"""Codes of categories."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_OUTSIDE = -1  # what stands for a Python integer that int64 does not hold


def check_codes(codes: Any, categories: int) -> None:
    """Raise for what are no codes of so many categories, reading no value of an array.

    Raises
    ------
    TypeError
        For what is not of integers, and for bool unless there are two categories.
    ValueError
        For a dtype too small for the last category.

    """
    if isinstance(codes, np.ma.MaskedArray):
        raise TypeError("codes must be without a mask: fill it first")
    dtype = getattr(codes, "dtype", None)
    if isinstance(codes, (bool, int)):
        dtype = np.dtype(bool) if isinstance(codes, bool) else np.dtype(np.int64)
    elif isinstance(codes, list | tuple):
        dtype = _dtype_of_entries(codes)
    elif not isinstance(dtype, np.dtype):
        if not hasattr(codes, "__array__"):
            raise TypeError(f"codes must be of integers, not {type(codes).__name__}")
        return  # known only when it is read
    _check_dtype(dtype, categories)


def read_codes(codes: int | ArrayLike, categories: int) -> tuple[NDArray[Any], np.dtype[Any]]:
    """Return a contiguous, aligned array of the codes in native byte order, and their own dtype."""
    if isinstance(codes, bool):
        array: NDArray[Any] = np.array(codes)
    elif isinstance(codes, int):
        array = np.array(codes if abs(codes) < 2**63 else _OUTSIDE, np.int64)
    elif isinstance(codes, list | tuple) and _dtype_of_entries(codes) != np.bool_:
        entries = np.array(codes, object)
        cut = [entry if abs(entry) < 2**63 else _OUTSIDE for entry in entries.flat]
        array = np.array(cut, np.int64).reshape(entries.shape)
    else:
        array = np.asarray(codes)
    _check_dtype(array.dtype, categories)
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "ALIGNED"])
    return native.reshape(array.shape), array.dtype


def _dtype_of_entries(codes: Any) -> np.dtype[Any]:
    kinds = {type(entry) for entry in np.array(codes, object).flat}
    if kinds == {bool}:
        return np.dtype(bool)
    if bool in kinds or not all(issubclass(kind, int) for kind in kinds):
        raise TypeError("codes must be of integers")
    return np.dtype(np.int64)


def _check_dtype(dtype: np.dtype[Any], categories: int) -> None:
    if dtype.kind not in "iub":
        raise TypeError(f"codes must be of integers, not of dtype {dtype}")
    if dtype.kind == "b":
        if categories != 2:
            raise TypeError(f"codes must be of integers, not bool, for {categories} categories")
    elif np.iinfo(dtype).max < categories - 1:
        raise ValueError(f"codes of dtype {dtype} do not hold {categories} categories")
