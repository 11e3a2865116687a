# SPDX-License-Identifier: MIT
"""Sequences that are sums of geometric ones: their norms, in closed form, and their inverses.

docs/workloads.md, "The square root", has the formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GeometricSums", "square_root_of_sums"]

_Floats = NDArray[np.float64]
_BISECTIONS = 120  # of an interval whose ends are a factor of 4 apart
_BELOW_ONE = 1 - 2**-53


@dataclass(frozen=True, eq=False, slots=True)
class GeometricSums:
    """The numbers c_k = sum of weights (1 - decays)**k, for k = 0, 1, ...

    Attributes
    ----------
    weights : ndarray of float64, shape (d,)
        All above 0.
    decays : ndarray of float64, shape (d,)
        From 1 down to 0, all different.

    """

    weights: _Floats
    decays: _Floats

    def total(self, count: int) -> float:
        """Return the sum of the first numbers."""
        return float((self.weights * _sums(self.decays, count)).sum())

    def squares(self, count: int) -> float:
        """Return the sum of the squares of the first numbers."""
        return float(self.products(np.array([count]), np.zeros(1))[0])

    def products(self, counts: _Floats, shifts: _Floats) -> _Floats:
        """Return the sums of c_k c_(k + shift) over k < count, for each count and its shift."""
        found = self._pairs[:, :, None] * _sums(self._decays[:, :, None], counts)
        found *= np.exp(shifts * _log_rate(self.decays)[:, None])
        summed: _Floats = found.sum((0, 1))
        return summed

    def mean_of_squares(self, count: int) -> float:
        """Return the mean of ``squares(n)`` over n = 1, ..., count."""
        decays = self._decays
        last = decays == 0
        apart = np.where(last, 1.0, decays)
        sums = (count - (1 - decays) * _sums(apart, count)) / apart
        sums[last] = count * (count + 1) / 2
        return float((self._pairs * sums).sum() / count)

    def inverse(self) -> GeometricSums:
        """Return the numbers l_k such that c and l convolve to ones."""
        roots = self._roots()
        slopes = (self.weights / (self.decays - roots[:, None]) ** 2).sum(1)
        constant = 1 / (self.weights / self.decays).sum()
        weights: _Floats = np.append(1 / ((1 - roots) * roots * slopes), constant)
        return GeometricSums(weights, np.append(roots, 0.0))

    def _roots(self) -> _Floats:
        """Return where the sum of weights / (decays - x) is 0: between two decays each."""
        low: Any = self.decays[1:]
        high: Any = self.decays[:-1]
        for _ in range(_BISECTIONS):  # the sum rises from -inf to inf
            middle = np.sqrt(low * high)
            below = (self.weights / (self.decays - middle[:, None])).sum(1) < 0
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        roots: _Floats = np.sqrt(low * high)
        return roots

    @property
    def _pairs(self) -> _Floats:
        return np.outer(self.weights, self.weights)

    @property
    def _decays(self) -> _Floats:
        """The decays of products of two of the sequences."""
        return self.decays[:, None] + self.decays - np.outer(self.decays, self.decays)


def _log_rate(decays: _Floats) -> _Floats:
    found: _Floats = np.log1p(-np.minimum(decays, _BELOW_ONE))
    return found


def _sums(decays: _Floats, count: int | _Floats) -> _Floats:
    """Return the sums of (1 - decay)**k over k < count."""
    last = decays == 0
    found = -np.expm1(count * _log_rate(decays)) / np.where(last, 1.0, decays)
    return np.where(last, count, found)


def square_root_of_sums(horizon: int) -> GeometricSums:
    """Return about the Toeplitz square root of the matrix of running sums, up to a horizon.

    Its numbers are binom(2 k, k) / 4**k, the moments of the density 1 / (pi sqrt(x (1 - x))). The
    integral is a sum over 1 - x = 1, 1/4, 1/16, ...; the last of these, about 1 / horizon, stands
    for all that follow.
    """
    many = max(horizon.bit_length() // 2, 1)
    decays: _Floats = np.exp2(-2.0 * np.arange(many + 1))
    width = math.log(4) / math.pi
    weights: _Floats = np.zeros(many + 1)
    weights[1:] = width * np.sqrt(decays[1:] / (1 - decays[1:]))
    weights[-1] += width * 2.0**-many  # the sum of sqrt(4**-k) over k > many
    weights[0] = 1 - weights[1:].sum()
    return GeometricSums(weights, decays)
