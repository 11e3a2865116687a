# SPDX-License-Identifier: MIT
"""What an array says of itself, before anybody reads it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def declared(value: Any, name: str, kind: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return dtype and shape of a numpy array, or of what has both, reading no value.

    Raises
    ------
    TypeError
        For anything else. Columns that may have nulls are no answers; a mask is none either.

    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be without a mask: fill it first")
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if not isinstance(dtype, np.dtype) or not isinstance(shape, tuple):
        raise TypeError(
            f"{name} must be of {kind}, in a list or a numpy array, not {type(value).__name__}"
        )
    return dtype, shape


def read_declared(value: Any, name: str) -> NDArray[Any]:
    """Return the array, which must be what it said it was."""
    dtype, shape = declared(value, name, "numbers")
    array = np.asarray(value)
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name} must have the dtype and the shape that it says it has")
    return array


def is_integer(entry: object) -> bool:
    """Whether an entry of a list is an integer; bool and a timedelta are none."""
    return isinstance(entry, int | np.integer) and not isinstance(entry, bool | np.timedelta64)


def is_real(entry: object) -> bool:
    """Whether an entry of a list is an integer or a float of at most 64 bits."""
    if isinstance(entry, np.floating):
        return entry.dtype.itemsize <= 8
    return isinstance(entry, float) or is_integer(entry)
