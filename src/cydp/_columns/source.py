# SPDX-License-Identifier: MIT
"""A column of a user, of any library: it is opened once, declares its type, and is read later.

Other libraries are known by what their objects can do: none of them is imported. docs/columns.md,
"Declare, charge, read".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import declared_in, import_nanoarrow, read_arrow
from cydp._columns.dtypes import (
    check_one_column,
    check_real,
    describe_entry,
)
from cydp._columns.entries import check_numbers, ragged
from cydp._columns.label_types import (
    LabelType,
    type_of_dtype,
    type_of_entries,
    type_of_schema,
)
from cydp._columns.label_values import LabelValues, labels_in
from cydp._columns.numbers import Held, is_real_array, numbers_in
from cydp._columns.shared import SharedColumn

__all__ = [
    "ArraySource",
    "ArrowSource",
    "ListSource",
    "Source",
    "speaks_arrow",
]


class Source(ABC):
    """A column of one library.

    Attributes
    ----------
    x : object
        The column of the library.
    name : str
        What to call it in an error.
    length : int or None
        How many entries there are; None for a query, which would have to run, and for a stream.

    """

    __slots__ = ("length", "name", "x")

    def __init__(self, x: Any, name: str) -> None:
        self.x, self.name = x, name
        self.length = self._length()

    def _length(self) -> int | None:
        try:
            return len(self.x)
        except TypeError:
            return None

    def named(self, name: str) -> Self:
        """Return the column with another name in errors."""
        return type(self)(self.x, name)

    def kept(self) -> Self:
        """Return the column as it is until it is read: a copy of a list."""
        return self

    def as_numbers(self) -> Source:
        """Return the column as one of numbers: what a column without a type holds."""
        return self

    def as_labels(self, sql_type: str | None = None) -> Source:
        """Return the column as one of labels.

        Parameters
        ----------
        sql_type : str, optional
            What a column without a type holds, as a type of DuckDB. Default: text.

        """
        return self

    @property
    def shared(self) -> SharedColumn | None:
        """The column, if it is one of a query, which is read in pieces."""
        return None

    @property
    def is_untyped(self) -> bool:
        """Whether how the column is used decides what it holds, as for CSV."""
        return False

    @property
    def is_text(self) -> bool:
        """Whether the column is declared as text, and stored as Python's str."""
        return False

    @property
    def may_be_inferred(self) -> bool:
        """Whether integers may have become floats for the sake of one that is missing."""
        return False

    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of real numbers, nulls aside; no value is read.

        A list stands for float64, and only the types of its entries are looked at.

        Raises
        ------
        TypeError, ValueError
            For a type that holds no real numbers, and for another number of dimensions than one.
        ImportError
            For every column that is read through Arrow, if `nanoarrow` is missing.

        """

    @abstractmethod
    def label_type(self) -> LabelType:
        """Return the type of labels; no value is read. The errors are as for `dtype`."""

    def entry_dtype(self) -> np.dtype[Any]:
        """Return the dtype of labels that are found; for a list, by the types of its entries."""
        return self.label_type().dtype

    @abstractmethod
    def held(self) -> Held:
        """Return the values as they are stored.

        A nullable column of pandas is masked where it is null; other arrays of pandas with nulls,
        and strings of Python, become arrays of objects, in which the nulls are kept.

        Raises
        ------
        TypeError
            For anything but a column.

        """

    def numbers(self) -> NDArray[Any]:
        """Return real numbers, masked where they are null; a TypeError for other values."""
        return numbers_in(self.held(), self.name)

    def times_wanted(self, nanoseconds: Sequence[int]) -> str:
        """Return what times must be if no entry can be one of these, from 1970 on, by its type."""
        return ""

    def labels(self) -> LabelValues:
        """Return labels as they are stored; a TypeError for what holds none."""
        return labels_in(self.held(), self.name, self.is_text)

    def objects(self) -> NDArray[Any] | None:
        """Return the entries of a list, or of objects without a mask; None for another column."""
        return None

    def entries(self) -> list[Any]:
        """Return all entries as objects of Python, for which nanoarrow is not needed."""
        return _list_of(self.x, self.name)


class ListSource(Source):
    """A list or a tuple."""

    __slots__ = ()

    def kept(self) -> Self:
        """Return a copy: the entries that are checked now are the entries that are read later."""
        return type(self)(self.x.copy(), self.name) if isinstance(self.x, list) else self

    def dtype(self) -> np.dtype[Any]:
        """Return float64, if all types of entries are types of numbers or nulls."""
        check_numbers(set(map(type, self.x)), self.name)
        return np.dtype(np.float64)

    def label_type(self) -> LabelType:
        """Return the dtype object: it does not depend on which entries there are."""
        return LabelType("objects")

    def entry_dtype(self) -> np.dtype[Any]:
        """Return the dtype that holds labels of these types."""
        return type_of_entries(set(map(type, self.x))).dtype

    def held(self) -> Held:
        """Return the list."""
        entries: Held = self.x
        return entries

    def objects(self) -> NDArray[Any]:
        """Return the entries in an array."""
        try:
            return np.array(self.x, object)
        except ValueError:
            raise TypeError(ragged(self.name)) from None


class ArraySource(Source):
    """An array of numpy, or what numpy makes one of."""

    __slots__ = ()

    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of the array."""
        if is_real_array(self.x) and self.x.ndim == 1:  # most often, and the quickest way
            return self.x.dtype
        dtype = self._declared("an entry")
        check_real(dtype, self.name)
        return dtype

    def label_type(self) -> LabelType:
        """Return the type of labels of its dtype."""
        return type_of_dtype(self._declared("a label"), self.name)

    def _declared(self, what: str) -> np.dtype[Any]:
        dtype = getattr(self.x, "dtype", None)
        if not hasattr(self.x, "__array__") or not isinstance(dtype, np.dtype):
            raise _no_column(self.x, self.name)
        if (ndim := getattr(self.x, "ndim", 1)) != 1:
            raise ValueError(
                f"{self.name} must have one dimension, {what} for each record, not {ndim}"
            )
        return dtype

    def numbers(self) -> NDArray[Any]:
        """Return the array, or another one that numpy makes of it."""
        return self.x if is_real_array(self.x) else super().numbers()

    def held(self) -> Held:
        """Return the array."""
        x = self.x
        if isinstance(x, np.ma.MaskedArray):
            return x
        if hasattr(x, "isna") and not isinstance(getattr(x, "dtype", None), np.dtype):
            return np.asarray(x, object)
        values: NDArray[Any] = np.asarray(x)
        if values.ndim == 0 and values.dtype.kind in "OSU":
            raise _no_column(x, self.name)
        return values

    def objects(self) -> NDArray[Any] | None:
        """Return the entries of an array of objects."""
        dtype = getattr(self.x, "dtype", None)
        if not isinstance(dtype, np.dtype) or dtype.kind != "O":
            return None
        return None if isinstance(self.x, np.ma.MaskedArray) else np.array(self.x, object)

    def entries(self) -> list[Any]:
        """Return the entries of the array, numbers as Python's own."""
        x = self.x
        if isinstance(x, np.ndarray) and x.dtype.kind in "biuUS" and x.ndim == 1:
            entries: list[Any] = x.tolist()
            return entries
        return super().entries()


