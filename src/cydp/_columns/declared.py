# SPDX-License-Identifier: MIT
"""What a column says of itself before a value is read: its dtype and its length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cydp._arguments import Column
from cydp._columns.arrow import nanoarrow, numbers_dtype
from cydp._columns.entries import NULLS, is_number, sequence
from cydp._columns.foreign import is_relation, one_column, opened, speaks_arrow
from cydp._columns.numbers import check_real, column
from cydp._columns.pandas import is_series
from cydp._columns.type_names import NUMBERS, of_entry

__all__ = ["declared_dtype", "declared_length"]

_RELATION_DTYPES = {
    "boolean": np.bool_, "tinyint": np.int8, "smallint": np.int16, "integer": np.int32,
    "bigint": np.int64, "utinyint": np.uint8, "usmallint": np.uint16, "uinteger": np.uint32,
    "ubigint": np.uint64, "float": np.float32, "double": np.float64, "null": np.bool_,
}  # fmt: skip


def declared_dtype(x: Column, name: str = "x") -> np.dtype[Any]:
    """Return the dtype of a column of real numbers without reading a value.

    Parameters
    ----------
    x : array_like or column
        A numpy array or pandas column has a dtype; columns and one-column tables of polars,
        pyarrow and DuckDB have types, which stand for dtypes. A sequence declares nothing: it
        stands for float64 whatever its entries are, of which only the types are looked at.

    Returns
    -------
    dtype of bool, int, uint, or float of at most 64 bits
        That of the values, nulls aside, as `column` reads them; of a sequence float64.

    Raises
    ------
    TypeError
        For what holds no real numbers by its type: text, dates, object arrays, wide decimals, a
        table of several columns or none, a list with an entry that is no number, and what says
        no type at all.
    ValueError
        For another number of dimensions than one.
    ImportError
        For a column that is read through Arrow, if `nanoarrow` is missing; its values, nulls
        included, do not matter.

    Examples
    --------
    >>> declared_dtype(np.array([1, 2], np.int8)), declared_dtype([1, None])
    (dtype('int8'), dtype('float64'))

    """
    x = sequence(x)
    if isinstance(x, list | tuple):
        _check_entries(set(map(type, x)), name)
        return np.dtype(np.float64)
    x = opened(x, name)
    dtype = getattr(x, "dtype", None)
    if is_series(x) and not isinstance(dtype, np.dtype):
        return column(x.iloc[:0], name).dtype
    if speaks_arrow(x):
        return _arrow_dtype(x, name)
    if not hasattr(x, "__array__") or not isinstance(dtype, np.dtype):
        raise TypeError(f"{name} must be a list, an array or a column, not {type(x).__name__}")
    _check_dimensions(getattr(x, "ndim", 1), name)
    check_real(dtype, name)
    return dtype


def declared_length(x: Column) -> int | None:
    """Return how many entries a column has, where that is known without reading a value.

    Parameters
    ----------
    x : array_like or column
        Of which `declared_dtype` gives a dtype.

    Returns
    -------
    int or None
        None for a relation of DuckDB, whose query would run, and for a stream.

    Examples
    --------
    >>> declared_length([4, 8, 15])
    3

    """
    if is_relation(x):
        return None
    try:
        return len(x)  # type: ignore[arg-type]
    except TypeError:
        return None


def _check_entries(types: Iterable[type], name: str) -> None:
    """Refuse a list by the types of its entries."""
    for of in sorted(types, key=lambda of: of.__name__):
        if of.__name__ in NULLS:
            continue
        if issubclass(of, Sequence | np.ndarray) and not issubclass(of, str | bytes | bytearray):
            raise ValueError(f"{name} must hold one number for each record, not {of.__name__}s")
        if not is_number(of):
            raise TypeError(f"{name} must hold numbers, not {of_entry(of)}")


def _check_dimensions(ndim: int, name: str) -> None:
    if ndim != 1:
        raise ValueError(f"{name} must have one dimension, an entry for each record, not {ndim}")


def _arrow_dtype(x: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of a column that is read through Arrow, by its type."""
    na = nanoarrow(name)
    if is_relation(x):
        return _relation_dtype(x, name)
    for said in (x, getattr(x, "schema", None), getattr(x, "type", None)):  # pyarrow, nanoarrow
        if hasattr(said, "__arrow_c_schema__"):
            return numbers_dtype(na.c_schema(said), name)
    if hasattr(x, "slice"):  # polars
        return column(x.slice(0, 0), name).dtype
    raise TypeError(
        f"{name} must be a column that states its type before it is read, not "
        f"{type(x).__name__}: convert it, for instance to one of pyarrow"
    )


def _relation_dtype(x: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of a relation's column; its query does not run."""
    if len(x.types) != 1:
        raise TypeError(one_column(name, len(x.types)))
    kind = str(x.types[0].id).strip('"')  # without what a composite type holds
    if kind not in _RELATION_DTYPES:
        raise TypeError(f"{name} must hold {NUMBERS}, not {kind.upper()}: cast it to one of these")
    return np.dtype(_RELATION_DTYPES[kind])
