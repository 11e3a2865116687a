# SPDX-License-Identifier: MIT
"""The privacy profile of one release on a Poisson sample, from that of the release itself.

docs/accounting/plans.md, "One sample", has the proof.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Protocol

from cydp._numbers.intervals import directed_contexts, exp_interval, quotients
from cydp._numbers.rational import float_of

__all__ = ["Profile", "SampleProfile"]

_DIGITS = 40
_MOST_EPSILON = 10**9  # asked for: beyond, the bound at this one is as good as any


class Profile(Protocol):
    """Bounds of delta and epsilon, of both sides."""

    def epsilon(self, delta: Fraction) -> float | None:
        """Return an epsilon at a delta in (0, 1); None if none is known."""

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0."""

    def least_epsilon(self, delta: Fraction) -> float:
        """Return an epsilon that the exact one is not below."""

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta that the exact one is not below."""


class SampleProfile:
    """The profile of a symmetric pair on one sample: a share of the pair's own delta.

    Parameters
    ----------
    profile : profile
        Of the pair.
    share : Fraction
        Between 0 and 1.

    """

    __slots__ = ("_profile", "_share")

    def __init__(self, profile: Profile, share: Fraction) -> None:
        self._profile, self._share = profile, share

    def epsilon(self, delta: Fraction) -> float | None:
        """Return an epsilon at a delta in (0, 1); None if none is known."""
        if delta >= self._share:
            return 0.0
        found = self._profile.epsilon(delta / self._share)
        return None if found is None else self._on_sample(found)[1]

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0."""
        return self._share * self._profile.delta(self._without_sampling(epsilon)[0])

    def least_epsilon(self, delta: Fraction) -> float:
        """Return an epsilon at a delta in (0, 1) that the exact one is not below."""
        if delta >= self._share:
            return 0.0
        return self._on_sample(self._profile.least_epsilon(delta / self._share))[0]

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0 that the exact one is not below."""
        if epsilon > _MOST_EPSILON:
            return Fraction(0)
        return self._share * self._profile.least_delta(self._without_sampling(epsilon)[1])

    def _on_sample(self, epsilon: float) -> tuple[float, float]:
        """Return bounds of ln(1 + q (e**epsilon - 1))."""
        down, up = directed_contexts(_DIGITS)
        low, high = exp_interval(Fraction(epsilon), _DIGITS)
        share = quotients(self._share, _DIGITS)
        least = max(down.subtract(low, 1), Decimal(epsilon))
        below = _log_of_1_plus(down.multiply(share[0], least))[0]
        above = _log_of_1_plus(up.multiply(share[1], up.subtract(high, 1)))[1]
        return (
            math.nextafter(max(float_of(below), 0.0), 0),
            math.nextafter(float_of(above), math.inf) if epsilon else 0.0,
        )

    def _without_sampling(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Return bounds of ln(1 + (e**epsilon - 1) / q)."""
        if not epsilon:
            return epsilon, epsilon
        at = min(epsilon, Fraction(_MOST_EPSILON))
        down, up = directed_contexts(_DIGITS)
        low, high = exp_interval(at, _DIGITS)
        share = quotients(self._share, _DIGITS)
        least = max(down.subtract(low, 1), quotients(at, _DIGITS)[0])  # 1 + x <= e**x
        below = _log_of_1_plus(down.divide(least, share[1]))[0]
        above = _log_of_1_plus(up.divide(up.subtract(high, 1), share[0]))[1]
        return max(below, at), max(above, at)


def _log_of_1_plus(x: Decimal) -> tuple[Fraction, Fraction]:
    """Return bounds of ln(1 + x), x >= 0."""
    down, up = directed_contexts(_DIGITS)
    low, high = down.add(1, x).ln(down).next_minus(down), up.add(1, x).ln(up).next_plus(up)
    return Fraction(max(low, Decimal(0))), Fraction(min(high, x))
