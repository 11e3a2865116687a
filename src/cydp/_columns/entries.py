# SPDX-License-Identifier: MIT
"""Entries of lists and object arrays, which declare no dtype.

Which entries are allowed depends on their types alone. `integers_of` and `rationals_of` read each
entry by itself, so that neighbouring tables differ in one record; `numbers_of` has one dtype for
all entries, which follows from their types, and from which integers need more than 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.dtypes import describe_entry, not_numbers
from cydp._columns.masks import Mask, spread_present

__all__ = [
    "PLAIN",
    "check_numbers",
    "integers_of",
    "is_integer",
    "is_number",
    "is_real",
    "null_types",
    "numbers_of",
    "plain",
    "present_entries",
    "ragged",
    "rationals_of",
]

# By name: pandas is not imported for them.
_NULLS = {"NoneType", "NAType", "NaTType", "MaskedConstant"}

# Types that numpy turns into an array without a warning: into numbers only if they are numbers.
PLAIN = {bool, int, float, np.bool, np.float32, np.float64, np.int32, np.int64, np.uint64}
_INTEGERS_AND_BOOL = (int, np.integer, np.bool)
_NUMBERS = (bool, np.bool, Real, Decimal)
_BEYOND = Fraction(2) ** 2000  # beyond every bound; it stands for infinity


def null_types(types: Iterable[type]) -> set[type]:
    """Return the types, among these, that stand for a null: None, NA, NaT and masked."""
    return {kind for kind in types if kind.__name__ in _NULLS}


def is_integer(kind: type) -> bool:
    """Whether values of a type are integers; bool and a timedelta do not count as integers."""
    return kind is int or (_is_integer_or_bool(kind) and not issubclass(kind, bool | np.bool))


def is_real(kind: type) -> bool:
    """Whether values of a type are integers, or floats of at most 64 bits."""
    if issubclass(kind, np.floating):
        return not issubclass(kind, np.longdouble) or np.dtype(np.longdouble).itemsize <= 8
    return issubclass(kind, float) or is_integer(kind)


def is_number(kind: type) -> bool:
    """Whether values of a type are real numbers or bool; a timedelta does not count as one."""
    return issubclass(kind, _NUMBERS) and not issubclass(kind, np.timedelta64)


def plain(entry: Any) -> Any:
    """Return integers, bool, floats, str and bytes as Python's own; anything else as it is.

    A bool becomes an int.

    The methods of a subclass are not called: their errors might show data.
    """
    kind = type(entry)
    if kind is int or kind is float:
        return entry
    if issubclass(kind, int):
        return int.__int__(entry)
    if issubclass(kind, float):
        return float.__float__(entry)
    if issubclass(kind, str):
        return str.__str__(entry)
    if issubclass(kind, bytes):
        return bytes.__getitem__(entry, slice(None))
    if issubclass(kind, np.bool):
        return int(np.generic.item(entry))
    return np.generic.item(entry) if issubclass(kind, np.integer | np.floating) else entry


def _is_integer_or_bool(kind: type) -> bool:
    return issubclass(kind, _INTEGERS_AND_BOOL) and not issubclass(kind, np.timedelta64)


def check_numbers(types: Iterable[type], name: str) -> None:
    """Raise a TypeError or ValueError if a list has entries of a type that are no numbers."""
    for kind in sorted(set(types) - null_types(types), key=lambda kind: kind.__name__):
        nested = issubclass(kind, Sequence | np.ndarray)
        if nested and not issubclass(kind, str | bytes | bytearray):
            raise ValueError(f"{name} must hold one number for each record, not {kind.__name__}s")
        if not is_number(kind):
            raise not_numbers(name, describe_entry(kind), "numbers")


def ragged(name: str) -> str:
    """Return the message for a list of lists of different lengths."""
    return f"{name} must hold a number in each entry, not lists of different lengths"


def present_entries(entries: Sequence[Any]) -> tuple[Sequence[Any], Mask]:
    """Return the entries that are not null, and the mask of all.

    Examples
    --------
    >>> present_entries([7, None])
    ([7], array([ True, False]))

    """
    nulls = null_types(set(map(type, entries)))
    if not nulls:
        return entries, None
    present = np.fromiter((type(entry) not in nulls for entry in entries), np.bool_, len(entries))
    return [entry for entry in entries if type(entry) not in nulls], present


def numbers_of(entries: NDArray[Any], name: str) -> NDArray[Any]:
    """Return entries in a dtype of numbers, masked where they are null.

    Raises
    ------
    TypeError
        For an entry that is no number.

    """
    present, mask = present_entries(entries.ravel().tolist())
    types = set(map(type, present))
    numbers = np.asarray(present) if present and types <= PLAIN else None
    if numbers is None or numbers.dtype.kind not in "biuf":
        if present and all(map(_is_integer_or_bool, types)):
            numbers = np.asarray(list(map(plain, present)))
        if numbers is None or numbers.dtype == object:
            numbers = np.array([_float_of(entry, name) for entry in present], np.float64)
    return _spread_masked(numbers, mask, entries.shape)


def integers_of(entries: NDArray[Any], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Return entries in a dtype of integers, masked where they are null or do not fit.

    Raises
    ------
    TypeError
        For an entry that is no integer.

    """
    present, mask = present_entries(entries.ravel().tolist())
    refused = [kind for kind in set(map(type, present)) if not _is_integer_or_bool(kind)]
    if refused:
        raise TypeError(f"{name} must hold integers, not {min(map(describe_entry, refused))}")
    integers, ends = list(map(plain, present)), np.iinfo(dtype)
    fit = np.array([ends.min <= integer <= ends.max for integer in integers], np.bool_)
    fitting = [integer if fits else 0 for integer, fits in zip(integers, fit, strict=True)]
    masked = np.ma.MaskedArray(np.array(fitting, dtype), ~fit)
    return _spread_masked(masked, mask, entries.shape)


def rationals_of(entries: NDArray[Any], name: str) -> np.ma.MaskedArray[Any, Any]:
    """Return entries as integers and fractions of any size, masked where they are null or NaN.

    An infinity becomes a number beyond every bound.
    """
    rationals = [_rational_of(entry, name) for entry in entries.ravel().tolist()]
    filled = np.array([0 if number is None else number for number in rationals], object)
    mask = np.array([number is None for number in rationals], np.bool_)
    return np.ma.MaskedArray(filled.reshape(entries.shape), mask.reshape(entries.shape))


def _rational_of(entry: Any, name: str) -> int | Fraction | None:
    if null_types([type(entry)]):
        return None
    if _is_integer_or_bool(type(entry)):
        return cast("int", plain(entry))
    number = _float_of(entry, name)
    if np.isnan(number):
        return None
    return Fraction(number) if np.isfinite(number) else _BEYOND * (1 if number > 0 else -1)


def _float_of(entry: Any, name: str) -> float:
    if not is_number(type(entry)):
        raise TypeError(f"{name} must hold numbers, not {describe_entry(type(entry))}")
    number = plain(entry)
    try:
        return float(number)
    except OverflowError:  # an integer or a fraction beyond the floats
        return np.inf if number > 0 else -np.inf
    except ValueError:  # Decimal's signalling NaN
        return np.nan


def _spread_masked(values: NDArray[Any], present: Mask, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return values at the places of present entries, with the other entries masked."""
    if present is None:
        return values.reshape(shape)
    mask = ~present
    mask[present] = np.ma.getmaskarray(values)
    spread = spread_present(np.ma.getdata(values), present)
    return np.ma.MaskedArray(spread.reshape(shape), mask.reshape(shape))
