"""Chi-square of integers of a symmetric distribution, in cells of exact chances."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

Samples = NDArray[np.int64]

LIMIT = 1e-6  # of a test that is right once for one key
REJECTED = LIMIT / 10  # of a mutant

_LEAST = 50  # expected in each cell


def p_value(samples: Samples, spread: float, tail: Callable[[int], Fraction]) -> float:
    """Return the chi-square tail of how integers fall into about 40 cells.

    Parameters
    ----------
    samples : array of int64
        The integers.
    spread : float
        How far from 0 about 20 cells of |X| reach; the last one has no end.
    tail : callable
        k -> P(|X| >= k).
    """
    step = max(1, round(spread / 20))
    ends = [0, *range(1, 1 + step * max(1, int(spread / step)), step)]
    tails = [tail(k) for k in ends]
    masses = [a - b for a, b in zip(tails, [*tails[1:], Fraction(0)], strict=True)]
    chances = np.array([float(mass) for mass in masses])
    keep = int(np.argmax(chances * len(samples) / 2 < _LEAST)) or len(chances)
    chances = np.append(chances[: keep - 1], float(tails[keep - 1]))
    signed = np.concatenate([chances[:0:-1] / 2, chances[:1], chances[1:] / 2])
    index = np.searchsorted(ends[:keep], np.abs(samples), side="right") - 1
    cells = np.where(samples < 0, -index, index) + keep - 1
    counts = np.bincount(cells, minlength=len(signed))
    return float(chisquare(counts, signed * len(samples)).pvalue)


def p_value_of_low_bits(samples: Samples) -> float:
    """Return the p-value of |X| modulo 64: in a wide distribution, all are equally likely."""
    return float(chisquare(np.bincount(np.abs(samples) & 63, minlength=64)).pvalue)
