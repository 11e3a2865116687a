# SPDX-License-Identifier: MIT
"""Means and variances from noisy sums and counts: values and errors. docs/releases/means.md.

With ints all is exact, in fractions; with arrays it is in float64, by the same formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from cydp._arguments import Number
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact, float_of
from cydp.exact._grid import Grid, centre_of
from cydp.releases._answers import Answer, Steps
from cydp.releases._noise_split import Part

__all__ = [
    "Interval",
    "MeanAnswer",
    "RatioAnswer",
    "VarianceAnswer",
    "clamp",
    "mean_within",
    "unrounded_mean",
    "unrounded_variance",
    "unrounded_within",
    "variance_within",
]

Interval: TypeAlias = tuple[Any, Any]
"""Two fractions, or two arrays of float64."""

_HALF = Fraction(1, 2)
_END = 2**62 - 1  # some mechanisms clamp integers there: docs/mechanisms/saturating_add.md


@dataclass(frozen=True, slots=True)
class RatioAnswer(Answer):
    """A mean or a variance of numbers on a grid: its error depends on the number of rows."""

    grid: Grid

    @property
    def needs_rows(self) -> bool:
        """True."""
        return True

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Return the larger distance of each number from the ends of its interval."""
        (lower, upper), found = self.interval(steps, confidence, count), self.values(steps)
        return np.maximum(found - lower, upper - found)


@dataclass(frozen=True, slots=True)
class _SumsAnswer(RatioAnswer):
    """A function of the noisy sum of x - c, and of a number of rows, which is noisy or public."""

    total: Part
    rows: Part | None

    @property
    def _parts(self) -> list[Part]:
        """The parts that have noise."""
        return [self.total] if self.rows is None else [self.total, self.rows]

    def around(self, steps: Steps, confidence: Number, count: int) -> list[Interval]:
        """Return intervals, in steps, of the exact parts and last of the rows, together."""
        bounds: list[Any] = self._bounds(confidence, count)
        found = [_number_of(steps[part.name]) for part in self._parts]
        if self.rows is None:
            found.append(self._rows(steps))
        if isinstance(found[0], np.ndarray):
            bounds = list(map(float, bounds))
        around = [(each - bound, each + bound) for each, bound in zip(found, bounds, strict=True)]
        if self.rows is not None:
            around[-1] = self.rows.lower_end(found[-1], bounds[-1]), around[-1][1]
        return around

    def _rows(self, steps: Steps) -> Any:
        """Return the released number of rows."""
        return _number_of(steps["count" if self.rows is None else self.rows.name])

    def _bounds(self, confidence: Number, count: int) -> list[int]:
        """Return error bounds of the parts and of the rows, in steps, that hold together."""
        together = count * len(self._parts)
        bounds = [part.noise.error_bound(confidence, count=together) for part in self._parts]
        return [*bounds, 0] if self.rows is None else bounds  # a public number has no noise

    @property
    def _farthest(self) -> int:
        centre = centre_of(self.grid)
        return max(self.grid.highest - centre, centre - self.grid.lowest)


@dataclass(frozen=True, slots=True)
class MeanAnswer(_SumsAnswer):
    """A mean: c and a noisy sum of x - c over the number of rows, clamped to the bounds."""

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        around, apart = self._bounds(confidence, count)
        grid = self.grid
        most = (around + self._farthest * apart) / Fraction(max(rows - apart, 1))
        rounding = _HALF  # of each number, and so of their mean
        return (min(most, Fraction(grid.highest - grid.lowest)) + rounding) * grid.step

    def values(self, steps: Steps) -> Any:
        """Return the means."""
        total, rows = _number_of(steps[self.total.name]), self._rows(steps)
        return self._place(total / np.maximum(rows, 1))

    def interval(self, steps: Steps, confidence: Number, count: int) -> Interval:
        """Return the least and the largest mean, before rounding, of parts within their bounds."""
        lower, upper = map(self._place, mean_within(*self.around(steps, confidence, count)))
        return unrounded_mean(lower, upper, self.grid)

    def _place(self, deviation: Any) -> Any:
        """Return means, in the unit of the data, from their distances to c, in steps."""
        step, *ends = (_like(deviation, each) for each in (self.grid.step, *self.grid.declared))
        return clamp((centre_of(self.grid) + deviation) * step, *ends)


