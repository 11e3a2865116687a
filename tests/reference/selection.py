"""Report noisy max, from the candidates' bits: what csrc/mechanisms/noisy_max.c must give."""

import decimal
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

Score = float | int | Fraction
Bits = Callable[[int, int], int]  # (candidate, n) -> the first n bits of its U

PREFIX = 32
INFINITE = Fraction(10**400)  # more than any noise of 1,000 bits


def places_behind(scores: Sequence[Score]) -> list[Fraction | None]:
    """Return how far scores are behind the best; None cannot win."""
    known = [-math.inf if isinstance(s, float) and math.isnan(s) else s for s in scores]
    top = max(known)
    if top in (math.inf, -math.inf):
        return [Fraction(0) if s == top else None for s in known]
    return [None if s == -math.inf else Fraction(top) - Fraction(s) for s in known]


def ln_bounds(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return fractions below and above ln(x); of 0, -INFINITE."""
    if x == 0:
        return -INFINITE, -INFINITE
    down = decimal.Context(digits, decimal.ROUND_FLOOR, -(10**4), 10**4)
    up = decimal.Context(digits, decimal.ROUND_CEILING, -(10**4), 10**4)
    parts = Decimal(x.numerator), Decimal(x.denominator)
    low, high = down.ln(down.divide(*parts)), up.ln(up.divide(*parts))
    # ln is rounded to half even whatever the context says; next to 0 lies 10^-10^4
    return Fraction(down.next_minus(low)), Fraction(up.next_plus(high))


def noise_bounds(u: int, n: int, gumbel: bool) -> tuple[Fraction, Fraction]:
    """Return bounds of G for U in [u, u + 1) 2^-n."""
    digits = n // 3 + 30
    least, most = Fraction(u, 1 << n), Fraction(u + 1, 1 << n)
    if not gumbel:
        return -ln_bounds(most, digits)[1], -ln_bounds(least, digits)[0]
    smallest = max(-ln_bounds(1 - least, digits)[1], Fraction(0))
    if u == 0:
        smallest = Fraction(0)
    largest = -ln_bounds(1 - most, digits)[0]
    return -ln_bounds(largest, digits)[1], -ln_bounds(smallest, digits)[0]


def report_noisy_max(scores: Sequence[Score], rate: Fraction, gumbel: bool, bits: Bits) -> int:
    """Return the place of the largest rate * score + G."""
    behind = places_behind(scores)
    left = [i for i, distance in enumerate(behind) if distance is not None]
    n = PREFIX
    while len(left) > 1:
        bounds = {}
        for i in left:
            low, high = noise_bounds(bits(i, n), n, gumbel)
            v = -rate * behind[i]  # type: ignore[operator]
            bounds[i] = v + low, v + high
        best = max(low for low, _ in bounds.values())
        left = [i for i in left if bounds[i][1] >= best]
        n += 64
        if n > 1100:
            raise ArithmeticError("1,024 bits do not decide")
    return left[0]
