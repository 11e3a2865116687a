# SPDX-License-Identifier: MIT
"""Noise in fractional sums of cells: in a power between 0 and 1 of the matrix of running sums.

docs/workloads.md, "Fractional sums", has the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp.releases._unit import Change, Unit, root_above

__all__ = ["FRACTIONAL", "UNIT_STEP", "FractionalSums", "fractional_sums", "why_no_fractional_sums"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
FRACTIONAL = "fractional_sums"
"""The name of the strategy."""

_MOST_SUMMED = 2**13  # cells: time grows with their square
_PERCENTS = (30, 35, 40, 45, 50)  # powers that are tried
_UNIT = 2**20  # of a record: sums of 2**42 records stay in int64
UNIT_STEP = Fraction(1, _UNIT)
"""One step of the sums, in records."""

_MOST_WORK = 2**30  # products of the weights of queries, for one error
_MOST_ROWS = 2**8  # that are no more work than one: a matrix of 2**22 numbers is made


@dataclass(frozen=True)
class FractionalSums:
    """Sums of the cells up to each cell, with weights that fall with the distance.

    Attributes
    ----------
    cells : int
    percent : int
        The power: 100 would be the running sums themselves, and 0 the cells.

    """

    cells: int
    percent: int

    largest: ClassVar[float] = 1.0  # the coefficient of noise in a sum of cells

    @property
    def fields(self) -> dict[str, Any]:
        """What a query records."""
        return {"percent": self.percent}

    @property
    def nodes(self) -> int:
        """How many sums there are."""
        return self.cells

    @property
    def weights(self) -> _Ints:
        """The weight of a cell in the sums up to it, and up to each later one, in steps."""
        return _weights(self.cells, self.percent)

    def count_nodes(self, cells: _Ints) -> _Ints:
        """Return the exact sums."""
        found: _Ints = np.convolve(cells, self.weights)[: self.cells]
        return found

    def fit(self, nodes: _Ints) -> _Floats:
        """Return the counts of cells of which these are the sums."""
        steps = nodes.astype(np.float64) / _UNIT
        found: _Floats = np.convolve(steps, _inverse(self.cells, self.percent))[: self.cells]
        return found

    @property
    def _totals(self) -> _Floats:
        """How much of the noise in a sum is in the sum of all cells up to each later one."""
        totals: _Floats = np.cumsum(_inverse(self.cells, self.percent))
        return totals

    def range_variance(self, lows: _Ints, highs: _Ints) -> _Floats:
        """Return the variance of the sum of the cells lo, ..., hi - 1, in variances of the noise.

        The noise is in records.
        """
        totals, lengths = self._totals, highs - lows
        found: _Floats = np.append(0.0, np.cumsum(totals**2))[lengths]
        for length in np.unique(lengths[lows > 0]).tolist():
            ranges = lengths == length
            apart = totals[length : length + int(lows[ranges].max())]
            before = np.append(0.0, np.cumsum((apart - totals[: len(apart)]) ** 2))
            found[ranges] += before[lows[ranges]]
        return found

    def weighted_variance(self, weights: _Floats) -> _Floats:
        """Return the variance of weighted sums of the cells, shape (n, cells)."""
        back = np.concatenate([np.zeros(self.cells - 1), _inverse(self.cells, self.percent)])
        views = np.lib.stride_tricks.sliding_window_view(back, self.cells)
        squares: _Floats = ((weights @ views[::-1].T) ** 2).sum(1)
        return squares

    def mean_range_variance(self) -> float:
        """Return the mean of `range_variance` over all ranges of at least one cell."""
        totals, cuts = self._totals, self.cells + 1
        alone = float(np.cumsum(totals**2).sum())
        together = float((np.cumsum(totals) ** 2).sum())
        # The sum of |x_i - x_j|**2 over pairs is n times that of |x_i|**2, less |sum of x_i|**2.
        return (cuts * alone - together) / (cuts * (cuts - 1) / 2)

    def change(self, unit: Unit) -> Change:
        """Return how far one unit can change the exact sums together: its partitions are cells."""
        weights = self.weights
        l1, square = int(weights.sum()), int((weights**2).sum())
        if unit.rows_may_become_others:
            l1, square = 2 * l1, max(square, self._most_of_two())
        rows = unit.max_rows * min(unit.max_partitions or 1, self.cells)  # one by one
        l2 = rows * root_above(Fraction(square))
        return Change(Fraction(rows * l1), l2, self.cells, unit.relation)

    def _most_of_two(self) -> int:
        """Return the largest square of the distance of the weights of two cells."""
        weights = self.weights
        alone = np.cumsum(weights**2)[::-1]  # of the cell at each distance from the first one
        both = np.correlate(weights, weights, "full")[self.cells - 1 :]
        return int((alone[0] + alone - 2 * both).max())


@lru_cache(64)
def _weights(cells: int, percent: int) -> _Ints:
    places = np.arange(1, cells)
    real = np.append(1.0, np.cumprod((places - 1 + percent / 100) / places))
    weights: _Ints = np.rint(real * _UNIT).astype(np.int64)
    weights.flags.writeable = False
    return weights


@lru_cache(64)
def _inverse(cells: int, percent: int) -> _Floats:
    """Return the weights, in records, whose sums are cells again: a power series is inverted."""
    weights = _weights(cells, percent) / _UNIT
    found: _Floats = np.ones(1)
    while len(found) < cells:  # Newton's method: twice as many are right
        length = min(2 * len(found), cells)
        misfit = np.convolve(weights[:length], found)[:length]
        misfit[0] -= 1
        longer = np.append(found, np.zeros(length - len(found)))
        found = longer - np.convolve(found, misfit)[:length]
    found.flags.writeable = False
    return found


def fractional_sums(cells: int) -> list[FractionalSums]:
    """Return the powers that could be best; none for too many cells."""
    return [FractionalSums(cells, each) for each in _PERCENTS if cells <= _MOST_SUMMED]


def why_no_fractional_sums(cells: int, rows: int = 0) -> str:
    """Return why a workload of so many cells, and rows of weights, is not answered by them.

    >>> why_no_fractional_sums(100)
    ''
    """
    if cells > _MOST_SUMMED:
        return "fractional sums are of at most 2**13 cells, since time grows with their square"
    if rows and max(rows, _MOST_ROWS) * cells**2 > _MOST_WORK:
        return "the matrix has too many weights for fractional sums"
    return ""
