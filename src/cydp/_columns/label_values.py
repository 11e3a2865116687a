# SPDX-License-Identifier: MIT
"""Labels in the values that a column holds, as they are stored. docs/columns.md, "Labels"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import ArrowColumn
from cydp._columns.label_types import LabelType, type_of_dtype, type_of_schema
from cydp._columns.masks import Mask
from cydp._columns.numbers import Categories, Held
from cydp._columns.strings import Strings, arrow_strings

__all__ = ["LabelValues", "labels_in"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """What a column of labels holds.

    Attributes
    ----------
    type : LabelType
    values : ndarray, Strings, list or tuple
        The labels as they are stored.
    present : ndarray of bool, or None
        Which of the values are not null; None: all, unless null objects are among them.
    rows : ndarray of int, or None
        Of categories: the place of each row's label among the values.
    rows_present : ndarray of bool, or None
        Of categories: which rows are not null.

    """

    type: LabelType
    values: NDArray[Any] | Strings | Sequence[Any]
    present: Mask = None
    rows: NDArray[Any] | None = None
    rows_present: Mask = None

    def __len__(self) -> int:
        return len(self.values if self.rows is None else self.rows)


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
        found: LabelValues = held.categories.labels()  # categories have no nulls
        return replace(found, rows=held.codes, rows_present=held.present)
    values = np.asarray(np.ma.getdata(held))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    masked = isinstance(held, np.ma.MaskedArray)
    present = ~np.ma.getmaskarray(held) if masked else None
    kind = LabelType("text") if is_text else type_of_dtype(values.dtype, name)
    return LabelValues(kind, values, present)


def _of_arrow(column: ArrowColumn, name: str) -> LabelValues:
    kind = type_of_schema(column.schema, name)
    if kind.kind == "numbers":
        return LabelValues(kind, *column.numbers(name))
    if kind.kind == "nulls":
        rows = sum(chunk.rows for chunk in column.chunks)
        return LabelValues(kind, np.broadcast_to(np.array(None, object), rows))
    if kind.storage is not None:
        return LabelValues(kind, *column.fixed(kind.storage, name))
    return LabelValues(kind, *arrow_strings(column, name))
