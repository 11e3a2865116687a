# SPDX-License-Identifier: MIT
"""Real numbers in the values that a column holds: arrays that are masked where an entry is null."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import ArrowColumn
from cydp._columns.dtypes import check_real
from cydp._columns.entries import PLAIN, numbers_of, ragged
from cydp._columns.masks import Mask, mask_absent

__all__ = ["Categories", "Held", "array_in", "is_real_array", "numbers_in"]

_NESTED = {list, tuple, np.ndarray}


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """The values of a categorical column.

    Attributes
    ----------
    codes : ndarray of int
        The place of each entry among the categories; 0 for null.
    present : ndarray of bool, or None
        Which entries are not null; None: all of them.
    categories : Source
        Distinct, without nulls.

    """

    codes: NDArray[Any]
    present: Mask
    categories: Any  # a Source, which is opened above this module


Held: TypeAlias = list[Any] | tuple[Any, ...] | NDArray[Any] | Categories | ArrowColumn
"""The values of a column as they are stored."""


def is_real_array(x: object) -> TypeGuard[NDArray[Any]]:
    """Whether x is an array that is read as it is: no subclass, and of real numbers."""
    return type(x) is np.ndarray and x.dtype.kind in "biuf" and x.dtype.itemsize <= 8


def numbers_in(held: Held, name: str) -> NDArray[Any]:
    """Return the values of a column as an array of real numbers.

    In a list and in an object array None, NA, NaT and masked entries are null, and the others must
    be numbers.

    Returns
    -------
    ndarray of bool, int, uint, or float of at most 64 bits
        A masked array if an entry is null.

    Raises
    ------
    TypeError
        For values of another type; the message names the type, and no value.

    """
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        values = _array_of(held, name) if isinstance(held, list | tuple) else array_in(held, name)
        masked = isinstance(values, np.ma.MaskedArray)
        if values.dtype == object and not masked and values.ndim > 0:
            values = numbers_of(values, name)
    check_real(values.dtype, name)
    return values


def array_in(held: NDArray[Any] | Categories | ArrowColumn, name: str) -> NDArray[Any]:
    """Return values other than a list as an array, masked where they are null."""
    if isinstance(held, ArrowColumn):
        return mask_absent(*held.numbers(name))
    if not isinstance(held, Categories):
        return held
    if held.categories.length == 0:  # all entries are null, and the categories declare no dtype
        return mask_absent(np.zeros(1, np.bool_)[held.codes], held.present)
    return mask_absent(held.categories.numbers()[held.codes], held.present)


def _array_of(x: Any, name: str) -> NDArray[Any]:
    """Return a list as numpy makes it, or as objects if numpy might change or refuse an entry."""
    if not set(map(type, x)) <= PLAIN | _NESTED:
        entries = np.empty(len(x), object)
        entries[:] = x
        return entries
    try:
        return np.asarray(x)
    except ValueError:
        raise TypeError(ragged(name)) from None
