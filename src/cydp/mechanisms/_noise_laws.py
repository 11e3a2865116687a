# SPDX-License-Identifier: MIT
"""The distributions of integer noise: discrete Laplace and discrete Gaussian.

Mechanisms add it to values in steps of a grid. docs/mechanisms/noise_distribution.md has the
formulas and their errors.
"""

from __future__ import annotations

import decimal
import math
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import float_of, log_of
from cydp.mechanisms._discrete_gaussian_tails import (
    FAR,
    MOST_SUMMED,
    decimal_of,
    decimal_tail,
    in_digits,
    total_mass,
)

__all__ = ["GaussianLaw", "LaplaceLaw", "NoiseLaw"]

Floats = NDArray[np.float64]

# Euler and Maclaurin's corrections of the sum of f(k) = exp(-k**2 / (2 sigma2)) from m on: the
# order n of the derivative of f at m - 1/2, its coefficient, the Hermite polynomial of this order.
_CORRECTIONS = tuple(
    (n, c, np.eye(n + 1)[n])
    for n, c in ((1, -1 / 24), (3, 7 / 5760), (5, -31 / 967680), (7, 127 / 154828800))
)
_DIGITS = 60  # of the bounds of a quantile, at first
_LARGEST_RATE = 700.0  # beyond it, exp(rate) and its squares are not floats
_MOST_SCALES_OF_Q = 4096  # exp(-this) is below 2**-4096, and so below each q that can be read
_LEAST_CHANCE = 1e-300  # the least that has a normal quantile in floats


class NoiseLaw(ABC):
    """A symmetric distribution of integers, P(k) = P(-k), with the mode 0."""

    __slots__ = ()

    @abstractmethod
    def pmf(self, k: Floats) -> Floats:
        """Return the probabilities of integers, which may be infinite."""

    @abstractmethod
    def cdf(self, k: Floats) -> Floats:
        """Return the probabilities of k or less."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance, in the square of a step."""

    @property
    @abstractmethod
    def kurtosis(self) -> float:
        """Fourth moment over the square of the variance, minus 3; infinite beyond floats."""

    @property
    @abstractmethod
    def entropy(self) -> float:
        """Minus the mean of ln P(k)."""

    @abstractmethod
    def upper(self, q: Fraction) -> int:
        """Return the least k with P(X > k) <= q, for 0 < q <= 1/2."""

    def ppf(self, q: Fraction) -> int:
        """Return the least k with P(X <= k) >= q, for 0 < q < 1."""
        # No probability of this kind is rational: P(X > k) < q < P(X >= k) for k = upper(q).
        return -self.upper(q) if 2 * q <= 1 else self.upper(1 - q)


@dataclass(frozen=True, slots=True)
class LaplaceLaw(NoiseLaw):
    """The discrete Laplace distribution of a scale. Below, p = exp(-rate)."""

    scale: Fraction

    @property
    def rate(self) -> float:
        """1 / scale."""
        return float_of(1 / self.scale)

    def pmf(self, k: Floats) -> Floats:
        """Return (1 - p) / (1 + p) p**abs(k)."""
        masses: Floats = math.tanh(0.5 * self.rate) * np.exp(-self.rate * np.abs(k))
        return masses

    def cdf(self, k: Floats) -> Floats:
        """Return p**-k / (1 + p) for k < 0, and 1 - p**(k + 1) / (1 + p) for the others."""
        tail = np.exp(-self.rate * np.where(k < 0, -k, k + 1)) / (1 + math.exp(-self.rate))
        return np.where(k < 0, tail, 1 - tail)

    @property
    def variance(self) -> float:
        """2 p / (1 - p)**2."""
        return 2 * math.exp(-self.rate) / math.expm1(-self.rate) ** 2

    @property
    def kurtosis(self) -> float:
        """2 + cosh(rate): the fourth moment is 2 p (1 + 10 p + p**2) / (1 - p)**4."""
        return math.inf if self.rate > _LARGEST_RATE else 2 + math.cosh(self.rate)

    @property
    def entropy(self) -> float:
        """ln((1 + p) / (1 - p)) + rate / sinh(rate), where 1 / sinh(rate) is the mean of abs(X)."""
        if self.rate > _LARGEST_RATE:
            return 0.0  # or less than the least normal float
        p = math.exp(-self.rate)
        spread = 2 * math.atanh(p) if p < 0.5 else math.log1p(p) - math.log(-math.expm1(-self.rate))
        return spread + self.rate / math.sinh(self.rate)

    def upper(self, q: Fraction) -> int:
        """Return the least k with p**(k + 1) / (1 + p) <= q."""
        # That is k + 1 >= -scale ln(q (1 + p)): its bounds decide, by as many digits as needed.
        if self.scale * _MOST_SCALES_OF_Q < 1:
            return 0
        digits = _DIGITS
        while True:
            low, high = exp_bounds(-1 / self.scale, digits)
            below = math.ceil(-self.scale * ln_bounds(q * (1 + high), digits)[1])
            above = math.ceil(-self.scale * ln_bounds(q * (1 + low), digits)[0])
            if below == above:
                return max(above, 1) - 1
            digits *= 2


