# SPDX-License-Identifier: MIT
"""The discrete Gaussian distribution: P(k) proportional to exp(-k**2 / (2 sigma2))."""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from cydp._numbers.rational import float_of, log_of
from cydp.mechanisms import _discrete_gaussian_distribution as distribution
from cydp.mechanisms._gaussian_tail import decimal_of, decimal_tail, in_digits
from cydp.mechanisms._noise_law import Floats, NoiseLaw

__all__ = ["GaussianLaw"]

_LEAST_CHANCE = 1e-300  # of which the normal quantile of floats is taken


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
