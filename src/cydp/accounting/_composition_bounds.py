# SPDX-License-Identifier: MIT
"""Four bounds on what releases cost together that are fixed in advance. Each holds by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from cydp._numbers.rational import float_of, log_of
from cydp.accounting import _conversion, _optimal_composition, _pld
from cydp.accounting._dominating_pairs import LaplacePair, Pair, Pairs
from cydp.accounting._loss import ZCDP, ApproxDP, Loss

__all__ = ["Bound", "Part", "bounds_of", "could_be_less"]

_SMALL = Fraction(1, 10**12)
_MARGIN = Fraction(1, 10**12)  # relative; more than the rounding of a power


@dataclass(frozen=True, slots=True)
class Part:
    """A loss, so many times, with the pairs of laws that stand for one, if they are known."""

    loss: Loss
    count: int
    pairs: Pairs | None

    @property
    def costs(self) -> bool:
        """Whether it costs anything."""
        return self.count > 0 and any(self.known or (self.loss.rho,))

    @property
    def known(self) -> tuple[Fraction, Fraction] | None:
        """Epsilon and delta of one, if it has them."""
        if isinstance(self.loss, ZCDP):
            return None
        delta = self.loss.delta if isinstance(self.loss, ApproxDP) else Fraction(0)
        return self.loss.epsilon, delta


@dataclass(frozen=True, slots=True)
class Bound:
    """What some parts cost together, from above.

    Attributes
    ----------
    epsilon : callable
        Of a delta in [0, 1); None where the bound says nothing.
    delta : callable
        Of an epsilon >= 0; 1, or more, where it says nothing.

    """

    epsilon: Callable[[Fraction], Fraction | None]
    delta: Callable[[Fraction], Fraction]


def bounds_of(parts: Sequence[Part]) -> dict[str, Bound]:
    """Return the bounds that say something of these parts, by name."""
    found = {"basic": _basic(parts), "zcdp": _zcdp(parts), "optimal": _optimal(parts)}
    if _pld.installed():
        found["pld"] = _by_distributions(parts)
    return {name: bound for name, bound in found.items() if bound is not None}


def could_be_less(parts: Sequence[Part], delta: Fraction) -> bool:
    """Whether the extra ``pld`` may say something at a delta, and something new."""
    return (
        delta >= _pld.LEAST_DELTA and delta > _lost(parts) and _by_distributions(parts) is not None
    )


def _basic(parts: Sequence[Part]) -> Bound | None:
    """Losses in (epsilon, delta) add up."""
    if any(part.known is None for part in parts):
        return None
    whole, lost = _total(parts)
    return Bound(
        lambda delta: whole if lost <= delta else None,
        lambda epsilon: lost if whole <= epsilon else Fraction(1),
    )


def _zcdp(parts: Sequence[Part]) -> Bound:
    """Losses in zCDP add up; what has none there is added in (epsilon, delta)."""
    rho = sum((part.count * (part.loss.rho or Fraction(0)) for part in parts), Fraction(0))
    others, lost = _total([part for part in parts if part.loss.rho is None])

    def epsilon(delta: Fraction) -> Fraction | None:
        left = delta - lost
        if left < 0 or (left == 0 and rho > 0):
            return None
        try:
            return others + (_conversion.epsilon_of(rho, left) if rho else 0)
        except ValueError:  # beyond floats
            return None

    def delta(epsilon: Fraction) -> Fraction:
        left = epsilon - others
        if left < 0:
            return Fraction(1)
        try:
            return lost + _conversion.delta_of(rho, left)
        except ValueError:
            return Fraction(1)

    return Bound(epsilon, delta)


def _optimal(parts: Sequence[Part]) -> Bound | None:
    """Losses of one epsilon compose to no more than randomized responses do."""
    known = [part.known for part in parts]
    epsilons = {numbers[0] for numbers in known if numbers is not None}
    count = sum(part.count for part in parts)
    if None in known or len(epsilons) != 1:
        return None
    each, lost = epsilons.pop(), _lost(parts)
    if not _optimal_composition.can_compose(each, count):
        return None
    return Bound(
        lambda delta: (
            _optimal_composition.epsilon_of(each, count, _left(delta, lost))
            if lost < delta
            else None
        ),
        lambda epsilon: _either(_optimal_composition.delta_of(each, count, epsilon), lost),
    )


def _by_distributions(parts: Sequence[Part]) -> Bound | None:
    """Pairs of laws that stand for all parts are composed, by the extra ``pld``.

    Not if all are randomized response of the losses' own epsilon: then "optimal" is exact.
    """
    pairs: Counter[Pair] = Counter()
    losing = []
    for part in parts:
        one = part.pairs
        if one is None:  # a pure loss is no more than randomized response
            if part.known is None:
                return None
            one = {LaplacePair(part.known[0]): 1} if part.known[0] else {}
            losing.append(part)
        for pair, times in one.items():
            pairs[pair] += times * part.count
    if not pairs or not _pld.can_compose(pairs):
        return None
    if _optimal(parts) and set(pairs) == {
        LaplacePair(part.known[0]) for part in parts if part.known
    }:
        return None
    lost = _lost(losing)

    @cache
    def composed() -> _pld.Curve:
        return _pld.composed(pairs)

    def epsilon(delta: Fraction) -> Fraction | None:
        found = composed().epsilon(float_of(_left(delta, lost))) if lost < delta else None
        return None if found is None else Fraction(found)

    return Bound(
        epsilon,
        lambda epsilon: _either(Fraction(composed().delta(float_of(epsilon))), lost),
    )


def _total(parts: Sequence[Part]) -> tuple[Fraction, Fraction]:
    known = [(part.count, *(part.known or (Fraction(0), Fraction(0)))) for part in parts]
    epsilon = sum((count * epsilon for count, epsilon, _ in known), Fraction(0))
    return epsilon, sum((count * delta for count, _, delta in known), Fraction(0))


def _lost(parts: Sequence[Part]) -> Fraction:
    """Return the chance that the delta of any of them comes true, or a little more."""
    _, total = _total(parts)
    if total < _SMALL:
        return total
    stays = [part.count * log_of(1 - part.known[1]) for part in parts if part.known]
    return min(total, Fraction(-math.expm1(sum(stays))) * (1 + _MARGIN), Fraction(1))


def _left(delta: Fraction, lost: Fraction) -> Fraction:
    """Return the chance that together with another, independent one makes delta."""
    return (delta - lost) / (1 - lost)


def _either(one: Fraction, other: Fraction) -> Fraction:
    """Return the chance of one or the other of independent events."""
    return one + other - one * other
