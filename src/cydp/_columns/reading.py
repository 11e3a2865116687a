# SPDX-License-Identifier: MIT
"""Reading a column: it is asked once for what it holds, here, whatever becomes of the values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import ArrowColumn, read_arrow
from cydp._columns.dtypes import describe_entry
from cydp._columns.opening import speaks_arrow
from cydp._columns.pandas import Categories, as_numpy, categories_of

__all__ = ["read_column"]


def read_column(x: Any, name: str) -> ArrowColumn | Categories | NDArray[Any]:
    """Return the values of an opened column, other than a list, as they are stored.

    Returns
    -------
    ArrowColumn, Categories or ndarray
        A nullable column of pandas is masked where it is null; other arrays of pandas with nulls,
        and strings of Python, become arrays of objects, in which the nulls are kept.

    Raises
    ------
    TypeError
        For what is no column.

    """
    if (categories := categories_of(x)) is not None:
        return categories
    x = as_numpy(x)
    if speaks_arrow(x):
        return read_arrow(x, name)
    if isinstance(x, np.ma.MaskedArray):
        return x
    if hasattr(x, "isna") and not isinstance(getattr(x, "dtype", None), np.dtype):
        return np.asarray(x, object)
    values = np.asarray(x)
    if values.ndim == 0 and values.dtype.kind in "OSU":
        raise TypeError(
            f"{name} must be a list, an array or a column, not {describe_entry(type(x))}"
        )
    return values
