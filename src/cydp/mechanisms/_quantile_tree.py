# SPDX-License-Identifier: MIT
"""Several quantiles by halves: the middle one first, then the others within ranges beside it.

docs/mechanisms/quantile_lists.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp._numbers.rational import as_exact
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._quantile import SPREAD_BITS, QuantileMechanism

__all__ = [
    "MOST_TIED",
    "QuantileRange",
    "choose_by_halves",
    "influences",
    "levels_of",
    "plan_halves",
]

MOST_TIED = 2
"""How many numbers share a place at most: a column has fewer than 2**32, a unit 2**31 places."""


@dataclass(frozen=True, slots=True)
class QuantileRange:
    """A quantile, and the range between two that were chosen before, from which it is chosen.

    Attributes
    ----------
    q : Fraction
        Which quantile it is of the numbers in the range.
    level : int
        How many levels of ranges are chosen before.
    lower, upper : int or None
        Which quantiles are the ends of the range; None: it ends where the grid does.

    """

    q: Fraction
    level: int
    lower: int | None
    upper: int | None


def plan_halves(qs: Sequence[Fraction]) -> tuple[QuantileRange, ...]:
    """Return the range of each of several quantiles, which increase.

    Examples
    --------
    >>> [(str(each.q), each.level) for each in plan_halves([Fraction(k, 4) for k in (1, 2, 3)])]
    [('1/2', 1), ('1/2', 0), ('1/2', 1)]

    """
    found: dict[int, QuantileRange] = {}

    def plan(first: int, last: int, level: int) -> None:
        """Plan the quantiles from the first to the one before the last."""
        if first == last:
            return
        middle = (first + last) // 2
        lower, upper = first - 1 if first else None, last if last < len(qs) else None
        low = Fraction(0) if lower is None else qs[lower]
        high = Fraction(1) if upper is None else qs[upper]
        q = as_exact((qs[middle] - low) / (high - low))
        found[middle] = QuantileRange(q, level, lower, upper)
        plan(first, middle, level + 1)
        plan(middle + 1, last, level + 1)

    plan(0, len(qs), 0)
    return tuple(found[i] for i in range(len(qs)))


def levels_of(ranges: Sequence[QuantileRange]) -> list[list[int]]:
    """Return which quantiles are chosen in each level."""
    levels: list[list[int]] = [[] for _ in range(1 + max(each.level for each in ranges))]
    for i, each in enumerate(ranges):
        levels[each.level].append(i)
    return levels


def influences(ranges: Sequence[QuantileRange]) -> list[Mapping[int, Fraction]]:
    """Return what one rank that each choice misses by adds to the error of each quantile, in ranks.

    A choice misses its own quantile, and moves the ranges that it ends.

    >>> [dict(each) for each in influences(plan_halves([Fraction(1, 4), Fraction(1, 2)]))]
    [{0: Fraction(1, 1), 1: Fraction(1, 2)}, {1: Fraction(1, 1)}]
    """
    found: dict[int, dict[int, Fraction]] = {}
    for i in (i for level in levels_of(ranges) for i in level):
        own = found[i] = {i: Fraction(1)}
        each = ranges[i]
        for end, share in ((each.lower, 1 - each.q), (each.upper, each.q)):
            for j, before in found[end].items() if end is not None else ():
                own[j] = own.get(j, Fraction(0)) + share * before
    return [found[i] for i in range(len(ranges))]


def choose_by_halves(
    ranges: Sequence[QuantileRange],
    choices: Sequence[QuantileMechanism],
    records: SortedUnits,
    rng: Generator,
) -> NDArray[np.int64]:
    """Choose several quantiles of each group; they never fall.

    Parameters
    ----------
    ranges : sequence of QuantileRange
    choices : sequence of QuantileMechanism
        One for each range, and of its q.
    records : SortedUnits
    rng : Generator
        It is asked for one key for each quantile, whatever the records are.

    Returns
    -------
    ndarray of int64, shape (quantiles, n_groups)
        In units of the records' grid.

    """
    grid, offsets = records.grid, records.offsets
    shape = len(ranges) + 2, len(offsets) - 1
    points, cuts = np.empty(shape, np.int64), np.empty(shape, np.int64)
    lowest, highest = len(ranges), len(ranges) + 1  # the rows of the ends of the grid
    points[lowest], points[highest] = 0, (grid.highest - grid.lowest + 1 << SPREAD_BITS) - 1
    cuts[lowest], cuts[highest] = offsets[:-1], offsets[1:]
    for i in (i for level in levels_of(ranges) for i in level):
        low, high = _row(ranges[i].lower, lowest), _row(ranges[i].upper, highest)
        choices[i].choose_between(
            records, (cuts[low], cuts[high]), (points[low], points[high]), rng, points[i], cuts[i]
        )
    chosen: NDArray[np.int64] = grid.lowest + (points[: len(ranges)] >> SPREAD_BITS)
    return chosen


def _row(end: int | None, of_grid: int) -> int:
    return of_grid if end is None else end
