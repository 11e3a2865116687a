# SPDX-License-Identifier: MIT
"""What is to be released, as it says it is before anybody reads it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import declared_dtype, declared_length
from cydp._columns.entries import NULLS
from cydp._columns.foreign import opened, speaks_arrow
from cydp._columns.numbers import column
from cydp._columns.pandas import is_series

__all__ = ["Declared", "check_entries", "declare", "is_integer", "is_real", "labels_of", "like"]


class Declared:
    """A number, a list, an array or a column: what it says of itself, and must then be.

    Attributes
    ----------
    value : object
        A number; an array; a column of pandas, polars or pyarrow; of a list or a tuple an array
        of its entries as objects, copied at once, so that nobody can add to them.
    dtype : dtype or None
        Of an array or a column; None for a number and a list.
    shape : tuple of int
    listed : bool
        Whether the value is such a copy of a list.
    column : bool
        Whether the value is a column, which may have nulls.

    """

    __slots__ = ("column", "dtype", "listed", "shape", "value")

    def __init__(
        self,
        value: Any,
        dtype: np.dtype[Any] | None,
        shape: tuple[int, ...],
        *,
        listed: bool = False,
        column: bool = False,
    ) -> None:
        self.value, self.dtype, self.shape = value, dtype, shape
        self.listed, self.column = listed, column

    @property
    def size(self) -> int:
        """How many entries there are."""
        return math.prod(self.shape)

    def read(self, name: str) -> NDArray[Any]:
        """Return the array, or the column with 0 for null.

        Raises
        ------
        ValueError
            If its dtype or shape is not what was declared.

        """
        if not self.column:
            return self._checked(np.asarray(self.value), name)
        filled: NDArray[Any] = np.ma.filled(self.read_column(name), 0)
        return filled

    def read_column(self, name: str) -> NDArray[Any]:
        """Return the column, masked where it is null."""
        return self._checked(column(self.value, name), name)

    def _checked(self, array: NDArray[Any], name: str) -> NDArray[Any]:
        if array.dtype != self.dtype or array.shape != self.shape:
            raise ValueError(
                f"{name} must have the dtype and the shape that it had when it was charged"
            )
        return array


def declare(value: Any, name: str, kind: str, null: float = 0) -> Declared:
    """Return what a number, a list, an array or a column says of itself.

    No value of an array or a column is read.

    Parameters
    ----------
    value : number, list, tuple, numpy array or what has a numpy dtype and a shape, or column
        A column of pandas, polars or pyarrow, whose length does not depend on its values.
    name, kind : str
        What to call it in an error, and what it must be.
    null : int or float, default 0
        What None, and what else stands for a null, counts as in a list.

    Raises
    ------
    TypeError
        For anything else, such as masked arrays and relations of DuckDB.

    """
    kind_of = type(value)
    if kind_of is int or kind_of is float:  # most often, and the quickest way
        return Declared(value, None, ())
    if isinstance(value, (list, tuple)):
        try:
            entries = np.array(value, object)
        except ValueError:
            raise TypeError(_ragged(name, kind)) from None
        nulls = {of for of in set(map(type, entries.flat)) if of.__name__ in NULLS}
        if nulls:
            hidden = [type(entry) in nulls for entry in entries.flat]
            entries[np.reshape(hidden, entries.shape)] = null
        return Declared(entries, None, entries.shape, listed=True)
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return Declared(value, None, ())
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be without a mask: fill it first, as {name}.filled(0) does")
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if isinstance(dtype, np.dtype) and isinstance(shape, tuple):
        return Declared(value, dtype, shape)
    if hasattr(value, "columns"):
        raise TypeError(
            f"{name} must be one column, not a {kind_of.__name__}: pass one of its columns, as a "
            "list, an array or a Series"
        )
    if speaks_arrow(opened(value, name)):
        return _declare_column(value, name, kind)
    given = "None" if value is None else kind_of.__name__
    if isinstance(value, Mapping):
        given += ": pass its values as a list"
    elif isinstance(value, Rational | Decimal):
        given = f"a {'Decimal' if isinstance(value, Decimal) else 'Fraction'}: pass a float"
    raise TypeError(f"{name} must be {kind}, in a list, a numpy array or a column, not {given}")


def _declare_column(value: Any, name: str, kind: str) -> Declared:
    if hasattr(getattr(value, "dtype", None), "categories"):
        # Without a record they may have another type, or none.
        raise TypeError(f"{name} must be {kind}, not categories: pass their codes")
    dtype, length = declared_dtype(value, name), declared_length(value)
    if length is None:
        raise TypeError(
            f"{name} must have a length that is known before it is read: fetch it first"
        )
    return Declared(value, dtype, (length,), column=True)


def like(value: Any, released: NDArray[Any]) -> Any:
    """Return what was released in place of a Series of pandas as a Series with its index."""
    if not is_series(value):
        return released
    return sys.modules["pandas"].Series(released, index=value.index, name=value.name)


def labels_of(value: Any) -> Any:
    """Return a Series, whose index a repetition must have too, or None for anything else."""
    return value if is_series(value) else None


def check_entries(given: Declared, allowed: Callable[[object], bool], name: str, kind: str) -> None:
    """Check the types of the entries of a list.

    Raises
    ------
    TypeError
        If one is not allowed.

    """
    if all(map(allowed, given.value.flat)):
        return
    wrong = {type(entry) for entry in given.value.flat if not allowed(entry)}
    if any(issubclass(of, list | tuple | np.ndarray) for of in wrong):
        raise TypeError(_ragged(name, kind))
    # The same one in any order of the entries.
    raise TypeError(f"{name} must be {kind}, not {min(of.__name__ for of in wrong)}")


def _ragged(name: str, kind: str) -> str:
    return f"{name} must be {kind}, in rows of one length"


def is_integer(entry: object) -> bool:
    """Whether an entry of a list is an integer; bool and a timedelta are none."""
    return type(entry) is int or (
        isinstance(entry, (int, np.integer)) and not isinstance(entry, (bool, np.timedelta64))
    )


def is_real(entry: object) -> bool:
    """Whether an entry of a list is an integer or a float of at most 64 bits."""
    if isinstance(entry, np.floating):
        return entry.dtype.itemsize <= 8
    return isinstance(entry, float) or is_integer(entry)
