# SPDX-License-Identifier: MIT
"""The probabilities with which candidates are selected, in float64."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._columns.mechanism_inputs import Scores
from cydp._numbers.rational import float_of
from cydp.mechanisms._rational_selection import gaps_to_best

__all__ = ["exponential_probabilities", "gumbel_probabilities", "scale_scores"]

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SMALL, _LARGE = Fraction(1, 2**60), Fraction(2**1000)


def scale_scores(scores: Scores, rate: Fraction) -> Floats:
    """Return rate * (score - best score) along the last axis; -inf for candidates that cannot win.

    If the best score is infinite, the result is 0 for all candidates with this score.
    """
    if scores.dtype == object:
        return _scale_exactly(scores, rate)
    if scores.dtype == np.int64:
        best = scores.max(axis=-1, keepdims=True).view(np.uint64)
        return _multiply(-(best - scores.view(np.uint64)).astype(np.float64), rate)
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = known.max(axis=-1, keepdims=True)
    factor = 0.5 if rate < _SMALL else 1.0  # the difference of halves does not overflow
    with np.errstate(all="ignore"):
        finite = _multiply(known * factor - best * factor, rate / Fraction(factor))
    finite = np.where(np.isneginf(known), -np.inf, finite)
    infinite = np.where(known == best, 0.0, -np.inf)
    keys: Floats = np.where(np.isfinite(best), finite, infinite)
    return keys


def _scale_exactly(scores: NDArray[np.object_], rate: Fraction) -> Floats:
    keys = [
        -math.inf if gap is None else -float_of(rate * gap)
        for row in scores.reshape(-1, scores.shape[-1])
        for gap in gaps_to_best(row)
    ]
    return np.array(keys, np.float64).reshape(scores.shape)


def gumbel_probabilities(keys: Floats) -> Floats:
    """Return the probabilities that key + Gumbel noise is the largest: exp(key), normalized."""
    weights: Floats = np.exp(keys)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def exponential_probabilities(keys: Floats) -> Floats:
    """Return the probabilities that key + exponential noise is the largest.

    Let p = exp(key), of which the largest is 1, and z = exp(-largest noisy key). The probability of
    i is p_i times the integral over z from 0 to 1 of the product of 1 - p_j z over all j other
    than i. This polynomial is integrated with 32 nodes in each of the intervals between 0, 1/s,
    2/s, 4/s, ..., 1, where s is the sum of p. Beyond 64/s it is less than exp(-64).
    """
    weights = np.exp(keys)
    probabilities = np.zeros_like(weights)
    for row, integral in zip(_rows_of(weights), _rows_of(probabilities), strict=True):
        left, right = 0.0, min(1.0, 1 / row.sum())
        while left < right:
            middle, half = (left + right) / 2, (right - left) / 2
            for z, weight in zip(middle + half * _NODES, half * _WEIGHTS, strict=True):
                others = 1 - row * z
                integral += weight * np.prod(others) / others
            left, right = right, min(1.0, 2 * right)
        integral *= row
    return probabilities


def _rows_of(array: Floats) -> Floats:
    return array.reshape(-1, array.shape[-1])


def _multiply(differences: Floats, rate: Fraction) -> Floats:
    """Return rate * differences, for rates beyond float64 too."""
    with np.errstate(all="ignore"):
        if rate <= _LARGE:
            return differences * float_of(rate)
        keys: Floats = differences * float(_LARGE) * float_of(min(rate / _LARGE, _LARGE))
        return keys
