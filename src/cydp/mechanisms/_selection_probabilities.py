# SPDX-License-Identifier: MIT
"""With what probability candidates are selected, in doubles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._columns.scores import Scores
from cydp._numbers.rational import float_of
from cydp.mechanisms import _rational_scores

__all__ = ["behind", "exponential_probabilities", "gumbel_probabilities"]

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SMALL, _LARGE = Fraction(1, 2**60), Fraction(2**1000)


def behind(scores: Scores, rate: Fraction) -> Floats:
    """Return rate * (score - largest) along the last axis; -inf for who cannot win.

    Without a finite largest score, who can win is 0: all, or those of +infinity.
    """
    if scores.dtype == object:
        return _behind_exactly(scores, rate)
    if scores.dtype == np.int64:
        top = scores.max(axis=-1, keepdims=True).view(np.uint64)
        return _scaled(-(top - scores.view(np.uint64)).astype(np.float64), rate)
    known = np.where(np.isnan(scores), -np.inf, scores)
    top = known.max(axis=-1, keepdims=True)
    part = 0.5 if rate < _SMALL else 1.0  # halved, no difference overflows
    with np.errstate(all="ignore"):
        apart = _scaled(known * part - top * part, rate / Fraction(part))
    apart = np.where(np.isneginf(known), -np.inf, apart)
    equal = np.where(known == top, 0.0, -np.inf)  # of -infinity: all
    keys: Floats = np.where(np.isfinite(top), apart, equal)
    return keys


def _behind_exactly(scores: NDArray[np.object_], rate: Fraction) -> Floats:
    keys = [
        -math.inf if apart is None else -float_of(rate * apart)
        for row in scores.reshape(-1, scores.shape[-1])
        for apart in _rational_scores.behind(row)
    ]
    return np.array(keys, np.float64).reshape(scores.shape)


def gumbel_probabilities(keys: Floats) -> Floats:
    """Return those of the largest of key + Gumbel noise: exp(key), normed."""
    weights: Floats = np.exp(keys)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def exponential_probabilities(keys: Floats) -> Floats:
    """Return those of the largest of key + exponential noise.

    With p = exp(key), largest 1, and z = exp(-winning key): p_i times the integral over z from 0
    to 1 of the product of 1 - p_j z over all j but i. A polynomial, by 32 nodes in each of the
    intervals between 0, 1/s, 2/s, 4/s, ..., 1, s the sum of p: beyond 64/s it is below exp(-64).
    """
    weights = np.exp(keys)
    chances = np.zeros_like(weights)
    for row, chance in zip(_rows(weights), _rows(chances), strict=True):
        left, right = 0.0, min(1.0, 1 / row.sum())
        while left < right:
            middle, half = (left + right) / 2, (right - left) / 2
            for z, weight in zip(middle + half * _NODES, half * _WEIGHTS, strict=True):
                others = 1 - row * z
                chance += weight * np.prod(others) / others
            left, right = right, min(1.0, 2 * right)
        chance *= row
    return chances


def _rows(array: Floats) -> Floats:
    return array.reshape(-1, array.shape[-1])


def _scaled(apart: Floats, rate: Fraction) -> Floats:
    with np.errstate(all="ignore"):
        if rate <= _LARGE:
            return apart * float_of(rate)
        scaled: Floats = apart * float(_LARGE) * float_of(min(rate / _LARGE, _LARGE))
        return scaled
