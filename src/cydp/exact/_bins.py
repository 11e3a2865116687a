# SPDX-License-Identifier: MIT
"""Bins: their edges and comparisons depend on parameters and a dtype alone."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import copysign
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import BinsLike, Column, RangeLike
from cydp._columns.blocks import block_rows, blocks, is_for_kernel
from cydp._columns.dtypes import check_real, describe_entry
from cydp._columns.reading import read_numbers
from cydp._threads import threads_for

__all__ = [
    "Bins",
    "DataBinCounts",
    "check_bins",
    "equal_bins",
    "kept_bins",
    "mark_data_bins",
    "public_bins",
    "range_of",
    "read_bin_count",
    "refuse_data_bins",
]


_Array: TypeAlias = NDArray[Any]
_Dtype: TypeAlias = np.dtype[Any]

_MOST_BINS = 2**30
_NOT_ALL_FLOATS = 2**53  # from here on not every integer is a float64
_SIGN_BIT = np.uint64(2**63)  # flipping it maps uint64 to int64 and keeps the order


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Bins for data of one dtype: the edges, and how values are compared with them.

    Everything here depends on parameters and the dtype. No value of the data can change how values
    are compared, raise an exception or give a warning.

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
        The edges that numpy returns.
    kernel : _core.Bins
        The edges in the dtype in which they are compared.
    dtypes : tuple of dtypes
        The dtypes that the kernel takes. The first one holds all values of the data.
    prepare : callable, optional
        It changes values before the kernel takes them. They keep their places.

    """

    edges: _Array
    kernel: _core.Bins
    dtypes: tuple[_Dtype, ...]
    prepare: Callable[[_Array], _Array] | None = None

    def count(self, x: Column) -> NDArray[np.int64]:
        """Count the values of x, of the dtype that these bins were made for."""
        values = read_numbers(x)
        counts = np.zeros(len(self.edges) - 1, dtype=np.int64)
        threads = threads_for(values.size)
        dtype = self.dtype_for(values.dtype)
        if (
            type(values) is np.ndarray and self.prepare is None and is_for_kernel(values, dtype)
        ):  # most small calls: nothing is converted
            _core.histogram([self.kernel], [values.reshape(-1)], counts, threads)
            return counts
        with np.errstate(all="ignore"):  # converting a signalling NaN may warn
            for rows in blocks(values, dtype, block_rows(len(counts))):
                prepared = rows if self.prepare is None else self.prepare(rows)
                _core.histogram([self.kernel], [prepared], counts, threads)
        return counts

    def dtype_for(self, dtype: _Dtype) -> _Dtype:
        """Return the dtype to which values of `dtype` are converted for the kernel."""
        return dtype if dtype in self.dtypes else self.dtypes[0]

    def reads(self, x: _Array) -> bool:
        """Whether the kernel reads an array without a mask as it is."""
        return self.prepare is None and is_for_kernel(x, self.dtype_for(x.dtype))

    def convert(self, x: _Array) -> _Array:
        """Return an array without a mask as the kernel reads it, every value in its place."""
        rows = np.require(x, self.dtype_for(x.dtype), ["C", "ALIGNED"])
        return rows if self.prepare is None else self.prepare(rows)


def public_bins(bins: BinsLike, range: RangeLike | None, dtype: _Dtype) -> Bins:
    """Return bins that depend on parameters and dtype alone.

    Parameters
    ----------
    bins, range
        As in `histogram`, but a number of bins needs a range.
    dtype : dtype
        The dtype of the data.

    Raises
    ------
    TypeError, ValueError
        If bins or range is not allowed.

    Examples
    --------
    >>> public_bins(2, (0, 1), np.dtype(float)).edges
    array([0. , 0.5, 1. ])

    """
    count = read_bin_count(bins)
    if count is None:
        return _compare_as_numpy(_read_edges(bins), dtype)
    if range is None:
        raise ValueError("range=(lo, hi) must be given if bins is a number")
    lo, hi = _read_range(range)
    edges = _equal_edges(count, lo, hi, dtype)
    integer_ends = [end for end in (lo, hi) if isinstance(end, int | np.integer)]
    if dtype.kind in "iu" and any(abs(int(end)) >= _NOT_ALL_FLOATS for end in integer_ends):
        return _compare_large_integers(edges, lo, hi, dtype)
    return _compare_as_floats(edges, dtype)


def check_bins(bins: Any, range: RangeLike | None) -> None:
    """Raise an error for bins or a range that is not allowed, before data is read."""
    if read_bin_count(bins) is None:
        _read_edges(bins)
    elif range is not None:
        _read_range(range)


