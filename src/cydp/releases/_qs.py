# SPDX-License-Identifier: MIT
"""Which quantiles a release is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from cydp._arguments import Bounds, Number
from cydp._numbers.quantiles import read_quantile

__all__ = ["Qs", "Quantiles", "read_quantiles"]

Qs: TypeAlias = Number | Sequence[Number]
"""A quantile such as 0.5, or several."""

Quantiles: TypeAlias = tuple[Qs, Bounds]
"""What to find in a column, and the bounds of its numbers."""

_MOST = 1000


def read_quantiles(qs: Any) -> tuple[tuple[Fraction, ...], bool]:
    """Return the quantiles as fractions, and whether a list was given.

    Raises
    ------
    TypeError, ValueError
        For anything but numbers from 0 to 1, and for none or more than 1000 of them.

    Examples
    --------
    >>> read_quantiles(0.5)[1], read_quantiles([0.25])[1]
    (False, True)

    """
    if not isinstance(qs, list | tuple | np.ndarray):
        return (read_quantile(qs),), False
    found = tuple(map(read_quantile, qs))
    if not 1 <= len(found) <= _MOST:
        raise ValueError(f"q must be one quantile, or a list of 1 to {_MOST:,}")
    return found, True
