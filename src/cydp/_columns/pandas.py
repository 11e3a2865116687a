# SPDX-License-Identifier: MIT
"""Arrays of pandas' own, read without Arrow, since pandas exports only with pyarrow."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cydp._columns.label_types import LabelType, type_of_dtype
from cydp._columns.label_values import LabelValues
from cydp._columns.masks import Mask

__all__ = [
    "as_series",
    "categories_of",
    "holds_python_text",
    "is_frame",
    "is_series",
    "labels_of",
    "masked_series",
    "own_labels",
    "parts_of_series",
    "restore_labels",
]


def is_frame(x: Any) -> bool:
    """Whether x is a frame of pandas, which is read column by column, without its index.

    Its Arrow export has the index as a column, unless the index is a range.
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def is_series(x: Any) -> TypeGuard[Any]:
    """Whether x is a Series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.Series)


def as_series(x: Any) -> Any:
    """Return an index, or an array, of a dtype of pandas' own as a Series; anything else as is."""
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(getattr(x, "dtype", None), np.dtype):
        return x
    if isinstance(x, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(x, copy=False)
    return x


def masked_series(x: Any) -> NDArray[Any] | None:
    """Return a nullable Series masked where it is null, and one of Python's str as objects.

    None for a Series of another dtype.
    """
    if holds_python_text(x):
        text: NDArray[Any] = x.to_numpy(object, na_value=None)
        return text
    own = sys.modules["pandas"].arrays
    if not isinstance(x.array, own.IntegerArray | own.FloatingArray | own.BooleanArray):
        return None
    dtype = np.dtype(bool) if isinstance(x.array, own.BooleanArray) else x.dtype.numpy_dtype
    values, null = x.array.to_numpy(dtype, na_value=dtype.type(0)), x.array.isna()
    return np.ma.MaskedArray(values, null) if null.any() else values


def holds_python_text(x: Any) -> bool:
    """Whether a Series is declared as text and stored as Python's str."""
    return isinstance(x.dtype, sys.modules["pandas"].StringDtype) and x.dtype.storage == "python"


def categories_of(x: Any) -> tuple[NDArray[Any], Mask, Any] | None:
    """Return the codes, which are present, and the categories of a categorical Series; else None.

    The code is 0 where the entry is null. The categories are an index of pandas.
    """
    if not isinstance(x.dtype, sys.modules["pandas"].CategoricalDtype):
        return None
    codes = x.cat.codes.to_numpy()
    present = codes >= 0
    if present.all():
        return codes, None, x.cat.categories
    return np.where(present, codes, codes.dtype.type(0)), present, x.cat.categories


def own_labels(x: Any) -> LabelValues | None:
    """Return a Series of a dtype that pandas has beside numpy's and Arrow's; None for another."""
    pandas = sys.modules["pandas"]
    if isinstance(x.dtype, pandas.DatetimeTZDtype):  # it stores times of UTC
        values = x.to_numpy(f"M8[{x.dtype.unit}]")
        return LabelValues(replace(type_of_dtype(values.dtype, ""), kind="instants"), values)
    for kind, dtype in (("intervals", pandas.IntervalDtype), ("periods", pandas.PeriodDtype)):
        if isinstance(x.dtype, dtype):
            return LabelValues(LabelType(kind), x.to_numpy(object))
    return None


def parts_of_series(x: Any) -> list[Any] | None:
    """Return the index, the name and the values of a Series, from which it can be made again."""
    return [x.index.tolist(), x.name, x.to_numpy()] if is_series(x) else None


def labels_of(value: Any) -> Any:
    """Return a Series, else None: a repetition of a release must have the same index."""
    return value if is_series(value) else None


def restore_labels(value: Any, released: NDArray[Any]) -> Any:
    """Return what was released for a Series, as a Series with its index and name."""
    if not is_series(value):
        return released
    return sys.modules["pandas"].Series(released, index=value.index, name=value.name)
