# SPDX-License-Identifier: MIT
"""The query of quantiles: points, and intervals if they are asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Number
from cydp._generator import Generator
from cydp._numbers.rational import float_of, format_number, read_exact, read_quantile
from cydp._numbers.rounding import percent_of, words_above
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._counted_units import CountedUnits
from cydp.exact._sorted_units import SortedUnits, sort_units
from cydp.exact._time_grid import notes_on_days, read_time_grid
from cydp.releases._answers import MEDIAN, Answer, RankAnswer
from cydp.releases._missing import fill_absent
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._numbers_query import NumbersQuery, weighs_less
from cydp.releases._quantile_list import QuantileList, read_method
from cydp.releases._quantile_release import QuantileRelease
from cydp.releases._query import DataQuery, Given
from cydp.releases._ranked_grid import (
    holds_integers,
    moves_fractions,
    ranked_grid,
    rounds_numbers,
)
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit

__all__ = ["QuantileQuery", "Quantiles", "read_quantiles", "read_sorted"]


Quantiles: TypeAlias = (
    tuple[Number | Sequence[Number], Bounds] | tuple[Number | Sequence[Number], Bounds, Number]
)
"""What to find in a column, the bounds of its numbers, and perhaps the step of its grid."""

_MOST = 1000
_MOST_BEYOND = 2**24  # numbers that a choice sees beside those of the column
_POINT = "q"  # before the place of a quantile: its part
_INTEGERS = "integers"  # whether the column declares such: among the arguments of a call
_LOWER, _UPPER = "_lower", "_upper"  # behind the name of a quantile: the ends of its interval


@recorded
@dataclass(frozen=True, repr=False)
class QuantileQuery(NumbersQuery):
    """Quantiles of numbers that are clamped to bounds.

    Attributes
    ----------
    grid, filled
        As in `NumbersQuery`.
    qs : tuple of Fraction
        Which quantiles.
    several : bool
        Whether a list of quantiles was given, even if it is of one.
    interval : Fraction or None
        The confidence of an interval for each of them; None: there are none.
    recursive : bool
        Whether the quantiles are chosen by halves, and not each alone.
    fractions : bool
        Whether the step is 1, though the column does not declare that it holds integers.

    """

    function: ClassVar[str] = "quantile"
    own: ClassVar[tuple[str, ...]] = ("q", "interval", "step", "method", _INTEGERS)

    qs: tuple[Fraction, ...]
    several: bool = field(default=False, repr=False)
    interval: Fraction | None = field(default=None, repr=False, metadata=ADDED)
    recursive: bool = field(default=False, repr=False, metadata=ADDED)
    fractions: bool = field(default=False, repr=False, metadata=ADDED)

    @property
    def left_out_may(self) -> str:
        """Users with many rows weigh less."""
        return weighs_less(self.unit)

    @classmethod
    def of(cls, given: Given, source: NumberRows | None) -> DataQuery:
        """Return the query of a call; `median` has no q and no method."""
        integers = source is not None and holds_integers(source.columns[0])
        return super().of({"q": "1/2", "method": "auto", **given, _INTEGERS: integers}, source)

    @classmethod
    def declare(cls, given: Given) -> NumberRows:
        """Return the columns of numbers, or of times if the bounds are times, and of users."""
        grid = read_time_grid(given["bounds"])
        return NumberRows(given["x"], given["column"], given["user"], grid)

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query from bounds, the number for missing ones, and quantiles."""
        lower, upper, missing, q, interval, step, method, integers = own
        grid, filled = ranked_grid((lower, upper), step, missing, integers=integers)
        qs, several = read_quantiles(q)
        level, chosen = _read_interval(interval, qs), read_method(method)
        if level is not None:
            if chosen == "recursive":
                raise ValueError("method must be 'independent' for quantiles with intervals")
            chosen = "independent"
        found = QuantileList(qs, grid, False, _POINT).best(privacy, unit.change_one_answer, chosen)
        fractions = moves_fractions(grid, integers=integers)
        made = cls(privacy, unit, grid, filled, qs, several, level, found.is_recursive, fractions)
        if max(max(made.beyond(part)) for part in made.parts.values()) > _MOST_BEYOND:
            raise ValueError(
                f"interval must be left out at so small a cost: its ends would be {_MOST_BEYOND:,} "
                "ranks from the quantile or more"
            )
        return made

    @property
    def title(self) -> str:
        """A single quantile says which: 1/2 is the median."""
        if self.several:
            return self.function
        return "median" if self.qs == (MEDIAN,) else f"{self.function} {float_of(self.qs[0]):g}"

    @property
    def contents(self) -> tuple[str, ...]:
        """The quantiles of a list."""
        return tuple(answer.name for answer in self.answers()) if self.several else ()

    @property
    def nbytes(self) -> int:
        """How many bytes the released points have."""
        return 8 * len(self.parts)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters, with the confidence of intervals where there are some."""
        more: dict[str, Any] = {} if self.interval is None else {"interval": self.interval}
        if self.recursive:
            more["method"] = "recursive"
        return {**super().parameters, **more}

    @cached_property
    def listed(self) -> QuantileList:
        """How the quantiles are chosen."""
        return QuantileList(self.qs, self.grid, self.recursive, _POINT)

    @property
    def notes_on_method(self) -> tuple[str, ...]:
        """A note on quantiles that are chosen by halves."""
        return (self.listed.words,) if self.recursive else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """How quantiles are chosen; how far ends of intervals are from them, at most."""
        if self.interval is None:
            return self.notes_on_method
        ends = [part for part in self.parts.values() if any(self.beyond(part))]
        most = words_above(float_of(max(2 * self._misses(part) + 1 for part in ends)))
        return (
            f"The ends of an interval are within {most} ranks of the quantile, and it holds the "
            f"quantile, with {percent_of(self.interval)} confidence.",
        )

    @property
    def rounding(self) -> tuple[str, ...]:
        """A note if both bounds are dates, whatever the column holds."""
        return notes_on_days([self.grid])

    @property
    def ranks_rounded(self) -> bool:
        """Whether numbers may lie between the points of the grid."""
        return rounds_numbers(self.grid, fractions=self.fractions)

    def interval_of(
        self, lower: NDArray[np.int64], upper: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return an interval that holds quantiles, from chosen ends in steps.

        If numbers are rounded, each end is half a step further out, though not beyond the bounds:
        the quantile before rounding is at most that far.
        """
        ends = self.grid.values_of(lower), self.grid.values_of(upper)
        if not self.ranks_rounded:
            return ends
        half = float_of(self.grid.step / 2)
        least, most = map(float_of, self.grid.declared)
        return np.maximum(ends[0] - half, least), np.minimum(ends[1] + half, most)

    def answers(self) -> list[Answer]:
        """Return the quantiles."""
        names, errors = self.listed.names, self.listed.errors(self.parts)
        return [
            RankAnswer(
                "median" if q == MEDIAN else f"q={q}",
                1,
                "ranks",
                self.parts[name],
                self.grid,
                error,
            )
            for q, name, error in zip(self.qs, names, errors, strict=True)
        ]

    @property
    def words_of_parts(self) -> dict[str, str]:
        """What texts call parts: also the ends of intervals."""
        points = super().words_of_parts
        ends = ((_LOWER, "the lower end of"), (_UPPER, "the upper end of"))
        return points | {
            f"{name}{end}": f"{words} {point}"
            for end, words in ends
            for name, point in points.items()
        }

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Sort the numbers, in steps."""
        return Tally(self, {"ranks": read_sorted(self, source, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the chosen points, in steps: of all quantiles, then of lower and of upper ends."""
        ranks: SortedUnits | CountedUnits = tally.parts["ranks"]
        ends = [
            part.choice.choose(ranks.padded(*self.beyond(part)), generator)
            for name, part in self.parts.items()
            if name not in self.listed.names
        ]
        return np.concatenate([*self.listed.draw(self.parts, ranks, generator), *ends])

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> QuantileRelease:
        """Return the release."""
        rows = drawn.reshape(-1, *([len(self.qs)] if self.several else []))
        steps, *ends = map(np.asarray, rows)
        # Ends that have crossed are no interval: in the other order they are one.
        ordered = (np.asarray(np.minimum(*ends)), np.asarray(np.maximum(*ends))) if ends else ()
        return QuantileRelease(query=self, steps=steps, interval_steps=ordered, payment=payment)

    def aggregates(self) -> list[Aggregate]:
        """Return a choice for each quantile, and for the ends of its interval."""
        change = self.unit.change_one_answer
        points = self.listed.aggregates(change, Fraction(len(self.qs)))
        ends = () if self.interval is None else (_LOWER, _UPPER)
        return [
            *points,
            *(replace(point, name=f"{point.name}{end}") for end in ends for point in points),
        ]

    def beyond(self, part: Part) -> tuple[int, int]:
        """Return how many numbers a choice sees at the bounds, beside those of the column.

        Copies of the lower bound move a quantile down by as many ranks as the choice may miss it
        by, so that the chosen point is not above the quantile of the column; copies of the upper
        bound move it up.
        """
        q: Fraction = part.choice.q
        if part.name.endswith(_LOWER):
            return math.ceil(self._misses(part) / (1 - q)), 0
        if part.name.endswith(_UPPER):
            return 0, math.ceil(self._misses(part) / q)
        return 0, 0

    def _misses(self, part: Part) -> Fraction:
        """Return by how many ranks an end misses its quantile, but for half of the failures."""
        assert self.interval is not None
        answer = RankAnswer("", 1, "ranks", part, self.grid)
        return Fraction(answer.rank_error(self.interval, 2))


