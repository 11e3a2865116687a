# SPDX-License-Identifier: MIT
"""The delta of discrete Gaussian noise on one integer, bounded from above.

The decimals are rounded outwards.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from cydp._numbers.intervals import directed_contexts, exp_interval, quotients
from cydp.mechanisms._normal_delta import DIGITS, PI

__all__ = ["discrete_delta"]

_END = Decimal("1e-25")  # a sum ends at terms of this share, and the rest of it is bounded
_POISSON = 16  # from this square of sigma on, the sum of f is its integral, up to a factor e**-315
_DEEP = 12  # sigmas; if the sum starts farther below 0, delta is 1 to 30 digits


def discrete_delta(sigma2: Fraction, steps: int, epsilon: Fraction) -> Decimal:
    """Return a bound of delta at an epsilon, if one unit can change one integer by `steps`.

    Let f(k) = exp(-k**2 / (2 sigma**2)). Delta is the sum of f(k) - exp(epsilon) f(k + steps) over
    all k where this is positive, divided by the sum of f over all integers. It is positive from
    epsilon sigma**2 / steps - steps / 2 on (Canonne, Kamath, Steinke, "The discrete Gaussian for
    differential privacy", 2020, theorem 7).

    >>> round(float(discrete_delta(Fraction(25), 1, Fraction(1, 2))), 9)
    0.000497763
    """
    first = math.floor(epsilon * sigma2 / steps - Fraction(steps, 2)) + 1
    if first < 0 and first**2 > _DEEP**2 * sigma2:
        return Decimal(1)
    down, up = directed_contexts(DIGITS)
    half = 1 / (2 * sigma2)
    term = _exp(-(first**2) * half)[1]
    ratio, ratios = _exp(-(2 * first + 1) * half)[1], _exp(-2 * half)[1]
    lost = _exp(epsilon - steps * (2 * first + steps) * half)[0]  # exp(epsilon) f(k + steps) / f(k)
    losses = _exp(-2 * steps * half)[0]
    k, total = first, Decimal(0)
    while True:
        total = up.add(total, up.multiply(term, up.subtract(1, lost)))
        term, k = up.multiply(term, ratio), k + 1
        if k > 0 and term <= up.multiply(total, up.multiply(_END, up.subtract(1, ratio))):
            break
        ratio, lost = up.multiply(ratio, ratios), down.multiply(lost, losses)
    rest = up.divide(
        term, down.subtract(1, ratio)
    )  # ratios decrease, so a geometric series is a bound
    return up.divide(up.add(total, rest), _total_mass(sigma2, down))


def _exp(x: Fraction) -> tuple[Decimal, Decimal]:
    return exp_interval(x, DIGITS)


def _total_mass(sigma2: Fraction, down: Context) -> Decimal:
    """Return a bound from below of the sum of f over all integers."""
    if sigma2 >= _POISSON:  # all terms of Poisson's summation formula are positive
        square = down.multiply(down.multiply(2, PI[0]), quotients(sigma2, DIGITS)[0])
        return down.sqrt(square).next_minus(down)
    term, ratio = _exp(-1 / (2 * sigma2))[0], _exp(-3 / (2 * sigma2))[0]
    ratios, total = _exp(-1 / sigma2)[0], Decimal(0)
    while term > _END:
        total = down.add(total, term)
        term, ratio = down.multiply(term, ratio), down.multiply(ratio, ratios)
    return down.add(1, down.multiply(2, total))
