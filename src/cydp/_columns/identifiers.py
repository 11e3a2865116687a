# SPDX-License-Identifier: MIT
"""Columns of identifiers, such as users and partitions: integers or strings, compared by value.

docs/columns.md, "Factorize: ids and hashes".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.arrow import ArrowColumn
from cydp._columns.dtypes import describe_dtype, describe_format
from cydp._columns.listed import ListedIdentifiers
from cydp._columns.masks import Mask
from cydp._columns.numbers import Categories
from cydp._columns.source import Source, open_source
from cydp._columns.strings import Strings, arrow_strings, is_string_format

__all__ = ["open_identifiers", "read_identifiers"]

Identifiers: TypeAlias = tuple[NDArray[Any] | Strings, Mask]

_ARROW_INTEGERS = "bcCsSiIlLn"  # the formats of bool, of integers, and of nulls alone


def read_identifiers(x: Column | Source, name: str) -> Identifiers:
    """Return a column of integers or strings, and which of its entries are present.

    Errors are those of `open_identifiers`.
    """
    opened = open_identifiers(x, name)
    return opened.read() if isinstance(opened, ListedIdentifiers) else opened


def open_identifiers(x: Column | Source, name: str) -> Identifiers | ListedIdentifiers:
    """Return the same, or what converts a list, objects or nulls alone to it in blocks of rows.

    Raises
    ------
    TypeError, ValueError
        For a column of another type, or of more dimensions than one.

    """
    column = open_source(x, name)
    held = column.held()
    if isinstance(held, list | tuple):
        return ListedIdentifiers(held, None, name)
    if isinstance(held, ArrowColumn):
        return _of_arrow(held, name)
    if isinstance(held, Categories):
        return _of_categories(held, name)
    return _of_array(held, name, column.is_text)


def _of_array(array: NDArray[Any], name: str, text: bool) -> Identifiers | ListedIdentifiers:
    masked = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(np.ma.getdata(array))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object or values.dtype.kind == "T":
        return ListedIdentifiers(values, masked, name, text or values.dtype.kind == "T")
    if values.dtype.kind not in "biuUS":
        raise TypeError(f"{name} must hold integers or text, not {describe_dtype(values.dtype)}")
    return values, None if masked is None else ~masked


def _of_nulls(rows: int, name: str) -> ListedIdentifiers:
    """Return a column that declares no type and has nothing but nulls."""
    return ListedIdentifiers(np.broadcast_to(np.array(None, object), rows), None, name)


def _of_arrow(column: ArrowColumn, name: str) -> Identifiers | ListedIdentifiers:
    arrow_format = (column.schema.dictionary or column.schema).format
    if is_string_format(arrow_format):
        return arrow_strings(column, name)
    if arrow_format not in _ARROW_INTEGERS:
        raise TypeError(f"{name} must hold integers or text, not {describe_format(arrow_format)}")
    values, present = column.numbers(name)
    return _of_nulls(len(values), name) if arrow_format == "n" else (values, present)


def _of_categories(column: Categories, name: str) -> Identifiers | ListedIdentifiers:
    if column.categories.length == 0:  # every entry is null, and the categories declare no dtype
        return _of_nulls(len(column.codes), name)
    values, _ = read_identifiers(column.categories, name)  # categories have no nulls
    if isinstance(values, Strings):
        return replace(values, rows=column.codes), column.present
    return values[column.codes], column.present
