# SPDX-License-Identifier: MIT
"""Integer keys that lie close to each other: the place of a value is an entry of an array.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core

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
    places : ndarray of int, shape (n,), or None
        The place of each key. None: keys are in the order of their places, and `missing` is n.
    missing : int
        The place of values that are no keys.

    Examples
    --------
    >>> table = DensePlaces(np.array([7, 5]), None, 2)
    >>> codes = np.empty(4, np.uint32)
    >>> table.fill(np.array([5, 6, 7, -9], np.int16), None, 1, codes)
    >>> codes
    array([1, 2, 0, 2], dtype=uint32)

    """

    __slots__ = ("_beyond", "_least", "_places")

    def __init__(self, keys: NDArray[Any], places: NDArray[Any] | None, missing: int) -> None:
        self._places: NDArray[np.uint32] | None = None
        if places is None and _is_run(keys):  # the place is the distance: no table is needed
            self._least, self._beyond = int(_words(keys[:1])[0]), len(keys)
            return
        least = _words(keys.min(keepdims=True))
        distances = (_words(keys) - least).view(np.int64)
        self._least, self._beyond = int(least[0]), int(distances.max()) + 1
        self._places = np.full(self._beyond + 1, missing, np.uint32)
        self._places[distances] = np.arange(len(keys)) if places is None else places

    def fill(
        self,
        values: NDArray[Any],
        present: NDArray[np.bool_] | None,
        threads: int,
        codes: NDArray[np.uint32],
    ) -> None:
        """Set codes to the places of values of the keys' dtype; `missing` if one is not present."""
        aligned = np.require(values, requirements="A")
        valid = None if present is None else present.view(np.uint8)
        _core.dense_lookup(aligned, self._least, self._beyond, self._places, valid, threads, codes)


def is_dense(keys: Any) -> bool:
    """Whether the keys are an array of integers that lie close enough to each other."""
    if not isinstance(keys, np.ndarray) or keys.dtype.kind not in "iu" or len(keys) == 0:
        return False
    entries = int(keys.max()) - int(keys.min()) + 2
    return entries <= min(max(_FEW_ENTRIES, _ENTRIES_FOR_EACH_KEY * len(keys)), _MOST_ENTRIES)


def are_distinct(keys: NDArray[Any]) -> bool:
    """Whether no integer is among the keys twice."""
    if _is_run(keys):
        return True
    if not is_dense(keys):
        return len(np.unique(keys)) == len(keys)
    distances = _words(keys) - _words(keys.min(keepdims=True))[0]
    is_key = np.zeros(int(distances.max()) + 1, np.bool_)
    is_key[distances.view(np.int64)] = True
    return int(np.count_nonzero(is_key)) == len(keys)


def _is_run(keys: NDArray[Any]) -> bool:
    """Whether each integer is one more than the one before it, modulo 2**64."""
    words = _words(keys)
    return bool(np.all(words[1:] - words[:-1] == 1))


def _words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return integers modulo 2**64."""
    word = np.uint64 if values.dtype.kind == "u" else np.int64
    return values.astype(word, copy=False).view(np.uint64)
