# SPDX-License-Identifier: MIT
"""Codes of categories: declared before the charge, then read as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Declared, check_entries, declare
from cydp._columns.entries import is_integer, plain

__all__ = ["declare_codes", "read_codes"]

_OUTSIDE = -1  # takes the place of a null, and is no category


def declare_codes(codes: Any, categories: int, name: str) -> tuple[Declared, np.dtype[Any]]:
    """Return what codes declare, and the dtype of the reports.

    No value of an array is read; of a list only the types of its entries.

    Parameters
    ----------
    codes : int, bool, list, array or column
    categories : int
        How many categories there are.
    name : str
        What to call the codes in an error.

    Raises
    ------
    TypeError
        For other types than integers, and for bool unless there are two categories.
    ValueError
        For a dtype too small for the last category.

    """
    kind = f"integers from 0 to {categories - 1}"
    given = declare(codes, name, kind, _OUTSIDE)
    dtype = given.dtype
    if given.types is not None:
        are_flags = bool(given.types) and given.types <= {bool, np.bool}
        if not are_flags:
            check_entries(given, is_integer, name, kind)
        dtype = np.dtype(bool if are_flags else np.int64)
    elif dtype is None:
        if isinstance(codes, float):
            raise TypeError(f"{name} must be {kind}, not float")
        dtype = np.dtype(bool) if isinstance(codes, bool) else np.dtype(np.int64)
    _check_dtype(dtype, categories, name, kind)
    return given, dtype


def read_codes(given: Declared, name: str) -> NDArray[Any]:
    """Return a contiguous, aligned array of the codes in native byte order, with -1 for null.

    Raises
    ------
    ValueError
        If the codes turn out to be of another dtype or shape than they declared.

    """
    if given.column:
        array = np.ma.filled(given.read_column(name).astype(np.int64), _OUTSIDE)
    elif given.dtype is not None:
        array = given.read(name)
    else:
        entries = np.array(given.value, object)
        cut = [max(-(2**63), min(plain(entry), 2**63 - 1)) for entry in entries.flat]
        array = np.array(cut, np.int64).reshape(given.shape)
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "ALIGNED"])
    return native.reshape(array.shape)


def _check_dtype(dtype: np.dtype[Any], categories: int, name: str, kind: str) -> None:
    if dtype.kind not in "iub":
        raise TypeError(f"{name} must be {kind}, not of dtype {dtype}: number the labels first")
    if dtype.kind == "b":
        if categories != 2:
            raise TypeError(f"{name} must be {kind}, not bool: n_categories is {categories}")
    elif np.iinfo(dtype).max < categories - 1:
        raise ValueError(
            f"{name} must be of a dtype that holds {categories - 1}, not {dtype}: use int32"
        )
