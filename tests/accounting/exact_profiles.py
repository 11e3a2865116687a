"""The privacy profile of a few discrete pairs, by all their outcomes, with 60 digits."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb

import mpmath

from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, Pair, Pairs, SampledPair

__all__ = ["exact_delta", "outcomes"]

mpmath.mp.dps = 60


def number(fraction: Fraction) -> mpmath.mpf:
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def outcomes(pair: Pair, comes: bool) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Return (loss, mass under P) of each output."""
    if isinstance(pair, SampledPair):
        q = number(pair.share)
        found = []
        for loss, p in outcomes(pair.pair, False):
            mixed = mpmath.log(1 - q + q * mpmath.exp(loss))
            under_q = p * mpmath.exp(-loss)
            found.append((-mixed, under_q) if comes else (mixed, under_q * mpmath.exp(mixed)))
        return found
    if isinstance(pair, LaplacePair):
        rate, d = number(pair.epsilon) / pair.steps, pair.steps
        a = mpmath.exp(-rate)
        masses = [1 / (1 + a), *(a**j * (1 - a) / (1 + a) for j in range(1, d)), a**d / (1 + a)]
        return [((d - 2 * m) * rate, p) for m, p in enumerate(masses)]
    assert isinstance(pair, GaussianPair)
    half, far = 1 / (2 * number(pair.sigma2)), int(17 * float(pair.sigma2) ** 0.5) + 2
    weights = {k: mpmath.exp(-(k**2) * half) for k in range(-far, far + 1)}
    total = sum(weights.values())
    return [(pair.steps * (pair.steps + 2 * k) * half, w / total) for k, w in weights.items()]


def several(pair: Pair, times: int, comes: bool) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Return the outcomes of `times` pairs: of two outputs by the number of each, else by all."""
    each = outcomes(pair, comes)
    if len(each) == 2:
        (x, p), (y, q) = each
        return [
            (k * x + (times - k) * y, comb(times, k) * p**k * q ** (times - k))
            for k in range(times + 1)
        ]
    return reduce(sums, [each] * times)


def sums(one, other):  # type: ignore[no-untyped-def]
    return [(x + y, p * q) for (x, p), (y, q) in product(one, other)]


def exact_delta(pairs: Pairs, epsilon: Fraction) -> mpmath.mpf:
    """Return the larger delta of both directions."""
    at = number(epsilon)
    found = []
    for comes in (False, True):
        all_outcomes = reduce(sums, [several(pair, n, comes) for pair, n in pairs.items()])
        found.append(sum(p * -mpmath.expm1(at - loss) for loss, p in all_outcomes if loss > at))
    return max(found)
