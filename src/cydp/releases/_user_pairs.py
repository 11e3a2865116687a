# SPDX-License-Identifier: MIT
"""Sums by key over all rows of users, who have a bounded weight in each key. NOT private.

docs/releases/units.md, "All rows of a user".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels
from cydp.exact._contributions import code_users
from cydp.exact._grid import Grid
from cydp.exact._label_sets import find_integers
from cydp.exact._sorted_units import sort_groups
from cydp.releases._rows import Codes
from cydp.releases._user_sums import bounded_sums, clamped_sums, ends_of_sum

__all__ = ["UserPairs", "pair_users"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UserPairs:
    """Users beside the keys in which they count, and all of their rows there. NOT private.

    Attributes
    ----------
    codes : ndarray of uint32, shape (rows,)
        The pair of each row; the number of pairs for other rows.
    keys : ndarray of int64, shape (pairs,)
        The code of the key of each pair.
    most : int
        How many rows those of a pair are worth at most.

    """

    codes: Codes
    keys: NDArray[np.int64]
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
        above, rows = bounded_sums(sort_groups(self.codes, values, len(self.keys), grid), self.most)
        sums = above + (grid.lowest - shift) * rows
        if largest is not None:
            sums = clamped_sums(sums, ends_of_sum(grid, self.most, largest))
        by_key = [np.zeros(n_keys, np.int64) for _ in range(2)]
        for whole, each in zip(by_key, (sums, rows), strict=True):
            np.add.at(whole, self.keys, each)
        return by_key


def pair_users(
    users: Labels, matched: Codes, codes: Codes, n_keys: int, most: int, key: NDArray[np.uint64]
) -> UserPairs:
    """Return users beside the keys in which they count.

    Parameters
    ----------
    users : Labels
        The column is read here.
    matched, codes : ndarray of uint32, shape (rows,)
        The key of each row, and of those that count; n_keys or more for others.
    n_keys, most : int
    key : ndarray of uint64, shape (2,)
        By it labels are hashed.

    """
    user_codes, n_users = code_users(users, matched < n_keys, key)
    pairs = matched.astype(np.uint64) * n_users + user_codes
    distinct, found = find_integers(pairs, user_codes < n_users)
    counts = np.zeros(len(distinct) + 1, np.bool_)
    counts[found[codes < n_keys]] = True
    found[~counts[found]] = len(distinct)
    return UserPairs(found, (distinct // max(n_users, 1)).astype(np.int64), most)
