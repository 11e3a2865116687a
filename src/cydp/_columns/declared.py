# SPDX-License-Identifier: MIT
"""The data to release: declared before the charge, and read as declared after it.

docs/columns.md, "Declare, charge, read".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.entries import is_real, null_types
from cydp._columns.label_values import LabelValues
from cydp._columns.pandas import is_series
from cydp._columns.shared import SharedColumn
from cydp._columns.source import ArrowSource, ListSource, Source
from cydp._columns.sources import SeriesSource, open_source

__all__ = ["Declared", "Labels", "Records", "check_entries", "check_reals", "declare"]


_OBJECTS = "objects"  # the kind of labels in a list, too


class Records:
    """A column of numbers, for a release with a loss that does not depend on how many they are.

    Parameters
    ----------
    x : array_like or column
        A number for each record.
    name : str, default "x"
        What to call it in an error.

    Attributes
    ----------
    dtype : dtype
        The dtype of the column: see `Source.dtype`.
    length : int or None
        See `Source`.

    Raises
    ------
    TypeError, ValueError, ImportError
        For a column that holds no real numbers, before anything is charged.

    Examples
    --------
    >>> records = Records([1, None])
    >>> records.dtype, records.read().tolist()
    (dtype('float64'), [1.0, None])

    """

    __slots__ = ("_column", "dtype", "length")

    def __init__(self, x: Column | Source, name: str = "x") -> None:
        self._column = open_source(x, name).as_numbers().kept()
        self.dtype, self.length = self._column.dtype(), self._column.length

    @property
    def shared(self) -> SharedColumn | None:
        """The column, if it is one of a query."""
        return self._column.shared

    @property
    def has_integers(self) -> bool:
        """Whether the column declares that it holds integers, whichever of them are missing."""
        return self.dtype.kind in "iu" and not self._column.may_be_inferred

    @property
    def declared(self) -> str:
        """The name and the type of the column, the same for all pieces of a table."""
        kind = "numbers of pandas" if self._column.may_be_inferred else str(self.dtype)
        return f"{self._column.name}: {_OBJECTS if isinstance(self._column, ListSource) else kind}"

    def read(self) -> NDArray[Any]:
        """Return the column, masked where it is null; a list becomes float64.

        Raises
        ------
        ValueError
            If the column turns out to have another dtype, or more dimensions than one.

        """
        values = self._column.numbers()
        if isinstance(self._column, ListSource):
            with np.errstate(all="ignore"):  # a signalling NaN may warn
                values = values.astype(np.float64, copy=False)
        same = values.dtype == self.dtype and values.ndim == 1
        _check_as_declared(same, self._column.name)
        return values


class Declared:
    """The input of a mechanism: a number, a list, an array or a column, and what it declares.

    Attributes
    ----------
    value : object
        A number; an array; a `Source` of a column; for a list or a tuple an array
        of its entries as objects, copied at once, so that nobody can add an entry.
    dtype : dtype or None
        The dtype of an array or a column; None for a number and a list.
    shape : tuple of int
    types : set of types, or None
        The types of a list's entries, nulls aside; None for anything else.
    column : bool
        Whether the value is a column, which may have nulls.

    """

    __slots__ = ("column", "dtype", "shape", "types", "value")

    def __init__(
        self,
        value: Any,
        dtype: np.dtype[Any] | None,
        shape: tuple[int, ...],
        *,
        types: set[type] | None = None,
        column: bool = False,
    ) -> None:
        self.value, self.dtype, self.shape = value, dtype, shape
        self.types, self.column = types, column

    @property
    def listed(self) -> bool:
        """Whether the value is a copy of a list or a tuple."""
        return self.types is not None

    @property
    def size(self) -> int:
        """How many entries there are."""
        return math.prod(self.shape)

    def read(self, name: str) -> NDArray[Any]:
        """Return the array, or the column with 0 for null.

        Raises
        ------
        ValueError
            If it has another dtype or shape than it declared.

        """
        if not self.column:
            return self._check(np.asarray(self.value), name)
        filled: NDArray[Any] = np.ma.filled(self.read_column(name), 0)
        return filled

    def read_column(self, name: str) -> NDArray[Any]:
        """Return a column, masked where it is null; errors as in `read`."""
        return self._check(self.value.numbers(), name)

    def _check(self, array: NDArray[Any], name: str) -> NDArray[Any]:
        _check_as_declared(array.dtype == self.dtype and array.shape == self.shape, name)
        return array


def _check_as_declared(is_same: bool, name: str) -> None:
    """Refuse data that changed after the charge, before any noise is drawn."""
    if not is_same:
        raise ValueError(
            f"{name} must have the dtype and the shape that it had when it was charged"
        )


def declare(value: Any, name: str, kind: str, null: float = 0) -> Declared:
    """Return the declaration of a number, a list, an array or a column.

    No value of an array or a column is read.

    Parameters
    ----------
    value : number, list, tuple, array or column
        An array of numpy, or of another library with a dtype of numpy and a shape. A column of
        pandas, polars or pyarrow: its length does not depend on its values.
    name, kind : str
        What to call it in an error, and what it must be.
    null : int or float, default 0
        The number in place of a null in a list.

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
        types = set(map(type, entries.flat))
        if nulls := null_types(types):
            absent = [type(entry) in nulls for entry in entries.flat]
            entries[np.reshape(absent, entries.shape)] = null
        return Declared(entries, None, entries.shape, types=types - nulls)
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return Declared(value, None, ())
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be without a mask: fill it first, as {name}.filled(0) does")
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if isinstance(dtype, np.dtype) and isinstance(shape, tuple):
        return Declared(value, dtype, shape)
    if hasattr(value, "columns") and not is_series(value):
        raise TypeError(
            f"{name} must be one column, not a {kind_of.__name__}: pass one of its columns, as a "
            "list, an array or a Series"
        )
    if not isinstance(value, Sequence):
        column = open_source(value, name)
        if isinstance(column, SeriesSource | ArrowSource):
            return _declare_column(column, kind)
    given = "None" if value is None else kind_of.__name__
    if isinstance(value, Mapping):
        given += ": pass its values as a list"
    elif isinstance(value, Rational | Decimal):
        given = f"a {'Decimal' if isinstance(value, Decimal) else 'Fraction'}: pass a float"
    raise TypeError(f"{name} must be {kind}, in a list, a numpy array or a column, not {given}")


