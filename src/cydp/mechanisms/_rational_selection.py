# SPDX-License-Identifier: MIT
"""Selection among scores that neither float64 nor int64 holds, in exact fractions. Slow, and rare.

Both mechanisms choose a candidate at random and accept it with probability exp(-rate * gap), where
the gap is the distance of its score from the best. Else they choose again: among all candidates for
the exponential mechanism (rejection sampling), among those not yet tried for permute-and-flip.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator

__all__ = ["draw_below", "draw_bernoulli", "draw_exp", "gaps_to_best", "select"]


def select(
    rate: Fraction,
    with_replacement: bool,
    scores: NDArray[np.object_],
    chosen: NDArray[np.int64],
    generator: Generator,
) -> None:
    """Fill `chosen` with the index of a candidate in each row of scores."""
    for i, row in enumerate(scores.reshape(len(chosen), -1)):
        exponents = [None if gap is None else rate * gap for gap in gaps_to_best(row)]
        chosen[i] = _select_one(exponents, with_replacement, generator)


def gaps_to_best(row: NDArray[np.object_]) -> list[Fraction | None]:
    """Return the best score minus each score; None for candidates that cannot win.

    If the best score is infinite, the gap of all candidates with this score is 0.

    >>> gaps_to_best(np.array([2**60 + 1, 2.0**60, -math.inf], object))
    [Fraction(0, 1), Fraction(1, 1), None]
    """
    known = [-math.inf if isinstance(x, float) and math.isnan(x) else x for x in row]
    best = max(known)
    if isinstance(best, float) and math.isinf(best):
        return [Fraction(0) if x == best else None for x in known]
    return [None if x == -math.inf else Fraction(best) - Fraction(x) for x in known]


def _select_one(
    exponents: list[Fraction | None], with_replacement: bool, generator: Generator
) -> int:
    candidates = [(i, x) for i, x in enumerate(exponents) if x is not None]
    while True:
        at = draw_below(len(candidates), generator)
        index, exponent = candidates[at]
        if draw_exp(exponent, generator):  # the best candidate is always accepted
            return index
        if not with_replacement:
            del candidates[at]


def draw_exp(x: Fraction, generator: Generator) -> bool:
    """Return True with probability exp(-x), x >= 0, exactly.

    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 1.
    """
    while x > 1:
        if not draw_exp(Fraction(1), generator):
            return False
        x -= 1
    k = 1
    while draw_bernoulli(x / k, generator):
        k += 1
    return k % 2 == 1


def draw_bernoulli(p: Fraction, generator: Generator) -> bool:
    """Return True with probability p, exactly: if a uniform number is less than p."""
    rest = p.numerator
    while True:
        digit, rest = divmod(rest << 64, p.denominator)
        word = int.from_bytes(generator.bytes(8), "little")
        if word != digit:
            return word < digit


def draw_below(n: int, generator: Generator) -> int:
    """Return a uniform integer from 0 to n - 1, n <= 2**64."""
    while True:
        number = int.from_bytes(generator.bytes(8), "little") >> (64 - (n - 1).bit_length())
        if number < n:
            return number
