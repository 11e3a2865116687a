# SPDX-License-Identifier: MIT
"""What the private mean and variance have in common: sums of x - c. docs/releases/means.md."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, float_of
from cydp.exact._grid import centre_of
from cydp.releases._answers import Steps
from cydp.releases._joint import Moves, RowMoves, size_of
from cydp.releases._numbers_query import NumbersQuery
from cydp.releases._parts import Aggregate
from cydp.releases._release import Release
from cydp.releases._split import Weights
from cydp.releases._tally import Tally
from cydp.releases.output._sheet import Numbers, Sheet

__all__ = ["MomentQuery", "MomentRelease"]


@dataclass(frozen=True, repr=False)
class MomentQuery(NumbersQuery):
    """A ratio of noisy sums of x - c, and the noisy number of rows.

    Attributes
    ----------
    grid, filled
        As in `NumbersQuery`.
    weights : tuple of (name, weight)
        How the privacy is split.

    """

    own: ClassVar[tuple[str, ...]] = ("split",)

    weights: Weights

    @property
    def knows_rows(self) -> bool:
        """Whether the number of rows that count is public, and so needs no noise."""
        is_fixed = self.relation == "change-one" and self.unit.has_fixed_rows
        return is_fixed and self.filled is not None

    @property
    def farthest(self) -> int:
        """The largest distance of a number from the middle of the bounds, in steps."""
        centre = centre_of(self.grid)
        return max(self.grid.highest - centre, centre - self.grid.lowest)

    @property
    def width(self) -> int:
        """The distance of the bounds, in steps."""
        return self.grid.highest - self.grid.lowest

    def draw(self, tally: Tally, generator: Generator) -> list[int]:
        """Return each part with its noise, and last the number of rows, noisy unless public."""
        drawn = self.noisy(tally, generator)
        return [*drawn, tally.parts["count"]] if self.knows_rows else drawn

    def deviations(self, weight: Fraction) -> Aggregate:
        """Return the sum of x - c."""
        change = self.unit.change_one_answer(self.farthest, self.width)
        return Aggregate("sum", change, self.grid.step, weight)

    def row_count(self, weight: Fraction) -> list[Aggregate]:
        """Return the number of rows that count, unless it is public."""
        if self.knows_rows:
            return []
        return [Aggregate("count", self.unit.change_one_answer(1, 1), weight=weight)]

    @abstractmethod
    def number_becomes(self) -> Sequence[Moves]:
        """Return what a row does whose number becomes another number: one of these, or less."""

    def row_moves(self) -> RowMoves:
        """Return what a row does: one that stays does not change the number of rows."""
        comes = {"count": size_of(1), "sum": size_of(self.farthest)}
        return RowMoves(comes, [self.number_becomes()])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MomentRelease(Release):
    """A private ratio of noisy sums and a noisy number of rows.

    Attributes
    ----------
    query : Query
        What was asked: noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    deviations : int
        The sum of x - c with noise, in steps of the grid. c is the middle of the bounds.
    rows : int
        The number of rows that count, with noise unless it is public.

    """

    query: Any
    deviations: int
    rows: int

    @property
    def _steps(self) -> Steps:
        return {"sum": self.deviations, "count": self.rows}

    @property
    def exact(self) -> Fraction:
        """The released number as a fraction, clamped to what the bounds allow."""
        return as_exact(self._answer.values(self._steps))

    @property
    def value(self) -> float:
        """The released number."""
        return float_of(self.exact)

    @property
    def variance(self) -> dict[str, float]:
        """Variance of the noise in each part. A ratio has none of its own: see `interval`."""
        return {name: part.variance for name, part in self.query.parts.items()}

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        lower, upper = map(np.asarray, self.interval(confidence))
        number = Numbers(
            name=self.query.function,
            values=np.asarray(self.value),
            bound=self.error_bound(confidence),
            lower=lower,
            upper=upper,
        )
        return self._make_sheet((), [number], confidence, simultaneous)

    @property
    def _exact(self) -> dict[str, Any]:
        parts = {name: part for name, part in self._compared().items() if name != "query"}
        return {"value": str(self.exact), **parts}
