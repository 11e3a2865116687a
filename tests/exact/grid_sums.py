# SPDX-License-Identifier: MIT
"""What tests of sums on a grid share: rational arithmetic, and the numbers where it matters."""

import math
from fractions import Fraction

import numpy as np

from cydp import exact

__all__ = ["check", "numbers_in", "specials", "units_of"]


def units_of(value, lower, upper, step):
    """Round one number to the grid and clamp it as an integer, by rational arithmetic."""
    if isinstance(value, float | np.floating) and math.isnan(value):
        return 0
    low, high = round(Fraction(lower) / step), round(Fraction(upper) / step)
    if isinstance(value, float | np.floating) and math.isinf(value):
        return high if value > 0 else low
    return min(max(round(Fraction(value) / step), low), high)


def numbers_in(array):
    return [value.item() for value in np.asarray(array).ravel()]


def check(x, lower, upper, step=None, **more):
    """Demand the oracle's units of one column."""
    total = exact.clamped_sum(x, (lower, upper), step=step)
    units = [units_of(value, lower, upper, total.step) for value in numbers_in(x)]
    assert total.units == sum(units)
    assert type(total.units) is int
    assert total.value == sum(units) * total.step
    if max(map(abs, total.bounds)) <= 2**31 * total.step:
        first, second = exact.clamped_sum_and_squares(x, (lower, upper), step=step)
        assert (first.units, second.units) == (sum(units), sum(q * q for q in units))
        assert second.step == total.step**2
    return total


def specials(dtype):
    """Ties, neighbours, ends and what is special, in a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([True, False, True])
    if dtype.kind == "f":
        info = np.finfo(dtype)
        ties = np.arange(-9, 9, 0.25)
        edge = [np.nan, -np.nan, np.inf, -np.inf, info.max, info.min, info.tiny, -0.0,
                info.smallest_subnormal, 1 + info.eps, 1 - info.epsneg]  # fmt: skip
        return np.concatenate([ties, edge]).astype(dtype)
    info = np.iinfo(dtype)
    small = np.arange(max(info.min, -20), 21)
    odd = [2**k + d for k in (10, 24, 31, 52, 53, 61, 62, 63) for d in (-1, 0, 1)]
    edge = [v for v in [info.min, info.max, *odd, *(-v for v in odd)] if info.min <= v <= info.max]
    return np.array([*small.tolist(), *edge], dtype)
