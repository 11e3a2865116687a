# SPDX-License-Identifier: MIT
"""Labels in the values that a column holds, as they are stored. docs/columns.md, "Labels"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns import blocks
from cydp._columns.arrow import ArrowColumn
from cydp._columns.label_types import LabelType, stored_integers, type_of_dtype, type_of_schema
from cydp._columns.masks import Mask
from cydp._columns.numbers import Categories, Held
from cydp._columns.strings import Strings, arrow_strings

__all__ = ["LabelValues", "check_lengths", "labels_in"]

Types: TypeAlias = set[type]

_CHUNK_ROWS = 2**18  # rows of categories: their codes stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """The labels that a column holds.

    Attributes
    ----------
    type : LabelType
    values : ndarray, Strings, list or tuple
        The labels as they are stored.
    present : ndarray of bool, or None
        Which of the values are not null; None: all, unless null objects are among them.
    rows : ndarray of int, or None
        For categories: the place of each row's label among the values.
    rows_present : ndarray of bool, or None
        For categories: which rows are not null.

    """

    type: LabelType
    values: NDArray[Any] | Strings | Sequence[Any]
    present: Mask = None
    rows: NDArray[Any] | None = None
    rows_present: Mask = None

    def __len__(self) -> int:
        return len(self.values if self.rows is None else self.rows)

    def is_objects(self) -> bool:
        """Whether the labels are Python's own objects, one by one."""
        held = self.values
        if isinstance(held, Strings):
            return False
        is_array = isinstance(held, np.ndarray) and held.dtype.kind not in "OT"
        return not is_array or self.type.kind == "nulls"

    def integers(self) -> NDArray[Any]:
        """Return numbers or times as integers, which are equal only for equal labels."""
        array: NDArray[Any] = np.ascontiguousarray(self.values)
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        if native.dtype.kind == "f":
            with np.errstate(all="ignore"):  # a signalling NaN may warn
                native = native + native.dtype.type(0)  # -0 becomes 0
        return native.view(stored_integers(native.dtype))

    def entries(self, rows: slice) -> tuple[list[Any], Types]:
        """Return the objects of some rows, and their types; None is no label."""
        part = self.values[rows]  # type: ignore[index]
        entries = part.tolist() if isinstance(part, np.ndarray) else list(part)
        if self.present is not None:
            present = self.present[rows]
            entries = [
                entry if there else None for entry, there in zip(entries, present, strict=True)
            ]
        return entries, set(map(type, entries))

    def entry_blocks(self) -> Iterator[tuple[slice, list[Any], Types]]:
        """Yield the rows of a block of objects, and the answer of `entries` for them."""
        for first in range(0, len(self.values), blocks.BLOCK_ROWS):
            rows = slice(first, first + blocks.BLOCK_ROWS)
            yield rows, *self.entries(rows)

    def code_rows(self, codes: NDArray[np.uint32], missing: int) -> NDArray[np.uint32]:
        """Return the code of each row, from the codes of the values."""
        if self.rows is None:
            return codes
        found = np.empty(len(self.rows), np.uint32)
        for first in range(0, len(found), _CHUNK_ROWS):  # numpy converts the indices of a chunk
            rows = slice(first, first + _CHUNK_ROWS)
            self.code_chunk(codes, missing, rows, found[rows])
        return found

    def code_chunk(
        self, codes: NDArray[np.uint32], missing: int, rows: slice, found: NDArray[np.uint32]
    ) -> None:
        """Set `found` to the codes of some rows of categories."""
        if len(codes) == 0:
            found[:] = missing
            return
        assert self.rows is not None
        places = self.rows[rows].astype(np.intp, copy=False)  # numpy 2.0 takes no uint64
        np.take(codes, places, out=found, mode="clip")
        if self.rows_present is not None:
            found[~self.rows_present[rows]] = missing


def check_lengths(values: Sequence[LabelValues]) -> None:
    """Raise a ValueError for columns of different lengths."""
    if len(set(map(len, values))) > 1:
        raise ValueError("columns must have the same length: one label for each row")


def labels_in(held: Held, name: str, is_text: bool) -> LabelValues:
    """Return the labels of a column. `is_text`: objects that are declared as text.

    Raises
    ------
    TypeError, ValueError
        For a type that holds no labels, and for more dimensions than one.

    """
    if isinstance(held, list | tuple):
        return LabelValues(LabelType("objects"), held)
    if isinstance(held, ArrowColumn):
        return _of_arrow(held, name)
    if isinstance(held, Categories):
        if held.categories.length == 0:  # all entries are null, and the categories declare no dtype
            return _of_nulls(len(held.codes))
        found: LabelValues = held.categories.labels()  # categories have no nulls
        return replace(found, rows=held.codes, rows_present=held.present)
    values = np.asarray(np.ma.getdata(held))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    masked = isinstance(held, np.ma.MaskedArray)
    present = ~np.ma.getmaskarray(held) if masked else None
    kind = LabelType("text") if is_text else type_of_dtype(values.dtype, name)
    return LabelValues(kind, values, present)


def _of_nulls(rows: int) -> LabelValues:
    return LabelValues(LabelType("nulls"), np.broadcast_to(np.array(None, object), rows))


def _of_arrow(column: ArrowColumn, name: str) -> LabelValues:
    kind = type_of_schema(column.schema, name)
    if kind.kind == "numbers":
        return LabelValues(kind, *column.numbers(name))
    if kind.kind == "nulls":
        rows = sum(chunk.rows for chunk in column.chunks)
        return _of_nulls(rows)
    if kind.storage is not None:
        return LabelValues(kind, *column.fixed(kind.storage, name))
    strings, present = arrow_strings(column, name)
    if strings.rows is None:
        return LabelValues(kind, strings, present)
    return LabelValues(kind, replace(strings, rows=None), rows=strings.rows, rows_present=present)