def read_bin_count(bins: Any) -> int | None:
    """Return the number of bins, or None if the bins are given by their edges."""
    if isinstance(bins, str):
        raise TypeError(
            "bins must be an integer or edges, not text: no rule may take them from the data"
        )
    if isinstance(bins, list | tuple) or np.ndim(bins) != 0:
        return None
    if isinstance(bins, bool | np.bool):
        raise TypeError("bins must be an integer or edges, not bool")
    try:
        count = operator.index(bins)
    except TypeError:
        raise TypeError(f"bins must be an integer or edges, not {type(bins).__name__}") from None
    if not 1 <= count <= _MOST_BINS:
        shown = f", not {count}" if abs(count) < 10**18 else ""
        raise ValueError(f"bins must be from 1 to 2**30{shown}")
    return count


def _read_edges(bins: Any) -> _Array:
    if isinstance(bins, np.ma.MaskedArray):
        raise TypeError("edges in bins must have no mask")
    try:
        edges = np.array(bins)
    except ValueError:  # sequences of different lengths
        raise ValueError("bins must be at least 2 edges in one list, not lists") from None
    if edges.ndim != 1 or len(edges) < 2:
        raise ValueError(f"bins must be at least 2 edges in one list, not of shape {edges.shape}")
    if edges.dtype.kind == "b":
        raise TypeError("edges in bins must be numbers, not bool")
    check_real(edges.dtype, "bins")
    if np.isnan(edges).any():
        raise ValueError("edges in bins must be numbers, not NaN")
    if (edges[:-1] > edges[1:]).any():
        raise ValueError("edges in bins must never decrease: sort them")
    return edges


def _read_range(range: RangeLike) -> tuple[Any, Any]:
    if not isinstance(range, Sequence | np.ndarray) or isinstance(range, str | bytes):
        raise TypeError(f"range must be a pair, range=(lo, hi), not {type(range).__name__}")
    if len(range) != 2:
        given = f"a {type(range).__name__} of {len(range)}"
        raise ValueError(f"range must be a pair, range=(lo, hi), not {given}")
    lo, hi = range
    for end in (lo, hi):
        if isinstance(end, bool) or not isinstance(end, int | float | np.integer | np.floating):
            raise TypeError(f"range=(lo, hi) must be numbers, not {describe_entry(type(end))}")
        if isinstance(end, np.floating):
            check_real(end.dtype, "range")
        if isinstance(end, int) and not -(2**63) <= end < 2**64:
            raise ValueError("range=(lo, hi) must be floats, or integers from -2**63 to 2**64 - 1")
    if not (np.isfinite(lo) and np.isfinite(hi) and lo <= hi):
        raise ValueError(f"range=(lo, hi) must be finite with lo <= hi, not ({lo}, {hi})")
    return lo, hi


def _equal_edges(count: int, lo: Any, hi: Any, dtype: _Dtype) -> _Array:
    """Return numpy's edges: float64, or float32 or float16 for data of that dtype."""
    no_data = np.empty(0, dtype=np.uint8 if dtype.kind == "b" else dtype)
    try:
        with np.errstate(all="ignore"):
            edges = np.histogram_bin_edges(no_data, count, (lo, hi))
            distinct = np.isfinite(edges).all() and (edges[:-1] < edges[1:]).all()
    except ValueError:
        distinct = False
    if not distinct:
        raise ValueError(
            f"bins and range must give finite and distinct edges for data of {dtype.name}, which "
            f"{count} bins over this range do not: give fewer bins or a wider range"
        )
    return edges


def equal_bins(count: int, range: RangeLike, dtype: _Dtype) -> Bins:
    """Return the equal bins of `histogramdd`, which compares as floats whatever the dtype is."""
    lo, hi = _read_range(range)
    if lo == hi:
        lo, hi = lo - 0.5, hi + 0.5
    with np.errstate(all="ignore"):
        edges = np.linspace(lo, hi, count + 1)
        distinct = np.isfinite(edges).all() and (edges[:-1] < edges[1:]).all()
    if not distinct:
        raise ValueError(
            f"bins and range must give finite and distinct edges, which {count} bins over this "
            "range do not: give fewer bins or a wider range"
        )
    return _compare_as_floats(edges, dtype)


