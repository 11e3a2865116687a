# SPDX-License-Identifier: MIT
"""Opening a column: finding the one list, array or library's column in what a user passes.

Other libraries are known by what their objects can do: none of them is imported. No value is read.
docs/columns.md, "Declare, charge, read".
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from cydp._columns.pandas import as_series, is_frame, is_series
from cydp._columns.relations import RelationColumn, SharedRelation

__all__ = ["check_one_column", "column_in_pieces", "is_relation", "open_column", "speaks_arrow"]


def open_column(x: Any, name: str) -> Any:
    """Return the column to declare or to read.

    Returns
    -------
    list, tuple, ndarray, Series, or a column or table that speaks Arrow
        The only column of a frame of pandas; an index or an array of pandas as a Series; another
        sequence as a list, or as the array that it is a view of; anything else as it is. A column
        that was opened is returned as it is.

    Raises
    ------
    TypeError
        For a frame of several columns or none, and for a column that is not computed yet.

    """
    if isinstance(x, memoryview | array):
        return np.asarray(x)
    if isinstance(x, list | tuple | np.ndarray):
        return x
    is_text = isinstance(x, str | bytes | bytearray)
    if isinstance(x, Sequence) and not is_text and not hasattr(x, "__array__"):
        return list(x)
    if is_frame(x):
        check_one_column(x.shape[1], name)
        return x.iloc[:, 0]
    if is_series(x) or speaks_arrow(x):  # a Series has its labels, and so data, as attributes
        return x
    if hasattr(x, "collect"):
        raise TypeError(f"{name} must be computed first: call its collect()")
    if hasattr(x, "to_table"):  # a dataset or scanner of pyarrow
        raise TypeError(f"{name} must be read first: call its to_table()")
    return as_series(x)


def speaks_arrow(x: Any) -> bool:
    """Whether x is a column or table of another library that is read through Arrow.

    A column with a dtype of numpy is read without Arrow.
    """
    if isinstance(x, np.ndarray) or isinstance(getattr(x, "dtype", None), np.dtype):
        return False
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def is_relation(x: Any) -> bool:
    """Whether x is a relation of DuckDB: to read it, or to ask for its length, runs its query.

    So is a column of one.
    """
    if isinstance(x, RelationColumn):
        return True
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(x, duckdb.DuckDBPyRelation)


def column_in_pieces(x: Any) -> Any:
    """Return a relation of one column as a column that can be read in pieces; others as they are.

    A column of a relation is one already.
    """
    if not is_relation(x) or isinstance(x, RelationColumn):
        return x
    return SharedRelation(x).column(x.columns[0])


def check_one_column(columns: int, name: str) -> None:
    """Raise a TypeError for a table that has another number of columns than one."""
    if columns != 1:
        raise TypeError(
            f"{name} must be one column, not a table of {columns}: choose one by its name, as "
            "column= of a release does"
        )
