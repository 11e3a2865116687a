# SPDX-License-Identifier: MIT
"""The query of quantiles, and what it releases: points, and intervals if they are asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import float_of, format_number, read_exact, read_integer, read_quantile
from cydp._numbers.rounding import percent_of, words_above
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.exact._grid import public_grid
from cydp.exact._sorted_units import SortedUnits, sort_units
from cydp.exact._time_grid import TimeGrid, notes_on_days, read_time_grid
from cydp.mechanisms._parameters import read_level
from cydp.releases._answers import MEDIAN, Answer, RankAnswer
from cydp.releases._format import format_noise
from cydp.releases._missing import fill_absent, read_missing
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._numbers_query import NumbersQuery, weighs_less
from cydp.releases._query import DataQuery, Given
from cydp.releases._release import ADDED, Release, recorded
from cydp.releases._rows import Key, NumberRows
from cydp.releases._tally import Tally
from cydp.releases._unit import Unit
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["QuantileQuery", "QuantileRelease", "Quantiles", "read_quantiles", "read_sorted"]


Quantiles: TypeAlias = tuple[Number | Sequence[Number], Bounds]
"""What to find in a column, and the bounds of its numbers."""

_MOST = 1000
_MOST_BEYOND = 2**24  # numbers that a choice sees beside those of the column
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

    """

    function: ClassVar[str] = "quantile"
    own: ClassVar[tuple[str, ...]] = ("q", "interval")

    qs: tuple[Fraction, ...]
    several: bool = field(default=False, repr=False)
    interval: Fraction | None = field(default=None, repr=False, metadata=ADDED)

    @property
    def left_out_may(self) -> str:
        """Users with many rows weigh less."""
        return weighs_less(self.unit)

    @classmethod
    def of(cls, given: Given, source: NumberRows | None) -> DataQuery:
        """Return the query of a call; `median` has no q."""
        return super().of({"q": "1/2", **given}, source)

    @classmethod
    def declare(cls, given: Given) -> NumberRows:
        """Return the columns of numbers, or of times if the bounds are times, and of users."""
        grid = read_time_grid(given["bounds"])
        return NumberRows(given["x"], given["column"], given["user"], grid)

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query from bounds, the number for missing ones, and quantiles."""
        lower, upper, missing, q, interval = own
        grid = read_time_grid((lower, upper)) or public_grid((lower, upper), None)
        qs, several = read_quantiles(q)
        level = _read_interval(interval, qs)
        made = cls(privacy, unit, grid, read_missing(missing, grid), qs, several, level)
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
        more = {} if self.interval is None else {"interval": self.interval}
        return {**super().parameters, **more}

    @property
    def notes(self) -> tuple[str, ...]:
        """How far the ends of intervals are from their quantiles, at most."""
        if self.interval is None:
            return ()
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

    def answers(self) -> list[Answer]:
        """Return the quantiles."""
        return [
            RankAnswer(
                "median" if q == MEDIAN else f"q={q}", 1, "ranks", self.parts[f"q{i}"], self.grid
            )
            for i, q in enumerate(self.qs)
        ]

    def read(self, source: NumberRows, key: Key) -> Tally:
        """Sort the numbers, in steps."""
        return Tally(self, {"ranks": read_sorted(self, source, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the chosen points, in steps: of all quantiles, then of lower and of upper ends."""
        ranks: SortedUnits = tally.parts["ranks"]
        return np.concatenate(
            [
                part.choice.choose(ranks.padded(*self.beyond(part)), generator)
                for part in self.parts.values()
            ]
        )

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> QuantileRelease:
        """Return the release."""
        rows = drawn.reshape(-1, *([len(self.qs)] if self.several else []))
        steps, *ends = map(np.asarray, rows)
        # Ends that have crossed are no interval: in the other order they are one.
        ordered = (np.asarray(np.minimum(*ends)), np.asarray(np.maximum(*ends))) if ends else ()
        return QuantileRelease(query=self, steps=steps, interval_steps=ordered, payment=payment)

    def aggregates(self) -> list[Aggregate]:
        """Return a choice for each quantile, and for the ends of its interval."""
        return [
            Aggregate(
                f"q{i}{end}", self.unit.change_one_answer(max(q, 1 - q), 1), self.grid.step, q=q
            )
            for end in ("", *(() if self.interval is None else (_LOWER, _UPPER)))
            for i, q in enumerate(self.qs)
        ]

    def beyond(self, part: Part) -> tuple[int, int]:
        """Return how many numbers a choice sees at the bounds, beside those of the column.

        Copies of the lower bound move a quantile down by as many ranks as the choice may miss it
        by, so that the chosen point is not above the quantile of the column; copies of the upper
        bound move it up. docs/releases/quantiles.md has the proof.
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


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuantileRelease(Release):
    """Private quantiles, as `quantile` and `median` return them.

    Attributes
    ----------
    query : QuantileQuery
        The query: quantiles, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : ndarray of int64, shape (q,) or ()
        The chosen points, in steps of the grid.
    interval_steps : tuple of two ndarrays of the shape of steps, or ()
        The lower and the upper ends of the intervals, in steps; empty if there are none.

    """

    query: Any
    steps: NDArray[np.int64]
    interval_steps: tuple[NDArray[np.int64], ...] = field(default=(), metadata=ADDED)

    @property
    def value(self) -> Any:
        """The quantile in the unit of the data; an array if a list was asked for.

        Of dates and times: datetime64 in the unit of the bounds, or a datetime with their zone.
        """
        return self._values_of(self.steps)

    def _values_of(self, steps: NDArray[np.int64]) -> Any:
        values = self.query.grid.values_of(steps)
        if steps.ndim:
            return values
        return float(values) if values.dtype.kind == "f" else values[()]

    @property
    def variance(self) -> None:
        """None: the variance depends on the data. `rank_error` does not."""

    def rank_error(self, confidence: Number = 0.95) -> float | NDArray[np.float64]:
        """Return by how many ranks the released points are from the quantiles, at most.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds for each of them.

        Returns
        -------
        float, or ndarray of float for a list of quantiles
            In numbers of the column.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        A point y is max(#{x < y} - q n, q n - #{x <= y}, 0) ranks from the quantile q of n numbers,
        and there is a point of 0 ranks. If the grid has g points, the released one is less than
        scale * ln(g / (1 - confidence)) ranks from the quantile [1]_.

        References
        ----------
        .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem
           3.11.

        """
        bounds = self._rank_bounds(confidence, 1)
        return np.array(bounds) if self.steps.ndim else bounds[0]

    def interval(self, confidence: Number = 0.95, *, count: Integer = 1) -> tuple[Any, Any]:
        """Return the released intervals that contain the quantiles, in the unit of the data.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            At most the confidence for which they were released.
        count : int >= 1, default 1
            For how many of the quantiles it holds together.

        Returns
        -------
        (lower, upper) : two numbers, or two arrays
            Dates and times as in `value`.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range, or if no interval was released for it.

        Examples
        --------
        >>> import cydp
        >>> ages = [20, 30, 30, 40, 50] * 1000
        >>> lower, upper = cydp.median(ages, (0, 100), interval=0.95, epsilon=1).interval()
        >>> round(lower, 3), round(upper, 3)
        (30.0, 30.0)

        """
        if not self.interval_steps:
            return super().interval(confidence, count=count)
        most = self.query.interval
        if not self._holds(read_level(confidence), read_integer(count, "count")):
            raise ValueError(
                f"confidence must be at most {format_number(most)}, for which the intervals were "
                "released, and less for several of them together"
            )
        lower, upper = map(self._values_of, self.interval_steps)
        return lower, upper

    def _holds(self, confidence: Fraction, together: int) -> bool:
        """Whether so many intervals hold together with a confidence."""
        failures: Fraction = 1 - self.query.interval
        return confidence <= 1 - together * failures

    def _rank_bounds(self, confidence: Number, together: int) -> list[float]:
        return [each.rank_error(confidence, together) for each in self.query.answers()]

    @property
    def _notes(self) -> tuple[str, ...]:
        return ()

    @property
    def _answer(self) -> Answer:
        answer: Answer = self.query.answers()[0]
        return answer

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        qs = np.array([float_of(q) for q in self.query.qs])
        together = len(qs) if simultaneous else 1
        bounds = self._rank_bounds(confidence, together)
        several = self.steps.ndim > 0
        lower, upper, notes = None, None, self._notes
        if self.interval_steps and self._holds(read_level(confidence), together):
            lower, upper = map(np.asarray, map(self._values_of, self.interval_steps))
        elif self.interval_steps:
            notes += (self._note_on_interval(),)
        chosen = Numbers(
            name="median" if self.query.title == "median" else self.query.function,
            values=np.asarray(self.value),
            bound=np.array(bounds) if several else bounds[0],
            bound_unit="ranks",
            lower=lower,
            upper=upper,
            rounded_to=self.query.grid.unit_words if isinstance(self.query.grid, TimeGrid) else "",
        )
        axes = [keys_of((qs,), ("q",), "quantile")] if several else []
        return self._make_sheet(axes, [chosen], confidence, simultaneous, notes=notes)

    def _note_on_interval(self) -> str:
        """Return a note for a confidence that is above that of the intervals."""
        from cydp.releases.output._words import end_words

        note = f"an interval was released for {percent_of(self.query.interval)} confidence, "
        if self.steps.ndim:
            return note + "and not for more"
        lower, upper = map(self._values_of, self.interval_steps)
        return (
            f"{note}from {end_words(lower, upper=False)} to {end_words(upper, upper=True)}, and "
            "not for more"
        )

    @property
    def _noise_words(self) -> str:
        parts = self.query.parts.values()
        if not self.interval_steps:
            return format_noise(parts)
        points = [part for part in parts if not any(self.query.beyond(part))]
        return f"{format_noise(points)}; as much for each end"

    @property
    def _exact(self) -> dict[str, Any]:
        exact = {"q": [str(q) for q in self.query.qs], "steps": self.steps.tolist()}
        ends = zip(("lower_steps", "upper_steps"), self.interval_steps, strict=False)
        return exact | {name: end.tolist() for name, end in ends}


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
    found = tuple(map(read_quantile, qs))
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
