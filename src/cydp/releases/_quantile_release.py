# SPDX-License-Identifier: MIT
"""What a release of quantiles returns: points, and intervals if they were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import float_of, format_number, read_integer, read_level
from cydp._numbers.rounding import percent_of
from cydp.exact._time_grid import TimeGrid
from cydp.releases._answers import Answer
from cydp.releases._format import format_noise
from cydp.releases._release import ADDED, Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["QuantileRelease"]


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
        The chosen lower and upper ends of the intervals, in steps, half of one inside those of
        `interval` if numbers are rounded; empty if there are none.

    """

    query: Any
    steps: NDArray[np.int64]
    interval_steps: tuple[NDArray[np.int64], ...] = field(default=(), metadata=ADDED)

    @property
    def value(self) -> Any:
        """The quantile in the unit of the data; an array if a list was asked for.

        Of dates and times: datetime64 in the unit of the bounds, or a datetime with their zone.
        """
        return self._shown(self.query.grid.values_of(self.steps))

    def _shown(self, values: NDArray[Any]) -> Any:
        if self.steps.ndim:
            return values
        return float(values) if values.dtype.kind == "f" else values[()]

    def _released_interval(self) -> tuple[Any, Any]:
        lower, upper = map(self._shown, self.query.interval_of(*self.interval_steps))
        return lower, upper

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

        If numbers are rounded to a grid, an end is half a step further out than the point that was
        chosen, though not beyond the bounds.

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
        return self._released_interval()

    def _holds(self, confidence: Fraction, together: int) -> bool:
        """Whether so many intervals hold together with a confidence."""
        failures: Fraction = 1 - self.query.interval
        return confidence <= 1 - together * failures

    def _rank_bounds(self, confidence: Number, together: int) -> list[float]:
        return [each.rank_error(confidence, together) for each in self.query.answers()]

    @property
    def _notes(self) -> tuple[str, ...]:
        notes: tuple[str, ...] = self.query.notes_on_method
        return notes

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
            lower, upper = map(np.asarray, self._released_interval())
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
        lower, upper = self._released_interval()
        return (
            f"{note}from {end_words(lower, upper=False)} to {end_words(upper, upper=True)}, and "
            "not for more"
        )

    @property
    def _noise_words(self) -> str:
        parts = self.query.parts.values()
        if not self.interval_steps:
            return super()._noise_words
        points = [part for part in parts if not any(self.query.beyond(part))]
        return f"{format_noise(points, self.query.words_of_parts)}; as much for each end"

    @property
    def _exact(self) -> dict[str, Any]:
        exact = {"q": [str(q) for q in self.query.qs], "steps": self.steps.tolist()}
        ends = zip(("lower_steps", "upper_steps"), self.interval_steps, strict=False)
        return exact | {name: end.tolist() for name, end in ends}
