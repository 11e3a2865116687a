# SPDX-License-Identifier: MIT
"""Privacy loss distributions (PLD): the delta and the epsilon of many dominating pairs together.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cydp._numbers.rational import MAX_BITS, float_of, log_of
from cydp.accounting._dominating_pairs import Pair, Pairs, SampledPair
from cydp.accounting._loss_sum import PER_WIDTH, LossSum
from cydp.accounting._pair_losses import PairLoss

__all__ = ["LossProfile", "can_compose"]

_MOST_RELEASES = 10**12
_LEAST_RHO, _MOST_RHO = Fraction(1, 10**280), 5000  # of one pair; times share**2 if sampled
_MOST_EPSILON = 1e100  # asked for; a larger one has no larger delta
_CUT_SHARE = 1e-7  # of delta, that rare losses may have that are left out
_LEAST_CUT = -600.0  # ln of the least delta at which some are: floats hold the mass
_CUTS = 6  # times that a delta is made smaller by leaving them out
_WORTH = 1e-7  # of its logarithm, by which it must be
_KEPT = 4  # compositions, of a few 10**5 bytes each
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

    def __init__(self, pairs: Pairs, per_width: int = PER_WIDTH) -> None:
        self._pairs, self._per_width = pairs, per_width
        self._sides: dict[tuple[bool, float, bool], LossSum] = {}
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

    def _lower_sides(self, log_delta: float) -> list[LossSum]:
        """Return the directions for a lower end about a delta: what is left out counts as 0."""
        sides = [self._side(False, self._cut_at(log_delta), is_lower=True)]
        return [*sides, self._side(True, is_lower=True)] if self._differ else sides

    def _cut_at(self, log_delta: float) -> float:
        """Return which mass of each rare loss may be left out at a delta; 0 for none."""
        if not self._rare or log_delta < _LEAST_CUT:
            return 0.0
        share = math.log(_CUT_SHARE / self._rare)
        return 10.0 ** math.floor((log_delta + share) / math.log(10))

    def _side(self, comes: bool, cut: float = 0.0, *, is_lower: bool = False) -> LossSum:
        """Return one direction, with a mass that is cut off each rare loss."""
        key = comes, cut, is_lower
        if key not in self._sides:
            if len(self._sides) == _KEPT:
                del self._sides[next(iter(self._sides))]
            parts = [
                (PairLoss(pair, comes, cut, is_lower=is_lower), times)
                for pair, times in self._pairs.items()
            ]
            self._sides[key] = LossSum(parts, self._per_width, is_lower)
        return self._sides[key]
