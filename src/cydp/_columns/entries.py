# SPDX-License-Identifier: MIT
"""Entries of lists and object arrays, which declare no dtype: each is read by itself.

What one entry becomes never depends on another, so that neighbouring tables differ in one record.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.foreign import opened
from cydp._columns.pandas import is_frame
from cydp._columns.type_names import of_entry

__all__ = [
    "NULLS",
    "PLAIN",
    "exactly",
    "integers_of",
    "is_number",
    "numbers_of",
    "present_entries",
    "ragged",
    "sequence",
    "undeclared",
]

NULLS = {"NoneType", "NAType", "NaTType", "MaskedConstant"}

# Entries that numpy makes an array of, without a warning, and numbers only of numbers.
PLAIN = {bool, int, float, np.bool, np.float32, np.float64, np.int32, np.int64, np.uint64}
_INTEGERS = (int, np.integer, np.bool)
_BEYOND = Fraction(2) ** 2000  # any bound; it stands for infinity


def sequence(x: Any) -> Any:
    """Return a sequence as a list or a tuple, or as the array that it is a view of."""
    if isinstance(x, memoryview | array):
        return np.asarray(x)
    if isinstance(x, list | tuple | str | bytes | bytearray) or hasattr(x, "__array__"):
        return x
    return list(x) if isinstance(x, Sequence) else x


def undeclared(x: Any, name: str) -> NDArray[Any] | None:
    """Return the entries of a list, or of objects of numpy or pandas; None for another column.

    Objects with a mask are none: they are refused by their dtype.

    Raises
    ------
    TypeError
        For lists of different lengths in a list.

    """
    x = opened(x, name) if is_frame(x) else x
    dtype = getattr(x, "dtype", None)
    objects = isinstance(dtype, np.dtype) and dtype.kind == "O"
    if not isinstance(x, list | tuple) and (not objects or isinstance(x, np.ma.MaskedArray)):
        return None
    try:
        return np.array(x, object)
    except ValueError:
        raise TypeError(ragged(name)) from None


def ragged(name: str) -> str:
    """Return the message for a list of lists of different lengths."""
    return f"{name} must hold a number in each entry, not lists of different lengths"


def present_entries(x: Sequence[Any]) -> tuple[Sequence[Any], NDArray[np.bool_] | None]:
    """Return the entries that are not null, and a mask of these, or None if all are.

    Examples
    --------
    >>> present_entries([7, None])
    ([7], array([ True, False]))

    """
    # By name: pandas is not imported for it.
    nulls = {of for of in set(map(type, x)) if of.__name__ in NULLS}
    if not nulls:
        return x, None
    present = np.fromiter((type(value) not in nulls for value in x), np.bool_, len(x))
    return [value for value in x if type(value) not in nulls], present


def integers_only(types: Iterable[type]) -> bool:
    """Whether values of these types are integers or bool."""
    return all(issubclass(of, _INTEGERS) and not issubclass(of, np.timedelta64) for of in types)


def is_number(of: type) -> bool:
    """Whether values of a type are real numbers or bool; a timedelta is none, though an integer."""
    return issubclass(of, bool | np.bool | Real | Decimal) and not issubclass(of, np.timedelta64)


def numbers_of(entries: NDArray[Any], name: str) -> NDArray[Any]:
    """Return entries in a dtype of numbers, masked where they are null."""
    present, mask = present_entries(entries.ravel().tolist())
    types = set(map(type, present))
    numbers = np.asarray(present) if present and types <= PLAIN else None
    if numbers is None or numbers.dtype.kind not in "biuf":
        if present and integers_only(types):
            numbers = np.asarray([int(entry) for entry in present])
        if numbers is None or numbers.dtype == object:
            numbers = np.array([_float(entry, name) for entry in present], np.float64)
    return _spread(numbers, mask, entries.shape)


def integers_of(entries: NDArray[Any], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return entries that are integers in a dtype, masked where they are null or do not fit.

    Raises
    ------
    TypeError
        If an entry is no integer.

    """
    present, mask = present_entries(entries.ravel().tolist())
    if not integers_only(types := set(map(type, present))):
        shown = min(of_entry(of) for of in types if not integers_only([of]))
        raise TypeError(f"{name} must hold integers, not {shown}")
    integers, ends = list(map(int, present)), np.iinfo(dtype)
    fit = np.array([ends.min <= entry <= ends.max for entry in integers], np.bool_)
    numbers = np.array([entry if ok else 0 for entry, ok in zip(integers, fit, strict=True)], dtype)
    return _spread(np.ma.MaskedArray(numbers, ~fit), mask, entries.shape)


def exactly(entries: NDArray[Any], name: str) -> np.ma.MaskedArray[Any, Any]:
    """Return entries as integers and fractions of any size, masked where they are null or NaN.

    An infinity becomes a number beyond all bounds.
    """
    numbers = [_exact(entry, name) for entry in entries.ravel().tolist()]
    spread = np.array([0 if number is None else number for number in numbers], object)
    mask = np.array([number is None for number in numbers], np.bool_)
    return np.ma.MaskedArray(spread.reshape(entries.shape), mask.reshape(entries.shape))


def _exact(entry: Any, name: str) -> int | Fraction | None:
    if type(entry).__name__ in NULLS:
        return None
    if integers_only([type(entry)]):
        return int(entry)
    number = _float(entry, name)
    if np.isnan(number):
        return None
    return Fraction(number) if np.isfinite(number) else _BEYOND * (1 if number > 0 else -1)


def _spread(
    values: NDArray[Any], present: NDArray[np.bool_] | None, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return values at the places of the entries that are present, the others masked."""
    if present is None:
        return values.reshape(shape)
    mask = ~present
    mask[present] = np.ma.getmaskarray(values)
    spread = np.zeros(len(present), values.dtype)
    spread[present] = np.ma.getdata(values)
    return np.ma.MaskedArray(spread.reshape(shape), mask.reshape(shape))


def _float(value: Any, name: str) -> float:
    if not is_number(type(value)):
        raise TypeError(f"{name} must hold numbers, not {of_entry(type(value))}")
    try:
        return float(value)
    except OverflowError:  # an integer or a fraction beyond the floats
        return np.inf if cast("Any", value) > 0 else -np.inf
    except ValueError:  # Decimal's signalling NaN
        return np.nan
