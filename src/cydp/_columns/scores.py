# SPDX-License-Identifier: MIT
"""Scores of candidates: declared before the charge, then read as they are."""

from __future__ import annotations

import math
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Declared, check_reals, declare
from cydp._columns.entries import plain

__all__ = ["Scores", "declare_scores", "read_scores"]

Scores: TypeAlias = NDArray[Any]
"""An array of float64, of int64, or of Python's ints and floats."""

_END = 2**63


def declare_scores(scores: Any) -> Declared:
    """Return what scores declare. No value is read; of a list only the types of its entries.

    Raises
    ------
    TypeError, ValueError
        Unless scores are an array of real numbers, with at least one candidate.

    """
    given = declare(scores, "scores", "real numbers", -math.inf)
    check_reals(given, "scores")
    if not given.shape:
        raise TypeError("scores must be a list or an array, of one number for each candidate")
    if given.shape[-1] == 0:
        raise ValueError("scores must have at least one candidate in the last axis")
    return given


def read_scores(given: Declared) -> Scores:
    """Return a contiguous array of float64 or int64 with the differences of the scores.

    If neither dtype holds every score of a list, return an array of Python's ints and floats.

    Raises
    ------
    ValueError
        If the scores turn out to be of another dtype or shape than they declared.

    """
    if given.listed:
        return _read_list(given.value)
    array = _read_column(given) if given.column else given.read("scores")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        array = (array.astype(np.uint64) ^ np.uint64(_END)).view(np.int64)
    kind = np.int64 if array.dtype.kind == "i" and array.dtype.itemsize == 8 else np.float64
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, kind, ["C", "A"])


def _read_column(given: Declared) -> NDArray[Any]:
    """Return a column with each null below every other score."""
    values = given.read_column("scores")
    if values.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            filled = np.ma.filled(values.astype(np.float64), np.nan)
    elif values.dtype == np.uint64:
        filled = np.ma.filled(values, 0)
    else:
        filled = np.ma.filled(values.astype(np.int64), -_END)
    return cast("NDArray[Any]", filled)


def _read_list(entries: NDArray[Any]) -> Scores:
    numbers = np.empty(entries.size, object)
    numbers[:] = [x if type(x) is int else float(x) for x in map(plain, entries.flat)]
    integers = [x for x in numbers if isinstance(x, int)]
    scores = numbers.reshape(entries.shape)
    if len(integers) == len(numbers) and all(-_END <= x < _END for x in integers):
        return scores.astype(np.int64)
    if all(map(_is_float, integers)):
        return scores.astype(np.float64)
    return scores


def _is_float(number: int) -> bool:
    """Whether float64 holds an integer exactly."""
    size = abs(number)
    zeros = (size & -size).bit_length() - 1
    return size.bit_length() <= 1024 and size.bit_length() - zeros <= 53
