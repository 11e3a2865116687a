# SPDX-License-Identifier: MIT
"""A symmetric distribution of integers, as mechanisms add it to values in steps of a grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "NoiseLaw"]

Floats = NDArray[np.float64]


class NoiseLaw(ABC):
    """A distribution of integers with P(k) = P(-k), whose mode is 0.

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
