# SPDX-License-Identifier: MIT
"""The source of a column, by what its object can do. docs/columns.md, "Declare, charge, read"."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import import_nanoarrow, read_arrow
from cydp._columns.dtypes import DUCKDB_NUMBERS, NUMBERS, TIMES, check_one_column, not_numbers
from cydp._columns.file_columns import FileColumn
from cydp._columns.label_types import LabelType, type_of_relation
from cydp._columns.label_values import LabelValues
from cydp._columns.numbers import Categories, Held
from cydp._columns.pandas import (
    as_series,
    categories_of,
    holds_python_text,
    is_frame,
    is_series,
    masked_series,
    own_labels,
)
from cydp._columns.relations import SharedRelation, is_relation
from cydp._columns.shared import SharedColumn
from cydp._columns.source import ArraySource, ArrowSource, ListSource, Source, speaks_arrow

__all__ = ["SeriesSource", "open_arrow_table", "open_source", "refuse_lazy"]


class SeriesSource(ArraySource):
    """A Series of pandas, which exports Arrow only with pyarrow."""

    __slots__ = ()

    @property
    def is_text(self) -> bool:
        """Whether the Series is declared as text, and stored as Python's str."""
        return holds_python_text(self.x)

    @property
    def may_be_inferred(self) -> bool:
        """Whether the dtype is numpy's, which has no null: pandas makes floats of such integers."""
        return self._is_numpy

    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of numpy, or what a dtype of pandas' own holds, from no rows of it."""
        return super().dtype() if self._is_numpy else self._without_rows().numbers().dtype

    def label_type(self) -> LabelType:
        """Return the type of labels of its dtype."""
        return super().label_type() if self._is_numpy else self._without_rows().labels().type

    @property
    def _is_numpy(self) -> bool:
        return isinstance(self.x.dtype, np.dtype)

    def _without_rows(self) -> SeriesSource:
        return SeriesSource(self.x.iloc[:0], self.name)

    def held(self) -> Held:
        """Return an array, the codes of categories, or chunks of Arrow."""
        if (found := categories_of(self.x)) is not None:
            codes, present, index = found
            return Categories(codes, present, open_source(index, self.name))
        if (values := masked_series(self.x)) is not None:
            return values
        return read_arrow(self.x, self.name) if speaks_arrow(self.x) else super().held()

    def labels(self) -> LabelValues:
        """Return labels; times with a zone, intervals and periods are pandas' own."""
        found = own_labels(self.x)
        return super().labels() if found is None else found

    def entries(self) -> list[Any]:
        """Return the entries of the Series."""
        return list(self.x.to_list())


class SharedSource(ArrowSource):
    """A column of a query: to read it, or to ask for its length, runs the query."""

    __slots__ = ()

    def _length(self) -> int | None:
        return None

    @property
    def shared(self) -> SharedColumn | None:
        """The column."""
        return self.x if isinstance(self.x, SharedColumn) else None


class RelationSource(SharedSource):
    """A column of a relation of DuckDB."""

    __slots__ = ()

    def kept(self) -> Self:
        """Return the only column of the relation, so that it can be read in pieces."""
        if isinstance(self.x, SharedColumn) or len(self.x.columns) != 1:
            return self
        return type(self)(SharedRelation(self.x).column(self.x.columns[0]), self.name)

    def dtype(self) -> np.dtype[Any]:
        """Return the dtype that the type of the column stands for; the query does not run."""
        self._check()
        return _number_dtype(self.x.types[0], self.name)

    def numbers(self) -> NDArray[Any]:
        """Return real numbers; the type is looked at, since Arrow's may be that of another one."""
        self.dtype()
        return super().numbers()

    def label_type(self) -> LabelType:
        """Return the type of labels of its type; the query does not run."""
        self._check()
        return type_of_relation(self.x, self.name)

    def _check(self) -> None:
        import_nanoarrow(self.name)
        check_one_column(len(self.x.types), self.name)


class FileSource(Source):
    """A column of a file; one of CSV has no type until a release uses it."""

    __slots__ = ()

    def _length(self) -> int | None:
        return None

    @property
    def is_untyped(self) -> bool:
        """Whether the file is CSV."""
        return not self.x.file.has_types

    def as_numbers(self) -> Source:
        """Return what is a number; other entries are null."""
        return RelationSource(self.x.numbers(), self.name)

    def as_labels(self, sql_type: str | None = None) -> Source:
        """Return the column as it is stored, or what is an entry of this type."""
        return RelationSource(self.x.labels(sql_type), self.name)

    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of its numbers."""
        return self.as_numbers().dtype()

    def label_type(self) -> LabelType:
        """Return the type of its labels."""
        return self.as_labels().label_type()

    def held(self) -> Held:
        """Return its labels."""
        return self.as_labels().held()


def open_source(x: Any, name: str) -> Source:
    """Return the column that a user passes. No value is read.

    It is a list, another sequence, an array, a `memoryview`, a column of a library, or the only
    column of a frame. A source that was opened before is returned with this name.

    Raises
    ------
    TypeError
        For a frame of several columns or none, and for a column that is not computed yet.

    """
    if isinstance(x, np.ndarray):  # most often, and the quickest way
        return ArraySource(x, name)
    if isinstance(x, Source):
        return x if x.name == name else x.named(name)
    if isinstance(x, list | tuple):
        return ListSource(x, name)
    if isinstance(x, memoryview | array):
        return ArraySource(np.asarray(x), name)
    is_text = isinstance(x, str | bytes | bytearray)
    if isinstance(x, Sequence) and not is_text and not hasattr(x, "__array__"):
        return ListSource(list(x), name)
    if is_frame(x):
        check_one_column(x.shape[1], name)
        return SeriesSource(x.iloc[:, 0], name)
    if is_series(x):  # before its attributes are asked for, which include its labels
        return SeriesSource(x, name)
    if is_relation(x):
        return RelationSource(x, name)
    if isinstance(x, SharedColumn):
        return SharedSource(x, name)
    if isinstance(x, FileColumn):
        return FileSource(x, name)
    if speaks_arrow(x):
        return ArrowSource(x, name)
    refuse_lazy(x, name)
    series = as_series(x)
    return SeriesSource(series, name) if is_series(series) else ArraySource(x, name)


def open_arrow_table(x: Any, name: str) -> Any:
    """Return a table that exports Arrow; a TypeError for anything else."""
    if not speaks_arrow(x):
        refuse_lazy(x, name)
        raise TypeError(f"{name} must be a table that exports Arrow, not {type(x).__name__}")
    if is_relation(x):
        for kind in x.types:
            _number_dtype(kind, name)
    return x


_WORDS = {"varchar": "text", "enum": "text", "blob": "bytes"}  # of types of DuckDB


def _number_dtype(declared: Any, name: str) -> np.dtype[Any]:
    """Return the dtype for a type of DuckDB. UHUGEINT is none: Arrow gives it a sign."""
    kind = str(declared.id).strip('"')  # without what a composite type holds
    if kind.startswith(("date", "timestamp")):
        raise not_numbers(name, TIMES)
    if kind not in DUCKDB_NUMBERS:
        given = _WORDS.get(kind, kind.upper())
        raise TypeError(f"{name} must hold {NUMBERS}, not {given}: cast it to one of these")
    return np.dtype(DUCKDB_NUMBERS[kind])


def refuse_lazy(x: Any, name: str) -> None:
    """Raise a TypeError for a column or a table that is not computed or read yet."""
    for method, what in (("collect", "computed"), ("read_all", "read"), ("to_table", "read")):
        if hasattr(x, method):
            raise TypeError(f"{name} must be {what} first: call its {method}()")
