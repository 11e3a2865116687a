# SPDX-License-Identifier: MIT
"""Pairs of laws at least as far apart as what a mechanism releases of two neighbours.

A plan is composed from them. docs/accounting/dominating_pairs.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "SMOOTH2",
    "GaussianPair",
    "LaplacePair",
    "NormalPair",
    "Pair",
    "Pairs",
    "gaussian_pairs",
    "laplace_pairs",
]

MOST_STEPS = 4096  # of a Laplace pair: what is finer costs hardly less, and takes longer
MOST_SIGMA2 = 10**6  # of a Gaussian pair: beyond, a normal one is the same but for 3 in a million
_SURELY = 2**24  # steps, beside which MOST_STEPS are few
SMOOTH2 = 3  # of sigma squared, which makes integers of a normal law


@dataclass(frozen=True, slots=True)
class LaplacePair:
    """Discrete Laplace noise, and the same moved by so many steps, which cost epsilon together."""

    epsilon: Fraction
    steps: int = 1

    @property
    def rho(self) -> Fraction:
        """What it costs in zCDP, or more."""
        return self.epsilon**2 / 2


@dataclass(frozen=True, slots=True)
class GaussianPair:
    """Discrete Gaussian noise, and the same moved by so many steps."""

    sigma2: Fraction
    steps: int = 1

    @property
    def rho(self) -> Fraction:
        """What it costs in zCDP."""
        return self.steps**2 / (2 * self.sigma2)


@dataclass(frozen=True, slots=True)
class NormalPair:
    """Normal noise of variance 1, and the same moved by the root of 2 rho."""

    rho: Fraction


Pair: TypeAlias = LaplacePair | GaussianPair | NormalPair
Pairs: TypeAlias = Mapping[Pair, int]  # each with how many times it stands there


def laplace_pairs(epsilon: Fraction, steps: Fraction, *, or_more: bool = False) -> Pairs:
    """Return what stands for discrete Laplace noise that costs epsilon.

    Parameters
    ----------
    epsilon : Fraction
        Of a change by `steps`.
    steps : Fraction
        L1 norm of what one unit can change, in all entries together.
    or_more : bool
        Whether it may also be larger, with a scale that grows along.

    """
    whole = _whole(steps)
    if whole < 1 or (or_more and whole < _SURELY):
        return {LaplacePair(epsilon): 1}
    if or_more:
        fewer, moved = MOST_STEPS, whole + MOST_STEPS
    else:
        factor = -(-whole // MOST_STEPS)
        fewer = -(-whole // factor)
        moved = fewer * factor
    return {LaplacePair(epsilon * moved / steps, fewer): 1}


def gaussian_pairs(
    norm2: Fraction, sigma2: Fraction, coordinates: int | None, *, or_more: bool = False
) -> Pairs | None:
    """Return what stands for discrete Gaussian noise, or None where nothing is known.

    Parameters
    ----------
    norm2 : Fraction
        Square of the L2 norm of what one unit can change, in steps.
    sigma2 : Fraction
        Square of the noise's sigma, in steps.
    coordinates : int or None
        How many entries one unit can change, if that is known.
    or_more : bool
        Whether both may also be larger, as long as norm2 / (sigma2 - 3) is not.

    """
    whole = _whole(norm2)
    if whole >= 1 and sigma2 <= MOST_SIGMA2 and not or_more:
        if whole < 4:  # no entry moves by 2
            return {GaussianPair(sigma2): min(whole, coordinates or whole)}
        if coordinates == 1:
            return {GaussianPair(sigma2, math.isqrt(whole)): 1}
    if sigma2 <= 2 * SMOOTH2:
        return None
    return {NormalPair(norm2 / (2 * (sigma2 - SMOOTH2))): 1}


def _whole(norm: Fraction) -> int:
    """Return the largest integer that a norm allows; a root of 3 that was rounded down means 3."""
    return math.floor(norm + Fraction(1, 2**20))
