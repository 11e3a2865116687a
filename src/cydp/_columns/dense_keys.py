# SPDX-License-Identifier: MIT
"""Integer keys that lie close to each other: the place of a value is an entry of an array.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.blocks import BLOCK_ROWS

__all__ = ["DensePlaces", "are_distinct", "is_dense"]

_MOST_ENTRIES = 2**26
_ENTRIES_FOR_EACH_KEY = 8  # more would leave the cache sooner than a hash table does
_FEW_ENTRIES = 2**16


class DensePlaces:
    """The places of integer keys, by their distance to the least one.

    Parameters
    ----------
    keys : ndarray of int or uint, shape (n,), n >= 1
        Distinct keys for which `is_dense` is true.
    places : ndarray of int, shape (n,)
        The place of each key.
    missing : int
        The place of values that are no keys.

    Examples
    --------
    >>> table = DensePlaces(np.array([7, 5]), np.arange(2), 2)
    >>> codes = np.empty(4, np.uint32)
    >>> table.fill(np.array([5, 6, 7, -9], np.int16), None, codes)
    >>> codes
    array([1, 2, 0, 2], dtype=uint32)

    """

    __slots__ = ("_beyond", "_in_order", "_least", "_missing", "_places")

    def __init__(self, keys: NDArray[Any], places: NDArray[Any], missing: int) -> None:
        words = _words(keys)
        self._least = _words(keys.min(keepdims=True))[0]
        distances = words - self._least
        self._beyond = distances.max() + np.uint64(1)
        self._missing = np.uint32(missing)
        self._places = np.full(int(self._beyond) + 1, missing, np.uint32)
        self._places[distances.astype(np.intp)] = places
        # If the keys are in order without gaps, the place is the distance: no table is needed.
        self._in_order = bool(np.array_equal(self._places, np.arange(len(self._places))))

    def fill(
        self, values: NDArray[Any], present: NDArray[np.bool_] | None, codes: NDArray[np.uint32]
    ) -> None:
        """Set codes to the places of values of the keys' dtype; `missing` if one is not present."""
        block = np.empty(min(len(values), BLOCK_ROWS), np.uint64)
        for first in range(0, len(values), BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            # Modulo 2**64, a number below the least key is far beyond all keys.
            words = _words(values[rows])
            distances = np.subtract(words, self._least, out=block[: len(words)])
            if self._in_order:
                np.minimum(distances, self._beyond, out=codes[rows], casting="unsafe")
            else:
                np.minimum(distances, self._beyond, out=distances)
                np.take(self._places, distances.view(np.int64), out=codes[rows], mode="clip")
            if present is not None:
                codes[rows][~present[rows]] = self._missing


def is_dense(keys: Any) -> bool:
    """Whether the keys are an array of integers that lie close enough to each other."""
    if not isinstance(keys, np.ndarray) or keys.dtype.kind not in "iu" or len(keys) == 0:
        return False
    entries = int(keys.max()) - int(keys.min()) + 2
    return entries <= min(max(_FEW_ENTRIES, _ENTRIES_FOR_EACH_KEY * len(keys)), _MOST_ENTRIES)


def are_distinct(keys: NDArray[Any]) -> bool:
    """Whether no integer is among the keys twice."""
    if not is_dense(keys):
        return len(np.unique(keys)) == len(keys)
    distances = _words(keys) - _words(keys.min(keepdims=True))[0]
    is_key = np.zeros(int(distances.max()) + 1, np.bool_)
    is_key[distances.view(np.int64)] = True
    return int(np.count_nonzero(is_key)) == len(keys)


def _words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return integers modulo 2**64."""
    word = np.uint64 if values.dtype.kind == "u" else np.int64
    return values.astype(word, copy=False).view(np.uint64)
