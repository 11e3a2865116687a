"""Quantiles by the exponential mechanism: what csrc/mechanisms/quantile*.c must give."""

import decimal
import itertools
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

DIGITS = 500


def context() -> decimal.Context:
    """Return decimals of so many digits and, for the smallest of factors, any exponent."""
    return decimal.Context(DIGITS, Emin=-(10**17), Emax=10**17)


def side(units: Sequence[int], q: Fraction, y: int) -> int:
    """Return 0 if q n lies in [#{x < y}, #{x <= y}]; -1 if y is too small for that, else 1."""
    rank = q * len(units)
    return (sum(x < y for x in units) > rank) - (sum(x <= y for x in units) < rank)


def score(units: Sequence[int], q: Fraction, y: int) -> Fraction:
    """Return minus the distance of q n from [#{x < y}, #{x <= y}]."""
    rank = q * len(units)
    return -max(sum(x < y for x in units) - rank, rank - sum(x <= y for x in units), Fraction(0))


def gaps(units: Sequence[int], q: Fraction, lowest: int, highest: int) -> list[tuple[int, int]]:
    """Return the first and last point of each gap: the best ones, then outwards, left first."""
    ends = {lowest, highest + 1, *units, *(x + 1 for x in units)}
    found = []
    for (where, of), run in itertools.groupby(
        itertools.pairwise(sorted(ends)),
        lambda piece: (side(units, q, piece[0]), score(units, q, piece[0])),
    ):
        pieces = list(run)
        found.append(((where > 0, -of), (pieces[0][0], pieces[-1][1] - 1)))
    return [gap for _, gap in sorted(found)]


def weight(rate: Fraction, distance: Fraction) -> Decimal:
    """Return exp(-rate * distance)."""
    exponent = rate * distance
    if exponent > 10**9:  # next to weights of 1
        return Decimal(0)
    with decimal.localcontext(context()):
        return (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()


def probabilities(
    units: Sequence[int], q: Fraction, rate: Fraction, lowest: int, highest: int
) -> dict[int, Decimal]:
    """Return the probability of each grid point, by the definition."""
    scores = {y: score(units, q, y) for y in range(lowest, highest + 1)}
    best = max(scores.values())
    kept = {s: weight(rate, best - s) for s in set(scores.values())}
    with decimal.localcontext(context()):
        total = sum(kept[s] for s in scores.values())
        return {y: kept[s] / total for y, s in scores.items()}


def choose(
    units: Sequence[int],
    q: Fraction,
    rate: Fraction,
    lowest: int,
    highest: int,
    uniforms: tuple[Fraction, Fraction],
) -> int:
    """Return the grid point that two uniforms choose, one for the gap and one within it."""
    order = gaps(units, q, lowest, highest)
    with decimal.localcontext(context()):
        weights = [
            weight(rate, -score(units, q, first)) * (last - first + 1) for first, last in order
        ]
        left = sum(weights) * Decimal(uniforms[0].numerator) / Decimal(uniforms[0].denominator)
        for (first, last), each in zip(order, weights, strict=True):
            left -= each
            if left < 0:
                return first + math.floor(uniforms[1] * (last - first + 1))
    raise ArithmeticError("the uniforms do not decide")
