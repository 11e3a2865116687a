# SPDX-License-Identifier: MIT
"""Pairs of places, looked up among given pairs: how keys of several columns become one code.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.column_keys import KeyPlaces, as_strings

__all__ = ["PairTable"]

_DENSE = 2**22  # the largest table with an entry for each pair that could be


class PairTable:
    """Distinct pairs of places, each known by its place among them.

    Parameters
    ----------
    pairs : ndarray of int64
        The distinct pairs as numbers: first * width + second.
    width : int
        The number of seconds, and one for what is none of them.
    size : int
        The number of firsts, and one for what is none of them, times the width.

    """

    __slots__ = ("_codes", "_count", "_size", "_table", "_width")

    def __init__(self, pairs: NDArray[np.int64], width: int, size: int) -> None:
        self._count, self._width, self._size = len(pairs), np.int64(width), size
        self._codes: NDArray[np.uint32] | None = None
        self._table: KeyPlaces | None = None
        if size <= _DENSE:
            self._codes = np.full(size, len(pairs), np.uint32)
            self._codes[pairs] = np.arange(len(pairs), dtype=np.uint32)
        else:
            self._table = KeyPlaces(pairs, None)

    @classmethod
    def of(
        cls,
        first: NDArray[np.uint32],
        second: NDArray[np.uint32],
        seconds: int,
        *,
        keep_order: bool,
    ) -> tuple[PairTable, NDArray[np.uint32]]:
        """Return the table of given pairs, and the place of each pair in it.

        Parameters
        ----------
        first, second : ndarray of uint32
            The pairs, each as a place among the firsts and one among the seconds.
        seconds : int
            How many places the second may have.
        keep_order : bool
            Whether the places are those of the pairs, if they are distinct.

        """
        width = seconds + 1
        pairs = first.astype(np.int64) * np.int64(width) + second
        size = (int(first.max()) + 2) * width
        distinct, places = np.unique(pairs, return_inverse=True)
        if keep_order and len(distinct) == len(pairs):
            return cls(pairs, width, size), np.arange(len(pairs), dtype=np.uint32)
        return cls(distinct, width, size), places.astype(np.uint32)

    def __len__(self) -> int:
        return self._count

    def fill(
        self, first: NDArray[np.uint32], second: NDArray[np.uint32], threads: int, codes: Any
    ) -> None:
        """Set codes to the places of pairs, and to the number of pairs for others."""
        pairs = first * self._width + second
        if self._table is not None:
            self._table.fill(as_strings(pairs), 0, None, threads, codes)
        elif self._codes is not None:
            np.take(self._codes, pairs, out=codes, mode="clip")
