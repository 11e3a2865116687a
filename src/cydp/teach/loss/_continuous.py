# SPDX-License-Identifier: MIT
"""The pairs of continuous noise, in closed form: normal and Laplace. docs/teach/loss.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from cydp._numbers.gaussian_delta import normal_delta
from cydp._numbers.rational import float_of
from cydp.teach.loss._distribution_pair import (
    DistributionPair,
    Floats,
    Lattice,
    cells_between,
    lattice_of,
    spread,
)

__all__ = ["LaplaceNoise", "NormalNoise"]

_POINTS = 2001  # of a density that is drawn
_FAR = 40.0  # standard deviations of a shift, beyond which delta is 1
_WIDE = 11.0  # standard deviations of the loss, beyond which there is less than 1e-27
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)

_erfc = np.frompyfunc(math.erfc, 1, 1)


@dataclass(frozen=True, slots=True)
class NormalNoise(DistributionPair):
    """Normal noise around `start`, and around `end`: L is normal, of mean rho, variance 2 rho."""

    start: float
    end: float
    rho: Fraction

    is_continuous = True

    @property
    def _sigma(self) -> float:
        return abs(self.end - self.start) / math.sqrt(2 * self.mean)

    @property
    def outputs(self) -> Floats:
        """Points, evenly spaced, that have all but a share of 1e-9."""
        low, high = sorted((self.start, self.end))
        return np.linspace(low - 6 * self._sigma, high + 6 * self._sigma, _POINTS)

    @property
    def p(self) -> Floats:  # type: ignore[override]
        """Density around the start."""
        return _normal_density((self.outputs - self.start) / self._sigma) / self._sigma

    @property
    def q(self) -> Floats:  # type: ignore[override]
        """Density around the end."""
        return _normal_density((self.outputs - self.end) / self._sigma) / self._sigma

    @property
    def losses(self) -> Floats:  # type: ignore[override]
        """ln(p / q), which is linear."""
        losses: Floats = self.loss_at(self.outputs)
        return losses

    def loss_at(self, outputs: Any) -> Any:
        """Return the loss of any number, or of each of an array."""
        middle = (self.start + self.end) / 2
        return (middle - outputs) * (self.end - self.start) / self._sigma**2

    def delta(self, epsilon: float) -> float:
        """Return Phi(-u) - e**epsilon Phi(-v), from decimals that are rounded up."""
        mu = math.sqrt(2 * self.mean)
        if epsilon < 0:  # the pair is symmetric
            return -math.expm1(epsilon) + math.exp(epsilon) * self.delta(-epsilon)
        u = epsilon / mu - mu / 2
        if u < -_FAR:
            return 1.0
        if epsilon == 0:
            return math.erf(mu / math.sqrt(8))
        return min(float(normal_delta(Decimal(u), Fraction(epsilon))), 1.0)

    def sf(self, loss: float) -> float:
        """Return P(L > loss)."""
        return 0.5 * math.erfc((loss - self.mean) / (2 * math.sqrt(self.mean)))

    def reverse(self) -> NormalNoise:
        """Return Q and P."""
        return NormalNoise(self.end, self.start, self.rho)

    def ordered(self) -> tuple[Floats, Floats]:
        """Return quantiles of the loss."""
        inverse = NormalDist(self.mean, math.sqrt(self.variance)).inv_cdf
        above = np.concatenate(
            [np.logspace(-12, -3, 40), np.linspace(0.002, 0.998, 499), 1 - np.logspace(-3, -12, 40)]
        )
        return above, np.array([inverse(1 - each) for each in above])

    def spread(self, step: Fraction) -> Lattice:
        """Return the masses at multiples of the step."""
        width, sd = float_of(step), math.sqrt(self.variance)
        first = math.floor((-self.mean - _WIDE * sd) / width)
        last = math.ceil((self.mean + _WIDE * sd) / width)
        edges = width * np.arange(first, last + 1)
        p = _normal_cells((edges - self.mean) / sd)
        q = _normal_cells((edges + self.mean) / sd)
        return lattice_of(first, step, cells_between(p, q, edges[:-1], width))

    @property
    def mean(self) -> float:
        """E[L] = rho."""
        return float_of(self.rho)

    @property
    def variance(self) -> float:
        """Var[L] = 2 rho."""
        return 2 * self.mean


@dataclass(frozen=True, slots=True)
class LaplaceNoise(DistributionPair):
    """Laplace noise around `start`, and around `end`, which are `epsilon` scales apart."""

    start: float
    end: float
    epsilon: Fraction

    is_continuous = True

    @property
    def _far(self) -> float:
        return float_of(self.epsilon)

    @property
    def _scale(self) -> float:
        return abs(self.end - self.start) / self._far

    @property
    def outputs(self) -> Floats:
        """Points, evenly spaced, that have all but a share of 1e-9."""
        low, high = sorted((self.start, self.end))
        return np.linspace(low - 20 * self._scale, high + 20 * self._scale, _POINTS)

    @property
    def p(self) -> Floats:  # type: ignore[override]
        """Density around the start."""
        return self._density(self.start)

    @property
    def q(self) -> Floats:  # type: ignore[override]
        """Density around the end."""
        return self._density(self.end)

    def _density(self, middle: float) -> Floats:
        density: Floats = np.exp(-np.abs(self.outputs - middle) / self._scale) / (2 * self._scale)
        return density

    @property
    def losses(self) -> Floats:  # type: ignore[override]
        """ln(p / q), between -epsilon and epsilon."""
        losses: Floats = self.loss_at(self.outputs)
        return losses

    def loss_at(self, outputs: Any) -> Any:
        """Return the loss of any number, or of each of an array."""
        far = np.abs(outputs - self.end) - np.abs(outputs - self.start)
        return np.clip(far / self._scale, -self._far, self._far)

    def delta(self, epsilon: float) -> float:
        """Return 1 - e**((epsilon - e0) / 2) between -e0 and e0."""
        if epsilon >= self._far:
            return 0.0
        if epsilon <= -self._far:
            return -math.expm1(epsilon)
        return -math.expm1((epsilon - self._far) / 2)

    def sf(self, loss: float) -> float:
        """Return P(L > loss): 1/2 at the largest loss."""
        if not -self._far <= loss < self._far:
            return float(loss < 0)
        return 1 - 0.5 * math.exp((loss - self._far) / 2)

    def reverse(self) -> LaplaceNoise:
        """Return Q and P."""
        return LaplaceNoise(self.end, self.start, self.epsilon)

    def ordered(self) -> tuple[Floats, Floats]:
        """Return the curve between the two losses that have a probability of their own."""
        losses = np.linspace(self._far, -self._far, 400)
        above = 1 - 0.5 * np.exp((losses - self._far) / 2)
        ends = np.array([self._far]), np.array([-self._far])
        return np.concatenate([[0.0], above, [1.0]]), np.concatenate([ends[0], losses, ends[1]])

    def spread(self, step: Fraction) -> Lattice:
        """Return the masses at multiples of the step."""
        width, far = float_of(step), self._far
        first, last = math.floor(-far / width), math.ceil(far / width)
        edges = width * np.arange(first, last + 1)
        inside = np.clip(edges, -far, far)
        size = np.diff(inside)
        p = 0.5 * np.exp((inside[:-1] - far) / 2) * np.expm1(size / 2)
        q = 0.5 * np.exp(-(inside[:-1] + far) / 2) * -np.expm1(-size / 2)
        ends = spread(np.array([-far, far]), np.array([0.5 * math.exp(-far), 0.5]), step)
        at = round(ends.origin / step) - first
        masses = np.zeros(max(len(edges), at + len(ends.p)))
        masses[: len(edges)] = cells_between(p, q, edges[:-1], width)
        masses[at : at + len(ends.p)] += ends.p
        return lattice_of(first, step, masses)

    @property
    def mean(self) -> float:
        """E[L] = e0 + e**-e0 - 1."""
        return self._far + math.expm1(-self._far)

    @property
    def variance(self) -> float:
        """Var[L], by quadrature of its density e**((l - e0) / 2) / 4, in eight parts."""
        edges = np.linspace(-self._far, self._far, 9)
        half = self._far / 8
        points = ((edges[:-1] + edges[1:]) / 2)[:, None] + half * _NODES
        weights = half * _WEIGHTS * np.exp((points - self._far) / 2) / 4
        inside = float((weights * (points - self.mean) ** 2).sum())
        low = 0.5 * math.exp(-self._far) * (self._far + self.mean) ** 2
        return inside + low + 0.5 * math.expm1(-self._far) ** 2

    @property
    def supremum(self) -> float:
        """The epsilon."""
        return self._far


def _normal_density(z: Floats) -> Floats:
    density: Floats = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return density


def _normal_cells(z: Floats) -> Floats:
    """Return the normal mass between neighbouring points, from the tail that is nearer."""
    root = math.sqrt(2)
    upper, lower = (np.asarray(_erfc(each), np.float64) / 2 for each in (z / root, -z / root))
    return np.where(z[:-1] > 0, upper[:-1] - upper[1:], lower[1:] - lower[:-1])
