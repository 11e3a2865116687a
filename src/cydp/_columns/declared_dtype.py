# SPDX-License-Identifier: MIT
"""What a column declares before a value is read: its dtype and its length. docs/columns.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cydp._arguments import Column
from cydp._columns.arrow import declared_in, import_nanoarrow
from cydp._columns.dtypes import DUCKDB_DTYPES, NUMBERS, check_real, describe_entry
from cydp._columns.entries import is_number, null_types
from cydp._columns.numbers import read_numbers
from cydp._columns.opening import check_one_column, is_relation, open_column, speaks_arrow
from cydp._columns.pandas import is_series

__all__ = ["declared_dtype", "declared_length", "stated_type"]


def declared_dtype(x: Column, name: str = "x") -> np.dtype[Any]:
    """Return the dtype of a column of real numbers without reading a value.

    Parameters
    ----------
    x : array_like or column
        A numpy array or pandas column has a dtype; columns and one-column tables of polars,
        pyarrow and DuckDB have types, which stand for dtypes. A sequence declares nothing: it
        stands for float64, and only the types of its entries are looked at.
    name : str, default "x"
        What to call it in an error.

    Returns
    -------
    dtype of bool, int, uint, or float of at most 64 bits
        That of the values, nulls aside, as `read_numbers` reads them; float64 for a sequence.

    Raises
    ------
    TypeError
        For a type that holds no real numbers: text, dates, objects, decimals, a table of several
        columns or none, a list with an entry that is no number; and for a column without a type.
    ValueError
        For another number of dimensions than one.
    ImportError
        For every column that is read through Arrow, if `nanoarrow` is missing.

    Examples
    --------
    >>> declared_dtype(np.array([1, 2], np.int8)), declared_dtype([1, None])
    (dtype('int8'), dtype('float64'))

    """
    x = open_column(x, name)
    if isinstance(x, list | tuple):
        _check_types(set(map(type, x)), name)
        return np.dtype(np.float64)
    dtype = getattr(x, "dtype", None)
    if is_series(x) and not isinstance(dtype, np.dtype):
        return read_numbers(x.iloc[:0], name).dtype
    if speaks_arrow(x):
        return _arrow_dtype(x, name)
    if not hasattr(x, "__array__") or not isinstance(dtype, np.dtype):
        raise TypeError(f"{name} must be a list, an array or a column, not {type(x).__name__}")
    if (ndim := getattr(x, "ndim", 1)) != 1:
        raise ValueError(f"{name} must have one dimension, an entry for each record, not {ndim}")
    check_real(dtype, name)
    return dtype


def declared_length(x: Column) -> int | None:
    """Return how many entries a column has, where that is known without reading a value.

    Parameters
    ----------
    x : array_like or column
        A column for which `declared_dtype` returns a dtype.

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


def _check_types(types: Iterable[type], name: str) -> None:
    """Refuse a list by the types of its entries."""
    for kind in sorted(set(types) - null_types(types), key=lambda kind: kind.__name__):
        nested = issubclass(kind, Sequence | np.ndarray)
        if nested and not issubclass(kind, str | bytes | bytearray):
            raise ValueError(f"{name} must hold one number for each record, not {kind.__name__}s")
        if not is_number(kind):
            raise TypeError(f"{name} must hold numbers, not {describe_entry(kind)}")


def _arrow_dtype(x: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of a column that is read through Arrow, by its type."""
    na = import_nanoarrow(name)
    if is_relation(x):
        return _relation_dtype(x, name)
    if (declares := stated_type(x)) is not None:
        return declared_in(na.c_schema(declares), name)
    if hasattr(x, "slice"):  # polars
        return read_numbers(x.slice(0, 0), name).dtype
    raise TypeError(
        f"{name} must be a column that states its type before it is read, not "
        f"{type(x).__name__}: convert it, for instance to one of pyarrow"
    )


def stated_type(x: Any) -> Any:
    """Return what has the type of a column of pyarrow or nanoarrow: itself, a schema or a type.

    None for a column of another library.
    """
    for declares in (x, getattr(x, "schema", None), getattr(x, "type", None)):
        if hasattr(declares, "__arrow_c_schema__"):
            return declares
    return None


def _relation_dtype(x: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of a relation's column; its query does not run."""
    check_one_column(len(x.types), name)
    kind = str(x.types[0].id).strip('"')  # without what a composite type holds
    if kind not in DUCKDB_DTYPES:
        raise TypeError(f"{name} must hold {NUMBERS}, not {kind.upper()}: cast it to one of these")
    return np.dtype(DUCKDB_DTYPES[kind])
