# SPDX-License-Identifier: MIT
"""Columns of labels of any hashable kind: declared before the charge, and read after it.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._arguments import Column
from cydp._columns.label_values import LabelValues
from cydp._columns.relations import RelationColumn
from cydp._columns.source import Source, open_source

__all__ = ["Labels"]


class Labels:
    """A column of labels. Until it is read, only its type is looked at.

    Parameters
    ----------
    x : array_like or column
        A label for each record: numbers, text, bytes, dates, times, or in a list or an array of
        objects anything that can be hashed. Of categories the labels are what they stand for.
    name : str, default "by"
        What to call it in an error.

    Attributes
    ----------
    name : str
    type : LabelType
        What the column declares; of a list, the types of its entries.
    dtype : dtype
        Of labels that are found in the column: bool, int64, uint64, float64, datetime64,
        timedelta64 or object.
    length : int or None
        How many rows there are; None for a relation of DuckDB.

    Raises
    ------
    TypeError, ValueError
        For a type that holds no labels, and for more dimensions than one.
    ImportError
        For a column that is read through Arrow, if `nanoarrow` is missing.

    Examples
    --------
    >>> labels = Labels(np.array([4, 7], np.int8))
    >>> labels.type.kind, labels.dtype, labels.length
    ('numbers', dtype('int64'), 2)

    """

    __slots__ = ("_column", "length", "name", "type")

    def __init__(self, x: Column | Source, name: str = "by") -> None:
        column = open_source(x, name)
        self.name = name
        self.type = column.label_type()
        self.length = column.length
        self._column = column.kept()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of labels that are found in the column."""
        return self.type.dtype

    @property
    def relation(self) -> RelationColumn | None:
        """The column, if it is one of a relation of DuckDB."""
        return self._column.relation

    def read(self) -> LabelValues:
        """Return what the column holds.

        Raises
        ------
        ValueError
            If it has another type than it declared, or more dimensions than one.

        """
        held = self._column.labels()
        same = held.type.kind == self.type.kind and held.type.dtype == self.type.dtype
        if not same or (self.length is not None and len(held) != self.length):
            raise ValueError(f"{self.name} must have the type and the length that it declared")
        return held
