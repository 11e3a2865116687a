# SPDX-License-Identifier: MIT
"""The delta of normal noise, bounded from both sides, and of discrete Gaussian noise, from above.

Decimals are rounded outwards in every operation. Normal distributions, their means mu standard
deviations apart, have at an epsilon

    delta = phi(u) (R(u) - R(v)),  u = epsilon / mu - mu / 2,  v = u + mu = sqrt(u**2 + 2 epsilon),

where phi is the normal density, and R(x) is the Mills ratio: the probability beyond x divided by
phi(x) (Balle, Wang, "Improving the Gaussian mechanism for differential privacy", 2018, theorem 8).
The functions of normal noise take u instead of mu, so that no number is too large and no difference
loses digits.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from cydp._numbers.intervals import Interval, directed_contexts, exp_interval, quotients

__all__ = [
    "DIGITS",
    "FEWER_DIGITS",
    "PI",
    "discrete_delta",
    "distance",
    "least_normal_delta",
    "mills_ratio",
    "normal_delta",
]

DIGITS = 30
FEWER_DIGITS = 18  # a word of the module decimal
# Bounds of pi with 60 digits.
PI = (
    Decimal("3.14159265358979323846264338327950288419716939937510582097494"),
    Decimal("3.14159265358979323846264338327950288419716939937510582097495"),
)
_FAR = 2  # from here on the continued fraction is quicker than the series
_CLOSE = 1e-6  # of 1 + |u|: a distance to v at which R(u) - R(v) loses digits

_GUARD = 5  # digits: a sum ends at terms of a share so much above the rounding; the rest is bounded
_POISSON = 16  # from this square of sigma on, the sum of f is its integral, up to a factor e**-315
_DEEP = 12  # sigmas; if the sum starts farther below 0, delta is 1 to 30 digits

_Contexts = tuple[Context, Context]  # they round down, and up


def normal_delta(u: Decimal, epsilon: Fraction, digits: int = DIGITS) -> Decimal:
    """Return a bound of delta at an epsilon > 0, for the distance mu that belongs to u.

    It holds for any number of digits; with more it is closer.

    >>> round(float(normal_delta(Decimal(-1), Fraction(1))), 6)  # mu = 1 + sqrt(3)
    0.728177
    """
    contexts = down, up = directed_contexts(digits)
    exponent = up.divide(down.multiply(u, u).copy_negate(), 2)  # -x would round
    density = up.divide(up.exp(exponent).next_plus(up), _root_of_two_pi((down, up))[0])
    twice = quotients(2 * epsilon, digits)
    root = _root(u, twice, contexts)
    high = _mills_ratio(u, contexts, above=True)
    beyond = _mills_ratio(root[1], contexts, above=False)
    between = up.subtract(high, beyond)
    # R(u) - R(v) is the integral from u to v of 1 - x R(x), which decreases. Where v is close to
    # u, the bound by its first value is better than the difference.
    mu = _distance(u, root, twice, contexts)[1]
    if float(mu) < _CLOSE * (1 + abs(float(u))):
        near = high if u < 0 else _mills_ratio(u, contexts, above=False)
        slope = up.subtract(1, down.multiply(u, near))
        between = min(between, up.multiply(mu, slope))
    return up.multiply(density, between)


def least_normal_delta(u: Decimal, epsilon: Fraction, digits: int = DIGITS) -> Decimal:
    """Return a number that the delta at an epsilon > 0 is not below, for the distance of u.

    >>> round(float(least_normal_delta(Decimal(-1), Fraction(1))), 6)
    0.728177
    """
    contexts = down, up = directed_contexts(digits)
    exponent = down.divide(up.multiply(u, u).copy_negate(), 2)
    density = down.divide(down.exp(exponent).next_minus(down), _root_of_two_pi(contexts)[1])
    twice = quotients(2 * epsilon, digits)
    root = _root(u, twice, contexts)
    beyond = _mills_ratio(root[0], contexts, above=True)
    between = down.subtract(_mills_ratio(u, contexts, above=False), beyond)
    # The integral from u to v of 1 - x R(x) is at least v - u times its last value.
    last = up.multiply(root[1], _mills_ratio(root[1], contexts, above=True))
    mu = _distance(u, root, twice, contexts)[0]
    between = max(between, down.multiply(mu, down.subtract(1, last)), Decimal(0))
    return down.multiply(density, between)


def distance(u: Decimal, epsilon: Fraction) -> Interval:
    """Return bounds of mu = v - u."""
    contexts, twice = directed_contexts(DIGITS), quotients(2 * epsilon, DIGITS)
    return _distance(u, _root(u, twice, contexts), twice, contexts)


def _distance(u: Decimal, root: Interval, twice: Interval, contexts: _Contexts) -> Interval:
    (down, up), (low, high) = contexts, root
    if u <= 0:
        return down.subtract(low, u), up.subtract(high, u)
    return down.divide(twice[0], up.add(high, u)), up.divide(twice[1], down.add(low, u))


def mills_ratio(x: Decimal) -> Interval:
    """Return bounds of the Mills ratio.

    >>> [round(float(bound), 6) for bound in mills_ratio(Decimal(1))]
    [0.65568, 0.65568]
    """
    contexts = directed_contexts(DIGITS)
    return _mills_ratio(x, contexts, above=False), _mills_ratio(x, contexts, above=True)


def _mills_ratio(x: Decimal, contexts: _Contexts, *, above: bool) -> Decimal:
    if x >= _FAR:
        return _continued_fraction(x, contexts, above)
    return _power_series(x, contexts)[above]


def _continued_fraction(x: Decimal, contexts: _Contexts, above: bool) -> Decimal:
    """Compute R(x) = 1 / T(1) from T(j) = x + j / T(j + 1); T(j) is between x and x + j / x.

    The bounds of T(1), T(2), ... are alternately on the other side and on the same side as R's.
    """
    down, up = contexts
    root_of_terms = (down.prec + 3) * math.log(10) / (2 * min(float(x), 1e9))
    terms = math.ceil(root_of_terms**2 / 2) + down.prec // 2
    sides = contexts[above], contexts[not above]  # of T(j), by j % 2
    operations = [(side.add, side.divide) for side in sides]
    tail = x if sides[terms % 2] is down else up.add(x, up.divide(terms, x))
    for j in range(terms - 1, 0, -1):
        add, divide = operations[j % 2]
        tail = add(x, divide(j, tail))
    return sides[0].divide(1, tail)


def _power_series(x: Decimal, contexts: _Contexts) -> Interval:
    """Compute R(x) = sqrt(pi / 2) exp(x**2 / 2) - (x + x**3 / 3 + x**5 / (3 5) + ...)."""
    down, up = contexts
    size = x.copy_abs()  # abs() would round it
    squares = _square(x, contexts)
    term = total = (size, size)
    n = 1
    while term[1] > total[0].scaleb(-down.prec - 3) or squares[1] > n:
        n += 2
        term = (
            down.divide(down.multiply(term[0], squares[0]), n),
            up.divide(up.multiply(term[1], squares[1]), n),
        )
        total = down.add(total[0], term[0]), up.add(total[1], term[1])
    total = (
        total[0],
        up.add(total[1], term[1]),
    )  # each further term is less than half of its predecessor
    low, high = (
        down.exp(down.divide(squares[0], 2)).next_minus(down),
        up.exp(up.divide(squares[1], 2)).next_plus(up),
    )
    full = (
        down.multiply(low, down.sqrt(down.divide(PI[0], 2)).next_minus(down)),
        up.multiply(high, up.sqrt(up.divide(PI[1], 2)).next_plus(up)),
    )
    if x < 0:
        return down.add(full[0], total[0]), up.add(full[1], total[1])
    return down.subtract(full[0], total[1]), up.subtract(full[1], total[0])


def _square(x: Decimal, contexts: _Contexts) -> Interval:
    down, up = contexts
    return down.multiply(x, x), up.multiply(x, x)


def _root(u: Decimal, twice: Interval, contexts: _Contexts) -> Interval:
    """Return bounds of v = sqrt(u**2 + 2 epsilon)."""
    (down, up), square = contexts, _square(u, contexts)
    low, high = down.add(square[0], twice[0]), up.add(square[1], twice[1])
    return down.sqrt(low).next_minus(down), up.sqrt(high).next_plus(up)


def _root_of_two_pi(contexts: _Contexts) -> Interval:
    down, up = contexts
    low, high = down.multiply(2, PI[0]), up.multiply(2, PI[1])
    return down.sqrt(low).next_minus(down), up.sqrt(high).next_plus(up)


def discrete_delta(
    sigma2: Fraction, steps: int, epsilon: Fraction, digits: int = DIGITS
) -> Decimal:
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
    down, up = directed_contexts(digits)
    half, end = 1 / (2 * sigma2), Decimal(1).scaleb(_GUARD - digits)

    def exp(x: Fraction) -> Interval:
        return exp_interval(x, digits)

    term = exp(-(first**2) * half)[1]
    ratio, ratios = exp(-(2 * first + 1) * half)[1], exp(-2 * half)[1]
    lost = exp(epsilon - steps * (2 * first + steps) * half)[0]  # exp(epsilon) f(k + steps) / f(k)
    losses = exp(-2 * steps * half)[0]
    k, total = first, Decimal(0)
    while True:
        total = up.add(total, up.multiply(term, up.subtract(1, lost)))
        term, k = up.multiply(term, ratio), k + 1
        if k > 0 and term <= up.multiply(total, up.multiply(end, up.subtract(1, ratio))):
            break
        ratio, lost = up.multiply(ratio, ratios), down.multiply(lost, losses)
    rest = up.divide(
        term, down.subtract(1, ratio)
    )  # ratios decrease, so a geometric series is a bound
    return up.divide(up.add(total, rest), _total_mass(sigma2, digits, end))


def _total_mass(sigma2: Fraction, digits: int, end: Decimal) -> Decimal:
    """Return a bound from below of the sum of f over all integers."""
    down, _ = directed_contexts(digits)
    if sigma2 >= _POISSON:  # all terms of Poisson's summation formula are positive
        square = down.multiply(down.multiply(2, PI[0]), quotients(sigma2, digits)[0])
        return down.sqrt(square).next_minus(down)
    half = 1 / (2 * sigma2)
    term, ratio, ratios = (exp_interval(-n * half, digits)[0] for n in (1, 3, 2))
    total = Decimal(0)
    while term > end:
        total = down.add(total, term)
        term, ratio = down.multiply(term, ratio), down.multiply(ratio, ratios)
    return down.add(1, down.multiply(2, total))
