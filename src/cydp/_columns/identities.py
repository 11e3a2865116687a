# SPDX-License-Identifier: MIT
"""Columns of integers or strings, which are told apart by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column
from cydp._columns import arrow
from cydp._columns.arrow import Strings
from cydp._columns.entries import present_entries, sequence
from cydp._columns.foreign import as_array, opened, speaks_arrow
from cydp._columns.pandas import as_numpy, categorical
from cydp._columns.type_names import of_dtype, of_entry

__all__ = ["fixed_width", "identities"]

Identities: TypeAlias = tuple[NDArray[Any] | Strings, NDArray[np.bool_] | None]


def identities(x: Column, name: str) -> Identities:
    """Return a column of integers or strings, and which of its entries are present.

    In a list or objects a float counts as missing, by its type, unless all entries are floats.
    """
    valid: NDArray[np.bool_] | None = None
    x = sequence(x)
    if isinstance(x, list | tuple):
        return _of_objects(x, name)
    x = opened(x, name)
    if (parts := categorical(x)) is not None:
        return _of_categories(*parts, name)
    x = as_numpy(x)
    if speaks_arrow(x):
        return arrow.identities(x, name)
    if isinstance(x, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(x)
        values = np.asarray(x.data)
    else:
        values = as_array(x, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object or values.dtype.kind == "T":
        if valid is not None:
            values = values.astype(object)  # a copy
            values[~valid] = None
        return _of_objects(values.tolist(), name)
    if values.dtype.kind not in "biuUS":
        raise TypeError(f"{name} must hold integers or text, not {of_dtype(values.dtype)}")
    return values, valid


def _of_categories(
    places: NDArray[Any], present: NDArray[np.bool_] | None, categories: Any, name: str
) -> Identities:
    if len(categories) == 0:  # every entry is null, and the dtype of none was not declared
        return np.zeros(len(places), np.int64), present
    values, _ = identities(categories, name)  # which has no nulls
    if isinstance(values, Strings):
        return replace(values, rows=places), present
    return values[places], present


_KINDS = (int, np.integer, np.bool, str, bytes)


def _of_objects(x: Sequence[Any], name: str) -> Identities:
    """Return Python values as integers of 64 bits or as strings, whatever their length."""
    types = set(map(type, x))
    floats = tuple(of for of in types if issubclass(of, float | np.floating))
    if floats and len(floats) < len(types):  # such as NaN, with which pandas says null
        x = [None if isinstance(entry, floats) else entry for entry in x]
    entries, present = present_entries(x)
    types = set(map(type, entries))
    if all(issubclass(of, str) for of in types):
        # A lone surrogate, which Python allows, is kept as it is.
        return _joined([entry.encode("utf-8", "surrogatepass") for entry in entries], present)
    if all(issubclass(of, bytes) for of in types):
        return _joined(entries, present)
    if all(issubclass(of, bool | np.bool) for of in types) or all(
        issubclass(of, int | np.integer) and not issubclass(of, bool | np.timedelta64)
        for of in types
    ):
        integers = list(map(int, entries))
        if min(integers) < -(2**63) or max(integers) >= 2**63:
            texts, valid = _joined([b"%d" % integer for integer in integers], present)
            every = np.zeros(len(x), object)
            every[slice(None) if present is None else present] = integers
            return replace(texts, integers=tuple(every)), valid
        return _spread(np.array(integers, np.int64), present), present
    if others := [of_entry(of) for of in types if not issubclass(of, _KINDS)]:
        raise TypeError(f"{name} must hold integers or text, not {min(others)}")
    raise TypeError(f"{name} must hold integers, or text, or bytes: all of one kind")


def _spread(values: NDArray[np.int64], present: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the values of the entries that are present, with 0 for the others."""
    if present is None:
        return values
    spread = np.zeros(len(present), np.int64)
    spread[present] = values
    return spread


def _joined(
    entries: Sequence[bytes], present: NDArray[np.bool_] | None
) -> tuple[Strings, NDArray[np.bool_] | None]:
    lengths = _spread(np.fromiter(map(len, entries), np.int64, len(entries)), present)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Strings(np.frombuffer(b"".join(entries), np.uint8), offsets), present


def fixed_width(values: NDArray[Any]) -> _core.Strings:
    """Return an array of numpy's strings for a kernel."""
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    width = native.dtype.itemsize
    text = native.view(np.uint8) if width else np.empty(0, np.uint8)
    return _core.Strings(len(native), text, width=width)
