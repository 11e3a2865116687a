# SPDX-License-Identifier: MIT
"""Sums by key over all rows of users, who have a bounded weight in each key. NOT private.

docs/releases/units.md, "All rows of a user".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.exact._contributions import PairNumbers
from cydp.exact._grid import Grid
from cydp.releases._rows import Codes
from cydp.releases._user_sums import bounded_sums, clamped_sums, ends_of_sum

__all__ = ["UserPairs"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UserPairs:
    """Users beside the keys in which they count, and all of their rows there. NOT private.

    Attributes
    ----------
    numbers : PairNumbers
        The number of each row's pair.
    keys : ndarray of uint32, shape (rows,)
        The code of each row's key.
    most : int
        How many rows those of a pair are worth at most.

    """

    numbers: PairNumbers
    keys: Codes
    most: int

    def sums(
        self, values: NDArray[Any], grid: Grid, n_keys: int, shift: int, largest: int | None
    ) -> list[NDArray[np.int64]]:
        """Return the sums of numbers by key, and the numbers of rows that they are of.

        Parameters
        ----------
        values : ndarray, shape (rows,)
            What is null does not count.
        grid : Grid
        n_keys : int
        shift : int
            The number to subtract from each number, in steps.
        largest : int or None
            The size to which the sum of each pair is clamped, in steps; None: it is not.

        """
        pairs, above, rows = bounded_sums(self.numbers, values, grid, self.most)
        sums = above + (grid.lowest - shift) * rows
        if largest is not None:
            sums = clamped_sums(sums, ends_of_sum(grid, self.most, largest))
        count = self.numbers.count
        key_of = np.empty(count + 1, np.uint32)  # the last one: of rows of no pair
        key_of[np.minimum(self.numbers.numbers, count)] = self.keys
        by_key = [np.zeros(n_keys, np.int64) for _ in range(2)]
        for whole, each in zip(by_key, (sums, rows), strict=True):
            np.add.at(whole, key_of[pairs], each)
        return by_key
