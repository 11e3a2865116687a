# SPDX-License-Identifier: MIT
"""Dominating pairs: two distributions at least as far apart as answers about neighbouring tables.

The answers come from one mechanism. A plan is composed of pairs instead of mechanisms.
docs/accounting/dominating_pairs.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, cast

__all__ = [
    "SMOOTH2",
    "BoundedRangePair",
    "GaussianPair",
    "LaplacePair",
    "NormalPair",
    "Pair",
    "Pairs",
    "ResponsePair",
    "SampledPair",
    "gaussian_pairs",
    "laplace_pairs",
    "normal_rho",
    "pairs_of",
    "sampled_pairs",
]

MOST_STEPS = 4096  # of a Laplace pair: a finer grid costs hardly less, and takes longer
MOST_SIGMA2 = 10**6  # of a Gaussian pair: above, a normal pair costs at most 3 in a million more
_MANY_STEPS = 2**24  # beside which MOST_STEPS are few
SMOOTH2 = 3  # the part of sigma squared that makes integers of a normal distribution


@dataclass(frozen=True, slots=True)
class LaplacePair:
    """Discrete Laplace noise, and the same moved by some steps, which cost epsilon together."""

    epsilon: Fraction
    steps: int = 1

    @property
    def rho(self) -> Fraction:
        """At least what the pair costs in zCDP."""
        return self.epsilon**2 / 2


@dataclass(frozen=True, slots=True)
class ResponsePair:
    """Randomized response with several categories, of which two are the true ones."""

    epsilon: Fraction
    n_categories: int

    @property
    def rho(self) -> Fraction:
        """At least what the pair costs in zCDP."""
        return self.epsilon**2 / 2


@dataclass(frozen=True, slots=True)
class BoundedRangePair:
    """Losses between -epsilon and epsilon, with the density e**(loss / 2) times a constant.

    It dominates the exponential mechanism, whose losses have a range of epsilon for any two tables.
    """

    epsilon: Fraction

    @property
    def rho(self) -> Fraction:
        """At least what the pair costs in zCDP."""
        return self.epsilon**2 / 2


@dataclass(frozen=True, slots=True)
class GaussianPair:
    """Discrete Gaussian noise, and the same moved by some steps."""

    sigma2: Fraction
    steps: int = 1

    @property
    def rho(self) -> Fraction:
        """What the pair costs in zCDP."""
        return self.steps**2 / (2 * self.sigma2)


@dataclass(frozen=True, slots=True)
class NormalPair:
    """Normal noise of variance 1, and the same moved by sqrt(2 rho)."""

    rho: Fraction


@dataclass(frozen=True, slots=True)
class SampledPair:
    """The second of a pair, and a mixture of it with the first, which has the weight `share`.

    It stands for both directions: a row that comes, and one that goes.
    """

    pair: LaplacePair | GaussianPair | NormalPair
    share: Fraction

    @property
    def rho(self) -> Fraction:
        """At least what the pair costs in zCDP: a mixture costs no more than its parts."""
        return self.pair.rho


Pair: TypeAlias = (
    LaplacePair | ResponsePair | BoundedRangePair | GaussianPair | NormalPair | SampledPair
)
Pairs: TypeAlias = Mapping[Pair, int]  # how many times each pair is composed


def pairs_of(cost: Any) -> Pairs | None:
    """Return the dominating pairs that the class of a mechanism itself states.

    The pairs of a base class do not count: a subclass may release something else, at another loss.
    """
    has_own = "_pairs" in type(cost).__dict__
    return cast("Pairs | None", cost._pairs) if has_own else None


def laplace_pairs(epsilon: Fraction, steps: Fraction, *, or_more: bool = False) -> Pairs:
    """Return the pairs that dominate discrete Laplace noise that costs epsilon.

    Parameters
    ----------
    epsilon : Fraction
        The cost of a change by `steps`, in nats.
    steps : Fraction
        L1 norm of what one unit can change, in all entries together.
    or_more : bool
        Whether the norm may also be larger than `steps`, with a scale that grows in proportion.

    """
    most = _largest_integer(steps)
    if most < 1 or (or_more and most < _MANY_STEPS):
        return {LaplacePair(epsilon): 1}
    if or_more:
        fewer, moved = MOST_STEPS, most + MOST_STEPS
    else:
        factor = -(-most // MOST_STEPS)
        fewer = -(-most // factor)
        moved = fewer * factor
    return {LaplacePair(epsilon * moved / steps, fewer): 1}


def gaussian_pairs(
    norm2: Fraction, sigma2: Fraction, coordinates: int | None, *, or_more: bool = False
) -> Pairs | None:
    """Return the pairs that dominate discrete Gaussian noise, or None if none are known.

    Parameters
    ----------
    norm2 : Fraction
        Square of the L2 norm of what one unit can change, in steps.
    sigma2 : Fraction
        Square of the noise's sigma, in steps.
    coordinates : int or None
        How many entries one unit can change, if that is known.
    or_more : bool
        Whether both may also be larger, as long as norm2 / (sigma2 - 3) does not grow.

    """
    most = _largest_integer(norm2)
    if most >= 1 and sigma2 <= MOST_SIGMA2 and not or_more:
        if most < 4:  # no entry moves by 2 steps
            return {GaussianPair(sigma2): min(most, coordinates or most)}
        if coordinates == 1:
            return {GaussianPair(sigma2, math.isqrt(most)): 1}
    if sigma2 <= 2 * SMOOTH2:
        return None
    return {NormalPair(norm2 / (2 * (sigma2 - SMOOTH2))): 1}


def sampled_pairs(pairs: Pairs, share: Fraction) -> Pairs | None:
    """Return the pairs that dominate a mechanism on a Poisson sample, or None if none are known.

    Parameters
    ----------
    pairs : Pairs
        The mechanism's pairs. They are symmetric.
    share : Fraction
        The probability with which a row is in the sample, above 0.

    """
    if share == 1 or not pairs:
        return pairs
    if len(pairs) > 1:
        return None
    [(pair, times)] = pairs.items()
    if times > 1:  # all of them see one sample, so that one pair must stand for all
        rho = normal_rho(pair)
        if rho is None:
            return None
        pair = NormalPair(times * rho)
    if isinstance(pair, BoundedRangePair | ResponsePair):
        pair = LaplacePair(pair.epsilon)
    return None if isinstance(pair, SampledPair) else {SampledPair(pair, share): 1}


def normal_rho(pair: Pair) -> Fraction | None:
    """Return the rho of a normal pair that dominates a pair; None if none is known."""
    if isinstance(pair, NormalPair):
        return pair.rho
    if isinstance(pair, GaussianPair) and pair.sigma2 > 2 * SMOOTH2:
        return pair.steps**2 / (2 * (pair.sigma2 - SMOOTH2))
    return None


def _largest_integer(norm: Fraction) -> int:
    """Return the largest integer that a norm allows, also if the norm was rounded down a little.

    The square of sqrt(3), rounded down, allows 3.
    """
    return math.floor(norm + Fraction(1, 2**20))