@dataclass(frozen=True, slots=True)
class GaussianLaw(NoiseLaw):
    """The discrete Gaussian distribution of a parameter sigma**2."""

    sigma2: Fraction

    @property
    def _sigma(self) -> float:
        return math.sqrt(float_of(self.sigma2))

    def pmf(self, k: Floats) -> Floats:
        """Return probabilities."""
        density: Floats = np.exp(-0.5 * (k / self._sigma) ** 2) / total_mass(self._sigma)
        return density

    def cdf(self, k: Floats) -> Floats:
        """Return the probabilities of k or less."""
        sigma = self._sigma
        start = np.where(k < 0, -k, k + 1)  # P(X <= k) = P(X >= -k), or 1 - P(X >= k + 1)
        if sigma > MOST_SUMMED:
            # Euler and Maclaurin's formula with four corrections.
            t = np.minimum((start - 0.5) / sigma, FAR)
            f = np.exp(-0.5 * t**2) / (sigma * math.sqrt(2 * math.pi))
            z = np.vectorize(math.erfc, otypes=[float])(t / math.sqrt(2))
            above = 0.5 * z + f * sum(
                c * np.polynomial.hermite_e.hermeval(t, unit) / sigma**n
                for n, c, unit in _CORRECTIONS
            )
        else:
            table = np.exp(-0.5 * (np.arange(FAR * max(math.ceil(sigma), 1) + 2) / sigma) ** 2)
            sums = np.append(np.cumsum(table[::-1])[::-1], 0.0) / total_mass(sigma)
            above = sums[np.minimum(start, len(table)).astype(np.int64)]
        below: Floats = np.where(k < 0, above, 1 - above)
        return below

    @property
    def variance(self) -> float:
        """Variance, in the square of a step."""
        return _gaussian_variance(self.sigma2)

    @property
    def kurtosis(self) -> float:
        """Fourth moment over the square of the variance, minus 3."""
        sigma = self._sigma
        if sigma > 4:
            return 0.0  # error: less than exp(-2 pi**2 sigma**2) (2 pi sigma)**4
        k = np.arange(1.0, FAR * 4)
        relative = np.exp(-0.5 * (k**2 - 1) / sigma**2)  # to f(1), which may be very small
        square, fourth = float((k**2 * relative).sum()), float((k**4 * relative).sum())
        first = 2 * math.exp(-0.5 / sigma**2)
        ratio = fourth / square**2 * total_mass(sigma)
        return math.inf if first <= ratio / sys.float_info.max else ratio / first - 3

    @property
    def entropy(self) -> float:
        """Ln of the sum of exp(-k**2 / (2 sigma2)), plus variance / (2 sigma2)."""
        spread = float_of(Fraction(self.variance) / self.sigma2) / 2
        if self._sigma > 4:
            return math.log(total_mass(self._sigma)) + spread
        others = 2 * float(np.exp(-0.5 * (np.arange(1.0, FAR * 4) / self._sigma) ** 2).sum())
        return math.log1p(others) + spread

    def upper(self, q: Fraction) -> int:
        """Return the least k with P(X > k) <= q."""
        k, digits = self._start(q), 25 + self.sigma2.numerator.bit_length() // 6
        while True:
            with decimal.localcontext(in_digits(digits + 5)):
                target, sigma = decimal_of(q), decimal_of(self.sigma2).sqrt()
                margin = target.scaleb(-digits)
                above, at = (decimal_tail(self.sigma2, m, digits) for m in (k + 1, k))
                if above <= target - margin and at >= target + margin:
                    return k
                if min(abs(above - target), abs(at - target)) <= margin:
                    digits *= 2
                    continue
                # Newton's step on the logarithm of the tail, which is concave: from the second
                # step on, k comes down to the answer.
                slope = (at / above).ln() if above else 1 / sigma
                move = int(((above / target).ln() / slope).to_integral_value()) if above else -1
            k = max(k + (move or (1 if above > target else -1)), 0)

    def _start(self, q: Fraction) -> int:
        """Return an integer close to the normal quantile."""
        chance = float_of(q)
        if chance > _LEAST_CHANCE:
            quantile = -NormalDist().inv_cdf(min(chance, 0.5))
        else:
            quantile = math.sqrt(-2 * log_of(q))
        return max(int(Fraction(quantile) * Fraction(math.sqrt(float_of(self.sigma2)))), 0)


@lru_cache(64)
def _gaussian_variance(sigma2: Fraction) -> float:
    sigma = math.sqrt(float_of(sigma2))
    if sigma > 4:
        return float_of(sigma2)  # relative error: exp(-2 pi**2 sigma**2)
    k = np.arange(1.0, FAR * 4)
    return 2 * float((k**2 * np.exp(-0.5 * (k / sigma) ** 2)).sum()) / total_mass(sigma)
