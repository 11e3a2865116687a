# SPDX-License-Identifier: MIT
"""Real numbers read as float64, for a mechanism that computes in floating point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Declared
from cydp._columns.entries import plain

__all__ = ["read_floats"]


def read_floats(given: Declared, name: str) -> NDArray[np.float64]:
    """Return a contiguous array of float64, with integers beyond 2**53 rounded towards 0.

    Raises
    ------
    ValueError
        If the numbers turn out to be of another dtype or shape than they declared.

    """
    if given.listed:
        floats = [_round_towards_zero(entry) for entry in given.value.flat]
        return np.array(floats, np.float64).reshape(given.shape)
    if given.dtype is None:
        return np.array(_round_towards_zero(given.value), np.float64)
    array = given.read(name)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return _round_all_towards_zero(array)
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, np.float64, ["C", "ALIGNED"])


def _round_towards_zero(entry: Any) -> float:
    entry = plain(entry)
    if not isinstance(entry, int):
        return float(entry)
    size = abs(entry)
    extra = max(size.bit_length() - 53, 0)
    # An integer beyond the largest float64 becomes infinite.
    number = float(size >> extra << extra) if extra <= 1024 - 53 else math.inf
    return -number if entry < 0 else number


def _round_all_towards_zero(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return each integer of 64 bits as `_round_towards_zero` does."""
    signed = array.dtype.kind == "i"
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "ALIGNED"])
    size = np.abs(native).view(np.uint64) if signed else native
    # The upper 53 of 64 bits are exact as a float64, whose exponent counts them.
    upper = np.frexp((size >> np.uint64(11)).astype(np.float64))[1].astype(np.int64)
    extra = np.maximum(upper + 11 - 53, 0).astype(np.uint64)
    numbers: NDArray[np.float64] = (size >> extra << extra).astype(np.float64)
    return np.where(native < 0, -numbers, numbers)
