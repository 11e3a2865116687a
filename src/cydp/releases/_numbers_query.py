# SPDX-License-Identifier: MIT
"""What releases of one column of bounded numbers have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.bounds import check_pair
from cydp._numbers.rational import float_of
from cydp.exact._contributions import PairNumbers
from cydp.exact._grid import Grid
from cydp.exact._time_grid import TimeGrid
from cydp.releases._missing import fill_absent
from cydp.releases._query import DataQuery, Given
from cydp.releases._rows import Key, NumberRows
from cydp.releases._unit import Unit

__all__ = ["NumbersQuery", "note_on_bounds", "weighs_less"]


_OF_NUMBERS = "number", "below", "above"
_OF_TIMES = "time", "before", "after"


def weighs_less(unit: Unit) -> str:
    """Return what it may do to a mean or a quantile that rows of a user are left out."""
    return f"a {unit.name} with many rows weighs less than in the table"


def note_on_bounds(
    grids: Iterable[tuple[str, Grid]], rounded: Iterable[tuple[str, Grid]] = ()
) -> str:
    """Return what it means that numbers are clamped and rounded, from public parameters alone.

    Parameters
    ----------
    grids : iterable of (name, grid)
        The columns, and their bounds; "" for the only column.
    rounded : iterable of (name, grid)
        The columns whose numbers are rounded before they are ranked.

    Examples
    --------
    >>> note_on_bounds([("", Grid(0, 0, 20)), ("age", Grid(0, 1, 9))]).split("; ")[0]
    'a number below 0 counts as 0, and above 20 as 20'

    """
    from cydp.releases.output._words import value_words

    said = []
    for name, grid in grids:
        one, below, above = _OF_NUMBERS
        ends: Iterable[Any] = map(float_of, grid.short_bounds)
        if isinstance(grid, TimeGrid):
            ends = grid.values_of(np.array([grid.lowest, grid.highest]))
            one, below, above = _OF_TIMES
        lower, upper = map(value_words, ends)
        of = f"of {name} " if name else ""
        if lower == upper:
            said.append(f"every {one} {of}counts as {lower}, since both bounds are {lower}")
            continue
        said.append(
            f"a {one} {of}{below} {lower} counts as {lower}, and {above} {upper} as {upper}"
        )
    steps = []
    for name, grid in rounded:
        of, ranked = (f"of {name} ", "in quantiles ") if name else ("", "")
        step = value_words(float_of(grid.step))
        steps.append(f"{ranked}numbers {of}are rounded to multiples of {step}")
    also = ", errors in ranks those of the rounded ones" if steps else ""
    return f"{'; '.join(said + steps)}. Errors and intervals are those of the clamped numbers{also}"


@dataclass(frozen=True, repr=False)
class NumbersQuery(DataQuery):
    """A release of a column of numbers that are clamped to bounds.

    Attributes
    ----------
    grid : Grid
        The bounds, in steps.
    filled : int or None
        What a missing number counts as, in steps; None: it does not count.

    """

    own: ClassVar[tuple[str, ...]] = ()  # arguments besides the bounds and `missing`

    grid: Grid
    filled: int | None

    @classmethod
    def of(cls, given: Given, source: NumberRows | None) -> DataQuery:
        """Return the query of a call; `built` takes the bounds, `missing` and `own`."""
        further = [given[name] for name in cls.own]
        return cls.kept(given, *check_pair(given["bounds"]), given["missing"], *further)

    @classmethod
    def declare(cls, given: Given) -> NumberRows:
        """Return the columns of numbers and of users."""
        return NumberRows(given["x"], given["column"], given["user"])

    @property
    def clamped(self) -> tuple[str, ...]:
        """A note on the bounds, and on the step if numbers are rounded to it and then ranked."""
        grid = "", self.grid
        return (note_on_bounds([grid], [grid] if self.ranks_rounded else []),)

    @property
    def ranks_rounded(self) -> bool:
        """Whether it ranks numbers that may have been rounded."""
        return False

    def values(self, source: NumberRows, key: Key) -> NDArray[Any]:
        """Return the numbers that count, masked where they are null; the data is read here."""
        return source.read(self.unit, key, absent_count=self.filled is not None)

    def by_user(self, source: NumberRows, key: Key) -> tuple[PairNumbers, NDArray[Any]]:
        """Return a number for each row's user, and the values; the data is read here."""
        users, values = source.by_user(self.unit, key, absent_count=self.filled is not None)
        return users, fill_absent(values, self.filled, self.grid)
