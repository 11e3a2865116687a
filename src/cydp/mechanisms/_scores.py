# SPDX-License-Identifier: MIT
"""Scores of candidates: checked without being read, then read as they are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.mechanisms._arrays import declared, is_real, read_declared

Scores = NDArray[Any]  # of float64, int64, or Python's ints and floats

_END = 2**63


def check_scores(scores: Any) -> tuple[int, ...]:
    """Return the shape; a TypeError or ValueError for what is no array of numbers.

    No value is read, but for the types of a list's entries.
    """
    if isinstance(scores, list | tuple):
        entries = np.array(scores, object)
        if not all(map(is_real, entries.flat)):
            raise TypeError("scores must be of real numbers, in rows of one length")
        return _checked(entries.shape)
    dtype, shape = declared(scores, "scores", "real numbers")
    if not _is_real(dtype):
        raise TypeError(f"scores must be of floats or integers of up to 64 bits, not {dtype}")
    return _checked(shape)


def read_scores(scores: Any) -> Scores:
    """Return float64 or int64, contiguous, whose differences are those of the scores.

    Of lists that neither of them holds, an array of Python's ints and floats as they are.

    Raises
    ------
    ValueError
        If an object turns out not to be what it said.

    """
    if isinstance(scores, list | tuple):
        return _of_list(np.array(scores, object))
    array = read_declared(scores, "scores")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        array = (array.astype(np.uint64) ^ np.uint64(_END)).view(np.int64)
    kind = np.int64 if array.dtype.kind == "i" and array.dtype.itemsize == 8 else np.float64
    with np.errstate(all="ignore"):  # signalling NaN
        return np.require(array, kind, ["C", "A"])


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    if not shape:
        raise TypeError("scores must be an array: one number for each candidate")
    if shape[-1] == 0:
        raise ValueError("scores must have at least one candidate in the last axis")
    return shape


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
