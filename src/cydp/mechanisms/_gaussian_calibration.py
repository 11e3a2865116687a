# SPDX-License-Identifier: MIT
"""The least discrete Gaussian noise that is found for an (epsilon, delta).

What is returned was itself found to be enough, by bounds that are rounded outwards. The search
only decides how close to the least it is. docs/mechanisms/gaussian.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from cydp._numbers.intervals import quotients
from cydp._numbers.rational import float_of, log_of, round_up
from cydp.accounting._dominating_pairs import SMOOTH2
from cydp.mechanisms._discrete_gaussian_delta import discrete_delta
from cydp.mechanisms._normal_delta import DIGITS, distance, normal_delta

__all__ = ["ENTRIES", "ENTRY", "least_sigma2", "normal_spread"]

# What an entry's discrete law differs by from the one that is computed from normal noise, in the
# logarithm of its probabilities: at most 4 exp(-6 pi**2) < 7.7e-26.
ENTRY = Fraction(1, 10**25)
ENTRIES = (1, 2**20, 2**40, 2**62)  # calibrations are shared by all numbers up to one of these
_LARGEST_SUMMED = 100**2  # beyond, SMOOTH2 more than the variance costs sigma under 1 / 6000
_LEAST_SUMMED = Fraction(1, 10**7)  # less is no noise that is drawn
_CLOSE = 5e-10  # of ln(sigma)
_LN = Context(17)


def least_sigma2(
    epsilon: Fraction, delta: Fraction, norm: Fraction, steps: int, entries: int, enough: Fraction
) -> Fraction:
    """Return a sigma squared, in steps of the integers, that gives (epsilon, delta).

    Parameters
    ----------
    epsilon, delta : Fraction
    norm : Fraction
        L2 norm of what one unit can change.
    steps : int
        By how many one unit can change a single entry.
    entries : int
        How many entries it can change.
    enough : Fraction
        A sigma squared that gives it for another reason.

    """
    least = enough
    spread = normal_spread(epsilon, delta, entries)
    if spread is not None:
        least = min(least, spread * norm**2 + SMOOTH2)
    if entries > 1 or not _LEAST_SUMMED < least <= _LARGEST_SUMMED:
        return least
    return _summed(epsilon, delta, steps, least)


def normal_spread(epsilon: Fraction, delta: Fraction, entries: int) -> Fraction | None:
    """Return a variance of normal noise that gives (epsilon, delta) at L2 norm 1, or None.

    The correction for so many entries of discrete noise is in it.
    """
    spread = Fraction(0)
    for most in ENTRIES:  # so that more entries never get less noise, by how the search ends
        found = _spread(epsilon, delta, most)
        if found is None:
            return None
        spread = max(spread, found)
        if entries <= most:
            break
    return spread


@lru_cache(256)
def _spread(epsilon: Fraction, delta: Fraction, entries: int) -> Fraction | None:
    correction = entries * ENTRY
    loss = epsilon - 2 * correction
    wanted = quotients(delta * (1 - correction), DIGITS)[0]  # below delta exp(-correction)
    size = math.sqrt(2 * float_of(loss)) if loss > 0 else 0.0
    if not 1e-145 < size < 1e145:
        return None
    # u = size sinh(t) and mu = size exp(-t): a step of t is one of ln(sigma).
    judge = _judge(lambda t: normal_delta(Decimal(size * math.sinh(t)), loss), wanted)
    far = math.sqrt(-2 * log_of(delta)) + 1  # no more than exp(-u**2 / 2) / 2 is beyond u
    t = _least_passing(judge, math.asinh(-10 / size), math.asinh(far / size))
    if t is None:
        return None
    mu = distance(Decimal(size * math.sinh(t)), loss)[0]
    return round_up(1 / Fraction(mu) ** 2)


@lru_cache(256)
def _summed(epsilon: Fraction, delta: Fraction, steps: int, enough: Fraction) -> Fraction:
    wanted = quotients(delta, DIGITS)[0]
    highest = math.log(float_of(enough))

    def judge(t: float) -> float:
        return _judge(lambda t: discrete_delta(Fraction(math.exp(t)), steps, epsilon), wanted)(t)

    near = float_of(enough) - 2 * SMOOTH2
    lowest = math.log(near) if near > SMOOTH2 else highest - 8
    if judge(lowest) <= 0:
        lowest = highest - 8
    t = _least_passing(judge, lowest, highest)
    return enough if t is None else min(Fraction(math.exp(t)), enough)


def _judge(delta_at: Callable[[float], Decimal], wanted: Decimal) -> Callable[[float], float]:
    """Return ln(delta / wanted), for the search, whose sign says whether delta is at most that."""
    goal = float(_LN.ln(wanted))

    def judge(t: float) -> float:
        found = delta_at(t)
        gap = float(_LN.ln(found)) - goal
        return min(gap, 0.0) if found <= wanted else max(gap, 5e-324)

    return judge


def _least_passing(judge: Callable[[float], float], low: float, high: float) -> float | None:
    """Return about the least t in [low, high] that passes: of those tried, the least that does.

    Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
    function without using derivatives", 1997.
    """
    new, end = (high, judge(high)), (low, judge(low))
    if new[1] > 0:
        return None
    if end[1] <= 0:
        return low
    share = 0.5
    while True:
        t = new[0] + share * (end[0] - new[0])
        gap = judge(t)
        if (gap > 0) == (new[1] > 0):
            old = new
        else:
            old, end = end, new
        new = t, gap
        width = abs(end[0] - new[0])
        if width <= 2 * _CLOSE:
            return max(new, end)[0]
        share = min(max(_step(new, end, old), _CLOSE / width), 1 - _CLOSE / width)


def _step(new: tuple[float, float], end: tuple[float, float], old: tuple[float, float]) -> float:
    """Return the share of the way from `new` to `end`: a quadratic's if that is safe, or half."""
    (x, f), (x_end, f_end), (x_old, f_old) = new, end, old
    place, level = (x - x_end) / (x_old - x_end), (f - f_end) / (f_old - f_end)
    if not (level**2 < place and (1 - level) ** 2 < 1 - place):
        return 0.5
    return f / (f_end - f) * f_old / (f_end - f_old) + (x_old - x) / (x_end - x) * f / (
        f_old - f
    ) * f_end / (f_old - f_end)
