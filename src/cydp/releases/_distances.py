# SPDX-License-Identifier: MIT
"""Means and variances from the distances of numbers to both bounds. docs/releases/means.md.

A number k steps above the lower bound is width - k below the upper one. Sums of both, and of
squares and products of both, have one noise together, since a row adds the same to all of them.
With ints all is exact, in fractions; with arrays it is in float64, by the same formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import as_exact, float_of, log_of, read_level
from cydp.accounting._loss import Loss, PureDP
from cydp.exact._grid import Grid
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._parameters import log_failure_probability
from cydp.releases._answers import Steps
from cydp.releases._noise_split import Aggregate, Part, log_noise
from cydp.releases._ratios import Interval, RatioAnswer, clamp, unrounded_mean, unrounded_within
from cydp.releases._unit import Change, Unit

__all__ = [
    "DISTANCES",
    "MeanByDistances",
    "VarianceByDistances",
    "are_better",
    "distances_of",
    "log_noise_by_distances",
    "mean_distances",
    "rounded_distances",
    "spread_within",
    "variance_distances",
]

DISTANCES = "distances"
"""The name of the part."""

_END = 2**62 - 1  # some mechanisms clamp integers there: docs/mechanisms/saturating_add.md
_LARGEST = 2**63 - 1
_HALVINGS = 60
_NEAREST = 0.51  # shares that are nearer to 1/2 have the bound of this one
_ROUNDING = 1 + 1e-9  # of logarithms and exponentials
_REST = Fraction(1, 10)  # of the failures before data, for the number of rows


def are_better(privacy: Loss, unit: Unit, grid: Grid) -> bool:
    """Whether sums of distances have less noise than a sum of x - c and a count.

    They have for Laplace noise, where rows come and go, and never become others.
    """
    is_wide = grid.lowest < grid.highest
    return isinstance(privacy, PureDP) and not unit.rows_may_become_others and is_wide


def distances_of(name: str, change: Change, entries: int, step: Fraction, weight: Any) -> Aggregate:
    """Return the sums of so many distances as one vector: a row adds `change` to all together."""
    whole = Change(change.l1, change.l2, entries * change.coordinates, change.relation)
    return Aggregate(name, whole, step, weight)


def log_noise_by_distances(part: Part, entries: int, grid: Grid) -> float:
    """Return how noisy a mean (2 entries) or a variance (3) is: as `log_noise` of x - c and rows.

    The linear map from the entries to the sums of (x - c)**2 and x - c, and to the number of rows,
    has the determinant 1 / width or 1 / (2 width**3).
    """
    lower, upper = grid.bounds
    width = log_of(upper - lower)
    volume = -width if entries == 2 else -3 * width - math.log(2)
    return entries * log_noise({DISTANCES: part}) + 2 * volume


def mean_distances(below: int, above: int) -> NDArray[np.int64]:
    """Return sums of distances to both bounds as a vector; beyond int64, the end of its range."""
    return rounded_distances((below, above), 1)


def variance_distances(squares: Any, total: Any, rows: Any, width: int) -> tuple[Any, Any, Any]:
    """Return the sums of k**2, (width - k)**2 and 2 k (width - k), from those of k**2 and k.

    >>> variance_distances(1 + 9, 1 + 3, 2, 4)
    (10, 10, 12)
    """
    above = squares - 2 * width * total + width**2 * rows
    return squares, above, 2 * (width * total - squares)


def rounded_distances(sums: Iterable[int], per_step: int) -> NDArray[np.int64]:
    """Return sums over `per_step`, rounded down; beyond int64, the end of its range.

    >>> rounded_distances((10, 10, 13), 2).tolist()
    [5, 5, 6]
    """
    return np.array([min(each // per_step, _LARGEST) for each in sums], np.int64)


@dataclass(frozen=True, slots=True)
class MeanByDistances(RatioAnswer):
    """A mean: the share of the distances to the lower bound in both.

    The steps of its part are two numbers, or an array whose last axis has two.
    """

    part: Part

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        width, failures = self._width, 1 - read_level(confidence)
        noise = self.part.noise
        # One failure of the sum that decides, and one of the number of rows.
        near = noise.error_bound(1 - failures * (1 - _REST), count=count) + 2
        far = noise.error_bound(1 - failures * _REST, count=2 * count)
        most = Fraction(near * width, max(rows * width - 2 * far, width))
        return (min(most, Fraction(width)) + Fraction(1, 2)) * self.grid.step

    def values(self, steps: Steps) -> Any:
        """Return the means."""
        below, above = self._pair(steps)
        rows = np.maximum(below + above, self._width)
        return self._place((1 + (below - above) / rows) / 2)

    def interval(self, steps: Steps, confidence: Number, count: int) -> Interval:
        """Return the shares of which the noise may have made what is released, as means."""
        below, above = self._pair(steps)
        log_failure = log_failure_probability(confidence, count)
        whole = _shares_within(below, above, self._bound(1.0, log_failure))
        # The true share is there, and its noise is the less, the nearer to 1/2 it is.
        farthest = np.maximum(*(abs(end - Fraction(1, 2)) for end in whole)) + Fraction(1, 2)
        if isinstance(below, np.ndarray):
            bound: Any = self._bound(farthest.astype(np.float64), log_failure)
        else:
            bound = Fraction(float(self._bound(float_of(farthest), log_failure)))
        ends, found = _shares_within(below, above, bound), self.values(steps)
        lower, upper = map(self._place, ends)
        return unrounded_mean(np.minimum(lower, found), np.maximum(upper, found), self.grid)

    def _bound(self, share: Any, log_failure: float) -> Any:
        noise = self.part.noise
        assert isinstance(noise, DiscreteLaplace)
        scale = float_of(noise.scale)
        return scale * _combined_bound(share, log_failure) * _ROUNDING + 2

    def _pair(self, steps: Steps) -> tuple[Any, Any]:
        pair = steps[self.part.name]
        if isinstance(pair, np.ndarray):
            below, above = np.moveaxis(pair.astype(np.float64), -1, 0)
            return below, above
        return Fraction(pair[0]), Fraction(pair[1])

    @property
    def _width(self) -> int:
        return self.grid.highest - self.grid.lowest

    def _place(self, share: Any) -> Any:
        known: list[Any] = [*self.grid.bounds, *self.grid.declared]
        if isinstance(share, np.ndarray):
            known = [*map(float_of, known)]
        lower, upper, *ends = known
        return clamp(lower + (upper - lower) * share, *ends)


def _shares_within(below: Any, above: Any, bound: Any) -> Interval:
    """Return the least and the largest share y in [0, 1] with abs(below - y rows) <= bound."""
    rows = below + above
    if isinstance(rows, np.ndarray):
        is_some = rows > 0
        some = np.where(is_some, rows, 1)
        lower = np.where(is_some, (below - bound) / some, 0.0)
        upper = np.where(is_some, (below + bound) / some, 1.0)
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
    if rows <= 0:
        return Fraction(0), Fraction(1)
    ends = ((below + sign * as_exact(Fraction(bound))) / rows for sign in (-1, 1))
    lower, upper = (clamp(end, Fraction(0), Fraction(1)) for end in ends)
    return lower, upper


def _combined_bound(share: Any, log_failure: float) -> Any:
    """Return t such that abs(y X + (1 - y) Z) > t has a probability of at most exp(log_failure).

    X and Z are independent, of the Laplace distribution with scale 1. y is the share, from 1/2 to
    1: for shares that are nearer to 1/2 the probability is less.
    """
    more = np.maximum(share, _NEAREST)
    less = np.maximum(1 - more, 1e-300)
    low, high = np.zeros_like(more), np.full_like(more, max(-log_failure, 0.0))
    for _ in range(_HALVINGS):
        t = (low + high) / 2
        # (more**2 exp(-t / more) - less**2 exp(-t / less)) / (more**2 - less**2)
        rest = (less / more) ** 2 * np.exp(-t * (1 / less - 1 / more))
        log_tail = -t / more + np.log1p(-rest) - np.log1p(-((less / more) ** 2))
        high, low = np.where(log_tail <= log_failure, (t, low), (high, t))
    return high


@dataclass(frozen=True, slots=True)
class VarianceByDistances(RatioAnswer):
    """A variance: from the sums of k**2, (width - k)**2 and 2 k (width - k), over `per_step`.

    The steps of its part are three numbers.
    """

    part: Part

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the error for the worst data."""
        width, bound = self._width, self.part.noise.error_bound(confidence, count=3 * count) + 1
        whole = Fraction(width**2) / self._per_step
        total = max(rows * whole - 3 * bound, whole)
        most = width**2 * (bound + 4 * bound**2 / total) / total
        # Rounding changes the standard deviation, of width / 2 at most, by half a step.
        rounding = Fraction(width, 2) + Fraction(1, 4)
        return (min(most, Fraction(width**2, 4)) + rounding) * self.grid.step**2

    def values(self, steps: Steps) -> Fraction:
        """Return the variance, clamped to what numbers within the bounds can have."""
        p, q, r = (self._per_step * each for each in steps[self.part.name])
        total = max(p + q + r, Fraction(self._width**2))
        # About the middle, whose distance from the mean has the share (p - q) / total.
        found = (p + q - r) / (4 * total) - ((p - q) / (2 * total)) ** 2
        lower, upper = self.grid.declared
        square = (self._width * self.grid.step) ** 2
        return as_exact(clamp(square * found, Fraction(0), ((upper - lower) / 2) ** 2))

    def interval(self, steps: Steps, confidence: Number, count: int) -> Interval:
        """Return the least and the largest variance, before rounding, of sums within bounds."""
        bound = self.part.noise.error_bound(confidence, count=3 * count)
        ends = [(each - bound, each + bound) for each in steps[self.part.name]]
        least, most = Fraction(0), Fraction(1, 4)
        if max(end for _, end in ends) < _END:  # else noise was added to no larger sum
            per = self._per_step
            sums = [
                (max(per * low, Fraction(0)), max(per * high + per - 1, Fraction(0)))
                for low, high in ends
            ]
            least, most = spread_within(*sums)
        found = self.values(steps) / self.grid.step**2
        square = self._width**2
        return unrounded_within((min(square * least, found), max(square * most, found)), self.grid)

    @property
    def _width(self) -> int:
        return self.grid.highest - self.grid.lowest

    @property
    def _per_step(self) -> Fraction:
        return self.part.step / self.grid.step**2


