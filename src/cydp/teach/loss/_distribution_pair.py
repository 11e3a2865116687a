# SPDX-License-Identifier: MIT
"""Two distributions of outputs, P and Q, and the privacy loss L = ln(P(o) / Q(o)), o drawn from P.

docs/teach/loss.md has the definitions and proofs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import float_of
from cydp.accounting import LossDistribution

__all__ = [
    "LEAST_DELTA",
    "DistributionPair",
    "Floats",
    "Lattice",
    "TablePair",
    "cells_between",
    "exact_floats",
    "lattice_of",
    "spread",
]

Floats: TypeAlias = NDArray[Any]  # of float64

LEAST_DELTA = 1e-290  # below it, floats are not accurate
_CLOSE = 2.0**-46  # of an epsilon that is searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """The masses of losses origin + step * i, i = 0, 1, ..., under P and under Q."""

    origin: Fraction
    step: Fraction
    p: Floats
    q: Floats
    p_only: float = 0.0  # of outputs that Q never gives: the loss is infinite
    q_only: float = 0.0


class DistributionPair(ABC):
    """The distributions P and Q of the outputs on two neighbouring tables."""

    __slots__ = ()

    is_continuous = False
    slack = 0.0  # what `delta` adds, so that it is not too small
    rounding = 0.0  # by how much each loss may be too high, in nats
    least_delta = LEAST_DELTA

    outputs: Any  # of a continuous pair: points at which the densities p and q are
    p: Floats
    q: Floats
    losses: Floats

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """Return the sum of max(p - e**epsilon q, 0), for any real epsilon."""

    def epsilon_at(self, delta: float) -> float:
        """Return an epsilon >= 0 with this delta, which is above that of infinite losses."""
        if self.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while self.delta(high) > delta:
            low, high = high, 2 * high
        while high - low > high * _CLOSE:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high

    @abstractmethod
    def sf(self, loss: float) -> float:
        """Return P(L > loss)."""

    @abstractmethod
    def reverse(self) -> DistributionPair:
        """Return Q and P."""

    @abstractmethod
    def ordered(self) -> tuple[Floats, Floats]:
        """Return the probability under P of losses above each of some losses, which fall."""

    @abstractmethod
    def spread(self, step: Fraction) -> Lattice:
        """Return a pair with losses in steps that is at least as far apart."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """E[L]: the Kullback-Leibler divergence of P from Q."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Var[L]."""

    @property
    def finite_moments(self) -> tuple[float, float]:
        """Mean and variance of the losses that are finite."""
        return self.mean, self.variance

    @property
    def p_only(self) -> float:
        """Probability under P of outputs that Q never gives."""
        return 0.0

    @property
    def supremum(self) -> float:
        """The least number that L does not exceed."""
        return math.inf

    @property
    def lattice(self) -> Lattice | None:
        """The losses, if all are rational and in steps."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePair(DistributionPair):
    """A table of outputs with their probabilities.

    Attributes
    ----------
    outputs : list or array of length n
    p, q : arrays of length n
        Probabilities under P and Q.
    losses : array of length n
        Kept beside p and q, because a quotient of floats has fewer digits.
    first, step, steps : Fraction, Fraction, array of integers
        Finite losses are first + step * steps, if they are rational.
    rest : tuple of (p, q, loss)
        What is beyond the table: outputs that are taken together, since their loss is equal.
    largest, least : float, or None
        The supremum of L under P, and its infimum under Q, unless they are in the table.
    moments : (mean, variance), or None
        Of a composition: the sums over its parts.
    sums : LossDistribution, or None
        Of a composition of many losses: the accountant's, which knows its delta at each scale.

    """

    outputs: Any
    p: Floats
    q: Floats
    losses: Floats
    first: Fraction | None = None
    step: Fraction = Fraction(1)
    steps: NDArray[np.int64] | None = None
    rest: tuple[tuple[float, float, float], ...] = ()
    largest: float | None = None
    least: float | None = None
    moments: tuple[float, float] | None = None
    slack: float = 0.0
    rounding: float = 0.0
    least_delta: float = LEAST_DELTA
    sums: LossDistribution | None = None
    _sorted: list[Any] = field(default_factory=list, repr=False, compare=False)

    def _all(self) -> tuple[Floats, Floats]:
        """Return losses, from the largest on, and their masses under P."""
        if not self._sorted:
            losses = np.append(self.losses, [loss for _, _, loss in self.rest])
            masses = np.append(self.p, [p for p, _, _ in self.rest])
            order = np.argsort(-losses, kind="stable")
            order = order[masses[order] > 0]
            self._sorted.extend((losses[order], masses[order]))
        return self._sorted[0], self._sorted[1]

    def delta(self, epsilon: float) -> float:
        """Return the sum of p (1 - e**(epsilon - L)) over all outputs with L > epsilon."""
        if epsilon >= self.supremum:
            return 0.0
        if self.sums is not None and epsilon >= 0:
            return self.sums.delta(Fraction(epsilon))
        losses, masses = self._all()
        n = int(np.searchsorted(-losses, -epsilon))
        found = float((masses[:n] * -np.expm1(epsilon - losses[:n])).sum())
        return min(found + self.slack, 1.0)

    def epsilon_at(self, delta: float) -> float:
        """Return an epsilon >= 0 with this delta."""
        if self.sums is None:
            return DistributionPair.epsilon_at(self, delta)
        return min(self.sums.epsilon(Fraction(delta)), self.supremum)

    def sf(self, loss: float) -> float:
        """Return P(L > loss)."""
        losses, masses = self._all()
        return min(float(masses[: int(np.searchsorted(-losses, -loss))].sum()), 1.0)

    def reverse(self) -> TablePair:
        """Return Q and P. Not for a composition: its parts are reversed."""
        first, steps = None, None
        if self.first is not None and self.steps is not None:
            most = int(self.steps.max(initial=0))
            first, steps = -(self.first + self.step * most), most - self.steps
        return TablePair(
            outputs=self.outputs, p=self.q, q=self.p, losses=-self.losses, first=first,
            step=self.step, steps=steps, rest=tuple((q, p, -loss) for p, q, loss in self.rest),
            largest=None if self.least is None else -self.least,
            least=None if self.largest is None else -self.largest, rounding=self.rounding,
            slack=self.slack, least_delta=self.least_delta,
        )  # fmt: skip

    def ordered(self) -> tuple[Floats, Floats]:
        """Return steps: each loss at the probability above it, and at the one that includes it."""
        losses, masses = self._all()
        starts = np.append(np.ones(1, bool), losses[1:] != losses[:-1])
        totals = np.add.reduceat(masses, np.flatnonzero(starts))
        above = np.append(0.0, np.cumsum(totals))
        return np.repeat(above, 2)[1:-1], np.repeat(losses[starts], 2)

    @property
    def mean(self) -> float:
        """E[L]."""
        return self._moments()[0]

    @property
    def variance(self) -> float:
        """Var[L]."""
        return self._moments()[1]

    @property
    def finite_moments(self) -> tuple[float, float]:
        """Mean and variance of the losses that are finite."""
        losses, masses = self._all()
        finite = np.isfinite(losses)
        return _moments(masses[finite], losses[finite])

    def _moments(self) -> tuple[float, float]:
        if self.moments is not None:
            return self.moments
        losses, masses = self._all()
        return _moments(masses, losses)

    @property
    def p_only(self) -> float:
        """Probability under P of outputs that Q never gives."""
        return min(float(self.p[np.isposinf(self.losses)].sum()), 1.0)

    @property
    def supremum(self) -> float:
        """The least number that L does not exceed."""
        return float(self._all()[0][0]) if self.largest is None else self.largest

    @property
    def lattice(self) -> Lattice | None:
        """The losses, if all are rational and in steps."""
        if self.first is None or self.steps is None:
            return self._lattice_of_one_loss()
        finite = np.isfinite(self.losses)
        steps, p, q = self.steps[finite], self.p[finite], self.q[finite]
        for mass, other, loss in self.rest:
            at = round((Fraction(loss) - self.first) / self.step)
            steps, p, q = np.append(steps, at), np.append(p, mass), np.append(q, other)
        size = int(steps.max(initial=0)) + 1
        return Lattice(
            origin=self.first, step=self.step, p=np.bincount(steps, p, size),
            q=np.bincount(steps, q, size), p_only=self.p_only, q_only=self._q_only(),
        )  # fmt: skip

    def _lattice_of_one_loss(self) -> Lattice | None:
        """Return the only loss that is finite, if there is one: no step is needed."""
        finite = np.isfinite(self.losses)
        if self.rest or not finite.any() or np.ptp(self.losses[finite]):
            return None
        return Lattice(
            origin=Fraction(float(self.losses[finite][0])),
            step=Fraction(1),
            p=self.p[finite].sum(keepdims=True),
            q=self.q[finite].sum(keepdims=True),
            p_only=self.p_only,
            q_only=self._q_only(),
        )

    def _q_only(self) -> float:
        return float(self.q[np.isneginf(self.losses)].sum())

    def spread(self, step: Fraction) -> Lattice:
        """Return the masses at the two multiples of the step around each loss."""
        losses, masses = self._all()
        finite = np.isfinite(losses)
        return spread(losses[finite], masses[finite], step, self.p_only, self._q_only())


def spread(
    losses: Floats, masses: Floats, step: Fraction, p_only: float = 0.0, q_only: float = 0.0
) -> Lattice:
    """Move each mass to the two multiples of a step around its loss, and keep p and q."""
    rest = max(1 - float(masses.sum()), 0.0)
    found = LossDistribution.on_grid(losses, masses, step=step, infinite=rest)
    return lattice_of(found.first, step, found.probabilities, p_only, q_only)


def lattice_of(
    first: int, step: Fraction, p: Floats, p_only: float = 0.0, q_only: float = 0.0
) -> Lattice:
    """Return masses at multiples of a step, from the first on, with q = p e**-loss."""
    values = float_of(step) * np.arange(first, first + len(p))
    q = _times_exp(p, -values)
    return Lattice(origin=first * step, step=step, p=p, q=q, p_only=p_only, q_only=q_only)


def cells_between(p: Floats, q: Floats, low: Floats, width: float) -> Floats:
    """Return the masses at the ends of cells [low, low + width] that keep p and q of each cell."""
    up = np.clip((p - _times_exp(q, low)) / -math.expm1(-width), 0, p)
    ends: Floats = np.append(p - up, 0.0) + np.append(0.0, up)
    return ends


def _times_exp(masses: Floats, exponents: Floats) -> Floats:
    """Return masses * e**exponents; a mass of 0 stays 0."""
    with np.errstate(divide="ignore", under="ignore", over="ignore"):
        found: Floats = np.exp(np.log(masses) + exponents)
    return found


def _moments(masses: Floats, losses: Floats) -> tuple[float, float]:
    there = masses > 0
    masses, losses = masses[there], losses[there]
    if not masses.size:
        return 0.0, 0.0
    if not np.isfinite(losses).all():
        return math.inf, math.inf
    total = masses.sum()
    mean = float((masses * losses).sum() / total)
    return mean, float((masses * (losses - mean) ** 2).sum() / total)


def exact_floats(first: Fraction, step: Fraction, steps: NDArray[np.int64]) -> Floats:
    """Return first + step * steps, each the nearest float: a loss equals a stated epsilon."""
    common = first.denominator * step.denominator
    origin, slope = int(first * common), int(step * common)
    if abs(origin) + slope * (int(steps.max(initial=0)) + 1) < 2**53 and common < 2**53:
        return np.asarray((origin + slope * steps) / common, np.float64)
    return float_of(first) + float_of(step) * steps
