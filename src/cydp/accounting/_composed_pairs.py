# SPDX-License-Identifier: MIT
"""Releases that are fixed in advance, and their dominating pairs, composed.

docs/accounting/plans.md has the proofs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cydp._numbers.rational import log_of
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._dominating_pairs import (
    LaplacePair,
    NormalPair,
    Pair,
    Pairs,
    SampledPair,
    pairs_of,
)
from cydp.accounting._loss import ApproxDP, Loss, PureDP
from cydp.accounting._loss_profile import LossProfile, can_compose
from cydp.accounting._normal_profile import NormalProfile
from cydp.accounting._sample_profile import Profile, SampleProfile

__all__ = [
    "ComposedPairs",
    "EqualReleases",
    "probability_of_any_delta",
    "releases_of",
    "sum_of",
    "union",
    "without",
]

# If the deltas sum to less, the sum itself bounds the probability of their union.
_SMALL = Fraction(1, 10**12)
_MARGIN = Fraction(1, 10**12)  # relative; more than the rounding of logarithms and expm1
_LEAST_DELTA = Fraction(1, 10**300)  # at which a lower end is found: a smaller delta costs more
_LEAST_NORMAL, _MOST_NORMAL = Fraction(1, 10**280), 10**7  # rho of pairs with a closed form


@dataclass(frozen=True, slots=True)
class EqualReleases:
    """Equal releases: their number, and the loss and known dominating pairs of one of them."""

    loss: Loss
    count: int
    pairs: Pairs | None

    @property
    def costs_anything(self) -> bool:
        """Whether the releases cost anything."""
        return self.count > 0 and any(self.known or (self.loss.rho,))

    @property
    def known(self) -> tuple[Fraction, Fraction] | None:
        """Epsilon and delta of each release; None if its loss has only a rho."""
        if not isinstance(self.loss, PureDP | ApproxDP):
            return None
        delta = self.loss.delta if isinstance(self.loss, ApproxDP) else Fraction(0)
        return self.loss.epsilon, delta


def releases_of(items: Iterable[tuple[Cost, int]]) -> list[EqualReleases]:
    """Return the items of a plan that cost anything, with the dominating pairs of mechanisms."""
    releases = [EqualReleases(loss_of(cost), count, pairs_of(cost)) for cost, count in items]
    return [each for each in releases if each.costs_anything]


class ComposedPairs:
    """The dominating pairs of releases together: bounds of epsilon and delta, of both sides.

    Parameters
    ----------
    pairs : Pairs
    profile : profile
        Of the pairs.
    any_delta : Fraction
        At least the probability that the event of any delta happens which stands beside the pairs.

    """

    __slots__ = ("_any_delta", "_pairs", "_profile")

    def __init__(self, pairs: Pairs, profile: Profile, any_delta: Fraction) -> None:
        self._pairs, self._profile, self._any_delta = pairs, profile, any_delta

    @classmethod
    def of(cls, parts: Sequence[EqualReleases]) -> ComposedPairs | None:
        """Return the pairs of some parts; None if some are not known or floats do not follow."""
        pairs: Counter[Pair] = Counter()
        without_pairs = []
        for part in parts:
            pairs_of_part = part.pairs
            if pairs_of_part is None:  # a pure loss is dominated by randomized response
                if part.known is None:
                    return None
                pairs_of_part = {LaplacePair(part.known[0]): 1} if part.known[0] else {}
                without_pairs.append(part)
            for pair, times in pairs_of_part.items():
                pairs[pair] += times * part.count
        profile = _profile_of(pairs)
        return (
            None
            if profile is None
            else cls(pairs, profile, probability_of_any_delta(without_pairs))
        )

    @property
    def kinds(self) -> set[Pair]:
        """The pairs, each once."""
        return set(self._pairs)

    def epsilon(self, delta: Fraction) -> Fraction | None:
        """Return an epsilon at a delta in [0, 1); None if none is known."""
        if self._any_delta >= delta:
            return None
        found = self._profile.epsilon(without(delta, self._any_delta))
        return None if found is None else Fraction(found)

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0."""
        return union(self._profile.delta(epsilon), self._any_delta)

    def least_epsilon(self, delta: Fraction) -> Fraction:
        """Return an epsilon at a delta in [0, 1) that the exact one is not below."""
        left = without(max(delta, _LEAST_DELTA), self._least_any_delta)
        return Fraction(self._profile.least_epsilon(left)) if left > 0 else Fraction(0)

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon >= 0 that the exact one is not below."""
        return union(self._profile.least_delta(epsilon), self._least_any_delta)

    @property
    def _least_any_delta(self) -> Fraction:
        # Both ways of `probability_of_any_delta` are too large by 2 _MARGIN at most.
        return self._any_delta * (1 - 3 * _MARGIN)


def _profile_of(pairs: Pairs) -> Profile | None:
    """Return the profile of pairs together; None if there are none, or floats do not follow."""
    if pairs and all(
        isinstance(pair, NormalPair) and _LEAST_NORMAL <= pair.rho <= _MOST_NORMAL for pair in pairs
    ):
        return NormalProfile(sum((n * pair.rho for pair, n in pairs.items()), Fraction(0)))
    [(pair, times), *others] = pairs.items() or [(None, 0)]
    if isinstance(pair, SampledPair) and times == 1 and not others:
        one = _profile_of({pair.pair: 1})
        return None if one is None else SampleProfile(one, pair.share)
    return LossProfile(pairs) if pairs and can_compose(pairs) else None


def sum_of(parts: Sequence[EqualReleases]) -> tuple[Fraction, Fraction]:
    """Return the sum of the epsilons, and of the deltas."""
    known = [(part.count, *(part.known or (Fraction(0), Fraction(0)))) for part in parts]
    epsilon = sum((count * epsilon for count, epsilon, _ in known), Fraction(0))
    return epsilon, sum((count * delta for count, _, delta in known), Fraction(0))


def probability_of_any_delta(parts: Sequence[EqualReleases]) -> Fraction:
    """Return the probability that the event of any delta happens, or a bit more.

    A release of (epsilon, delta) is one of (epsilon, 0) but for an event of probability delta.
    """
    _, total = sum_of(parts)
    if total < _SMALL:
        return total
    log_none = [part.count * log_of(1 - part.known[1]) for part in parts if part.known]
    return min(total, Fraction(-math.expm1(sum(log_none))) * (1 + _MARGIN), Fraction(1))


def without(delta: Fraction, event: Fraction) -> Fraction:
    """Return p with `union(p, event)` = delta."""
    return (delta - event) / (1 - event)


def union(event: Fraction, other: Fraction) -> Fraction:
    """Return the probability that at least one of two independent events happens."""
    return event + other - event * other
