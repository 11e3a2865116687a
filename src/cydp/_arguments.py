# SPDX-License-Identifier: MIT
"""Names for the types of parameters in signatures, so that ``help()`` fits on a line.

Types made of classes of this package stand beside these classes: `Loss`, `Cost` and `Budget`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "BinsLike",
    "Bounds",
    "Column",
    "Integer",
    "Number",
    "Numbers",
    "OpenBounds",
    "RangeLike",
    "Size",
    "TimeBounds",
]

Number: TypeAlias = int | float | str | Fraction | Decimal | np.integer | np.floating
"""A number that is read exactly, such as 0.1, which means 1/10, "1/3" or Fraction(1, 3)."""

Numbers: TypeAlias = list[Any] | tuple[Any, ...] | NDArray[Any]
"""A list or array of numbers that are read exactly."""

Integer: TypeAlias = SupportsIndex
"""An integer of Python or numpy."""

Size: TypeAlias = Integer | Sequence[Integer]
"""The shape of an array: its length, or a tuple of lengths."""

Bounds: TypeAlias = tuple[Number, Number]
"""A pair (lower, upper) of numbers; a float means its binary value."""

OpenBounds: TypeAlias = tuple[Number | None, Number | None] | None
"""A pair (lower, upper). Either, or the whole, may be None: no such bound."""

Column: TypeAlias = ArrayLike | Sequence[Any]
"""A list or array, or a column of pandas, polars, pyarrow or DuckDB: one entry for each record."""

TimeBounds: TypeAlias = tuple[str | date | np.datetime64, str | date | np.datetime64]
"""A pair (lower, upper) of dates or times; text is as ISO 8601 has it."""

BinsLike: TypeAlias = Integer | Sequence[Any] | NDArray[Any] | str | timedelta
"""A number of equal bins, the edges of bins, or a width of time such as "1d"."""

RangeLike: TypeAlias = tuple[Any, Any] | Sequence[Any] | NDArray[Any]
"""A pair (low, high) of numbers, dates or times: the ends of the bins."""
