# SPDX-License-Identifier: MIT
"""Columns of real numbers, from what people have."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column
from cydp._columns.arrow import Mask, numbers
from cydp._columns.entries import PLAIN, numbers_of, present_entries, ragged, sequence, undeclared
from cydp._columns.foreign import as_array, opened, speaks_arrow
from cydp._columns.pandas import as_numpy, categorical
from cydp._columns.type_names import NUMBERS, of_dtype

__all__ = ["blocks", "check_real", "codes_column", "column", "masked", "paired_blocks"]


def column(x: Column, name: str = "x") -> NDArray[Any]:
    """Return x as an array of real numbers.

    Parameters
    ----------
    x : array_like
        A masked array stays one. A column that speaks Arrow (pandas, polars, pyarrow, DuckDB), or
        a table of one column, is read with `nanoarrow`. In a list and in an object array None,
        NA, NaT and masked entries are null, and the others must be numbers. Numbers with nulls
        become a masked array.

    Returns
    -------
    ndarray of bool, int, uint, or float of at most 64 bits

    Raises
    ------
    TypeError
        For a column of another type; the message names the type, and no value.

    Examples
    --------
    >>> column([2, None])
    masked_array(data=[2, --],
                 mask=[False,  True],
           fill_value=999999)

    """
    x = sequence(x)
    values: NDArray[Any]
    if isinstance(x, list | tuple) and not set(map(type, x)) <= PLAIN | _NESTED:
        values = np.empty(len(x), object)
        values[:] = x
    elif isinstance(x, np.ma.MaskedArray):
        values = x
    else:
        try:
            with np.errstate(all="ignore"):  # a signalling NaN in a list may warn
                values = _read(x, name)
        except ValueError:  # lists of different lengths
            if not isinstance(x, list | tuple):
                raise
            raise TypeError(ragged(name)) from None
    if values.dtype == object and not isinstance(x, np.ma.MaskedArray) and values.ndim > 0:
        with np.errstate(all="ignore"):
            values = numbers_of(values, name)
    check_real(values.dtype, name)
    return values


def codes_column(x: Column, name: str = "codes") -> NDArray[Any]:
    """Return x as a one-dimensional array of integers, masked where entries are null.

    Parameters
    ----------
    x : array_like
        Integers or bool. A null is None, NA or masked; of a column of another library, what
        the column calls so.

    Returns
    -------
    ndarray of bool, int or uint, shape (n,)
        Of a list or objects, without the nulls.

    Raises
    ------
    TypeError, ValueError
        For another dtype or shape.

    Examples
    --------
    >>> codes_column([1, None, 2]).tolist()
    [1, 2]

    """
    x = sequence(x)
    entries = x if isinstance(x, list | tuple) else undeclared(x, name)
    if isinstance(entries, np.ndarray) and entries.ndim == 1:
        entries = entries.tolist()
    if not isinstance(entries, list | tuple):
        values = x if isinstance(x, np.ma.MaskedArray) else _read(x, name)
    else:
        present, _ = present_entries(entries)
        if any(issubclass(of, list | tuple | np.ndarray) for of in set(map(type, present))):
            raise ValueError(f"{name} must hold one integer for each record, not lists")
        values = np.asarray(present) if present else np.empty(0, np.int64)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object:
        raise TypeError(f"{name} must hold integers of at most 64 bits, or bool")
    if values.dtype.kind not in "biu":
        raise TypeError(f"{name} must hold integers or bool, not {of_dtype(values.dtype)}")
    return values


_NESTED = {list, tuple, np.ndarray}


def _read(x: Any, name: str) -> NDArray[Any]:
    x = opened(x, name)
    if (parts := categorical(x)) is not None:
        places, present, categories = parts
        # Without categories every entry is null, and the dtype of none was not declared.
        values = column(categories, name) if len(categories) else np.zeros(1, np.bool_)
        return masked(values[places], present)
    x = as_numpy(x)
    return masked(*numbers(x, name)) if speaks_arrow(x) else as_array(x, name)


def masked(values: NDArray[Any], present: Mask) -> NDArray[Any]:
    """Return what was read through Arrow with a mask, which takes the place of `present`."""
    if present is None or present.all():
        return values
    return np.ma.MaskedArray(values, np.logical_not(present, out=present))


def check_real(dtype: np.dtype[Any], name: str) -> None:
    """Raise a TypeError for a dtype other than bool, int, uint, and float up to 64 bits."""
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"{name} must hold {NUMBERS}, not {of_dtype(dtype)}")


def _shown_blocks(
    columns: Sequence[NDArray[Any]], mask: NDArray[np.bool_], rows: int
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield what the mask does not hide; each block is overwritten by the next."""
    data = [values.reshape(-1) for values in columns]
    buffers = [np.empty(min(rows, mask.size), values.dtype) for values in data]
    for first in range(0, mask.size, rows):
        some = slice(first, first + rows)
        hidden = np.ascontiguousarray(mask[some]).view(np.uint8)
        yield tuple(
            buffer[
                : _core.drop_masked(
                    np.ascontiguousarray(values[some]).view(np.uint8),
                    values.itemsize,
                    hidden,
                    buffer.view(np.uint8),
                )
            ]
            for values, buffer in zip(data, buffers, strict=True)
        )


def blocks(values: NDArray[Any], dtype: np.dtype[Any], rows: int) -> Iterator[NDArray[Any]]:
    """Yield the values as contiguous arrays of a dtype that holds them, in any order.

    What is masked is left out.
    """
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values).reshape(-1)
        for (shown,) in _shown_blocks([np.ma.getdata(values)], mask, rows):
            yield from blocks(shown, dtype, rows)
        return
    if values.dtype == dtype and values.flags.c_contiguous and values.flags.aligned:
        yield values.reshape(-1)
    elif values.size:
        op_flags: Any = ["readonly", "aligned", "contig", "nbo"]  # numpy's stub lacks "contig"
        yield from np.nditer(
            np.atleast_1d(values),  # of a 0-d array numpy 2.0 gives an unfilled buffer
            flags=["buffered", "external_loop"],
            op_flags=op_flags,
            op_dtypes=dtype,
            casting="safe",
            order="K",
            buffersize=min(rows, values.size),
        )


def paired_blocks(
    columns: tuple[NDArray[Any], ...], dtypes: tuple[np.dtype[Any], ...], rows: int
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield columns of one shape together, as `blocks` does one; not for empty ones.

    A row is left out if any of its values is masked.
    """
    if any(isinstance(values, np.ma.MaskedArray) for values in columns):
        mask = functools.reduce(np.logical_or, map(np.ma.getmaskarray, columns)).reshape(-1)
        for shown in _shown_blocks(list(map(np.ma.getdata, columns)), mask, rows):
            if shown[0].size:
                yield from paired_blocks(shown, dtypes, rows)
        return
    if all(
        values.dtype == dtype and values.flags.c_contiguous and values.flags.aligned
        for values, dtype in zip(columns, dtypes, strict=True)
    ):
        yield tuple(values.reshape(-1) for values in columns)
        return
    op_flags: Any = [["readonly", "aligned", "contig", "nbo"]] * len(columns)
    yield from np.nditer(
        tuple(map(np.atleast_1d, columns)),
        flags=["buffered", "external_loop"],
        op_flags=op_flags,
        op_dtypes=dtypes,
        casting="safe",
        order="K",
        buffersize=min(rows, columns[0].size),
    )
