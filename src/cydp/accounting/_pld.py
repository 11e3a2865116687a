# SPDX-License-Identifier: MIT
"""PLD: privacy loss distributions of plans, computed by dp-accounting (extra ``pld``).

https://github.com/google/differential-privacy/tree/main/python/dp_accounting is wrapped, and not
trusted: it adds up rounded numbers, so its epsilon at a small delta may be too small. It is asked
for an epsilon at a delta that is smaller by a guard, which is more than all rounding that was seen,
and it is asked at no tiny delta. See docs/accounting/plans.md, "The guard on dp-accounting".
"""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from typing import Any, TypeGuard

from cydp._numbers.rational import float_of
from cydp.accounting._dominating_pairs import (
    GaussianPair,
    LaplacePair,
    Pair,
    Pairs,
    SampledPair,
)

__all__ = [
    "LEAST_DELTA",
    "MARGIN",
    "PrivacyProfile",
    "can_compose",
    "compose",
    "installed",
    "spacing_of",
]

MARGIN = 1e-9  # relative, added to an epsilon that was found
LEAST_DELTA = 1e-10
MOST_RELEASES = 10**7
_GUARD, _GUARD_PER_RELEASE = 1e-12, 2e-15  # of delta
_MOST_VARIANCE = 1e3  # of the loss of all releases together
_FINEST = 1e-10  # spacing; below it, differences of floats are mostly rounding, or NaN
_MOST_RHO = 200  # of one release: a shift by 20 sigmas
_MOST_POINTS = 2**18
_COARSEST = 1e-4  # spacing, of 1 or of the width of the loss of all releases
_POINTS_PER_WIDTH = 200  # of the loss of one release
_POINTS_IF_SAMPLED = 50  # the tails of a sampled release are long, beside its width
_BASE = 256  # of the digits of a count of releases
_TAIL = 1e-15  # the mass beyond the points that are kept; it is added to the delta


def installed() -> bool:
    """Whether dp-accounting is installed."""
    return importlib.util.find_spec("dp_accounting") is not None


class PrivacyProfile:
    """The least delta at each epsilon of pairs that are composed, rounded up."""

    __slots__ = ("_guard", "_least", "_pld")

    def __init__(self, pld: Any, releases: int) -> None:
        self._pld = pld
        mass = float(pld.get_delta_for_epsilon(-1e3 - _MOST_VARIANCE))  # 1, but for rounding
        self._guard = _GUARD + releases * _GUARD_PER_RELEASE + max(1 - mass, 0.0)
        self._least = max(LEAST_DELTA, 2 * self._guard)

    def epsilon(self, delta: float) -> float | None:
        """Return an epsilon at a delta; None for a delta that is too small for floats."""
        if delta < self._least:
            return None
        found = float(self._pld.get_epsilon_for_delta(delta - self._guard))
        return found * (1 + MARGIN) if math.isfinite(found) else None

    def delta(self, epsilon: float) -> float:
        """Return a delta at an epsilon; it is never so small that floats cannot tell it from 0."""
        found = float(self._pld.get_delta_for_epsilon(epsilon / (1 + MARGIN))) + self._guard
        return max(found, self._least)


def can_compose(pairs: Pairs) -> bool:
    """Whether floats can follow the composition of these pairs.

    Pairs that lose too much for that guarantee nothing.
    """
    few = sum(pairs.values()) <= MOST_RELEASES and all(pair.rho <= _MOST_RHO for pair in pairs)
    return few and _variance_of(pairs) <= _MOST_VARIANCE and spacing_of(pairs) >= _FINEST


def compose(pairs: Pairs) -> PrivacyProfile:
    """Return the privacy profile of all pairs together."""
    spacing = spacing_of(pairs)
    total = None
    for pair, times in pairs.items():
        total = _compose_two(total, _repeat(_pld_of(pair, spacing), times))
    return PrivacyProfile(total, sum(pairs.values()))


def spacing_of(pairs: Pairs) -> float:
    """Return the spacing of the grid of losses: by how much a release may cost more on the grid."""
    releases, variance = sum(pairs.values()), _variance_of(pairs)
    width = math.sqrt(variance)
    points = _POINTS_IF_SAMPLED if any(map(_is_sampled, pairs)) else _POINTS_PER_WIDTH
    spacing = min(width / math.sqrt(releases) / points, _COARSEST * max(width, 1))
    widest = max([variance + 16 * width, *map(_largest_loss, pairs)])
    return max(spacing, widest / _MOST_POINTS)


def _repeat(pld: Any, times: int) -> Any:
    """Return the composition of `times` equal releases, by the digits of their number.

    Without digits dp-accounting would not know the width of the result, and would compute more than
    10**7 points for 10**6 releases.
    """
    total, power, left = None, pld, times
    while True:
        left, digit = divmod(left, _BASE)
        if digit:
            total = _compose_two(total, power.self_compose(digit, _TAIL))
        if not left:
            return total
        power = power.self_compose(_BASE, _TAIL / left)  # the power is used up to `left` times


def _compose_two(pld: Any, other: Any) -> Any:
    return other if pld is None else pld.compose(other, tail_mass_truncation=_TAIL)


def _variance_of(pairs: Pairs) -> float:
    """Return about the variance of the loss of all pairs together."""
    whole = sum((n * each.rho for each, n in pairs.items() if not _is_sampled(each)), Fraction(0))
    sampled = sum(n * _sampled_variance(each) for each, n in pairs.items() if _is_sampled(each))
    return 2 * float_of(whole) + sampled


def _is_sampled(pair: Pair) -> TypeGuard[SampledPair]:
    return isinstance(pair, SampledPair)


def _sampled_variance(pair: SampledPair) -> float:
    """Return about the variance of a sampled release: the chi-squared divergence of its mixture.

    For Laplace noise the divergence of randomized response stands for it, which is at least as
    large. The variance without sampling is the most.
    """
    whole = 2 * float_of(pair.rho)
    if isinstance(pair.pair, LaplacePair):
        divergence = 4 * math.sinh(float_of(pair.pair.epsilon) / 2) ** 2
    else:
        divergence = math.expm1(whole)
    return min(whole, float_of(pair.share) ** 2 * divergence)


def _largest_loss(pair: Pair) -> float:
    """Return a loss that a sampled pair exceeds at most where its tails are cut."""
    if not _is_sampled(pair):
        return 0.0
    rho = float_of(pair.rho)
    largest = rho + 10 * math.sqrt(2 * rho)
    if isinstance(pair.pair, LaplacePair):
        largest = float_of(pair.pair.epsilon)
    return math.log1p(float_of(pair.share) * math.expm1(largest))


def _pld_of(pair: Pair, spacing: float) -> Any:
    # Imported by the first use, because the import takes a second and needs an extra.
    from dp_accounting.pld import privacy_loss_distribution as pld

    grid: dict[str, Any] = {"value_discretization_interval": spacing, "use_connect_dots": True}
    if _is_sampled(pair):
        grid["sampling_prob"] = min(math.nextafter(float_of(pair.share), 1), 1.0)
        pair = pair.pair
    if isinstance(pair, LaplacePair):
        rate = float_of(pair.epsilon / pair.steps)
        return pld.from_discrete_laplace_mechanism(rate, pair.steps, **grid)
    if isinstance(pair, GaussianPair):
        sigma = math.sqrt(float_of(pair.sigma2))
        return pld.from_discrete_gaussian_mechanism(sigma, pair.steps, **grid)
    return pld.from_gaussian_mechanism(1 / math.sqrt(2 * float_of(pair.rho)), **grid)
