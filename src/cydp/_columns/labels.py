# SPDX-License-Identifier: MIT
"""Columns of labels of any hashable kind: declared before the charge, and read after it.

docs/columns.md, "Labels".
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.arrow import ArrowColumn, import_nanoarrow, read_arrow
from cydp._columns.declared_dtype import declared_length, stated_type
from cydp._columns.label_types import (
    LabelType,
    type_of_dtype,
    type_of_relation,
    type_of_schema,
)
from cydp._columns.masks import Mask
from cydp._columns.opening import (
    check_one_column,
    column_in_pieces,
    is_relation,
    open_column,
    speaks_arrow,
)
from cydp._columns.pandas import Categories, holds_python_text, is_series
from cydp._columns.reading import read_column
from cydp._columns.relations import RelationColumn
from cydp._columns.strings import Strings, arrow_strings

__all__ = ["LabelValues", "Labels"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """What a column of labels holds.

    Attributes
    ----------
    type : LabelType
    values : ndarray, Strings, list or tuple
        The labels as they are stored.
    present : ndarray of bool, or None
        Which of the values are not null; None: all, unless null objects are among them.
    rows : ndarray of int, or None
        Of categories: the place of each row's label among the values.
    rows_present : ndarray of bool, or None
        Of categories: which rows are not null.

    """

    type: LabelType
    values: NDArray[Any] | Strings | Sequence[Any]
    present: Mask = None
    rows: NDArray[Any] | None = None
    rows_present: Mask = None

    def __len__(self) -> int:
        return len(self.values if self.rows is None else self.rows)


class Labels:
    """A column of labels. Until it is read, only its type is looked at.

    Parameters
    ----------
    x : array_like or column
        A label for each record: numbers, text, bytes, dates, times, or in a list or an array of
        objects anything that can be hashed. Of categories the labels are what they stand for.
    name : str, default "by"
        What to call it in an error.

    Attributes
    ----------
    name : str
    type : LabelType
        What the column declares; of a list, the types of its entries.
    dtype : dtype
        Of labels that are found in the column: bool, int64, uint64, float64, datetime64,
        timedelta64 or object.
    length : int or None
        How many rows there are; None for a relation of DuckDB.

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

    __slots__ = ("_column", "length", "name", "type")

    def __init__(self, x: Column, name: str = "by") -> None:
        column = open_column(x, name)
        # A list is copied: the entries whose types were seen are those that are read later.
        self._column = column.copy() if isinstance(column, list) else column
        self.name = name
        self.type = _declared_type(self._column, name)
        self.length = declared_length(self._column)
        if self.length is None:
            self._column = column_in_pieces(self._column)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of labels that are found in the column."""
        return self.type.dtype

    @property
    def relation(self) -> RelationColumn | None:
        """The column, if it is one of a relation of DuckDB."""
        return self._column if isinstance(self._column, RelationColumn) else None

    def read(self) -> LabelValues:
        """Return what the column holds.

        Raises
        ------
        ValueError
            If it has another type than it declared, or more dimensions than one.

        """
        held = _read(self._column, self.name)
        same = held.type.kind == self.type.kind and held.type.dtype == self.type.dtype
        if not same or (self.length is not None and len(held) != self.length):
            raise ValueError(f"{self.name} must have the type and the length that it declared")
        return held


def _declared_type(x: Any, name: str) -> LabelType:
    if isinstance(x, list | tuple):
        return LabelType("objects")  # what is found does not depend on which entries there are
    if is_series(x):
        dtype = x.dtype
        if isinstance(dtype, np.dtype):
            return type_of_dtype(dtype, name)
        return _read(x.iloc[:0], name).type
    if speaks_arrow(x):
        return _arrow_type(x, name)
    dtype = getattr(x, "dtype", None)
    if not hasattr(x, "__array__") or not isinstance(dtype, np.dtype):
        raise TypeError(f"{name} must be a list, an array or a column, not {type(x).__name__}")
    if (ndim := getattr(x, "ndim", 1)) != 1:
        raise ValueError(f"{name} must have one dimension, a label for each record, not {ndim}")
    return type_of_dtype(dtype, name)


def _arrow_type(x: Any, name: str) -> LabelType:
    """Return what a column that is read through Arrow declares."""
    na = import_nanoarrow(name)
    if is_relation(x):
        check_one_column(len(x.types), name)
        return type_of_relation(x, name)
    if (declares := stated_type(x)) is not None:
        schema = na.c_schema(declares)
        if schema.format != "+s":
            return type_of_schema(schema, name)
        check_one_column(schema.n_children, name)
        return type_of_schema(schema.child(0), name)
    if hasattr(x, "slice"):  # polars
        return type_of_schema(read_arrow(x.slice(0, 0), name).schema, name)
    raise TypeError(
        f"{name} must be a column that states its type before it is read, not "
        f"{type(x).__name__}: convert it, for instance to one of pyarrow"
    )


def _read(x: Any, name: str) -> LabelValues:
    if isinstance(x, list | tuple):
        return LabelValues(LabelType("objects"), x)
    if is_series(x) and (own := _of_pandas(x)) is not None:
        return own
    held = read_column(x, name)
    if isinstance(held, ArrowColumn):
        return _of_arrow(held, name)
    if isinstance(held, Categories):
        found = _read(open_column(held.categories, name), name)  # categories have no nulls
        return replace(found, rows=held.codes, rows_present=held.present)
    values = np.asarray(np.ma.getdata(held))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    masked = isinstance(held, np.ma.MaskedArray)
    present = ~np.ma.getmaskarray(held) if masked else None
    kind = LabelType("text") if holds_python_text(x) else type_of_dtype(values.dtype, name)
    return LabelValues(kind, values, present)


def _of_pandas(x: Any) -> LabelValues | None:
    """Return a Series of a dtype that pandas has beside numpy's and Arrow's; None for another."""
    pandas = sys.modules["pandas"]
    if isinstance(x.dtype, pandas.DatetimeTZDtype):  # it stores times of UTC
        values = x.to_numpy(f"M8[{x.dtype.unit}]")
        return LabelValues(replace(type_of_dtype(values.dtype, ""), kind="instants"), values)
    if isinstance(x.dtype, pandas.IntervalDtype | pandas.PeriodDtype):
        return LabelValues(LabelType("objects"), x.to_numpy(object))
    return None


def _of_arrow(column: ArrowColumn, name: str) -> LabelValues:
    kind = type_of_schema(column.schema, name)
    if kind.kind == "numbers":
        return LabelValues(kind, *column.numbers(name))
    if kind.kind == "nulls":
        rows = sum(chunk.rows for chunk in column.chunks)
        return LabelValues(kind, np.broadcast_to(np.array(None, object), rows))
    if kind.storage is not None:
        return LabelValues(kind, *column.fixed(kind.storage, name))
    return LabelValues(kind, *arrow_strings(column, name))