class ArrowSource(Source):
    """A column of polars, pyarrow or another library, or a table of one, that exports Arrow."""

    __slots__ = ()

    def __init__(self, x: Any, name: str) -> None:
        if type(self) is ArrowSource and _holds_objects(x):
            raise TypeError(
                f"{name} must not be a polars column of Object, whose entries Arrow has as "
                f"addresses: give a list, as {name}.to_list()"
            )
        super().__init__(x, name)

    def dtype(self) -> np.dtype[Any]:
        """Return the dtype that the type of the column stands for."""
        return declared_in(self._schema(), self.name)

    def label_type(self) -> LabelType:
        """Return the type of labels of its schema."""
        schema = self._schema()
        if schema.format != "+s":
            return type_of_schema(schema, self.name)
        check_one_column(schema.n_children, self.name)
        return type_of_schema(schema.child(0), self.name)

    def _schema(self) -> Any:
        na = import_nanoarrow(self.name)
        # A column of pyarrow or nanoarrow has the type itself, or has a schema or a type.
        for declares in (self.x, getattr(self.x, "schema", None), getattr(self.x, "type", None)):
            if hasattr(declares, "__arrow_c_schema__"):
                return na.c_schema(declares)
        if hasattr(self.x, "slice"):  # polars
            return read_arrow(self.x.slice(0, 0), self.name).schema
        raise TypeError(
            f"{self.name} must be a column that states its type before it is read, not "
            f"{type(self.x).__name__}: convert it, for instance to one of pyarrow"
        )

    def held(self) -> Held:
        """Return chunks of Arrow."""
        return read_arrow(self.x, self.name)

    def entries(self) -> list[Any]:
        """Return the entries of the column."""
        x = self.x.read_all() if hasattr(self.x, "read_all") else self.x  # a reader of pyarrow
        if (columns := _columns_of(x)) is not None:
            check_one_column(len(columns), self.name)
            (x,) = columns
        for method in ("to_pylist", "to_list"):  # pyarrow; polars
            if hasattr(x, method):
                return list(getattr(x, method)())
        return _list_of(x, self.name)


def speaks_arrow(x: Any) -> bool:
    """Whether x is a column or table of another library that is read through Arrow.

    A column with a dtype of numpy is read without Arrow.
    """
    if isinstance(x, np.ndarray) or isinstance(getattr(x, "dtype", None), np.dtype):
        return False
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def _holds_objects(x: Any) -> bool:
    """Whether a column of polars, or one of a frame, holds objects of Python."""
    dtypes = x.dtypes if hasattr(x, "get_columns") else [getattr(x, "dtype", None)]
    return any(str(dtype) == "Object" for dtype in dtypes)


def _list_of(x: Any, name: str) -> list[Any]:
    if isinstance(x, str | bytes):
        raise _no_column(x, name)
    try:
        return list(x)
    except TypeError:
        raise _no_column(x, name) from None


def _no_column(x: Any, name: str) -> TypeError:
    if hasattr(x, "first_line"):  # a Table, which opens columns by this module
        return TypeError(f"{name} must be one column, not a table: choose one by column=")
    given = describe_entry(type(x))
    hint = ": choose one of its columns by column= of a release" if isinstance(x, Mapping) else ""
    return TypeError(f"{name} must be a list, an array or a column, not {given}{hint}")


def _columns_of(x: Any) -> list[Any] | None:
    """Return the columns of a table of polars, pyarrow or DuckDB; None for anything else."""
    if hasattr(x, "fetchall"):  # DuckDB
        return list(zip(*x.fetchall(), strict=True)) or [[]]
    if hasattr(x, "get_columns"):  # polars
        return list(x.get_columns())
    if hasattr(x, "itercolumns"):  # pyarrow
        return list(x.itercolumns())
    return None
