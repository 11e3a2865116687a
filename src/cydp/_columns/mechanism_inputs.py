# SPDX-License-Identifier: MIT
"""The inputs of mechanisms, declared before the charge and then read: codes, scores, floats."""

from __future__ import annotations

import math
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Declared, check_entries, check_reals, declare
from cydp._columns.entries import is_integer, plain

__all__ = ["Scores", "declare_codes", "declare_scores", "read_codes", "read_floats", "read_scores"]


_OUTSIDE = -1  # takes the place of a null, and is no category


def declare_codes(codes: Any, categories: int, name: str) -> tuple[Declared, np.dtype[Any]]:
    """Return the declaration of codes, and the dtype of the reports.

    No value of an array is read, and only the types of the entries of a list.

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


Scores: TypeAlias = NDArray[Any]
"""An array of float64, of int64, or of Python's ints and floats."""

_END = 2**63


def declare_scores(scores: Any) -> Declared:
    """Return the declaration of scores.

    No value is read, and only the types of the entries of a list.

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
    # The upper 53 of 64 bits are exact as a float64, and its exponent counts them.
    upper = np.frexp((size >> np.uint64(11)).astype(np.float64))[1].astype(np.int64)
    extra = np.maximum(upper + 11 - 53, 0).astype(np.uint64)
    numbers: NDArray[np.float64] = (size >> extra << extra).astype(np.float64)
    return np.where(native < 0, -numbers, numbers)