def range_of(values: _Array, name: str) -> tuple[Any, Any]:
    """Return the range of the data, as numpy determines it."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.compressed()
    if values.size == 0:
        return 0, 1  # as numpy does
    lo, hi = values.min(), values.max()
    if not (np.isfinite(lo) and np.isfinite(hi)):
        raise ValueError(f"{name} must be finite if range is None: give range=(lo, hi)")
    return (np.uint8(lo), np.uint8(hi)) if values.dtype.kind == "b" else (lo, hi)


_F64, _F32, _I64, _I32 = map(np.dtype, (np.float64, np.float32, np.int64, np.int32))


def _compare_as_floats(edges: _Array, dtype: _Dtype) -> Bins:
    """Compare as float64, as numpy does, or in another dtype with the same result."""
    kernel = _core.Bins(np.ascontiguousarray(edges, dtype=np.float64))
    is_int64 = dtype.kind == "i" and dtype.itemsize == 8
    return Bins(edges, kernel, (_I64,) if is_int64 else (_F64, _F32, _I32))


def _compare_large_integers(edges: _Array, lo: Any, hi: Any, dtype: _Dtype) -> Bins:
    """Leave out integers outside the range, as numpy does, and compare the others as float64."""

    def without_outside(rows: _Array) -> _Array:
        return np.where((rows >= lo) & (rows <= hi), rows.astype(np.float64), np.nan)

    kernel = _core.Bins(np.ascontiguousarray(edges, dtype=np.float64))
    return Bins(edges, kernel, (dtype.newbyteorder("="),), without_outside)


def _compare_as_numpy(edges: _Array, dtype: _Dtype) -> Bins:
    """Compare in the common dtype of data and edges, as numpy does with given edges."""
    common = np.promote_types(np.uint8 if dtype.kind == "b" else dtype, edges.dtype)
    # If all edges are small enough, rounding an integer to float64 moves it past none of them.
    if common.kind == "f" or (edges[0] > -_NOT_ALL_FLOATS and edges[-1] < _NOT_ALL_FLOATS):
        return _compare_as_floats(edges, dtype)
    if common == np.uint64:
        flipped = _flip_sign(np.ascontiguousarray(edges, dtype=np.uint64))
        return Bins(edges, _core.Bins(flipped), (common,), _flip_sign)
    kernel = _core.Bins(np.ascontiguousarray(edges, dtype=np.int64))
    return Bins(edges, kernel, (_I64,))


def _flip_sign(values: _Array) -> _Array:
    flipped: _Array = (values ^ _SIGN_BIT).view(np.int64)
    return flipped


# Bins of earlier calls are kept by the parameters that callers wrote. Parameters and dtypes are
# public, so a cache of them reveals nothing about records; nothing that was computed from data
# gets here: docs/exact/bins.md, "Bins that are kept".
_KEPT = 64  # bins of each kind
_MOST_EDGES = 1025  # of bins that are kept: few enough for 64 of them to take little memory
_PLAIN = {int, float}
_ENDS = frozenset({int, float, np.float64})
_DTYPES = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32)))

_End: TypeAlias = int | float


def kept_bins(bins: Any, range: RangeLike | None, dtype: _Dtype) -> Bins | None:
    """Return what `public_bins` returns; None for parameters or a dtype that are never kept.

    The errors are as for `public_bins`. Callers must not change the edges, or give them to a user.
    """
    if dtype not in _DTYPES or dtype.metadata is not None:  # metadata are any object, even the data
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
        and bins.dtype.metadata is None  # numpy's edges have the metadata of the given ones
    ):
        return _given_bins(bins.tobytes(), bins.dtype, bins.shape, dtype)
    return None


def _is_minus_zero(*ends: _End) -> bool:
    """Whether an end is -0.0, which equals 0.0 as a key but is another edge."""
    return any(end == 0 and copysign(1, end) < 0 for end in ends)


@lru_cache(_KEPT, typed=True)  # typed, since 0 == 0.0, and numpy makes other edges of 0.0
def _equal_bins(count: int, lo: _End, hi: _End, dtype: _Dtype) -> Bins:
    return public_bins(count, (lo, hi), dtype)


@lru_cache(_KEPT)
def _given_bins(edges: bytes, given: _Dtype, shape: tuple[int, ...], dtype: _Dtype) -> Bins:
    return public_bins(np.frombuffer(edges, given).reshape(shape), None, dtype)


_USUAL = frozenset({int, float, np.ndarray})  # types that most small calls pass
_ROWS = (np.ndarray, list, tuple)  # a list that holds a row has a row first, or is refused later


class DataBinCounts(np.ndarray[Any, np.dtype[Any]]):
    """Counts in bins, or of a length, that came from the data. NOT private, even with noise.

    They print, compute and pickle as any array. Results computed from them, and their slices, are
    of this type too; single numbers are not. `np.asarray(counts)` is an array without the mark.
    """

    __slots__ = ()
    __array_priority__ = 1  # above other arrays, so that a concatenation is marked

    def __array_wrap__(
        self, array: NDArray[Any], context: Any = None, return_scalar: bool = False
    ) -> Any:
        """Return a sum of all counts as a number, as it is for any array."""
        return array[()] if return_scalar else super().__array_wrap__(array, context, False)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def mark_data_bins(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts, marked: their bins came from the data, as the parameters alone decide."""
    return counts.view(DataBinCounts)


def refuse_data_bins(value: object, name: str) -> None:
    """Raise a ValueError for marked counts, or for a list with a row of them."""
    if type(value) in _USUAL:
        return
    is_marked = isinstance(value, DataBinCounts)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], _ROWS):
        is_marked = DataBinCounts in map(type, value)
    if is_marked:
        raise ValueError(
            f"{name} must not be counts in bins that came from the data: noise on counts does not "
            "protect the edges, or the length of a bincount. Give range=(lo, hi), or minlength=, "
            f"or pass np.asarray({name}) if the edges are not published"
        )
