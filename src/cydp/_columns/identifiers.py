# SPDX-License-Identifier: MIT
"""Columns of identifiers, such as users and partitions: integers or strings, compared by value.

docs/columns.md, "Factorize: ids and hashes".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns import blocks
from cydp._columns.arrow import ArrowColumn
from cydp._columns.dtypes import describe_dtype, describe_entry, describe_format
from cydp._columns.entries import PLAIN, is_integer, null_types, plain, without
from cydp._columns.masks import Mask, concatenate_masks, spread_present
from cydp._columns.numbers import Categories
from cydp._columns.source import Source, open_source
from cydp._columns.strings import Strings, arrow_strings, concatenate, is_string_format, join_bytes

__all__ = ["ListedIdentifiers", "open_identifiers", "read_identifiers"]


_OWN = PLAIN | {str, bytes}  # no subclasses
_KINDS = (int, np.integer, np.bool, str, bytes)


Identifiers: TypeAlias = tuple[NDArray[Any] | Strings, Mask]

_ARROW_INTEGERS = "bcCsSiIlLn"  # the formats of bool, of integers, and of nulls alone


class ListedIdentifiers:
    """Identifiers in a list, a tuple, or a one-dimensional array of objects or StringDType.

    What they are follows from the types of all entries, which are read first. A float counts as
    missing, by its type, unless all entries are floats.

    Parameters
    ----------
    entries : list, tuple or ndarray
    masked : ndarray of bool, or None
        True for entries of an array that are null.
    name : str
        What to call the column in an error.
    text : bool, default False
        Whether the column is declared as text, so that every entry that is no str is null.

    Attributes
    ----------
    has_kind : bool
        Whether the column is declared as text, or an entry is not null.

    Raises
    ------
    TypeError
        For entries of another type, or of more than one kind.

    """

    __slots__ = (
        "_convert",
        "_entries",
        "_masked",
        "_name",
        "_nulls",
        "_rows",
        "_types",
        "has_kind",
    )

    def __init__(
        self,
        entries: Sequence[Any] | NDArray[Any],
        masked: NDArray[np.bool_] | None,
        name: str,
        text: bool = False,
    ) -> None:
        self._entries, self._masked, self._name = entries, masked, name
        self._rows = len(entries)
        self._types = self._types_of_all()
        self._nulls = _null_types(self._types, text)
        self.has_kind = text or not self._types <= self._nulls
        self._convert = _converter(self._types - self._nulls, name)

    def __len__(self) -> int:
        return self._rows

    def block(self, first: int, rows: int) -> tuple[NDArray[np.int64] | Strings, Mask]:
        """Return the rows from `first` on as integers of 64 bits, or as strings if one is larger.

        Raises
        ------
        ValueError
            If another thread has changed the types or the number of the entries.

        """
        entries = self._slice(first, rows)
        types = set(map(type, entries))
        if len(entries) != rows or not types <= self._types:
            raise ValueError(f"{self._name} must not change while it is read")
        present, mask = without(types & self._nulls, entries)
        if not types - self._nulls <= _OWN:  # methods of a subclass are not called
            present = list(map(plain, present))
        return self._convert(present, mask)

    def read(self) -> tuple[NDArray[np.int64] | Strings, Mask]:
        """Return all rows, as `block` does."""
        parts = list(self._blocks())
        mask = concatenate_masks(parts)
        if not any(isinstance(values, Strings) for values, _ in parts):
            return np.concatenate([cast("NDArray[np.int64]", values) for values, _ in parts]), mask
        if self._convert is _integers:  # one of them is beyond 64 bits
            self._convert = _hexadecimal
            parts = list(self._blocks())
        strings = [cast("Strings", values) for values, _ in parts]
        joined = concatenate(strings)
        if self._convert is _hexadecimal:
            integers = chain.from_iterable(part.integers or () for part in strings)
            joined = replace(joined, integers=tuple(integers))
        return joined, mask

    def _blocks(self) -> Iterator[tuple[NDArray[np.int64] | Strings, Mask]]:
        for first in range(0, max(1, self._rows), blocks.BLOCK_ROWS):
            yield self.block(first, min(blocks.BLOCK_ROWS, self._rows - first))

    def _slice(self, first: int, rows: int) -> Sequence[Any]:
        part = self._entries[first : first + rows]
        if not isinstance(part, np.ndarray):
            return part
        if self._masked is not None:
            part = part.astype(object)  # a copy
            part[self._masked[first : first + rows]] = None
        entries: list[Any] = part.tolist()
        return entries

    def _types_of_all(self) -> set[type]:
        if not isinstance(self._entries, np.ndarray):
            return set(map(type, self._entries))
        types: set[type] = set()
        for first in range(0, self._rows, blocks.BLOCK_ROWS):
            types.update(map(type, self._slice(first, blocks.BLOCK_ROWS)))
        return types


def _null_types(types: set[type], text: bool) -> set[type]:
    if text:
        return {kind for kind in types if not issubclass(kind, str)}
    floats = {kind for kind in types if issubclass(kind, float | np.floating)}
    # NaN, with which pandas says null, is a float.
    return null_types(types) | (floats if len(floats) < len(types) else set())


def _converter(
    types: set[type], name: str
) -> Callable[[Sequence[Any], Mask], tuple[NDArray[np.int64] | Strings, Mask]]:
    """Return what converts entries of these types, nulls aside."""
    if all(issubclass(kind, str) for kind in types):
        return _text
    if all(issubclass(kind, bytes) for kind in types):
        return join_bytes
    if all(issubclass(kind, bool | np.bool) for kind in types) or all(map(is_integer, types)):
        return _integers
    if refused := [describe_entry(kind) for kind in types if not issubclass(kind, _KINDS)]:
        raise TypeError(f"{name} must hold integers or text, not {min(refused)}")
    raise TypeError(f"{name} must hold integers, or text, or bytes: all of one kind")


def _text(entries: Sequence[str], present: Mask) -> tuple[Strings, Mask]:
    # A lone surrogate, which Python allows, is kept as it is.
    return join_bytes([entry.encode("utf-8", "surrogatepass") for entry in entries], present)


def _integers(entries: Sequence[Any], present: Mask) -> tuple[NDArray[np.int64] | Strings, Mask]:
    integers = list(map(int, entries))
    if min(integers, default=0) >= -(2**63) and max(integers, default=0) < 2**63:
        return spread_present(np.array(integers, np.int64), present), present
    return _hexadecimal(integers, present)


def _hexadecimal(entries: Sequence[Any], present: Mask) -> tuple[Strings, Mask]:
    # Python limits how many decimal digits it writes.
    integers = list(map(int, entries))
    strings, _ = join_bytes([b"%x" % integer for integer in integers], present)
    every = spread_present(np.array(integers, object), present)
    return replace(strings, integers=tuple(every)), present


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