def spread_within(p: Interval, q: Interval, r: Interval) -> Interval:
    """Return bounds of (p q - r**2 / 4) / (p + q + r)**2 for three sums that are not negative.

    It is the variance of numbers between 0 and 1, in sums of y**2, (1 - y)**2 and 2 y (1 - y).

    Examples
    --------
    >>> one, two = Fraction(1), Fraction(2)
    >>> low, high = spread_within((one, two), (one, one), (Fraction(0), one))
    >>> str(low), str(high)
    ('1/12', '1/4')

    """
    corners = [_spread(end, other, r[1]) for end in p for other in q]
    edges = [_spread(_turn(end, r[0], p), end, r[0]) for end in q]
    edges += [_spread(end, _turn(end, r[0], q), r[0]) for end in p]
    return max(min(corners), Fraction(0)), max(*edges, Fraction(0))


def _turn(other: Fraction, r: Fraction, within: Interval) -> Fraction:
    """Return where the spread is largest, for one of p and q, if the other one is given."""
    if other == 0:
        return Fraction(within[1])
    return Fraction(clamp(other + r + r**2 / (2 * other), *within))


def _spread(p: Fraction, q: Fraction, r: Fraction) -> Fraction:
    total = p + q + r
    return (p * q - r**2 / 4) / total**2 if total else Fraction(0)
