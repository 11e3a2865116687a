# SPDX-License-Identifier: MIT
"""Codes of categories."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp.mechanisms._arrays import declared, is_integer, read_declared

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
    if isinstance(codes, (bool, int)):
        dtype = np.dtype(bool) if isinstance(codes, bool) else np.dtype(np.int64)
    elif isinstance(codes, list | tuple):
        dtype = _dtype_of_entries(codes)
    else:
        dtype, _ = declared(codes, "codes", "integers")
    _check_dtype(dtype, categories)


def read_codes(codes: int | ArrayLike, categories: int) -> tuple[NDArray[Any], np.dtype[Any]]:
    """Return a contiguous, aligned array of the codes in native byte order, and their own dtype."""
    if isinstance(codes, bool):
        array: NDArray[Any] = np.array(codes)
    elif isinstance(codes, int):
        array = np.array(codes if abs(codes) < 2**63 else _OUTSIDE, np.int64)
    elif isinstance(codes, list | tuple) and _dtype_of_entries(codes) != np.bool_:
        entries = np.array(codes, object)
        cut = [int(entry) if abs(int(entry)) < 2**63 else _OUTSIDE for entry in entries.flat]
        array = np.array(cut, np.int64).reshape(entries.shape)
    else:
        given = isinstance(codes, list | tuple)
        array = np.asarray(codes) if given else read_declared(codes, "codes")
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "ALIGNED"])
    return native.reshape(array.shape), array.dtype


def _dtype_of_entries(codes: Any) -> np.dtype[Any]:
    entries = list(np.array(codes, object).flat)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        return np.dtype(bool)
    if not all(map(is_integer, entries)):
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
