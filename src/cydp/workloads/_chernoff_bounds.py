# SPDX-License-Identifier: MIT
"""Bounds of weighted sums of independent noise. docs/workloads.md, "Error bounds"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import float_of, log_of, read_integer, read_level
from cydp.mechanisms._gaussian import DiscreteGaussian
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.releases._answers import Answer, Steps

__all__ = ["SumsAnswer", "Terms", "bound_sums"]

_Floats = NDArray[np.float64]
_LEAST = 2.0**-30  # the least point at which a bound is tried, as a share of the largest
_ROUNDING = 1 + 2**-30


class Terms(NamedTuple):
    """The part of one noise in sums.

    Attributes
    ----------
    noise : DiscreteLaplace or DiscreteGaussian
    squares : ndarray of float64
        For each sum, the sum of the squares of its coefficients.
    largest : ndarray of float64, or float
        The largest absolute coefficient, or more.

    """

    noise: DiscreteLaplace | DiscreteGaussian
    squares: _Floats
    largest: _Floats | float = 1.0


@dataclass(frozen=True, slots=True)
class SumsAnswer(Answer):
    """Sums of noise: their error is the largest distance of a sum from its mean.

    Attributes
    ----------
    terms : tuple of Terms
    rounding : float
        How far the means may be from the exact sums.
    whole : bool
        Whether the sums are integers, as their errors then are.

    """

    terms: tuple[Terms, ...]
    rounding: float = 0.0
    whole: bool = False

    def error(self, confidence: Number, count: int, rows: int) -> Fraction:
        """Return the largest error bound of the sums."""
        return Fraction(float(np.max(self.error_bound({}, confidence, count))))

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Return the error bound of each sum, which no data changes."""
        bound = bound_sums(self.terms, confidence, count) + self.rounding
        return np.floor(bound).astype(np.int64) if self.whole else bound

    def values(self, steps: Steps) -> Any:
        """Return the sums, which stand under their own name."""
        return steps[self.name]

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Any, Any]:
        """Return the sums minus and plus the error bound."""
        bound, sums = self.error_bound(steps, confidence, count), self.values(steps)
        return sums - bound, sums + bound


def bound_sums(terms: Sequence[Terms], confidence: Number, count: Integer) -> _Floats:
    """Return a proven bound of the distance of each sum from its mean.

    Parameters
    ----------
    terms : sequence of Terms
        All of Laplace noise, or all of Gaussian noise.
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
    if isinstance(terms[0].noise, DiscreteGaussian):  # no tail is heavier than a normal one
        sigma2 = sum(each.squares * _sigma2(each.noise) for each in terms)
        bound: _Floats = np.sqrt(2 * nats * sigma2) * _ROUNDING
        return bound
    tiny = 1e-150  # its square is a double above 0
    weights = [np.maximum(np.minimum(w, np.sqrt(squares)), tiny) for _, squares, w in terms]
    rates = [_rate(each.noise) for each in terms]
    many = [each.squares / w**2 for each, w in zip(terms, weights, strict=True)]
    most = np.min([rate / w for rate, w in zip(rates, weights, strict=True)], axis=0)
    shares: list[_Floats | float] = (  # of the rate of each noise, at the largest point
        [1.0]
        if len(terms) == 1
        else [most * w / rate for rate, w in zip(rates, weights, strict=True)]
    )
    found = np.full(most.shape, np.inf)
    for at in _points():
        logs = sum(
            n * _log_mgf(at * share * rate, rate)
            for n, share, rate in zip(many, shares, rates, strict=True)
        )
        np.minimum(found, (nats + logs) / (at * most), out=found)
    return np.where(sum(each.squares for each in terms) > 0, found * _ROUNDING, 0.0)


def _points() -> _Floats:
    """Return where the bound is tried, as shares of the largest: dense near 0 and near 1."""
    small = _LEAST ** np.linspace(0.03, 1, 120)
    return np.concatenate([small, 1 - 2.0 ** -np.arange(1, 20)])


def _rate(noise: DiscreteLaplace | DiscreteGaussian) -> float:
    assert isinstance(noise, DiscreteLaplace)
    return float_of(1 / noise.scale)


def _sigma2(noise: DiscreteLaplace | DiscreteGaussian) -> float:
    assert isinstance(noise, DiscreteGaussian)
    return float_of(noise.sigma2)


def _log_mgf(at: _Floats | float, rate: float) -> _Floats:
    """Return ln E exp(t X) of discrete Laplace noise X, for t < rate."""
    gaps = [np.log(-np.expm1(-np.asarray(x))) for x in (rate, rate - at, rate + at)]
    logs: _Floats = 2 * gaps[0] - gaps[1] - gaps[2]
    return logs
