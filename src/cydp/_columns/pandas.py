# SPDX-License-Identifier: MIT
"""What pandas keeps in arrays of its own, read without Arrow: pandas exports only with pyarrow."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_numpy", "as_series", "categorical", "is_frame", "is_series"]


def is_frame(x: Any) -> bool:
    """Whether x is a frame of pandas, which is read column by column, its index left out.

    Its Arrow export has the index as a column, unless that is a range.
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def is_series(x: Any) -> TypeGuard[Any]:
    """Whether x is a Series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.Series)


def as_series(x: Any) -> Any:
    """Return an index, or an array of a dtype of pandas' own, as a Series; else x."""
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(getattr(x, "dtype", None), np.dtype):
        return x
    if isinstance(x, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(x, copy=False)
    return x


def as_numpy(x: Any) -> Any:
    """Return a nullable Series masked where it is null, and one of Python's strings as objects.

    Anything else is returned as it is.
    """
    if not is_series(x):
        return x
    pandas = sys.modules["pandas"]
    if isinstance(x.dtype, pandas.StringDtype) and x.dtype.storage == "python":
        return x.to_numpy(object, na_value=None)
    own = pandas.arrays
    if not isinstance(x.array, own.IntegerArray | own.FloatingArray | own.BooleanArray):
        return x
    dtype = np.dtype(bool) if isinstance(x.array, own.BooleanArray) else x.dtype.numpy_dtype
    values, null = x.array.to_numpy(dtype, na_value=dtype.type(0)), x.array.isna()
    return np.ma.MaskedArray(values, null) if null.any() else values


def categorical(x: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None, Any] | None:
    """Return the place of each entry, which are not null, and the categories; else None.

    The place of a null is 0.
    """
    if not is_series(x) or not isinstance(x.dtype, sys.modules["pandas"].CategoricalDtype):
        return None
    codes = x.cat.codes.to_numpy()
    present = codes >= 0
    if present.all():
        return codes, None, x.cat.categories
    return np.where(present, codes, codes.dtype.type(0)), present, x.cat.categories
