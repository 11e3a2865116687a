# SPDX-License-Identifier: MIT
"""Places of values among given keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column
from cydp._call_errors import explain_arguments
from cydp._columns.arrow import Strings
from cydp._columns.identities import fixed_width, identities
from cydp._columns.keys import Keys

__all__ = ["match_keys", "value_counts"]

_CHUNK_ROWS = 2**18  # whose codes stay in the cache, for each thread


@explain_arguments
def match_keys(x: Column, keys: Column | Keys) -> NDArray[np.uint32]:
    """Return the place of each value among the keys. NOT private.

    Parameters
    ----------
    x : array_like of integers or strings, shape (n,)
    keys : array_like of integers or strings, as in x, or Keys
        Public and distinct; `Keys` prepares them once for many pieces. A categorical or
        dictionary column is matched by its categories.

    Returns
    -------
    ndarray of uint32, shape (n,)
        From 0 on; len(keys) for what is none of the keys, or missing. `bincount` counts them,
        `value_counts` at once.

    Raises
    ------
    TypeError, ValueError
        For keys that are not distinct, or of another kind than x; for columns of other types.

    Examples
    --------
    >>> match_keys(["b", "z", None, "a"], ["a", "b"])
    array([1, 2, 2, 0], dtype=uint32)

    """
    sought = _Sought(x, keys if isinstance(keys, Keys) else Keys(keys))
    codes = np.empty(sought.rows, np.uint32)
    sought.fill(codes, 0)
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
        In the order of the keys. What is none of them, or missing, is left out.

    Raises
    ------
    TypeError, ValueError
        As in `match_keys`.

    Examples
    --------
    >>> value_counts(["b", "z", None, "a", "b"], ["a", "b"])
    array([1, 2])

    """
    given = keys if isinstance(keys, Keys) else Keys(keys)
    sought = _Sought(x, given)
    counts = np.zeros(len(given) + 1, np.int64)
    # Each call of a kernel visits every count once, so let it have more rows.
    most = max(_CHUNK_ROWS * sought.threads, 4 * len(counts))
    codes = np.empty(min(most, sought.rows), np.uint32)
    for first in range(0, sought.rows, most):
        part = codes[: sought.rows - first]
        sought.fill(part, first)
        _core.bincount(part, counts, sought.threads)
    return counts[:-1]


class _Sought:
    """A column whose values are sought among keys."""

    def __init__(self, x: Column, keys: Keys) -> None:
        self._none = len(keys)
        values, present = identities(x, "x")
        self.rows = len(values)
        self.threads = _threads.threads_for(self.rows)
        self._present, self._values = present, values  # the latter: kernels read it
        self._places: NDArray[Any] | None = None
        if self.rows == 0 or (present is not None and not present.any()):
            self._words = np.full(1, self._none, np.uint32)
            self._places = np.zeros(self.rows, np.int8)
            return
        self._strings, encoding = _kernel(values)
        self._keys = keys._table(encoding)
        if isinstance(values, Strings) and values.rows is not None:
            self._words, self._places = np.empty(values.count, np.uint32), values.rows
            _core.lookup(self._keys, self._strings, 0, None, 1, self._words)

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to those of the rows from the first on."""
        rows = slice(first, first + len(codes))
        present = None if self._present is None else self._present[rows]
        if self._places is None:
            valid = None if present is None else present.view(np.uint8)
            _core.lookup(self._keys, self._strings, first, valid, self.threads, codes)
            return
        for start in range(0, len(codes), _CHUNK_ROWS):  # of which numpy makes indices of 64 bits
            some = slice(start, start + _CHUNK_ROWS)
            np.take(self._words, self._places[rows][some], out=codes[some], mode="clip")
            if present is not None:
                codes[some][~present[some]] = self._none


def _kernel(values: NDArray[Any] | Strings) -> tuple[_core.Strings, str]:
    """Return the values for a kernel, and which bytes equal keys have."""
    if isinstance(values, Strings):
        return values.kernel(), "utf-8" if values.integers is None else "decimal"
    if values.dtype.kind in "US":
        return fixed_width(values), "utf-32-le" if values.dtype.kind == "U" else "bytes"
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    strings = _core.Strings(len(native), native.view(np.uint8), width=native.itemsize)
    return strings, f"{native.dtype.kind}{native.itemsize}"
