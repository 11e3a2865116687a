# SPDX-License-Identifier: MIT
"""Bounds of which an end may be missing."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from cydp._arguments import Number, OpenBounds
from cydp._numbers.bounds import check_order, check_pair
from cydp._numbers.rational import read_binary
from cydp._sensitivity import Unbounded

__all__ = ["is_infinite", "make_unbounded", "read_open_bounds"]

_Pair: TypeAlias = tuple[Fraction | None, Fraction | None]


def is_infinite(value: Number | None) -> bool:
    """Return whether a number is an infinite float."""
    return isinstance(value, float | np.floating) and math.isinf(value)


def read_open_bounds(bounds: OpenBounds) -> _Pair:
    """Return the ends of bounds, None for an end that is missing or infinite."""
    if bounds is None:
        return None, None
    lower, upper = (
        None
        if end is None or is_infinite(end)
        else read_binary(end, f"{name} in bounds=(lower, upper)")
        for end, name in zip(check_pair(bounds), ("lower", "upper"), strict=True)
    )
    if lower is not None and upper is not None:
        check_order(lower, upper)
    return lower, upper


def make_unbounded(
    lower: Fraction | None, upper: Fraction | None, relation: str | None
) -> Unbounded:
    """Return the infinite sensitivity that names the bounds that are missing."""
    names = [name for name, end in (("lower", lower), ("upper", upper)) if end is None]
    return Unbounded(" and ".join(names) + " bound", relation=relation)
