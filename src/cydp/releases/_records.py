# SPDX-License-Identifier: MIT
"""The records of a release: what they say they are, and then their values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp.exact._columns import check_real, column
from cydp.exact._foreign import opened, speaks_arrow


def declared_dtype(x: ArrayLike | Sequence[Any], name: str = "x") -> np.dtype[Any]:
    """Return the dtype of a column by what it says of itself, without reading a value.

    A list says nothing and stands for float64. Raises TypeError or ValueError for what is no
    column of real numbers.
    """
    if isinstance(x, Sequence) and not isinstance(x, str | bytes):
        return np.dtype(np.float64)
    x = opened(x, name)
    if not (hasattr(x, "__array__") or speaks_arrow(x)):
        raise TypeError(f"{name} must be an array or a list of numbers, not {type(x).__name__}")
    _check_column(getattr(x, "ndim", 1), name)
    dtype = getattr(x, "dtype", None)
    if not isinstance(dtype, np.dtype):
        return np.dtype(np.float64)
    check_real(dtype, name)
    return dtype


def read(x: ArrayLike | Sequence[Any], name: str = "x") -> NDArray[Any]:
    """Return the values of a column; one dimension, since a row is what one unit adds."""
    values = column(x, name)
    _check_column(values.ndim, name)
    return values


def _check_column(ndim: int, name: str) -> None:
    if ndim != 1:
        raise ValueError(f"{name} must have one dimension, a record each, not {ndim}")
