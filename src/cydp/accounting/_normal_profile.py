# SPDX-License-Identifier: MIT
"""The privacy profile of normal noise alone: of any number of releases it is one of their rho.

docs/accounting/plans.md, "Closed forms".
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from cydp._numbers.gaussian_delta import DIGITS, least_normal_delta, normal_delta
from cydp._numbers.intervals import directed_contexts, quotients
from cydp._numbers.rational import float_of
from cydp.accounting import _conversion

__all__ = ["SMOOTH", "SMOOTH_SHARE", "NormalProfile"]

SMOOTH = Fraction(2, 10**12)  # nats that noise on a grid, all of it, may lose beside normal noise
SMOOTH_SHARE = Fraction(4, 10**12)  # of a delta, for the same reason
_FAR = 40  # standard deviations of a move, beyond which delta is taken to be 1
_LAST = 80  # standard deviations of the loss above its mean
_CLOSE = 2.0**-44  # of epsilon: the width at which a bisection ends


class NormalProfile:
    """The delta at each epsilon of normal noise, from decimals that are rounded up, or down.

    Parameters
    ----------
    rho : Fraction
        The sum over all releases, above 0.

    """

    __slots__ = ("_least_move", "_move", "_rho")

    def __init__(self, rho: Fraction) -> None:
        down, up = directed_contexts(DIGITS)
        low, high = quotients(2 * rho, DIGITS)
        self._rho = rho
        self._least_move = down.sqrt(low).next_minus(down)
        self._move = up.sqrt(high).next_plus(up)

    def epsilon(self, delta: Fraction) -> float:
        """Return an epsilon at a delta in (0, 1)."""
        low, high = 0.0, float_of(_conversion.epsilon_of(self._rho, delta) + 2 * SMOOTH)
        if self.delta(Fraction(0)) <= delta:
            return 0.0
        while self.delta(Fraction(high)) > delta:
            low, high = high, 2 * high
        while high - low > high * _CLOSE:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(Fraction(middle)) <= delta else (middle, high)
        return high

    def least_epsilon(self, delta: Fraction) -> float:
        """Return an epsilon at a delta in (0, 1) that the exact one is not below."""
        low, high = 0.0, self.epsilon(delta)
        while high - low > high * _CLOSE:
            middle = (low + high) / 2
            is_below = self.least_delta(Fraction(middle)) > delta
            low, high = (middle, high) if is_below else (low, middle)
        return low

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0 that the exact one is not below."""
        at = epsilon + SMOOTH
        if at > self._rho + _LAST * Fraction(self._move):
            return Fraction(0)
        down, up = directed_contexts(DIGITS)
        # Rounded up: a larger number belongs to a smaller move.
        quotient = up.divide(quotients(at, DIGITS)[1], self._least_move)
        middle = up.subtract(quotient, down.divide(self._least_move, 2))
        found = Fraction(least_normal_delta(max(middle, Decimal(-_FAR)), at))
        return found * (1 - SMOOTH_SHARE)

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0."""
        # No delta of MAX_BITS is so small as there, and a decimal would have a huge exponent.
        at = min(epsilon - SMOOTH, self._rho + _LAST * Fraction(self._move))
        if at <= 0:
            found = Fraction(math.erf(float(self._move) / math.sqrt(8))) + SMOOTH
        else:
            down, up = directed_contexts(DIGITS)
            # Rounded down: a smaller number belongs to a larger move.
            quotient = down.divide(quotients(at, DIGITS)[0], self._move)
            middle = down.subtract(quotient, up.divide(self._move, 2))
            if middle < -_FAR:
                return Fraction(1)
            found = Fraction(normal_delta(middle, at))
        return min(found * (1 + SMOOTH_SHARE), Fraction(1))
