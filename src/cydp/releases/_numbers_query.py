# SPDX-License-Identifier: MIT
"""What releases of one column of bounded numbers have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.bounds import check_pair
from cydp.exact._grid import Grid
from cydp.exact._time_grid import TimeGrid
from cydp.releases._missing import fill_absent
from cydp.releases._query import DataQuery, Given
from cydp.releases._rows import Codes, Key, NumberRows
from cydp.releases._unit import Unit

__all__ = ["NumbersQuery", "note_on_bounds", "weighs_less"]


_OF_NUMBERS = "number", "below", "above"
_OF_TIMES = "time", "before", "after"


def weighs_less(unit: Unit) -> str:
    """Return what it may do to a mean or a quantile that rows of a user are left out."""
    return f"a {unit.name} with many rows weighs less than in the table"


def note_on_bounds(grids: Iterable[tuple[str, Grid]]) -> str:
    """Return what it means that numbers are clamped, from the bounds alone.

    Parameters
    ----------
    grids : iterable of (name, grid)
        The columns, and their bounds; "" for the only column.

    Examples
    --------
    >>> note_on_bounds([("", Grid(0, 0, 20)), ("age", Grid(0, 1, 9))]).split("; ")[0]
    'a number below 0 counts as 0, and above 20 as 20'

    """
    from cydp.releases.output._words import value_words

    said = []
    for name, grid in grids:
        ends = grid.values_of(np.array([grid.lowest, grid.highest]))
        lower, upper = map(value_words, ends)
        one, below, above = _OF_TIMES if isinstance(grid, TimeGrid) else _OF_NUMBERS
        of = f"of {name} " if name else ""
        said.append(
            f"a {one} {of}{below} {lower} counts as {lower}, and {above} {upper} as {upper}"
        )
    return f"{'; '.join(said)}. Errors and intervals are those of the clamped numbers"


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
        """A note on the bounds."""
        return (note_on_bounds([("", self.grid)]),)

    def values(self, source: NumberRows, key: Key) -> NDArray[Any]:
        """Return the numbers that count, masked where they are null; the data is read here."""
        return source.read(self.unit, key, absent_count=self.filled is not None)

    def by_user(self, source: NumberRows, key: Key) -> tuple[Codes, NDArray[Any]]:
        """Return a number for each row's user, and the values; the data is read here."""
        users, values = source.by_user(self.unit, key, absent_count=self.filled is not None)
        return users, fill_absent(values, self.filled, self.grid)
