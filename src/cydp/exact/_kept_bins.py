# SPDX-License-Identifier: MIT
"""Bins of an earlier call, kept by the parameters that the caller wrote.

Parameters and dtypes are public, so that a cache of them tells nothing about records. Nothing that
was computed from data gets here: docs/exact/bins.md, "Bins that are kept".
"""

from __future__ import annotations

from functools import lru_cache
from math import copysign
from typing import Any, TypeAlias

import numpy as np

from cydp._arguments import RangeLike
from cydp.exact._bins import Bins, public_bins

__all__ = ["kept_bins"]

_KEPT = 64  # bins of each kind
_MOST_EDGES = 1025  # of bins that are kept: few enough for 64 of them to take little memory
_PLAIN = {int, float}
_ENDS = frozenset({int, float, np.float64})
_DTYPES = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32)))

_End: TypeAlias = int | float
_Dtype: TypeAlias = np.dtype[Any]


def kept_bins(bins: Any, range: RangeLike | None, dtype: _Dtype) -> Bins | None:
    """Return what `public_bins` returns; None for parameters or a dtype of which none is kept.

    Errors are those of `public_bins`. Callers must not change the edges, or give them to a user.
    """
    if dtype not in _DTYPES or dtype.metadata is not None:  # which is any object, even the data
        return None
    if type(bins) is int:
        if not (type(range) is tuple or type(range) is list):
            return None
        if len(range) != 2 or bins >= _MOST_EDGES:
            return None
        lo, hi = range
        if type(lo) not in _ENDS or type(hi) not in _ENDS or _is_minus_zero(lo, hi):
            return None
        return _equal_bins(bins, lo, hi, dtype)
    if type(bins) in (list, tuple) and len(bins) <= _MOST_EDGES and set(map(type, bins)) <= _PLAIN:
        bins = np.array(bins)  # as `public_bins` does
    if (
        type(bins) is np.ndarray
        and 2 <= bins.size <= _MOST_EDGES
        and bins.dtype in _DTYPES
        and bins.dtype.metadata is None  # numpy's edges have that of the given ones
    ):
        return _given_bins(bins.tobytes(), bins.dtype, bins.shape, dtype)
    return None


def _is_minus_zero(*ends: _End) -> bool:
    """Whether an end is -0.0, which equals 0.0 as a key but is another edge."""
    return any(end == 0 and copysign(1, end) < 0 for end in ends)


@lru_cache(_KEPT, typed=True)  # typed, since 0 == 0.0, of which numpy makes other edges
def _equal_bins(count: int, lo: _End, hi: _End, dtype: _Dtype) -> Bins:
    return public_bins(count, (lo, hi), dtype)


@lru_cache(_KEPT)
def _given_bins(edges: bytes, given: _Dtype, shape: tuple[int, ...], dtype: _Dtype) -> Bins:
    return public_bins(np.frombuffer(edges, given).reshape(shape), None, dtype)
