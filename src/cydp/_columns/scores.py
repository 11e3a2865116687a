# SPDX-License-Identifier: MIT
"""Scores of candidates: checked without being read, then read as they are."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrays import Declared, check_entries, declare, is_real

__all__ = ["Scores", "declare_scores", "read_scores"]

Scores = NDArray[Any]  # of float64, int64, or Python's ints and floats

_END = 2**63


def declare_scores(scores: Any) -> Declared:
    """Return what scores say of themselves; no value is read, but for the types in a list.

    Raises
    ------
    TypeError, ValueError
        For what is no array of numbers, with at least one candidate.

    """
    given = declare(scores, "scores", "real numbers", -math.inf)
    if given.listed:
        check_entries(given, is_real, "scores", "integers or floats of up to 64 bits")
    if given.dtype is not None and not _is_real(given.dtype):
        raise TypeError(
            f"scores must be integers or floats of up to 64 bits, not of dtype {given.dtype}"
        )
    if not given.shape:
        raise TypeError("scores must be a list or an array, of one number for each candidate")
    if given.shape[-1] == 0:
        raise ValueError("scores must have at least one candidate in the last axis")
    return given


def read_scores(given: Declared) -> Scores:
    """Return float64 or int64, contiguous, whose differences are those of the scores.

    Of lists that neither of them holds, an array of Python's ints and floats as they are.

    Raises
    ------
    ValueError
        If an object turns out not to be what it said.

    """
    if given.listed:
        return _of_list(given.value)
    array = _of_column(given) if given.column else given.read("scores")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        array = (array.astype(np.uint64) ^ np.uint64(_END)).view(np.int64)
    kind = np.int64 if array.dtype.kind == "i" and array.dtype.itemsize == 8 else np.float64
    with np.errstate(all="ignore"):  # signalling NaN
        return np.require(array, kind, ["C", "A"])


def _of_column(given: Declared) -> NDArray[Any]:
    """Return a column whose nulls are below every other score."""
    values = given.read_column("scores")
    if values.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            filled = np.ma.filled(values.astype(np.float64), np.nan)
    elif values.dtype == np.uint64:
        filled = np.ma.filled(values, 0)
    else:
        filled = np.ma.filled(values.astype(np.int64), -_END)
    return cast("NDArray[Any]", filled)


def _is_real(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iuf" and dtype.itemsize <= 8


def _of_list(entries: NDArray[Any]) -> Scores:
    exactly = np.empty(entries.size, object)
    exactly[:] = [int(x) if isinstance(x, int | np.integer) else float(x) for x in entries.flat]
    whole = [x for x in exactly if isinstance(x, int)]
    shaped = exactly.reshape(entries.shape)
    if len(whole) == len(exactly) and all(-_END <= x < _END for x in whole):
        return shaped.astype(np.int64)
    if all(map(_is_float, whole)):
        return shaped.astype(np.float64)
    return shaped


def _is_float(number: int) -> bool:
    """Whether float64 holds an integer exactly."""
    size = abs(number)
    zeros = (size & -size).bit_length() - 1
    return size.bit_length() <= 1024 and size.bit_length() - zeros <= 53
