# SPDX-License-Identifier: MIT
"""Noise in tents: overlapping sums of cells, whose weights rise to a knot and fall behind it.

docs/workloads.md, "Tents", has the proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp.releases._unit import Change, Unit, root_above
from cydp.workloads._fractional_sums import UNIT_STEP

__all__ = ["TENTS", "Tents", "prefix_tents", "range_tents", "why_no_tents"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
TENTS = "tents"
"""The name of the strategy."""

_MOST_CELLS = 2**11  # error bounds take a matrix of all pairs
_FINER = 12  # how many times as many pieces a second level has
_ROWS = 2**14  # ranges at a time
_MOST_WORK = 2**20  # weights of ranges, whose coefficients are looked at one by one


@dataclass(frozen=True)
class Tents:
    """Each cell by itself, and sums of cells around knots, with weights that add up to 1 in a cell.

    Attributes
    ----------
    cells : int
    tents : tuple of int
        The first knot that has a tent, 0 or 1, and into how many pieces the knots of each level cut
        the cells.

    """

    cells: int
    tents: tuple[int, ...]

    @property
    def fields(self) -> dict[str, Any]:
        """What a query records."""
        return {"tents": self.tents}

    @property
    def nodes(self) -> int:
        """How many sums there are."""
        return self.cells + len(self.rows)

    @property
    def rows(self) -> _Ints:
        """The weights of cells in each tent, in steps, shape (tents, cells)."""
        return _rows(self.cells, self.tents)

    @property
    def alone(self) -> _Ints:
        """The weight of each cell by itself, in steps: what tents leave."""
        alone: _Ints = UNIT_STEP.denominator - self.rows.sum(0)
        return alone

    def count_nodes(self, cells: _Ints) -> _Ints:
        """Return the exact sums: the weighted cells, then the tents."""
        return np.concatenate([self.alone * cells, self.rows @ cells])

    def fit(self, nodes: _Ints) -> _Floats:
        """Return the counts of cells that are closest to noisy sums: their least squares."""
        by = _solved(self)
        steps = nodes / UNIT_STEP.denominator
        misfit = steps[: self.cells] + by.rows.T @ steps[self.cells :]
        found: _Floats = (misfit - by.shared.T @ (by.shared @ misfit)) / by.alone
        return found

    def range_variance(self, lows: _Ints, highs: _Ints) -> _Floats:
        """Return the variance of the sum of the cells lo, ..., hi - 1, in variances of the noise.

        The noise is in records.
        """
        squares, together = _solved(self).sums
        found = squares[highs] - squares[lows]
        for first in range(0, len(lows), _ROWS):
            rows = slice(first, first + _ROWS)
            found[rows] -= ((together[:, highs[rows]] - together[:, lows[rows]]) ** 2).sum(0)
        return found

    def weighted_variance(self, weights: _Floats) -> _Floats:
        """Return the variance of weighted sums of the cells, shape (n, cells)."""
        by = _solved(self)
        scaled = weights / by.alone
        found: _Floats = (scaled**2).sum(1) - ((scaled @ by.shared.T) ** 2).sum(1)
        return found

    def mean_range_variance(self) -> float:
        """Return the mean of `range_variance` over all ranges of at least one cell."""
        (squares, together), cuts = _solved(self).sums, self.cells + 1
        alone = float((squares * (2 * np.arange(cuts) - self.cells)).sum())
        shared = cuts * float((together**2).sum()) - float((together.sum(1) ** 2).sum())
        return (alone - shared) / (cuts * (cuts - 1) / 2)

    def mean_prefix_variance(self) -> float:
        """Return the mean variance of the sums of the first 1, 2, ..., cells cells."""
        squares, together = _solved(self).sums
        return float(squares.sum() - (together**2).sum()) / self.cells

    @property
    def largest(self) -> float:
        """The largest coefficient of the noise of a sum in a sum of any cells, or more."""
        return _largest(self)

    def largest_in(self, lows: _Ints, highs: _Ints) -> _Floats | float:
        """Return the largest coefficient of noise in the sum of the cells lo, ..., hi - 1."""
        if len(lows) * self.cells > _MOST_WORK:
            return self.largest
        places = np.arange(self.cells)
        inside = (places >= lows[:, None]) & (places < highs[:, None])
        found: _Floats = np.abs(self.coefficients(inside.astype(np.float64))).max(1)
        return found

    def coefficients(self, weights: _Floats) -> _Floats:
        """Return the coefficients of all noise in weighted sums of cells, shape (n, sums)."""
        by = _solved(self)
        scaled = weights / by.alone
        scaled -= (scaled @ by.shared.T) @ by.shared
        return np.concatenate([scaled, scaled @ by.rows.T], axis=1)

    def change(self, unit: Unit) -> Change:
        """Return how far one unit can change the exact sums together: its partitions are cells."""
        square = int((self.alone**2 + (self.rows**2).sum(0)).max())
        ways = 2 if unit.rows_may_become_others else 1  # weights are not negative
        rows = unit.max_rows * min(unit.max_partitions or 1, self.cells)  # one by one
        l1, l2 = Fraction(rows * ways, UNIT_STEP), rows * root_above(Fraction(ways * square))
        return Change(l1, l2, self.nodes, unit.relation)


class _Solved(NamedTuple):
    """What least squares need, in records.

    Attributes
    ----------
    alone : ndarray, shape (cells,)
        The weight of each cell by itself.
    rows, shared : ndarrays, shape (tents, cells)
        Tents over these weights; and ``inverse(root) @ rows``, where root is a Cholesky factor of 1
        + rows @ rows.T.
    sums : tuple of ndarrays, shape (cells + 1,) and (tents, cells + 1)
        Of 1 / alone**2, and of shared / alone, over the cells before each cut.

    """

    alone: _Floats
    rows: _Floats
    shared: _Floats
    sums: tuple[_Floats, _Floats]


@lru_cache(16)
def _solved(tents: Tents) -> _Solved:
    alone = tents.alone / UNIT_STEP.denominator
    rows = tents.rows / UNIT_STEP.denominator / alone
    root = np.linalg.cholesky(np.eye(len(rows)) + rows @ rows.T)
    shared = np.linalg.solve(root, rows)
    squares = np.append(0.0, np.cumsum(alone**-2))
    together = np.cumsum(np.insert(shared / alone, 0, 0.0, axis=1), axis=1)
    return _Solved(alone, rows, shared, (squares, together))


@lru_cache(16)
def _rows(cells: int, tents: tuple[int, ...]) -> _Ints:
    start, *levels = tents
    made = []
    for pieces in levels:
        knots = np.arange(start, pieces)[:, None]
        # All in integers: places are in 1 / (2 pieces) of a cell, and their centers are odd.
        far = np.abs(pieces * (2 * np.arange(cells) + 1) - 2 * cells * knots)
        height = UNIT_STEP.denominator * (2 * cells - far).clip(0)
        made.append(height // (2 * cells * (len(levels) + 1)))
    rows = np.concatenate(made)
    rows.flags.writeable = False
    return rows


@lru_cache(16)
def _largest(tents: Tents) -> float:
    found = tents.coefficients(np.eye(tents.cells))
    # A sum of some cells has at most all coefficients of one sign.
    return float(max(each.clip(0).sum(0).max() for each in (found, -found)))


@lru_cache(64)
def range_tents(cells: int) -> Tents:
    """Return the tents with the least mean variance of all ranges.

    >>> range_tents(256).tents
    (1, 13)
    """
    levels = _levels(cells, 2, (0.65, 0.8, 0.95), (0.6, 0.75, 0.9))
    return min((Tents(cells, (1, *each)) for each in levels), key=Tents.mean_range_variance)


@lru_cache(64)
def prefix_tents(cells: int) -> Tents:
    """Return the tents with the least mean variance of all sums from the left.

    >>> prefix_tents(256).tents
    (0, 1, 12)
    """
    levels = _levels(cells, 1, (0.2, 0.3, 0.4, 0.5), (0.15, 0.3, 0.4))
    return min((Tents(cells, (0, *each)) for each in levels), key=Tents.mean_prefix_variance)


def _levels(
    cells: int, least: int, of_root: Sequence[float], of_cube_root: Sequence[float]
) -> list[tuple[int, ...]]:
    """Return the numbers of pieces that could be best: of one level, and of two."""
    one = {max(round(share * cells ** (1 / 2)), least) for share in of_root}
    two = {max(round(share * cells ** (1 / 3)), least) for share in of_cube_root}
    double = [(n, _FINER * n) for n in sorted(two) if 3 * _FINER * n <= cells]
    return [*((n,) for n in sorted(one)), *double]


def why_no_tents(cells: int) -> str:
    """Return why a workload of so many cells is not answered by tents.

    >>> why_no_tents(100)
    ''
    """
    return "" if cells <= _MOST_CELLS else "tents are of at most 2**11 cells"
