# SPDX-License-Identifier: MIT
"""Counts of codes, as numpy counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column, Integer
from cydp._call_errors import explain_arguments
from cydp._columns.blocks import block_rows, blocks, is_for_kernel
from cydp._columns.reading import read_integers
from cydp._outputs import read_length
from cydp._threads import threads_for
from cydp.exact._data_bins import mark_data_bins

__all__ = ["bincount"]

_SAMPLE = 4096  # codes: the number of counts is guessed from them
_FEW = 4096  # codes, or counts
_KERNELS = frozenset(map(np.dtype, "?bBhHiIlLqQ"))
_MOST_COUNTS = 2**32 - 3  # numpy counts where there are more
_ADDRESSABLE = 2**59  # counts, more than any memory holds


@explain_arguments
def bincount(codes: Column, minlength: Integer = 0) -> NDArray[np.int64]:
    """Count how often each code occurs, as `numpy.bincount` does. NOT private.

    Parameters
    ----------
    codes : array_like of integers or bool, shape (n,)
        Codes must not be negative. Masked and null entries are left out.
    minlength : int, default 0
        The least length of the result. If it is 0, the data determine the length, and `release` of
        a mechanism refuses the counts. A code of `minlength` or more still adds to the length:
        before a release, cut the counts off by [:minlength].

    Returns
    -------
    ndarray of int64, shape (max(largest code + 1, minlength),)

    Raises
    ------
    TypeError, ValueError
        If codes are not integers, are negative, or have not one dimension; if minlength is not
        allowed.

    Examples
    --------
    >>> bincount([0, 3, 1, 3], minlength=5)
    array([1, 1, 0, 2, 0])

    """
    least = read_length(minlength, "minlength")
    counts = _count_codes(read_integers(codes), least)
    return counts if least else mark_data_bins(counts)


def _count_codes(values: NDArray[Any], least: int) -> NDArray[np.int64]:
    is_plain = type(values) is np.ndarray
    if values.size == 0 or (not is_plain and np.ma.getmaskarray(values).all()):
        return np.zeros(least, np.int64)
    try:
        if is_plain and values.size <= _FEW and least <= _FEW:
            counts = _count_few(values, least)
            if counts is not None:
                return counts
        return _bincount(values, max(least, _guess_length(values), 1), least)
    except MemoryError:  # numpy's message would show the largest code
        raise MemoryError(
            "no memory for a count of each code up to the largest: codes must be smaller"
        ) from None


def _count_few(values: NDArray[Any], least: int) -> NDArray[np.int64] | None:
    """Count few codes without a guess of the largest; None if a kernel does not do it at once."""
    if values.dtype not in _KERNELS or not is_for_kernel(values, values.dtype):
        return None
    length = least or _FEW
    counts = np.zeros(length, np.int64)
    largest = _core.bincount(values, counts, 1)
    if largest >= length:
        return None
    if largest >= least:
        counts.resize(largest + 1, refcheck=False)
    return counts


def _bincount(values: NDArray[Any], length: int, least: int) -> NDArray[np.int64]:
    for _ in range(2):  # a third is needed only if another thread writes to the codes
        if length > _MOST_COUNTS:
            if isinstance(values, np.ma.MaskedArray):
                values = values.compressed()
            _check_signs(int(values.min()), int(values.max()))
            if (
                int(values.max()) >= _ADDRESSABLE
            ):  # numpy's index would overflow, and it would write anywhere
                raise MemoryError
            return np.bincount(values.astype(np.int64), minlength=least)
        counts = np.zeros(length, np.int64)
        largest = _count(values, counts)
        _check_signs(0, largest)
        if largest < length:
            break
        length = largest + 1
    counts.resize(max(least, min(length, largest + 1)), refcheck=False)
    return counts


def _check_signs(smallest: int, largest: int) -> None:
    if smallest < 0 or largest >= 2**63:
        raise ValueError("codes must be from 0 to 2**63 - 1")


def _guess_length(values: NDArray[Any]) -> int:
    """Return the number of counts for the codes: for many, guessed from a sample, and some more."""
    step = max(1, len(values) // _SAMPLE)
    sample = values[::step]
    if isinstance(sample, np.ma.MaskedArray):
        sample = sample.compressed()
    needed = max(0, int(sample.max(initial=0)) + 1)
    return needed if step == 1 else needed + needed // 32 + 64


def _count(values: NDArray[Any], counts: NDArray[np.int64]) -> int:
    """Add to counts; return the largest code, or more than 2**63 if any code is negative."""
    threads = threads_for(len(values))
    largest = 0
    for rows in blocks(values, values.dtype.newbyteorder("="), block_rows(len(counts))):
        largest = max(largest, _core.bincount(rows, counts, threads))
    return largest
