"""How well noise fits its distribution: chi-square in cells of exact chances."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, takewhile
from typing import Any

import numpy as np
from reference import discrete_gaussian, discrete_laplace
from scipy.stats import chi2

BITS = 100
LEAST = 200  # expected in each tail


def tail(kind: str, scale: Fraction, k: int) -> Fraction:
    """Return P(abs(X) >= k), to within 2**-100, of "laplace" or "gaussian" noise."""
    if kind == "laplace":
        lo, hi = discrete_laplace.tail_bounds(scale, k, BITS)
    else:
        lo, hi = discrete_gaussian.tail_bounds(scale**2, k, BITS)
    return Fraction(lo + hi, 2 << BITS)


def p_value(kind: str, scale: Fraction, values: Any) -> float:
    """Return the tail probability of how integers fall into cells, some a quarter scale wide."""
    given, width = np.asarray(values, np.int64), max(int(scale) // 4, 1)
    assert np.array_equal(given, values)
    starts = count(width, width)
    positive = list(takewhile(lambda k: given.size * tail(kind, scale, k) >= 2 * LEAST, starts))
    halves = [tail(kind, scale, k) / 2 for k in positive]
    edges = [*(1 - k for k in reversed(positive)), *positive]  # P(X >= 1 - k) = 1 - P(X >= k)
    above = [Fraction(1), *(1 - half for half in reversed(halves)), *halves, Fraction(0)]
    expected = given.size * -np.diff(np.array(above)).astype(float)
    counts = np.bincount(np.searchsorted(edges, given, side="right"), minlength=len(expected))
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(expected) - 1))
