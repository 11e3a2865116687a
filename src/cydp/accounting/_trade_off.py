# SPDX-License-Identifier: MIT
"""What a loss lets a test find out: the most true positives at each rate of false positives.

docs/teach/meaning.md has the proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from cydp._numbers.intervals import exp_bounds
from cydp._numbers.rational import float_of
from cydp.accounting._conversion import delta_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import half_square

__all__ = ["Curve", "curve_of"]

_MOST_EPSILON = 1000  # beyond which a pair is taken to promise nothing
_LEAST_RHO, _MOST_RHO = Fraction(1, 10**200), 10**4
_DIGITS = 25  # of e**epsilon, which is rounded up
_POINTS = 41  # of a rho, at which it is said as an (epsilon, delta)


@dataclass(frozen=True, slots=True)
class Pair:
    """One (epsilon, delta) that holds: e**epsilon, rounded up, and delta."""

    factor: Fraction
    delta: Fraction


def _pair_of(epsilon: Fraction, delta: Fraction = Fraction(0)) -> Pair:
    """Return the pair of an epsilon and a delta."""
    if epsilon > _MOST_EPSILON:
        return Pair(Fraction(1), Fraction(1))  # (0, 1), which every mechanism has
    return Pair(exp_bounds(epsilon, _DIGITS)[1] if epsilon else Fraction(1), delta)


@dataclass(frozen=True, slots=True)
class Curve:
    """All pairs that are known of one loss, of which each bounds every test.

    A test says "present" or not. Its rate of false positives is a number x from 0 to 1.
    """

    pairs: tuple[Pair, ...]

    def most(self, x: Fraction) -> Fraction:
        """Return a rate of true positives that no test with x false positives exceeds."""
        rising = (each.delta + each.factor * x for each in self.pairs)
        falling = (1 - (1 - each.delta - x) / each.factor for each in self.pairs)
        return min([Fraction(1), *rising, *falling])

    def least(self, x: Fraction) -> Fraction:
        """Return a rate that every test has at least, which is `most` of the opposite test."""
        return 1 - self.most(1 - x)

    @property
    def chance(self) -> Fraction:
        """The chance to win a fair bet: (e**epsilon + delta) / (e**epsilon + 1), or less."""
        found = ((each.factor + each.delta) / (each.factor + 1) for each in self.pairs)
        return min(found, default=Fraction(1))

    @property
    def factor(self) -> Fraction | None:
        """The most by which one output moves odds; None if nothing bounds it."""
        return min((each.factor for each in self.pairs if not each.delta), default=None)


def curve_of(loss: Loss) -> Curve:
    """Return the curve of a loss: of a rho, by the pairs that it implies at several epsilons."""
    pairs: list[Pair] = []
    if not isinstance(loss, ZCDP):
        pairs.append(
            _pair_of(loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0))
        )
    implied = isinstance(loss, PureDP) and loss.rho == half_square(loss.epsilon)  # and tells less
    if loss.rho is not None and not implied:
        pairs += _pairs_of_rho(loss.rho)
    return Curve(tuple(pairs))


def _pairs_of_rho(rho: Fraction) -> list[Pair]:
    if rho == 0:
        return [_pair_of(Fraction(0))]
    if rho > _MOST_RHO:
        return []
    rho = max(rho, _LEAST_RHO)  # a larger rho holds too
    deviation = math.sqrt(2 * float_of(rho))  # of the privacy loss, whose mean is rho
    most = float_of(rho) + 9 * deviation
    epsilons = [Fraction(most * step / (_POINTS - 1)) for step in range(_POINTS)]
    pairs = [(epsilon, delta_of(rho, epsilon)) for epsilon in epsilons]
    return [_pair_of(epsilon, delta) for epsilon, delta in pairs if delta < 1]
