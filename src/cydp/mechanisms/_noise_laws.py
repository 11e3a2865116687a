# SPDX-License-Identifier: MIT
"""The distributions of integer noise: discrete Laplace and discrete Gaussian.

Mechanisms add it to values in steps of a grid. docs/mechanisms/noise_distribution.md has the
formulas and their errors.
"""

from __future__ import annotations

import decimal
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import float_of, log_of
from cydp.mechanisms import _discrete_gaussian_distribution as distribution
from cydp.mechanisms._discrete_gaussian_distribution import decimal_of, decimal_tail, in_digits

__all__ = ["GaussianLaw", "LaplaceLaw", "NoiseLaw"]

Floats = NDArray[np.float64]

_DIGITS = 60  # at first
_LARGEST_RATE = 700.0  # beyond it, exp(rate) and its squares are not floats
_MOST_SCALES_OF_Q = 4096  # exp(-this) is below 2**-4096, and so below each q that can be read
_LEAST_CHANCE = 1e-300  # the least that has a normal quantile in floats


class NoiseLaw(ABC):
    """A symmetric distribution of integers, P(k) = P(-k), with the mode 0.

    docs/mechanisms/noise_distribution.md has the formulas and their errors.
    """

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

    def pmf(self, k: Floats) -> Floats:
        """Return probabilities."""
        return distribution.pmf(self.sigma2, k)

    def cdf(self, k: Floats) -> Floats:
        """Return the probabilities of k or less."""
        return distribution.cdf(self.sigma2, k)

    @property
    def variance(self) -> float:
        """Variance, in the square of a step."""
        return distribution.variance(self.sigma2)

    @property
    def kurtosis(self) -> float:
        """Fourth moment over the square of the variance, minus 3."""
        return distribution.kurtosis(self.sigma2)

    @property
    def entropy(self) -> float:
        """Ln of the sum of exp(-k**2 / (2 sigma2)), plus variance / (2 sigma2)."""
        return distribution.entropy(self.sigma2)

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
