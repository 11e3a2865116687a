# SPDX-License-Identifier: MIT
"""Privacy loss distributions of whole plans, by dp-accounting (extra ``pld``).

Wrapped, not trusted: https://github.com/google/differential-privacy/tree/main/python/dp_accounting
adds up rounded numbers, so what it says of a small delta may be too little. It is asked at a delta
that is smaller by a guard, which is more than any rounding that was seen, and at no tiny delta.
"""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import float_of
from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, Pair, Pairs

__all__ = ["LEAST_DELTA", "MARGIN", "Curve", "can_compose", "composed", "installed", "spacing_of"]

MARGIN = 1e-9  # relative, of what is found
LEAST_DELTA = 1e-10
MOST_RELEASES = 10**7
_GUARD, _ROUNDING = 1e-12, 2e-15  # of all, and of each release
_MOST_LOSS = 1e3  # squared width of what is lost in all
_FINEST = 1e-10  # spacing; below it differences of floats are mostly rounding, or NaN
_MOST_RHO = 200  # of one release: a shift by 20 sigmas
_MOST_POINTS = 2**18
_COARSEST = 1e-4  # of 1, or of the width of what is lost in all
_FINENESS = 200  # points in the width of one release
_BASE = 256
_TAIL = 1e-15  # mass beyond the points that are kept; it is added to the delta


def installed() -> bool:
    """Whether dp-accounting is there."""
    return importlib.util.find_spec("dp_accounting") is not None


class Curve:
    """The least delta at each epsilon of pairs that are composed, from above."""

    __slots__ = ("_composed", "_guard", "_least")

    def __init__(self, composed: Any, releases: int) -> None:
        self._composed = composed
        mass = float(composed.get_delta_for_epsilon(-1e3 - _MOST_LOSS))  # 1, but for rounding
        self._guard = _GUARD + releases * _ROUNDING + max(1 - mass, 0.0)
        self._least = max(LEAST_DELTA, 2 * self._guard)

    def epsilon(self, delta: float) -> float | None:
        """Return an epsilon at a delta; None for one too small for floats."""
        if delta < self._least:
            return None
        found = float(self._composed.get_epsilon_for_delta(delta - self._guard))
        return found * (1 + MARGIN) if math.isfinite(found) else None

    def delta(self, epsilon: float) -> float:
        """Return a delta at an epsilon, not below what floats can tell from 0."""
        found = float(self._composed.get_delta_for_epsilon(epsilon / (1 + MARGIN))) + self._guard
        return max(found, self._least)


def can_compose(pairs: Pairs) -> bool:
    """Whether floats can follow these pairs: those that lose more guarantee nothing."""
    few = sum(pairs.values()) <= MOST_RELEASES and all(pair.rho <= _MOST_RHO for pair in pairs)
    return few and _square(pairs) <= _MOST_LOSS and spacing_of(pairs) >= _FINEST


def composed(pairs: Pairs) -> Curve:
    """Return the curve of all pairs together."""
    spacing = spacing_of(pairs)
    whole = None
    for pair, times in pairs.items():
        whole = _joined(whole, _powered(_single(pair, spacing), times))
    return Curve(whole, sum(pairs.values()))


def spacing_of(pairs: Pairs) -> float:
    """Return the spacing of the grid of losses; a release may cost so much more by it."""
    releases, square = sum(pairs.values()), _square(pairs)
    width = math.sqrt(square)
    spacing = min(width / math.sqrt(releases) / _FINENESS, _COARSEST * max(width, 1))
    return max(spacing, (square + 16 * width) / _MOST_POINTS)


def _powered(single: Any, times: int) -> Any:
    """Return so many of one, digit by digit.

    At once dp-accounting would not know the width of what it gets, and would compute more than
    10**7 points for 10**6 releases.
    """
    whole, power, left = None, single, times
    while True:
        left, digit = divmod(left, _BASE)
        if digit:
            whole = _joined(whole, power.self_compose(digit, _TAIL))
        if not left:
            return whole
        power = power.self_compose(_BASE, _TAIL / left)  # so often it will be there


def _joined(one: Any, other: Any) -> Any:
    return other if one is None else one.compose(other, tail_mass_truncation=_TAIL)


def _square(pairs: Pairs) -> float:
    """Return the variance of the loss, or more."""
    return 2 * float_of(sum((times * pair.rho for pair, times in pairs.items()), Fraction(0)))


def _single(pair: Pair, spacing: float) -> Any:
    # Here: the import takes a second, and is of an extra.
    from dp_accounting.pld import privacy_loss_distribution as pld

    how: dict[str, Any] = {"value_discretization_interval": spacing, "use_connect_dots": True}
    if isinstance(pair, LaplacePair):
        rate = float_of(pair.epsilon / pair.steps)
        return pld.from_discrete_laplace_mechanism(rate, pair.steps, **how)
    if isinstance(pair, GaussianPair):
        sigma = math.sqrt(float_of(pair.sigma2))
        return pld.from_discrete_gaussian_mechanism(sigma, pair.steps, **how)
    return pld.from_gaussian_mechanism(1 / math.sqrt(2 * float_of(pair.rho)), **how)
