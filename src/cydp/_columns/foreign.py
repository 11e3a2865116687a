# SPDX-License-Identifier: MIT
"""What other libraries hand over, known by what it can do; none of them is imported."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pandas import as_series, is_frame
from cydp._columns.type_names import of_entry

__all__ = ["as_array", "frame_columns", "is_relation", "one_column", "opened", "speaks_arrow"]


def speaks_arrow(x: Any) -> bool:
    """Whether x is a column or table of another library that Arrow can read.

    Not if its own dtype is one of numpy's, which needs no help.
    """
    if isinstance(x, np.ndarray) or isinstance(getattr(x, "dtype", None), np.dtype):
        return False
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def is_relation(x: Any) -> bool:
    """Whether x is a relation of DuckDB, whose query runs when it is read or its length asked."""
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(x, duckdb.DuckDBPyRelation)


def one_column(name: str, columns: int) -> str:
    """Return the message for a table in place of a column."""
    return f"{name} must be one column, not a table of {columns}: choose one by its name"


def opened(x: Any, name: str) -> Any:
    """Return x as the column to read: of a frame of pandas, or an array of its own, a Series.

    Raises
    ------
    TypeError
        For a frame of several columns or none, and for what has not been computed yet.

    """
    if is_frame(x):
        if x.shape[1] != 1:
            raise TypeError(one_column(name, x.shape[1]))
        return x.iloc[:, 0]
    if isinstance(x, np.ndarray) or speaks_arrow(x):
        return x
    if hasattr(x, "collect"):
        raise TypeError(f"{name} must be computed first: call its collect()")
    if hasattr(x, "to_table"):  # a dataset or scanner of pyarrow
        raise TypeError(f"{name} must be read first: call its to_table()")
    return as_series(x)


def as_array(x: Any, name: str) -> NDArray[Any]:
    """Return an array; of pandas' arrays with nulls one of objects, which are kept as they are.

    Raises
    ------
    TypeError
        For what is no column.

    """
    if isinstance(x, np.ma.MaskedArray):
        return x
    if hasattr(x, "isna") and not isinstance(getattr(x, "dtype", None), np.dtype):
        return np.asarray(x, object)
    values = np.asarray(x)
    if values.ndim == 0 and values.dtype.kind in "OSU":
        raise TypeError(f"{name} must be a list, an array or a column, not {of_entry(type(x))}")
    return values


def frame_columns(x: Any) -> list[Any] | None:
    """Return the columns of a table of polars or pyarrow; None for anything else."""
    if hasattr(x, "get_columns"):  # polars
        return list(x.get_columns())
    if hasattr(x, "itercolumns"):  # pyarrow
        return list(x.itercolumns())
    return None
