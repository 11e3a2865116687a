# SPDX-License-Identifier: MIT
"""The sum of independent privacy losses: at which tilts it is composed for a query.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting._loss_curve import MARGIN, LossCurve, LowerCurve
from cydp.accounting._loss_grid import Layers, LossGrid, convolve, raised
from cydp.accounting._loss_points import Moments, Setting

__all__ = ["PER_WIDTH", "LossSum"]

PER_WIDTH = 512  # points of the grid in a standard deviation of the tilted loss

_FINER = 2  # times as many for a lower end
_LESS, _FEWER = 16, 4  # what tilts of lower ends are divided by, and how many are tried
_RARE_FINER = 2  # binary digits by which its rare losses have a finer step
_RATE = 2.0  # of the bound of how far rounding moves losses, in steps
_CUT = 1e-13  # the tilted mass that may be left out
_TILTS = 64  # in a factor of 2
_LEAST_SHARED = -30.0  # ln of about the least delta whose tilt need not be the best
_LARGEST = 2.0**64  # tilt, in standard deviations of the loss
_FAR = 5000.0  # -ln of a delta: no delta of MAX_BITS is so small
_LEAST_WIDTH = 2.0**-7  # of a mean: losses that are at their largest need no finer grid
_NARROW = 1e-3  # of a mean: the standard deviation of losses that are at their largest
_ENOUGH = 14.0  # -ln of a tilted mass that is well above all errors
_MOST_GROWN = 4.0  # ln of what rounding a loss up by a step multiplies its tilted mass by
_BETTER = 1e-5  # relative: what another tilt must gain
_KEPT = 4  # compositions, of a few 10**5 bytes each
_NEXT_TO_LARGEST = 1e-6  # relative: no tilt is for an epsilon that is closer to the largest loss
_SURE = 1e-8  # relative: so close to the largest loss an epsilon may be where losses are bounded


class _OneLoss(Protocol):
    """The privacy loss of one release, in one direction."""

    @property
    def rho(self) -> Fraction:
        """About half its mean square, above 0."""

    @property
    def supremum(self) -> float:
        """A number that it does not exceed."""

    @property
    def unit(self) -> float | None:
        """A number of which all its values are multiples, nearly; None if there is none."""

    @property
    def is_rare(self) -> bool:
        """Whether it has rare values, far beyond all others, which tilts would make likely."""

    @property
    def is_normal(self) -> bool:
        """Whether normal noise stands for noise on a grid."""

    def most_tilt(self) -> float:
        """Return a tilt up to which its points are not too many."""

    def moments(self, tilt: float) -> Moments:
        """Return its moments at a tilt, nearly."""

    def on_grid(self, fine: int, coarse: int, setting: Setting, most: float) -> Layers:
        """Return it in steps of unit * 2**fine, and of unit * 2**coarse where it is rare."""


class LossSum:
    """The sum of independent losses, each as often as stated, in one direction.

    Parameters
    ----------
    parts : sequence of (loss, int)
    per_width : int
        Points of the grid in a standard deviation of the sum. Fewer are quicker.
    is_lower : bool
        Whether lower ends are asked for. The losses are rounded down for them.

    """

    def __init__(
        self,
        parts: Sequence[tuple[_OneLoss, int]],
        per_width: int = PER_WIDTH,
        is_lower: bool = False,
    ) -> None:
        self._parts, self._per_width, self._is_lower = parts, per_width, is_lower
        self._whole = math.sqrt(sum(2 * float_of(part.rho) * times for part, times in parts))
        # No functools.cache: its cycle would keep arrays until the garbage collector looks.
        self._known: dict[float, Moments] = {}
        self._curves: dict[float, LossCurve] = {}
        self._width = max(math.sqrt(self._moments(0.0).variance), sys.float_info.min)
        sums = [times * part.supremum for part, times in parts]
        self._supremum = math.fsum(sums) * (1 + MARGIN) if math.inf not in sums else math.inf
        most = min(_LARGEST / self._width, *(part.most_tilt() for part, _ in parts), math.inf)
        self._range = -8 * _TILTS, math.floor(math.log2(most * self._whole) * _TILTS)

    def epsilon(self, log_delta: float) -> float | None:
        """Return an epsilon at ln(delta)."""
        found: float | None = None
        for curve in self._curves_at(log_delta):
            other = curve.epsilon(log_delta)
            if other is None or (found is not None and other > found * (1 - _BETTER)):
                break
            found = other
        if found is None or found >= self._supremum:
            return self._supremum if self._supremum < math.inf else found
        if found >= self._width:
            return found
        # Next to 0 this tilt is too large.
        others = (self._composed(self._tilt_at(at)).epsilon(log_delta) for at in (found, 0.0))
        return min([found, *(other for other in others if other is not None)])

    def log_delta(self, epsilon: float, at_most: float | None = None) -> float:
        """Return ln(delta) at an epsilon; `at_most` is what it is known to be at most."""
        if epsilon >= self._supremum:
            return -_FAR
        found = self._composed(self._tilt_at(epsilon)).log_delta(epsilon)
        if at_most is None:
            return found
        return min(found, *(each.log_delta(epsilon) for each in self._curves_at(at_most)))

    def least_epsilon(self, log_delta: float, near: float) -> float:
        """Return an epsilon at ln(delta) that the exact one is not below, if that is near."""
        found, tilt = 0.0, self._tilt_at(near)
        for _ in range(_FEWER):
            curve = self._composed(tilt)
            assert isinstance(curve, LowerCurve)
            found = max(found, curve.epsilon_below(near, log_delta))
            if found >= near * (1 - _NARROW):
                break
            tilt /= _LESS  # next to a few large losses the best tilt of a bound is too large
        return found

    def least_log_delta(self, epsilon: float) -> float:
        """Return ln(delta) at an epsilon, or less."""
        return self._composed(self._tilt_at(epsilon)).log_delta(epsilon)

    def _curves_at(self, log_delta: float) -> Iterator[LossCurve]:
        """Yield curves that may have the least epsilon at ln(delta): one, unless losses are rare.

        Beside rare losses a smaller tilt than the best one of a bound may be better.
        """

        def enough(tilt: float, moments: Moments) -> bool:
            # The bound of epsilon no longer falls, with all mass where it counts most.
            gained = tilt * moments.mean
            lacking = -log_delta - (gained - moments.log_scale) - math.log1p(tilt)
            at_largest = moments.variance <= (_NARROW * moments.mean) ** 2
            return lacking <= 0 or (at_largest and lacking <= _ENOUGH + gained * _SURE)

        index = self._find_tilt(enough)
        is_rare = any(part.is_rare for part, _ in self._parts)
        for lower in range(0, _TILTS + 1 if is_rare else 1, _TILTS // 2):
            yield self._composed(self._tilt(index - lower))

    def _tilt_at(self, epsilon: float) -> float:
        """Return the tilt that moves the mean loss to an epsilon, as far as that matters."""

        def enough(tilt: float, moments: Moments) -> bool:
            at_epsilon = moments.mean >= epsilon * (1 - _NEXT_TO_LARGEST)
            return at_epsilon or moments.log_scale - tilt * epsilon <= -_FAR

        index = self._find_tilt(enough)
        tilt = self._tilt(index)
        if self._moments(tilt).log_scale - tilt * epsilon > _LEAST_SHARED:
            index -= index % (_TILTS // 4)  # so that deltas of a profile share compositions
        return self._tilt(index)

    def _find_tilt(self, enough: Callable[[float, Moments], bool]) -> int:
        """Return the index of the largest tilt, of some, that is not enough. Each gives a bound.

        A bit above the best tilt, rare and huge losses of sampled noise may count alone.
        """
        low, high = self._range
        while high - low > 1:
            middle = (low + high) // 2
            tilt = self._tilt(middle)
            moments = self._moments(tilt)
            if enough(tilt, moments):
                high = middle
            else:
                low = middle
        return low

    def _tilt(self, index: int) -> float:
        return math.exp2(index / _TILTS) / self._whole

    def _moments(self, tilt: float) -> Moments:
        if tilt not in self._known:
            self._known[tilt] = self._compute_moments(tilt)
        return self._known[tilt]

    def _composed(self, tilt: float) -> LossCurve:
        if tilt not in self._curves:
            if len(self._curves) == _KEPT:
                del self._curves[next(iter(self._curves))]
            self._curves[tilt] = self._compose(tilt)
        return self._curves[tilt]

    def _compute_moments(self, tilt: float) -> Moments:
        found = [(part.moments(tilt), times) for part, times in self._parts]
        return Moments(
            *(
                sum(times * getattr(each, name) for each, times in found)
                for name in ("log_scale", "mean", "variance")
            )
        )

    @np.errstate(over="ignore", invalid="ignore")  # the curve says that it knows nothing
    def _compose(self, tilt: float) -> LossCurve:
        moments = self._moments(tilt)
        # Rounding to a grid of h adds about tilt h**2 / 16 to epsilon, which is about the mean.
        even = math.sqrt(max(moments.mean, self._width) / tilt)
        width = min(even, max(math.sqrt(moments.variance), _LEAST_WIDTH * moments.mean))
        finer = _FINER if self._is_lower else 1
        # No tilted mass grows by much.
        step = min(width / (finer * self._per_width), 1 / tilt)
        # Losses of one lattice stay on it.
        units = {part.unit for part, _ in self._parts}
        # Floats that are equal may stand for different units: a lower end needs one.
        is_one = len(units) == 1 and (len(self._parts) == 1 or not self._is_lower)
        own = units.pop() if is_one else None
        if own and tilt * own > _MOST_GROWN:
            own = None
        unit = own or 1.0
        exponent = math.floor(math.log2(max(step, sys.float_info.min)) - math.log2(unit))
        if own:
            exponent = max(exponent, 0)
        rate, coarse = 0.0, exponent
        if self._is_lower:
            rate, coarse = math.ldexp(_RATE / unit, -exponent), exponent - _RARE_FINER
        setting = Setting(tilt, unit, rate, finer)
        releases = sum(times for _, times in self._parts)
        total: LossGrid | None = None
        for part, times in self._parts:
            fine = exponent - times.bit_length() // 2
            fine = max(fine, 0) if own else fine
            one = part.on_grid(fine, coarse, setting, _CUT / (4 * releases))
            found = raised(one, times, exponent, _CUT)
            total = found if total is None else convolve(total, found, _CUT)
        assert total is not None
        is_smooth = any(part.is_normal for part, _ in self._parts)
        if not self._is_lower:
            return LossCurve(total, is_smooth)
        return LowerCurve(total, is_smooth, own is not None and total.exponent == 0)
