# SPDX-License-Identifier: MIT
"""Discrete Gaussian noise for an (epsilon, delta), as little as a search finds.

Every sigma that is returned was itself checked by bounds that are rounded outwards. The search
decides only how close it is to the least one. docs/mechanisms/gaussian_calibration.md has the
proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from cydp._numbers.gaussian_delta import (
    DIGITS,
    FEWER_DIGITS,
    discrete_delta,
    distance,
    normal_delta,
)
from cydp._numbers.intervals import quotients
from cydp._numbers.rational import float_of, log_of, round_up
from cydp.accounting._conversion import rho_of
from cydp.accounting._dominating_pairs import SMOOTH2
from cydp.mechanisms._gaussian_guess import guess_normal, log_discrete_delta

__all__ = ["ENTRY_COUNTS", "ENTRY_ERROR", "least_sigma2", "normal_variance"]

# The logarithms of an entry's probabilities under discrete noise, and under noise that is computed
# from normal noise, differ by at most 4 exp(-6 pi**2) < 7.7e-26.
ENTRY_ERROR = Fraction(1, 10**25)
ENTRY_COUNTS = (2**20, 2**40, 2**62)  # all counts up to one of these share its calibration
_LARGEST_SUMMED = 100**2  # beyond, SMOOTH2 more variance is less than 1 / 6000 more sigma
_LEAST_SUMMED = Fraction(1, 10**7)  # samplers refuse a smaller square of sigma
_TOLERANCE = 5e-10  # of ln(sigma)
_MARGIN = 1e-12  # of ln(sigma), by which a guess is made safer
_LN = Context(17)


def least_sigma2(
    epsilon: Fraction,
    delta: Fraction,
    norm: Fraction,
    steps: int,
    entries: int,
) -> Fraction:
    """Return a square of sigma that gives (epsilon, delta).

    Parameters
    ----------
    epsilon, delta : Fraction
    norm : Fraction
        L2 norm of the change that one unit can make.
    steps : int
        The largest change that one unit can make in a single entry.
    entries : int
        The number of entries that one unit can change.

    """
    variance = normal_variance(epsilon, delta, entries)
    square = norm**2
    least = None if variance is None else variance * square + SMOOTH2
    if least is None or least <= _LARGEST_SUMMED:  # elsewhere rho gives more, as SMOOTH2 is little
        sufficient = square / (2 * rho_of(epsilon, delta))
        least = sufficient if least is None else min(least, sufficient)
    if entries > 1 or not _LEAST_SUMMED < least <= _LARGEST_SUMMED:
        return least
    return _least_summed(epsilon, delta, steps, least)


def normal_variance(epsilon: Fraction, delta: Fraction, entries: int) -> Fraction | None:
    """Return a variance of normal noise that gives (epsilon, delta) at L2 norm 1, or None.

    It is corrected for discrete noise in this number of entries.
    """
    variance = _normal_variance(epsilon, delta, ENTRY_COUNTS[0])
    # All smaller counts are tried, too, so that more entries never get less noise by chance.
    for fewer, count in pairwise(ENTRY_COUNTS):
        if variance is None or entries <= fewer:
            break
        found = _normal_variance(epsilon, delta, count)
        variance = None if found is None else max(variance, found)
    return variance


@lru_cache(256)
def _normal_variance(epsilon: Fraction, delta: Fraction, entries: int) -> Fraction | None:
    correction = entries * ENTRY_ERROR
    loss = epsilon - 2 * correction
    target = quotients(delta * (1 - correction), DIGITS)[0]  # below delta exp(-correction)
    size = math.sqrt(2 * float_of(loss)) if loss > 0 else 0.0
    if not 1e-145 < size < 1e145:
        return None
    u = guess_normal(float_of(loss), float(_LN.ln(target)), _MARGIN)
    if u is None or normal_delta(Decimal(u), loss, FEWER_DIGITS) > target:
        # u = size sinh(t) and mu = size exp(-t): a step of t is one of ln(sigma).
        gap = _gap_to(target, lambda t: normal_delta(Decimal(size * math.sinh(t)), loss))
        # The probability beyond u is at most exp(-u**2 / 2) / 2.
        far = math.sqrt(-2 * log_of(delta)) + 1
        t = _least_passing(gap, math.asinh(-10 / size), math.asinh(far / size))
        if t is None:
            return None
        u = size * math.sinh(t)
    mu = distance(Decimal(u), loss)[0]
    return round_up(1 / Fraction(mu) ** 2)


@lru_cache(256)
def _least_summed(epsilon: Fraction, delta: Fraction, steps: int, sufficient: Fraction) -> Fraction:
    """Return the least square of sigma that is found by summing the discrete delta."""
    target = quotients(delta, DIGITS)[0]
    log_target, e = float(_LN.ln(target)), float_of(epsilon)
    highest = math.log(float_of(sufficient))
    near = float_of(sufficient) - 2 * SMOOTH2
    lowest = math.log(near) if near > SMOOTH2 else highest - 8
    guess = _least_passing(
        lambda t: log_discrete_delta(math.exp(t), steps, e) - log_target, lowest, highest
    )
    if guess is not None and guess > lowest:
        square = Fraction(math.exp(guess + _MARGIN))
        if square < sufficient and discrete_delta(square, steps, epsilon, FEWER_DIGITS) <= target:
            return square
    gap = _gap_to(target, lambda t: discrete_delta(Fraction(math.exp(t)), steps, epsilon))
    if gap(lowest) <= 0:
        lowest = highest - 8
    t = _least_passing(gap, lowest, highest)
    return sufficient if t is None else min(Fraction(math.exp(t)), sufficient)


def _gap_to(target: Decimal, delta_at: Callable[[float], Decimal]) -> Callable[[float], float]:
    """Return the function ln(delta / target). It is positive if and only if delta is too large."""
    log_target = float(_LN.ln(target))

    def gap(t: float) -> float:
        delta = delta_at(t)
        difference = float(_LN.ln(delta)) - log_target
        return min(difference, 0.0) if delta <= target else max(difference, 5e-324)

    return gap


def _least_passing(gap: Callable[[float], float], low: float, high: float) -> float | None:
    """Return approximately the least t in [low, high] at which the gap is not positive.

    The t that is returned was tried itself. The method: Chandrupatla, "A new hybrid
    quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    derivatives", 1997.
    """
    new, end = (high, gap(high)), (low, gap(low))
    if new[1] > 0:
        return None
    if end[1] <= 0:
        return low
    share = 0.5
    while True:
        t = new[0] + share * (end[0] - new[0])
        value = gap(t)
        if (value > 0) == (new[1] > 0):
            old = new
        else:
            old, end = end, new
        new = t, value
        width = abs(end[0] - new[0])
        if width <= 2 * _TOLERANCE:
            return max(new, end)[0]
        share = min(max(_next_share(new, end, old), _TOLERANCE / width), 1 - _TOLERANCE / width)


def _next_share(
    new: tuple[float, float], end: tuple[float, float], old: tuple[float, float]
) -> float:
    """Return the share of the way from `new` to `end`: by a quadratic if that is safe, or half."""
    (x, f), (x_end, f_end), (x_old, f_old) = new, end, old
    place, level = (x - x_end) / (x_old - x_end), (f - f_end) / (f_old - f_end)
    if not (level**2 < place and (1 - level) ** 2 < 1 - place):
        return 0.5
    return f / (f_end - f) * f_old / (f_end - f_old) + (x_old - x) / (x_end - x) * f / (
        f_old - f
    ) * f_end / (f_old - f_end)