def _declare_column(column: Source, kind: str) -> Declared:
    name = column.name
    if hasattr(getattr(column.x, "dtype", None), "categories"):
        # Without a record, the categories may have another type, or none.
        raise TypeError(f"{name} must be {kind}, not categories: pass their codes")
    dtype, length = column.dtype(), column.length
    if length is None:
        raise TypeError(
            f"{name} must have a length that is known before it is read: fetch it first"
        )
    return Declared(column, dtype, (length,), column=True)


def check_entries(given: Declared, allowed: Callable[[type], bool], name: str, kind: str) -> None:
    """Check the types of the entries of a list; anything else has none.

    Raises
    ------
    TypeError
        If a type is not allowed.

    """
    refused = {found for found in given.types or () if not allowed(found)}
    if any(issubclass(found, list | tuple | np.ndarray) for found in refused):
        raise TypeError(_ragged(name, kind))
    if refused:  # the message is the same for any order of the entries
        raise TypeError(f"{name} must be {kind}, not {min(found.__name__ for found in refused)}")


def check_reals(given: Declared, name: str) -> None:
    """Check the types of a list, or the dtype of an array or a column, of real numbers.

    Raises
    ------
    TypeError
        For other types than integers and floats of at most 64 bits.

    """
    kind = "integers or floats of up to 64 bits"
    check_entries(given, is_real, name, kind)
    dtype = given.dtype
    if dtype is not None and (dtype.kind not in "iuf" or dtype.itemsize > 8):
        raise TypeError(f"{name} must be {kind}, not of dtype {dtype}")


def _ragged(name: str, kind: str) -> str:
    return f"{name} must be {kind}, in rows of one length"


class Labels:
    """A column of labels. Until it is read, only its type is looked at.

    Parameters
    ----------
    x : array_like or column
        A label for each record: numbers, text, bytes, dates, times, or in a list or an array of
        objects anything that can be hashed. The labels of a categorical column are its categories.
    name : str, default "by"
        What to call it in an error.
    sql_type : str, optional
        As in `Source.as_labels`.

    Attributes
    ----------
    name : str
    type : LabelType
        What the column declares; for a list, the types of its entries.
    dtype : dtype
        The dtype of labels that are found in the column: bool, int64, uint64, float64, datetime64,
        timedelta64 or object.
    length : int or None
        How many rows there are; None if only a query tells.
    text_as : tuple of str
        Which notes a release has on the keys for a column of this type: see `ColumnKeys.uses`.

    Raises
    ------
    TypeError, ValueError
        For a type that holds no labels, and for more dimensions than one.
    ImportError
        For a column that is read through Arrow, if `nanoarrow` is missing.

    Examples
    --------
    >>> labels = Labels(np.array([4, 7], np.int8))
    >>> labels.type.kind, labels.dtype, labels.length
    ('numbers', dtype('int64'), 2)

    """

    __slots__ = ("_column", "_opened", "length", "name", "text_as", "type")

    def __init__(self, x: Column | Source, name: str = "by", sql_type: str | None = None) -> None:
        self._opened = open_source(x, name)
        column = self._opened.as_labels(sql_type)
        self.name = name
        self.text_as: tuple[str, ...] = ()
        self.type = column.label_type()
        self.length = column.length
        self._column = column.kept()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of labels that are found in the column."""
        return self.type.dtype

    @property
    def shared(self) -> SharedColumn | None:
        """The column, if it is one of a query."""
        return self._column.shared

    @property
    def declared(self) -> str:
        """The name and the type of the column, the same for all pieces of a table."""
        found = self.type
        exact = found.dtype != object and self.keeps_dtype
        return f"{self.name}: {found.kind}" + (f" of {found.dtype}" if exact else "")

    @property
    def keeps_dtype(self) -> bool:
        """Whether the dtype of numbers is that of all pieces, whatever entries are missing."""
        return not self._opened.may_be_inferred

    @property
    def is_untyped(self) -> bool:
        """Whether the column declares no type: see `Source`."""
        return self._opened.is_untyped

    def times_wanted(self, nanoseconds: Sequence[int]) -> str:
        """Return what keys must be if the column cannot hold one of these times, from 1970 on."""
        return self._opened.times_wanted(nanoseconds)

    def read_as(self, sql_type: str) -> Labels:
        """Return a column without a type as one of a type of DuckDB."""
        return Labels(self._opened, self.name, sql_type)

    def read(self) -> LabelValues:
        """Return the labels that the column holds.

        Raises
        ------
        ValueError
            If it has another type than it declared, or more dimensions than one.

        """
        held = self._column.labels()
        same = held.type.kind == self.type.kind and held.type.dtype == self.type.dtype
        if not same or (self.length is not None and len(held) != self.length):
            raise ValueError(f"{self.name} must have the type and the length that it declared")
        return held
