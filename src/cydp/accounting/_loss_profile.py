# SPDX-License-Identifier: MIT
"""Privacy loss distributions (PLD): the delta and the epsilon of many dominating pairs together.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from cydp._numbers.rational import MAX_BITS, float_of, log_of
from cydp.accounting._dominating_pairs import Pair, Pairs, SampledPair
from cydp.accounting._loss_curve import MARGIN, LossCurve, LowerCurve
from cydp.accounting._loss_grid import LossGrid, convolve, raised
from cydp.accounting._loss_points import Setting
from cydp.accounting._pair_losses import Moments, PairLoss

__all__ = ["LossProfile", "can_compose"]

_MOST_RELEASES = 10**12
_LEAST_RHO, _MOST_RHO = Fraction(1, 10**280), 5000  # of one pair; times share**2 if sampled
_MOST_EPSILON = 1e100  # asked for; a larger one has no larger delta
_PER_WIDTH = 512  # points of the grid in a standard deviation of the tilted loss
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
_CUT_SHARE = 1e-7  # of delta, that rare losses may have that are left out
_LEAST_CUT = -600.0  # ln of the least delta at which some are: floats hold the mass
_CUTS = 6  # times that a delta is made smaller by leaving them out
_WORTH = 1e-7  # of its logarithm, by which it must be
_BETTER = 1e-5  # relative: what another tilt must gain
_KEPT = 4  # compositions, of a few 10**5 bytes each
_NEXT_TO_LARGEST = 1e-6  # relative: no tilt is for an epsilon that is closer to the largest loss
_SURE = 1e-8  # relative: so close to the largest loss an epsilon may be where losses are bounded
_LEAST_LOG = -700.0  # the logarithm of a delta that is still a float


def can_compose(pairs: Pairs) -> bool:
    """Whether floats can follow the composition of these pairs."""
    few = sum(pairs.values()) <= _MOST_RELEASES
    return few and all(_LEAST_RHO <= _size(pair) <= pair.rho <= _MOST_RHO for pair in pairs)


def _size(pair: Pair) -> Fraction:
    return pair.share**2 * pair.rho if isinstance(pair, SampledPair) else pair.rho


class LossProfile:
    """The privacy profile of pairs that are composed: bounds of delta and epsilon, of both sides.

    Parameters
    ----------
    pairs : Pairs
        How many times each pair is composed.
    per_width : int, default 512
        Points of the grid in a standard deviation of the loss. Fewer are quicker.

    """

    __slots__ = ("_differ", "_pairs", "_per_width", "_rare", "_sides")

    def __init__(self, pairs: Pairs, per_width: int = _PER_WIDTH) -> None:
        self._pairs, self._per_width = pairs, per_width
        self._sides: dict[tuple[bool, float, bool], _Side] = {}
        self._differ = any(PairLoss(pair, True).comes for pair in pairs)
        self._rare = sum(n for pair, n in pairs.items() if PairLoss(pair, False).is_rare)

    def epsilon(self, delta: Fraction) -> float | None:
        """Return an epsilon at a delta in (0, 1); None where floats do not follow."""
        log_delta = log_of(delta)
        cut = self._cut_at(log_delta)
        left = log_delta + math.log1p(-_CUT_SHARE) if cut else log_delta
        found = [self._side(False, cut).epsilon(left)]
        if self._differ:
            found.append(self._side(True).epsilon(log_delta))
        known = [each for each in found if each is not None]
        return max(known) if len(known) == len(found) else None

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0, above 0; 1 where floats do not follow."""
        at = min(float_of(epsilon), _MOST_EPSILON)
        log_delta = self._side(False).log_delta(at)
        for _ in range(_CUTS if self._rare else 0):
            cut = self._cut_at(log_delta)
            if not cut:
                break
            rest = self._side(False, cut).log_delta(at, log_delta)
            less = float(np.logaddexp(rest, math.log(cut * self._rare)))
            if less > log_delta - _WORTH:
                break
            log_delta = less
        if self._differ:
            log_delta = max(log_delta, self._side(True).log_delta(at))
        if log_delta < _LEAST_LOG:
            return Fraction(1, 2 ** min(math.floor(-log_delta / math.log(2)), MAX_BITS - 1))
        return Fraction(math.exp(min(log_delta, 0.0)))

    def least_epsilon(self, delta: Fraction) -> float:
        """Return an epsilon at a delta in (0, 1) that the exact one is not below."""
        log_delta = log_of(delta)
        near = self.epsilon(delta)
        if near is None:
            return 0.0
        return max(each.least_epsilon(log_delta, near) for each in self._lower_sides(log_delta))

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0 that the exact one is not below."""
        at = float_of(epsilon)
        if at > _MOST_EPSILON:
            return Fraction(0)
        near = log_of(self.delta(epsilon))
        log_delta = max(each.least_log_delta(at) for each in self._lower_sides(near))
        return Fraction(math.exp(log_delta)) if log_delta > _LEAST_LOG else Fraction(0)

    def _lower_sides(self, log_delta: float) -> list[_Side]:
        """Return the directions for a lower end about a delta: what is left out counts as 0."""
        sides = [self._side(False, self._cut_at(log_delta), is_lower=True)]
        return [*sides, self._side(True, is_lower=True)] if self._differ else sides

    def _cut_at(self, log_delta: float) -> float:
        """Return which mass of each rare loss may be left out at a delta; 0 for none."""
        if not self._rare or log_delta < _LEAST_CUT:
            return 0.0
        share = math.log(_CUT_SHARE / self._rare)
        return 10.0 ** math.floor((log_delta + share) / math.log(10))

    def _side(self, comes: bool, cut: float = 0.0, *, is_lower: bool = False) -> _Side:
        """Return one direction, with a mass that is cut off each rare loss."""
        key = comes, cut, is_lower
        if key not in self._sides:
            if len(self._sides) == _KEPT:
                del self._sides[next(iter(self._sides))]
            parts = [
                (PairLoss(pair, comes, cut, is_lower=is_lower), times)
                for pair, times in self._pairs.items()
            ]
            self._sides[key] = _Side(parts, self._per_width, is_lower)
        return self._sides[key]


class _Side:
    """One direction: a row that goes, or one that comes."""

    def __init__(self, parts: list[tuple[PairLoss, int]], per_width: int, is_lower: bool) -> None:
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
        own = self._parts[0][0].unit if len(self._parts) == 1 else None
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
