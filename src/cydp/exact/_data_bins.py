# SPDX-License-Identifier: MIT
"""Counts in bins that came from the data: they are marked, and mechanisms refuse them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataBinCounts", "mark_data_bins", "refuse_data_bins"]

_PLAIN = frozenset({int, float, np.ndarray})  # types that most small calls pass
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
    if type(value) in _PLAIN:
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
