# SPDX-License-Identifier: MIT
"""What pandas keeps in arrays of its own, read without Arrow: pandas exports only with pyarrow."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cydp._columns.masks import Mask

__all__ = [
    "Categories",
    "as_numpy",
    "as_series",
    "categories_of",
    "holds_python_text",
    "is_frame",
    "is_series",
    "labels_of",
    "restore_labels",
]


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A categorical column.

    Attributes
    ----------
    codes : ndarray of int
        The place of each entry among the categories; 0 for null.
    present : ndarray of bool, or None
        Which entries are not null; None: all of them.
    categories : Index
        Distinct, without nulls.

    """

    codes: NDArray[Any]
    present: Mask
    categories: Any


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


def as_numpy(x: Any) -> Any:
    """Return a nullable Series masked where it is null, and a Series of Python's str as objects.

    Anything else is returned as it is.
    """
    if not is_series(x):
        return x
    if holds_python_text(x):
        return x.to_numpy(object, na_value=None)
    own = sys.modules["pandas"].arrays
    if not isinstance(x.array, own.IntegerArray | own.FloatingArray | own.BooleanArray):
        return x
    dtype = np.dtype(bool) if isinstance(x.array, own.BooleanArray) else x.dtype.numpy_dtype
    values, null = x.array.to_numpy(dtype, na_value=dtype.type(0)), x.array.isna()
    return np.ma.MaskedArray(values, null) if null.any() else values


def holds_python_text(x: Any) -> bool:
    """Whether x is a Series that is declared as text and stored as Python's str."""
    if not is_series(x):
        return False
    return isinstance(x.dtype, sys.modules["pandas"].StringDtype) and x.dtype.storage == "python"


def categories_of(x: Any) -> Categories | None:
    """Return the codes and the categories of a categorical Series; None for anything else."""
    if not is_series(x) or not isinstance(x.dtype, sys.modules["pandas"].CategoricalDtype):
        return None
    codes = x.cat.codes.to_numpy()
    present = codes >= 0
    if present.all():
        return Categories(codes, None, x.cat.categories)
    return Categories(np.where(present, codes, codes.dtype.type(0)), present, x.cat.categories)


def labels_of(value: Any) -> Any:
    """Return a Series, whose index a repetition of a release must have too; else None."""
    return value if is_series(value) else None


def restore_labels(value: Any, released: NDArray[Any]) -> Any:
    """Return what was released for a Series as a Series with its index and name."""
    if not is_series(value):
        return released
    return sys.modules["pandas"].Series(released, index=value.index, name=value.name)
