# SPDX-License-Identifier: MIT
"""How many numbers each point of a grid has: what sorted numbers are to a quantile, and adds up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits

__all__ = ["CountedUnits"]

_FAR = 2**60


@dataclass(frozen=True, slots=True, repr=False, eq=False)  # a repr would show records
class CountedUnits:
    """How many numbers of a group each point of a grid has. NOT private.

    Attributes
    ----------
    grid : Grid
    counts : ndarray of int64, shape (n_groups, n_points)
        Of each group, from the lowest point of the grid to the highest. A group has fewer than
        2**46 numbers.

    """

    grid: Grid
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, records: SortedUnits) -> Self:
        """Return the counts of sorted numbers.

        >>> from cydp.exact._sorted_units import sort_units
        >>> CountedUnits.of(sort_units(np.array([3, 1, 3, 9]), Grid(0, 0, 4))).counts
        array([[0, 1, 0, 2, 1]])
        """
        grid, sizes = records.grid, np.diff(records.offsets)
        points = grid.highest - grid.lowest + 1
        places = np.repeat(np.arange(len(sizes)) * points, sizes)
        places += records.units
        places -= grid.lowest
        counts = np.bincount(places, minlength=len(sizes) * points)
        return cls(grid, counts.reshape(len(sizes), points).astype(np.int64, copy=False))

    def padded(self, lowest: int, highest: int) -> CountedUnits:
        """Return them with so many copies of the grid's lowest and highest points in each group."""
        counts = self.counts.copy()
        counts[:, 0] += lowest
        counts[:, -1] += highest
        return replace(self, counts=counts)

    def distances(self, q: Fraction) -> NDArray[np.int64]:
        """Return how far the quantile q = a / b is from the ranks of each point, times b.

        What is 2**60 or more is 2**60: then it moves by no more than before when a row comes.

        Returns
        -------
        ndarray of int64, shape (n_groups, n_points)

        Examples
        --------
        >>> CountedUnits(Grid(0, 0, 2), np.array([[2, 0, 2]])).distances(Fraction(1, 4))
        array([[0, 4, 4]])

        """
        upto = self.counts.cumsum(axis=1)
        n, below = upto[:, -1:], upto - self.counts
        a, b = q.numerator, q.denominator
        # d b = max(b below - a n, a n - b upto, 0), each as two products of non-negative numbers
        before = _difference(b - a, below, a, n - below)
        after = _difference(a, n - upto, b - a, upto)
        return np.maximum(np.maximum(before, after), 0)


def _difference(
    first: int, x: NDArray[np.int64], second: int, y: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return first x - second y, and what is beyond 2**60 as 2**60 or -2**60.

    It is right modulo 2**64, so it is right where it is small, which a float tells: products of
    numbers below 2**64 and 2**46 are wrong by less than 2**58 there.

    >>> _difference(2**63, np.array([1, 2**40]), 2**63 - 5, np.array([1, 7])).tolist()
    [5, 1152921504606846976]
    """
    products = x.astype(np.uint64) * np.uint64(first) - y.astype(np.uint64) * np.uint64(second)
    about = x.astype(np.float64) * first - y.astype(np.float64) * second
    return np.where(
        np.abs(about) < 2 * _FAR, products.view(np.int64).clip(-_FAR, _FAR),
        np.where(about < 0, -_FAR, _FAR),
    )  # fmt: skip
