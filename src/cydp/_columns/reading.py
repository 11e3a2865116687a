# SPDX-License-Identifier: MIT
"""Columns of numbers, read at once for exact answers: nothing is declared before."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.arrow import read_table
from cydp._columns.dtypes import describe_dtype
from cydp._columns.entries import integers_of, present_entries, rationals_of
from cydp._columns.masks import mask_absent
from cydp._columns.numbers import array_in, is_real_array
from cydp._columns.pandas import is_frame
from cydp._columns.sources import open_arrow_table, open_source

__all__ = [
    "read_exact_numbers",
    "read_group_codes",
    "read_integers",
    "read_named_columns",
    "read_numbers",
    "read_table_columns",
]

_ROUNDED = np.float64(2**53)  # from here on not every integer is a float64


def read_numbers(x: Column, name: str = "x") -> NDArray[Any]:
    """Return x as an array of real numbers.

    Parameters
    ----------
    x : array_like
        A masked array stays one. A column that speaks Arrow (pandas, polars, pyarrow, DuckDB), or
        a table of one column, is read with `nanoarrow`. In a list and in an object array None,
        NA, NaT and masked entries are null, and the others must be numbers.
    name : str, default "x"
        What to call it in an error.

    Returns
    -------
    ndarray of bool, int, uint, or float of at most 64 bits
        A masked array if an entry is null.

    Raises
    ------
    TypeError
        For a column of another type; the message names the type, and no value.

    Examples
    --------
    >>> read_numbers([2, None])
    masked_array(data=[2, --],
                 mask=[False,  True],
           fill_value=999999)

    """
    return x if is_real_array(x) else open_source(x, name).numbers()


def read_exact_numbers(x: Column, name: str = "x") -> NDArray[Any]:
    """Return x as `read_numbers` does, or as objects if it is a list with numbers beyond 2**53.

    Each entry of such a list is read by itself: beside a float, an integer is as exact as alone.

    Examples
    --------
    >>> read_exact_numbers([2**53 + 1, 0.5]).tolist()
    [9007199254740993, Fraction(1, 2)]

    """
    if is_real_array(x):
        return x
    column = open_source(x, name)
    values = column.numbers()
    if values.dtype.kind != "f" or (entries := column.objects()) is None:
        return values
    with np.errstate(invalid="ignore"):  # a signalling NaN
        large = (np.abs(np.ma.getdata(values)) >= _ROUNDED).any()
    return rationals_of(entries, name) if large else values


def read_group_codes(codes: Column, name: str = "codes") -> NDArray[Any]:
    """Return the group of each entry, of any shape, masked where it is null or beyond 64 bits.

    Raises
    ------
    TypeError
        For another dtype than integers and bool; for a list, by the types of its entries.

    Examples
    --------
    >>> read_group_codes([2, None, 2**70]).tolist()
    [2, None, None]

    """
    column = open_source(codes, name)
    values = column.numbers()
    if values.dtype.kind in "biu":
        return values
    if (entries := column.objects()) is None:
        raise TypeError(f"{name} must hold integers, not {describe_dtype(values.dtype)}")
    return integers_of(entries, np.dtype(np.int64), name)


def read_integers(x: Column, name: str = "codes") -> NDArray[Any]:
    """Return x as a one-dimensional array of integers, masked where entries are null.

    Parameters
    ----------
    x : array_like
        Integers or bool. A null is None, NA or masked; in a column of another library it is what
        the column calls null.
    name : str, default "codes"
        What to call it in an error.

    Returns
    -------
    ndarray of bool, int or uint, shape (n,)
        A list and an array of objects lose their nulls.

    Raises
    ------
    TypeError, ValueError
        For another dtype or shape.

    Examples
    --------
    >>> read_integers([1, None, 2]).tolist()
    [1, 2]

    """
    if _is_integer_array(x):
        return x
    column = open_source(x, name)
    held = column.held()
    entries = held if isinstance(held, list | tuple) else column.objects()
    if isinstance(entries, np.ndarray) and entries.ndim == 1:
        entries = entries.tolist()
    if isinstance(entries, list | tuple):
        present, _ = present_entries(entries)
        if any(issubclass(kind, list | tuple | np.ndarray) for kind in set(map(type, present))):
            raise ValueError(f"{name} must hold one integer for each record, not lists")
        values = np.asarray(present) if present else np.empty(0, np.int64)
    else:
        assert not isinstance(held, list | tuple)
        values = array_in(held, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object:
        raise TypeError(f"{name} must hold integers of at most 64 bits, or bool")
    if values.dtype.kind not in "biu":
        raise TypeError(f"{name} must hold integers or bool, not {describe_dtype(values.dtype)}")
    return values


def read_table_columns(x: Any, name: str) -> list[NDArray[Any]]:
    """Return the columns of a table that speaks Arrow, each as `read_numbers` does."""
    columns, _ = read_table(open_arrow_table(x, name), name)
    return [mask_absent(*column.numbers(name)) for _, column in columns]


def read_named_columns(x: Any, name: str) -> tuple[dict[str, NDArray[Any]], dict[bytes, bytes]]:
    """Return the columns of a table of numbers by their names, and its metadata.

    Raises
    ------
    TypeError, ValueError
        For another table, with nulls, and with two columns of one name.

    """
    metadata: dict[bytes, bytes] = {}
    if is_frame(x):
        columns = [(label, read_numbers(column, name)) for label, column in x.items()]
    else:
        table, metadata = read_table(open_arrow_table(x, name), name)
        columns = [(label, mask_absent(*column.numbers(name))) for label, column in table]
    by_name = dict(columns)
    if len(by_name) != len(columns):
        raise ValueError(f"{name} must have columns of different names")
    if any(isinstance(values, np.ma.MaskedArray) for values in by_name.values()):
        raise ValueError(f"{name} must have no nulls")
    return by_name, metadata


def _is_integer_array(x: object) -> TypeGuard[NDArray[Any]]:
    return type(x) is np.ndarray and x.ndim == 1 and x.dtype.kind in "biu"
