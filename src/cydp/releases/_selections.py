# SPDX-License-Identifier: MIT
"""The privacy of several selections, one after the other."""

from __future__ import annotations

from fractions import Fraction

from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact
from cydp._numbers.rounding import decimal_below
from cydp.accounting._conversion import rho_of
from cydp.accounting._loss import ZCDP, Loss, PureDP

__all__ = ["epsilon_of_each"]


def epsilon_of_each(privacy: Loss, k: int) -> Fraction:
    """Return what each of k selections may cost in pure DP, which share a privacy equally.

    >>> epsilon_of_each(PureDP(2), 4), epsilon_of_each(ZCDP(2), 4)
    (Fraction(1, 2), Fraction(2, 1))
    """
    if isinstance(privacy, PureDP):
        return as_exact(privacy.epsilon / k)
    # A selection of pure cost epsilon costs epsilon**2 / 8 in zCDP.
    rho = privacy.rho if isinstance(privacy, ZCDP) else rho_of(privacy.epsilon, privacy.delta)
    by_rho = decimal_below(sqrt_bounds(8 * rho / k)[0])
    return by_rho if isinstance(privacy, ZCDP) else max(by_rho, privacy.epsilon / k)
