# SPDX-License-Identifier: MIT
"""The records of a release, read after it was paid for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.entries import sequence
from cydp._columns.numbers import column

__all__ = ["read", "records"]


def records(x: Any) -> Any:
    """Return a column, or a copy of a list, so that what was checked is what will be read."""
    x = sequence(x)
    return x.copy() if isinstance(x, list) else x


def read(x: Column, name: str = "x") -> NDArray[Any]:
    """Return the values of a column, as `declared_dtype` says: those of a sequence as float64.

    Raises
    ------
    ValueError
        For another number of dimensions than one: a row is what one unit adds.

    """
    x = sequence(x)
    values = column(x, name)
    if isinstance(x, list | tuple):
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            values = values.astype(np.float64, copy=False)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, a record each, not {values.ndim}")
    return values
