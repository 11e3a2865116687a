# SPDX-License-Identifier: MIT
"""The delta of discrete Gaussian noise on one integer, from above, by decimals rounded outwards."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from cydp._numbers.intervals import directed_contexts, exp_interval, quotients
from cydp.mechanisms._normal_delta import DIGITS, PI

__all__ = ["discrete_delta"]

_END = Decimal("1e-25")  # of a sum, at which it ends; what is left is bounded
_POISSON = 16  # of sigma squared; from there on the sum of all is its integral, but for e**-315
_DEEP = 12  # sigmas below 0; where the sum would start there, delta is 1 to 30 digits


def discrete_delta(sigma2: Fraction, steps: int, epsilon: Fraction) -> Decimal:
    """Return a delta at an epsilon, from above, where one unit can change one integer by `steps`.

    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, theorem 7:
    with f(k) = exp(-k**2 / (2 sigma**2)) it is the sum of f(k) - exp(epsilon) f(k + steps) where
    that is positive, which is from epsilon sigma**2 / steps - steps / 2 on, divided by that of f.

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
    lost = _exp(epsilon - steps * (2 * first + steps) * half)[0]  # the share of a term, below 1
    losses = _exp(-2 * steps * half)[0]
    k, total = first, Decimal(0)
    while True:
        total = up.add(total, up.multiply(term, up.subtract(1, lost)))
        term, k = up.multiply(term, ratio), k + 1
        if k > 0 and term <= up.multiply(total, up.multiply(_END, up.subtract(1, ratio))):
            break
        ratio, lost = up.multiply(ratio, ratios), down.multiply(lost, losses)
    rest = up.divide(term, down.subtract(1, ratio))  # ratios fall: a geometric series is above
    return up.divide(up.add(total, rest), _whole(sigma2, down))


def _exp(x: Fraction) -> tuple[Decimal, Decimal]:
    return exp_interval(x, DIGITS)


def _whole(sigma2: Fraction, down: Context) -> Decimal:
    """Return the sum of f over all integers, from below."""
    if sigma2 >= _POISSON:  # every term of Poisson's formula is positive
        square = down.multiply(down.multiply(2, PI[0]), quotients(sigma2, DIGITS)[0])
        return down.sqrt(square).next_minus(down)
    term, ratio = _exp(-1 / (2 * sigma2))[0], _exp(-3 / (2 * sigma2))[0]
    ratios, total = _exp(-1 / sigma2)[0], Decimal(0)
    while term > _END:
        total = down.add(total, term)
        term, ratio = down.multiply(term, ratio), down.multiply(ratio, ratios)
    return down.add(1, down.multiply(2, total))
