# SPDX-License-Identifier: MIT
"""The discrete Laplace distribution: P(k) proportional to exp(-abs(k) / scale)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import float_of
from cydp.mechanisms._noise_law import Floats, NoiseLaw

__all__ = ["LaplaceLaw"]

_DIGITS = 60  # at first
_LARGEST_RATE = 700.0  # beyond it, exp(rate) and its squares are not floats

_MOST_SCALES_OF_Q = 4096  # exp(-this) is below 2**-4096, and so below each q that can be read


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
        # That is k + 1 >= -scale ln(q (1 + p)), whose bounds decide it by as many digits as needed.
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
