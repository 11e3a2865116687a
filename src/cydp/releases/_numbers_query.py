# SPDX-License-Identifier: MIT
"""What releases of one column of bounded numbers have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from cydp._numbers.bounds import check_pair
from cydp.exact._grid import Grid
from cydp.releases._query import DataQuery, Given
from cydp.releases._rows import Key, NumberRows

__all__ = ["NumbersQuery"]


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

    def values(self, source: NumberRows, key: Key) -> NDArray[Any]:
        """Return the numbers that count, masked where they are null; the data is read here."""
        return source.read(self.unit, key, absent_count=self.filled is not None)
