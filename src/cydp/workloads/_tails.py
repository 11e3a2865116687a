# SPDX-License-Identifier: MIT
"""Bounds of weighted sums of independent noise. docs/workloads.md, "Error bounds"."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import float_of, log_of, read_integer
from cydp.mechanisms._confidence import read_level
from cydp.mechanisms._discrete_gaussian import DiscreteGaussian
from cydp.mechanisms._discrete_laplace import DiscreteLaplace

__all__ = ["bound_sums"]

_Floats = NDArray[np.float64]
_LEAST = 2.0**-30  # of the points at which a bound is tried, as a share of the largest
_ROUNDING = 1 + 2**-30


def bound_sums(
    noise: DiscreteLaplace | DiscreteGaussian,
    squares: _Floats,
    largest: _Floats | float,
    confidence: Number,
    count: Integer,
) -> _Floats:
    """Return a proven bound of the distance of each sum from its mean.

    Parameters
    ----------
    noise : mechanism
    squares : ndarray of float64
        The sum of the squares of the coefficients of each sum.
    largest : ndarray of float64, or float
        The largest absolute coefficient, or more.
    confidence : number
        The least probability that the bounds hold.
    count : int
        For how many sums together, dependent or not.

    Raises
    ------
    TypeError, ValueError
        If confidence or count is outside its range.

    """
    together = read_integer(count, "count")
    if not 1 <= together <= 2**62:
        raise ValueError(f"count must be from 1 to 2**62, not {together}")
    nats = math.log(2 * together) - log_of(1 - read_level(confidence))
    if isinstance(noise, DiscreteGaussian):  # no tail is heavier than that of a normal
        bound: _Floats = np.sqrt(2 * nats * float_of(noise.sigma2) * squares) * _ROUNDING
        return bound
    largest = np.maximum(np.minimum(largest, np.sqrt(squares)), np.finfo(float).tiny)
    rate = float_of(1 / noise.scale)
    terms = squares / largest**2
    found = np.full(squares.shape, np.inf)
    for at in rate * _points():
        np.minimum(found, (nats + terms * _log_mgf(at, rate)) / at, out=found)
    return np.where(squares > 0, found * largest * _ROUNDING, 0.0)


def _points() -> _Floats:
    """Return where the bound is tried: shares of the rate, dense near 0 and near 1."""
    small = _LEAST ** np.linspace(0.03, 1, 120)
    return np.concatenate([small, 1 - 2.0 ** -np.arange(1, 20)])


def _log_mgf(at: float, rate: float) -> float:
    """Return ln E exp(t X) of discrete Laplace noise X, for t < rate."""

    def gap(x: float) -> float:
        return math.log(-math.expm1(-x))

    return 2 * gap(rate) - gap(rate - at) - gap(rate + at)
