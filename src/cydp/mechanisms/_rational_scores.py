# SPDX-License-Identifier: MIT
"""Selection among scores that neither float64 nor int64 holds, in exact fractions. Slow, and rare.

Both laws choose somebody at random, who is taken with probability exp(-rate * how far behind the
best), else the next one is chosen: among all for the exponential mechanism (rejection sampling),
among those who were not asked yet for permute-and-flip.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator

__all__ = ["behind", "coin", "race", "survives"]


def race(
    rate: Fraction,
    repeated: bool,
    scores: NDArray[np.object_],
    chosen: NDArray[np.int64],
    generator: Generator,
) -> None:
    """Fill `chosen` with one candidate of each row; `repeated` for the exponential mechanism."""
    for i, row in enumerate(scores.reshape(len(chosen), -1)):
        chosen[i] = _chosen([_costs(rate, apart) for apart in behind(row)], repeated, generator)


def behind(row: NDArray[np.object_]) -> list[Fraction | None]:
    """Return how far each of a row of ints and floats is behind the largest; None: out of reach.

    Without a finite largest score, who can win is 0: all, or those of +infinity.

    >>> behind(np.array([2**60 + 1, 2.0**60, -math.inf], object))
    [Fraction(0, 1), Fraction(1, 1), None]
    """
    known = [-math.inf if isinstance(x, float) and math.isnan(x) else x for x in row]
    top = max(known)
    if isinstance(top, float) and math.isinf(top):
        return [Fraction(0) if x == top else None for x in known]
    return [None if x == -math.inf else Fraction(top) - Fraction(x) for x in known]


def _costs(rate: Fraction, apart: Fraction | None) -> Fraction | None:
    return None if apart is None else rate * apart


def _chosen(costs: list[Fraction | None], repeated: bool, generator: Generator) -> int:
    left: list[tuple[int, Fraction]] = [(i, x) for i, x in enumerate(costs) if x is not None]
    while True:
        at = _below(len(left), generator)
        place, cost = left[at]
        if survives(cost, generator):  # the best always does
            return place
        if not repeated:
            del left[at]


def survives(x: Fraction, generator: Generator) -> bool:
    """Return True with probability exp(-x), x >= 0, exactly.

    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 1.
    """
    while x > 1:
        if not survives(Fraction(1), generator):
            return False
        x -= 1
    k = 1
    while coin(x / k, generator):
        k += 1
    return k % 2 == 1


def coin(p: Fraction, generator: Generator) -> bool:
    """Return True with probability p, exactly: whether a uniform number is below p."""
    rest = p.numerator
    while True:
        digit, rest = divmod(rest << 64, p.denominator)
        word = int.from_bytes(generator.bytes(8), "little")
        if word != digit:
            return word < digit


def _below(n: int, generator: Generator) -> int:
    """Return a uniform integer from 0 to n - 1."""
    while True:
        number = int.from_bytes(generator.bytes(8), "little") >> (64 - (n - 1).bit_length())
        if number < n:
            return number
