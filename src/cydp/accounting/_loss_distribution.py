# SPDX-License-Identifier: MIT
"""Privacy losses that are given as numbers, and sums of independent ones.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, log_of, read_exact, read_integer, read_positive
from cydp.accounting._loss_grid import ROUNDING, Floats, Layers, LossGrid, convolve, raised
from cydp.accounting._loss_numbers import read_delta, read_nonnegative
from cydp.accounting._loss_points import Moments, Points, Setting
from cydp.accounting._loss_sum import LossSum

__all__ = ["LossDistribution"]

_MOST_TIMES = 10**9
_CUT = 1e-15  # the mass that a sum may leave out at each end
_FEW = 4096  # points of a sum from whose products nothing is left out
_LEAST_RHO = Fraction(1, 10**280)
_PER_WIDTH = 2048  # points in a standard deviation: the losses are numbers already
_MISSING = 1e-9  # of the probabilities: so far from 1 they may be by rounding
_UP = 1 + 1e-12  # more than the rounding of an exponential, and of a few sums


@dataclass(frozen=True, slots=True)
class _ListedLoss:
    """Losses unit * (first + i), with their probabilities."""

    first: int
    unit: float
    masses: Floats

    is_rare = False
    is_normal = False

    @property
    def _losses(self) -> Floats:
        losses: Floats = self.unit * (self.first + np.flatnonzero(self.masses))
        return losses

    @property
    def rho(self) -> Fraction:
        """About half the mean square."""
        kept = self.masses[self.masses > 0]
        square = float((kept * self._losses**2).sum() / kept.sum())
        return max(Fraction(square) / 2, _LEAST_RHO)

    @property
    def supremum(self) -> float:
        """The largest loss."""
        return float(self._losses[-1]) * (1 + 4 * ROUNDING)

    def most_tilt(self) -> float:
        """Return infinity: there are as many points at each tilt."""
        return math.inf

    def moments(self, tilt: float) -> Moments:
        """Return the moments at a tilt."""
        return self._points(tilt).moments()

    def on_grid(self, fine: int, coarse: int, setting: Setting, most: float) -> Layers:
        """Return the losses in steps of unit * 2**fine; far ones in steps of unit * 2**coarse."""
        points = self._points(setting.tilt)
        middle = float(points.losses[points.logs.argmax()])
        return points.in_layers(-math.inf, (middle, fine, coarse), setting, most)

    def _points(self, tilt: float) -> Points:
        losses, kept = self._losses, np.log(self.masses[self.masses > 0])
        spread = 4 * ROUNDING * np.abs(losses)
        logs = kept + tilt * losses
        sizes = np.abs(kept) + np.abs(tilt * losses)
        return Points(losses + spread, logs, 8 * ROUNDING * (8 + sizes) + 2 * (2 + tilt) * spread)


class LossDistribution:
    """A privacy loss given as numbers, such as that of your own mechanism, and sums of losses.

    Parameters
    ----------
    first : int
    probabilities : array_like of numbers >= 0, shape (n,)
        Of the losses ``offset + step * (first + i)``, i = 0, 1, ..., under P: the distribution of
        the outputs on one of two neighbouring tables.
    step : number > 0
        In nats.
    infinite : number in [0, 1], default 0
        The probability of outputs that the other table never has.
    offset : number, default 0
        In nats.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, and if the probabilities do not add up to 1, with `infinite`.

    Notes
    -----
    ``a + b`` and ``n * a`` are the losses of independent releases together; both must have the same
    step. `on_grid` moves other losses to multiples of a step, so that no delta falls [1]_. It is
    one direction: a guarantee needs the other one, of the exchanged tables, too. Privacy cost: none
    by itself; `Plan` does all of it for mechanisms of this library.

    References
    ----------
    .. [1] Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the dots: tighter discrete
       approximations of privacy loss distributions", 2022.

    Examples
    --------
    >>> from cydp.accounting import LossDistribution
    >>> truth = 1 / (1 + math.exp(-0.1))  # randomized response of epsilon 0.1
    >>> response = LossDistribution(-1, [1 - truth, 0, truth], step="0.1")
    >>> round((300 * response).epsilon(1e-6), 4)
    9.1666

    """

    __slots__ = ("_infinite", "_offset", "_parts", "_step", "_sum", "_total")

    @explain_arguments
    def __init__(
        self,
        first: Integer,
        probabilities: ArrayLike,
        *,
        step: Number,
        infinite: Number = 0,
        offset: Number = 0,
    ) -> None:
        masses = np.array(probabilities, np.float64)
        if masses.ndim != 1 or not np.isfinite(masses).all() or (masses < 0).any():
            raise ValueError("probabilities must be numbers of at least 0, in one dimension")
        beyond = read_exact(infinite, "infinite")
        if not 0 <= beyond <= 1:
            raise ValueError("infinite must be from 0 to 1")
        total = float(masses.sum()) + float_of(beyond)
        if abs(total - 1) > _MISSING:
            raise ValueError(
                f"probabilities must add up to 1, with infinite, not {total:.6g}: losses that are "
                "left out, such as those of a tail, count as infinite"
            )
        self._step: Fraction = read_positive(step, "step")
        moved = read_exact(offset, "offset")
        whole = math.ceil(moved / self._step)  # steps: what is left is not above 0
        start = read_integer(first, "first") + whole
        one = _ListedLoss(start, float_of(self._step), masses)
        left = moved - whole * self._step
        self._put([(one, 1)] if masses.any() else [], float_of(beyond), left)

    def _put(
        self, parts: Sequence[tuple[_ListedLoss, int]], infinite: float, offset: Fraction
    ) -> None:
        self._parts, self._infinite, self._offset = tuple(parts), infinite, offset
        self._sum: LossSum | None = None
        self._total: LossGrid | None = None

    @classmethod
    def on_grid(
        cls,
        losses: ArrayLike,
        probabilities: ArrayLike,
        *,
        step: Number,
        infinite: Number = 0,
    ) -> LossDistribution:
        """Return losses that are moved to the two multiples of a step around each.

        Parameters
        ----------
        losses : array_like of numbers, shape (n,)
            In nats.
        probabilities : array_like of numbers >= 0, shape (n,)
            Under P.
        step : number > 0
            In nats.
        infinite : number in [0, 1], default 0

        Returns
        -------
        LossDistribution
            The part (1 - e**-x) / (1 - e**-step) of each probability moves up, x the distance to
            the lower multiple, which keeps the probabilities under both tables.

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed.

        Examples
        --------
        >>> LossDistribution.on_grid([0.3], [1.0], step=0.2).probabilities.round(4)
        array([0.475, 0.525])

        """
        at, masses = np.array(losses, np.float64), np.array(probabilities, np.float64)
        if at.ndim != 1 or at.shape != masses.shape or not np.isfinite(at).all():
            raise ValueError("losses must be finite numbers, as many as probabilities")
        width = float_of(read_positive(step, "step"))
        below = np.floor(at / width)
        up = masses * np.expm1(below * width - at) / math.expm1(-width)
        start = int(below.min(initial=0))
        index = (below - start).astype(np.int64)
        size = int(index.max(initial=0)) + 2
        found = np.bincount(index, masses - up, size) + np.bincount(index + 1, up, size)
        return cls(start, found, step=step, infinite=infinite)

    @classmethod
    def _of_parts(
        cls,
        step: Fraction,
        parts: Sequence[tuple[_ListedLoss, int]],
        infinite: float,
        offset: Fraction,
    ) -> LossDistribution:
        found = cls.__new__(cls)
        found._step = step
        found._put(parts, infinite, offset)
        return found

    def __add__(self, other: LossDistribution) -> LossDistribution:
        """Return the loss of two independent releases: losses are added."""
        if not isinstance(other, LossDistribution):
            return NotImplemented
        if other._step != self._step:
            raise ValueError("losses that are added must have one step: on_grid moves them to one")
        infinite = self._infinite + other._infinite - self._infinite * other._infinite
        offset = self._offset + other._offset
        return self._of_parts(self._step, [*self._parts, *other._parts], infinite, offset)

    def __mul__(self, count: Integer) -> LossDistribution:
        """Return the loss of `count` such releases, from 1 to 10**9."""
        n = read_integer(count, "count")
        if not 1 <= n <= _MOST_TIMES:
            raise ValueError(f"count must be from 1 to 10**9, not {n}")
        infinite = self._infinite
        if infinite < 1:
            infinite = -math.expm1(n * math.log1p(-infinite))
        parts = [(one, n * k) for one, k in self._parts]
        return self._of_parts(self._step, parts, infinite, n * self._offset)

    __rmul__ = __mul__

    @property
    def step(self) -> Fraction:
        """The step, in nats."""
        return self._step

    @property
    def offset(self) -> Fraction:
        """What is added to multiples of the step, in nats: not above 0."""
        return self._offset

    @property
    def first(self) -> int:
        """Which multiple of the step the first of `losses` is."""
        return self._grid.first

    @property
    def losses(self) -> NDArray[np.float64]:
        """The losses that have probabilities, in nats, shape (n,)."""
        multiples = self.first + np.arange(len(self._grid.masses))
        return np.asarray(float_of(self._offset) + self._grid.step * multiples, np.float64)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each of `losses` under P, shape (n,)."""
        return np.asarray(self._grid.masses * math.exp(self._grid.log_scale), np.float64)

    @property
    def infinite(self) -> float:
        """Probability of outputs that the other table never has."""
        return self._infinite

    @property
    def error(self) -> float:
        """By how much `probabilities` are wrong, all together.

        Of sums of up to 4,096 losses each one has a relative error of less than 1e-11. Of others up
        to 1e-15 is cut off at both ends, and Fourier transforms are rounded. `delta` and `epsilon`
        are computed at a scale of their own, and are accurate where they are far below this error.
        """
        return self._grid.error * math.exp(self._grid.log_scale)

    def delta(self, epsilon: Number) -> float:
        """Return a bound of E[max(0, 1 - e**(epsilon - L))], as close as `Plan.delta`.

        Parameters
        ----------
        epsilon : number >= 0
            In nats.

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        Examples
        --------
        >>> round(LossDistribution(-1, [0.25, 0, 0.75], step=1).delta(0), 4)
        0.4741

        """
        at = float_of(read_nonnegative(epsilon, "epsilon") - self._offset)
        found = self._infinite
        if self._is_constant:
            gap = max(self._largest * (1 + 4 * ROUNDING) - at, 0.0)
            found += float(self.probabilities[0]) * -math.expm1(-gap)
        elif self._parts:
            found += math.exp(min(self._find_sum().log_delta(at), 0.0))
        return min(found * _UP, 1.0)

    def epsilon(self, delta: Number) -> float:
        """Return an epsilon >= 0 with a `delta` of at most this one.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        float
            In nats; infinite if infinite losses are more likely, or nothing is known.

        Raises
        ------
        TypeError, ValueError
            For another delta.

        Examples
        --------
        >>> LossDistribution(-1, [0.25, 0, 0.75], step=1).epsilon(0)
        1.0

        """
        left = read_delta(delta) - Fraction(self._infinite) * Fraction(_UP)
        if left < 0 < self._infinite:
            return math.inf
        if not self._parts:
            return 0.0
        found = None
        if left > 0 and not self._is_constant:
            found = self._find_sum().epsilon(log_of(left) - math.log(_UP))
        most = self._largest if found is None else min(found, self._largest)
        return max(float_of(Fraction(most) + self._offset), 0.0)

    def __repr__(self) -> str:
        count = sum(times for _, times in self._parts)
        largest = self._largest + float_of(self._offset)
        return f"<LossDistribution of {count:,} releases, up to {largest:.6g} nats>"

    @property
    def _largest(self) -> float:
        """The largest loss, without the offset."""
        return math.fsum(times * float(one._losses[-1]) for one, times in self._parts)

    @property
    def _is_constant(self) -> bool:
        return bool(self._parts) and all(len(one._losses) == 1 for one, _ in self._parts)

    def _find_sum(self) -> LossSum:
        if self._sum is None:
            self._sum = LossSum(self._parts, _PER_WIDTH)
        return self._sum

    @property
    def _grid(self) -> LossGrid:
        if self._total is None:
            last = sum((len(one.masses) - 1) * times for one, times in self._parts)
            is_long = last > _FEW and sum(times for _, times in self._parts) > 1
            most, unit = _CUT if is_long else 0.0, float_of(self._step)
            total = LossGrid(0, 0, np.ones(1), 0.0, 0.0, 0.0, unit)
            for one, times in self._parts:
                base = LossGrid(0, one.first, one.masses, 0.0, 0.0, 0.0, unit)
                total = convolve(total, raised(Layers(base), times, 0, most), most)
            self._total = total
        return self._total
