# SPDX-License-Identifier: MIT
"""Columns of identifiers, such as users and partitions: integers or strings, compared by value.

docs/columns.md, "Factorize: ids and hashes".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.arrow import ArrowColumn
from cydp._columns.dtypes import describe_dtype, describe_entry, describe_format
from cydp._columns.entries import is_integer, present_entries
from cydp._columns.masks import Mask, spread_present
from cydp._columns.opening import open_column
from cydp._columns.pandas import Categories
from cydp._columns.reading import read_column
from cydp._columns.strings import Strings, arrow_strings, is_string_format, join_bytes

__all__ = ["read_identifiers"]

Identifiers: TypeAlias = tuple[NDArray[Any] | Strings, Mask]

_ARROW_INTEGERS = "bcCsSiIlLn"  # the formats of bool, of integers, and of nulls alone
_KINDS = (int, np.integer, np.bool, str, bytes)


def read_identifiers(x: Column, name: str) -> Identifiers:
    """Return a column of integers or strings, and which of its entries are present.

    In a list or in objects a float counts as missing, by its type, unless all entries are floats.

    Raises
    ------
    TypeError, ValueError
        For a column of another type, or of more dimensions than one.

    """
    x = open_column(x, name)
    if isinstance(x, list | tuple):
        return _of_entries(x, name)
    held = read_column(x, name)
    if isinstance(held, ArrowColumn):
        return _of_arrow(held, name)
    if isinstance(held, Categories):
        return _of_categories(held, name)
    return _of_array(held, name)


def _of_array(array: NDArray[Any], name: str) -> Identifiers:
    present = ~np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(np.ma.getdata(array))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object or values.dtype.kind == "T":
        if present is not None:
            values = values.astype(object)  # a copy
            values[~present] = None
        return _of_entries(values.tolist(), name)
    if values.dtype.kind not in "biuUS":
        raise TypeError(f"{name} must hold integers or text, not {describe_dtype(values.dtype)}")
    return values, present


def _of_arrow(column: ArrowColumn, name: str) -> Identifiers:
    arrow_format = (column.schema.dictionary or column.schema).format
    if is_string_format(arrow_format):
        return arrow_strings(column, name)
    if arrow_format not in _ARROW_INTEGERS:
        raise TypeError(f"{name} must hold integers or text, not {describe_format(arrow_format)}")
    values, present = column.numbers(name)
    return values.astype(np.int64) if arrow_format == "n" else values, present


def _of_categories(column: Categories, name: str) -> Identifiers:
    if len(column.categories) == 0:  # every entry is null, and the categories declare no dtype
        return np.zeros(len(column.codes), np.int64), column.present
    values, _ = read_identifiers(column.categories, name)  # categories have no nulls
    if isinstance(values, Strings):
        return replace(values, rows=column.codes), column.present
    return values[column.codes], column.present


def _of_entries(entries: Sequence[Any], name: str) -> Identifiers:
    """Return Python's values as integers of 64 bits, or as strings if they do not fit."""
    types = set(map(type, entries))
    floats = tuple(kind for kind in types if issubclass(kind, float | np.floating))
    if floats and len(floats) < len(types):  # such as NaN, with which pandas says null
        entries = [None if isinstance(entry, floats) else entry for entry in entries]
    values, present = present_entries(entries)
    types = set(map(type, values))
    if all(issubclass(kind, str) for kind in types):
        # A lone surrogate, which Python allows, is kept as it is.
        return join_bytes([value.encode("utf-8", "surrogatepass") for value in values], present)
    if all(issubclass(kind, bytes) for kind in types):
        return join_bytes(values, present)
    if all(issubclass(kind, bool | np.bool) for kind in types) or all(map(is_integer, types)):
        return _of_integers(list(map(int, values)), present)
    if refused := [describe_entry(kind) for kind in types if not issubclass(kind, _KINDS)]:
        raise TypeError(f"{name} must hold integers or text, not {min(refused)}")
    raise TypeError(f"{name} must hold integers, or text, or bytes: all of one kind")


def _of_integers(integers: list[int], present: Mask) -> Identifiers:
    if min(integers) >= -(2**63) and max(integers) < 2**63:
        return spread_present(np.array(integers, np.int64), present), present
    strings, present = join_bytes([b"%d" % integer for integer in integers], present)
    every = spread_present(np.array(integers, object), present)
    return replace(strings, integers=tuple(every)), present