def read_sorted(query: NumbersQuery, rows: NumberRows, key: Key) -> SortedUnits:
    """Return the numbers that count, in steps of the query's grid; the data is read here."""
    return sort_units(fill_absent(query.values(rows, key), query.filled, query.grid), query.grid)


def read_quantiles(qs: Any) -> tuple[tuple[Fraction, ...], bool]:
    """Return the quantiles as fractions, and whether a list was given.

    Raises
    ------
    TypeError, ValueError
        For anything but numbers from 0 to 1, and for none or more than 1000 of them.

    Examples
    --------
    >>> read_quantiles(0.5)[1], read_quantiles([0.25])[1]
    (False, True)

    """
    if not isinstance(qs, list | tuple | np.ndarray):
        return (read_quantile(qs),), False
    try:
        found = tuple(map(read_quantile, qs))
    except ValueError as error:
        hint = ": the pair of bounds comes after q" if len(qs) == 2 else ""
        raise ValueError(f"{error}{hint}") from None
    if not 1 <= len(found) <= _MOST:
        raise ValueError(f"q must be one quantile, or a list of 1 to {_MOST:,}")
    return found, True


def _read_interval(interval: Number | None, qs: tuple[Fraction, ...]) -> Fraction | None:
    """Return the confidence of intervals; None for None."""
    if interval is None:
        return None
    if isinstance(interval, bool):
        raise TypeError("interval must be a confidence, such as 0.95, not True or False")
    level = read_exact(interval, "interval")
    if not 0 < level < 1:
        raise ValueError(f"interval must be between 0 and 1, not {format_number(level)}")
    if not all(0 < q < 1 for q in qs):
        raise ValueError("interval must be left out for the quantiles 0 and 1: no rank is beyond")
    return level