@dataclass(frozen=True, slots=True)
class VarianceAnswer(_SumsAnswer):
    """A variance: the mean of (x - c)**2, without the square of the mean of x - c."""

    squares: Part

    @property
    def _parts(self) -> list[Part]:
        return [self.squares, *super(VarianceAnswer, self)._parts]

    @property
    def _per_step(self) -> Fraction:
        """How many squares of steps of the grid make a step of the released sum of squares."""
        return self.squares.step / self.grid.step**2

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        around_squares, around, apart = self._bounds(confidence, count)
        grid, farthest, fewest = self.grid, self._farthest, Fraction(max(rows - apart, 1))
        of_mean = (around + farthest * apart) / fewest
        rounded_down = self._per_step - 1
        of_squares = (around_squares * self._per_step + rounded_down + farthest**2 * apart) / fewest
        most = of_squares + of_mean * (2 * farthest + of_mean)
        width = Fraction(grid.highest - grid.lowest)
        # Rounding changes the standard deviation, of width / 2 at most, by half a step.
        return (min(most, width**2 / 4) + width / 2 + Fraction(1, 4)) * grid.step**2

    def values(self, steps: Steps) -> Fraction:
        """Return the variance, clamped to what numbers within the bounds can have."""
        rows = max(self._rows(steps), Fraction(1))
        squares = steps[self.squares.name] * self._per_step
        found = squares / rows - (steps[self.total.name] / rows) ** 2
        lower, upper = self.grid.declared
        return as_exact(clamp(found * self.grid.step**2, Fraction(0), ((upper - lower) / 2) ** 2))

    def interval(self, steps: Steps, confidence: Number, count: int) -> Interval:
        """Return the least and the largest variance, before rounding, of parts within bounds."""
        (least, most), total, rows = self.around(steps, confidence, count)
        found = variance_within(self._squares(least, most, rows), total, rows)
        return unrounded_within(found, self.grid)

    def _squares(self, least: Fraction, most: Fraction, rows: Interval) -> Interval:
        """Return an interval of the exact sum of squares, from one of its rounded-down steps."""
        first, last = least * self._per_step, most * self._per_step + (self._per_step - 1)
        if most >= _END:  # noise is added to no larger sum: it may be any
            last = max(rows[1] * self._farthest**2, first)
        return first, last


def mean_within(total: Interval, rows: Interval) -> Interval:
    """Return the least and the largest total / rows, for rows >= 1.

    Examples
    --------
    >>> low, high = mean_within((Fraction(-1), Fraction(6)), (Fraction(2), Fraction(3)))
    >>> str(low), str(high)
    ('-1/2', '3')

    """
    fewest, most = (np.maximum(end, 1) for end in rows)
    lower, upper = total
    return lower / np.where(lower < 0, fewest, most), upper / np.where(upper < 0, most, fewest)


def unrounded_mean(lower: Any, upper: Any, grid: Grid) -> Interval:
    """Return an interval of the mean of numbers, from one of the mean of rounded numbers.

    Each number, and so their mean, is rounded by half a step at most, and is within the bounds.

    Examples
    --------
    >>> low, high = unrounded_mean(Fraction(0), Fraction(3), Grid(1, 0, 5))
    >>> str(low), str(high)
    ('0', '4')

    """
    half, *ends = (_like(lower, each) for each in (grid.step / 2, *grid.declared))
    return clamp(lower - half, *ends), clamp(upper + half, *ends)


def variance_within(squares: Interval, total: Interval, rows: Interval) -> Interval:
    """Return bounds of squares / rows - (total / rows)**2, for rows >= 1.

    Examples
    --------
    >>> eight, two = Fraction(8), Fraction(2)
    >>> low, high = variance_within((eight, eight), (two, Fraction(4)), (two, two))
    >>> str(low), str(high)
    ('0', '3')

    """
    largest = max(abs(total[0]), abs(total[1]))
    smallest = max(total[0], -total[1], Fraction(0))  # of abs(total)
    return (
        min(_extremes(squares[0], largest**2, rows)),
        max(_extremes(squares[1], smallest**2, rows)),
    )


def _extremes(a: Fraction, b: Fraction, rows: Interval) -> list[Fraction]:
    """Return a / n - b / n**2 where it may be least or largest for n within rows."""
    fewest, most = (max(end, Fraction(1)) for end in rows)
    places = [fewest, most]
    # The derivative is 0 at n = 2 b / a.
    if a > 0 and fewest < (turn := 2 * b / a) < most:
        places.append(turn)
    return [a / n - b / n**2 for n in places]


def unrounded_variance(variance: Interval) -> Interval:
    """Return an interval of the variance of numbers, from one of the variance of rounded numbers.

    Rounding changes a standard deviation by 1/2 at most.

    Examples
    --------
    >>> low, high = unrounded_variance((Fraction(4), Fraction(9)))
    >>> str(low), str(high)
    ('9/4', '49/4')

    """
    low, high = (max(end, Fraction(0)) for end in variance)
    least = Fraction(0)
    if low > _HALF**2:
        least = low - sqrt_bounds(low)[1] + _HALF**2
    return least, high + sqrt_bounds(high)[1] + _HALF**2


def unrounded_within(variance: Interval, grid: Grid) -> Interval:
    """Return an interval of the variance of numbers, in the unit of the data, clamped.

    Parameters
    ----------
    variance : (lower, upper)
        An interval of the variance of the rounded numbers, in squares of steps.
    grid : Grid

    """
    lower, upper = unrounded_variance(variance)
    first, last = grid.declared
    ends = (Fraction(0), ((last - first) / 2) ** 2)
    return clamp(lower * grid.step**2, *ends), clamp(upper * grid.step**2, *ends)


def clamp(number: Any, lower: Any, upper: Any) -> Any:
    """Return a number, clamped to an interval."""
    return np.minimum(np.maximum(number, lower), upper)


def _number_of(steps: Any) -> Any:
    """Return an int as a fraction, and an array as it is."""
    return steps if isinstance(steps, np.ndarray) else Fraction(steps)


def _like(number: Any, exact: Fraction) -> Any:
    """Return a fraction, as a float where the other number is an array."""
    return float_of(exact) if isinstance(number, np.ndarray) else exact
