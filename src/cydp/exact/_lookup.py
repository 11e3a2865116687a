# SPDX-License-Identifier: MIT
"""The index of each value among given keys, and how often each key occurs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column
from cydp._call_errors import explain_arguments
from cydp._columns import blocks
from cydp._columns.identifiers import ListedIdentifiers, open_identifiers
from cydp._columns.keys import Keys
from cydp._columns.masks import Mask
from cydp._columns.strings import Strings, fixed_width

__all__ = ["match_keys", "value_counts"]

_CHUNK_ROWS = 2**18  # rows for each thread, whose codes stay in the cache


@explain_arguments
def match_keys(x: Column, keys: Column | Keys) -> NDArray[np.uint32]:
    """Return the index of each value among the keys. NOT private.

    Parameters
    ----------
    x : array_like of integers or strings, shape (n,)
        The values to look up. Only the categories of a categorical or dictionary column are
        looked up.
    keys : array_like of integers or strings, or Keys
        Public, distinct values of the type that x has. `Keys` prepares them once for many calls.

    Returns
    -------
    ndarray of uint32, shape (n,)
        Indices from 0 on, or len(keys) if a value is missing or is not one of the keys.

    Raises
    ------
    TypeError, ValueError
        If the keys are not distinct, or if x or keys has a type that is not allowed.

    See Also
    --------
    value_counts : Counts the keys without this array.

    Examples
    --------
    >>> match_keys(["b", "z", None, "a"], ["a", "b"])
    array([1, 2, 2, 0], dtype=uint32)

    """
    lookup = _prepare(x, keys if isinstance(keys, Keys) else Keys(keys))
    codes = np.empty(lookup.rows, np.uint32)
    lookup.fill(codes, 0)
    return codes


@explain_arguments
def value_counts(x: Column, keys: Column | Keys) -> NDArray[np.int64]:
    """Count how often each key occurs. NOT private.

    Parameters
    ----------
    x, keys : array_like, or Keys
        As in `match_keys`.

    Returns
    -------
    ndarray of int64, shape (len(keys),)
        The counts, in the order of the keys. Values that are missing or not one of the keys are
        left out.

    Raises
    ------
    TypeError, ValueError
        As in `match_keys`.

    Examples
    --------
    >>> value_counts(["b", "z", None, "a", "b"], ["a", "b"])
    array([1, 2])

    """
    table = keys if isinstance(keys, Keys) else Keys(keys)
    lookup = _prepare(x, table)
    counts = np.zeros(len(table) + 1, np.int64)
    # Each call of a kernel visits every count once, so it gets more rows if there are many.
    chunk_rows = max(_CHUNK_ROWS * lookup.threads, 4 * len(counts))
    codes = np.empty(min(chunk_rows, lookup.rows), np.uint32)
    for first in range(0, lookup.rows, chunk_rows):
        chunk = codes[: lookup.rows - first]
        lookup.fill(chunk, first)
        _core.bincount(chunk, counts, lookup.threads)
    return counts[:-1]


def _prepare(x: Column, keys: Keys) -> _Lookup | _ListLookup:
    identifiers = open_identifiers(x, "x")
    if isinstance(identifiers, ListedIdentifiers):
        return _ListLookup(identifiers, keys)
    return _Lookup(*identifiers, keys)


class _ListLookup:
    """A list or an array of objects whose values are converted and looked up block by block."""

    def __init__(self, listed: ListedIdentifiers, keys: Keys) -> None:
        self._listed, self._keys = listed, keys
        self.rows = len(listed)
        self.threads = _threads.threads_for(self.rows)
        if listed.has_kind and self.rows == 0:  # an array of numpy's StringDType or the like
            _Lookup(*listed.block(0, 0), keys)  # refuses keys of another kind

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to those of the rows from `first` on."""
        if not self._listed.has_kind:  # nulls alone, beside which keys may be of any kind
            codes[:] = len(self._keys)
            return
        for start in range(0, len(codes), blocks.BLOCK_ROWS):
            part = codes[start : start + blocks.BLOCK_ROWS]
            block = self._listed.block(first + start, len(part))
            _Lookup(*block, self._keys).fill(part, 0)


class _Lookup:
    """A column whose values are looked up among keys."""

    def __init__(self, values: NDArray[Any] | Strings, present: Mask, keys: Keys) -> None:
        self._missing = len(keys)  # the code of values that are not among the keys
        self.rows = len(values)
        self.threads = _threads.threads_for(self.rows)
        self._present, self._values = present, values  # the kernels read the values
        # Of a categorical column: the code of each category, and the category of each row.
        self._category_codes = np.full(1, self._missing, np.uint32)
        self._categories: NDArray[Any] | None = None
        self._strings, encoding = _kernel_strings(values)
        self._keys = keys._table(encoding)  # the type decides, rows or not: it may raise an error
        if isinstance(values, Strings) and values.rows is not None:
            self._category_codes = np.empty(values.count, np.uint32)
            self._categories = values.rows
            _core.lookup(self._keys, self._strings, 0, None, 1, self._category_codes)

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to those of the rows from `first` on."""
        rows = slice(first, first + len(codes))
        present = None if self._present is None else self._present[rows]
        if self._categories is None:
            valid = None if present is None else present.view(np.uint8)
            _core.lookup(self._keys, self._strings, first, valid, self.threads, codes)
            return
        categories = self._categories[rows]
        for start in range(0, len(codes), _CHUNK_ROWS):  # numpy converts the indices of a chunk
            chunk = slice(start, start + _CHUNK_ROWS)
            places = categories[chunk].astype(np.intp, copy=False)  # numpy 2.0 takes no uint64
            np.take(self._category_codes, places, out=codes[chunk], mode="clip")
            if present is not None:
                codes[chunk][~present[chunk]] = self._missing


def _kernel_strings(values: NDArray[Any] | Strings) -> tuple[_core.Strings, str]:
    """Return the values as strings for a kernel, and the encoding that keys must have."""
    if isinstance(values, Strings):
        return values.kernel(), "utf-8" if values.integers is None else "hex"
    if values.dtype.kind in "US":
        return fixed_width(values), "utf-32-le" if values.dtype.kind == "U" else "bytes"
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    strings = _core.Strings(len(native), native.view(np.uint8), width=native.itemsize)
    return strings, f"{native.dtype.kind}{native.itemsize}"
