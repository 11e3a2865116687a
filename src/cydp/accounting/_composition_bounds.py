# SPDX-License-Identifier: MIT
"""Five bounds on the cost of releases that are all fixed in advance, and how a report names them.

Each bound holds by itself: docs/accounting/plans.md says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from cydp._numbers.rational import float_of, format_number, log_of
from cydp._numbers.rounding import decimal_above
from cydp.accounting import _conversion, _optimal_composition
from cydp.accounting._composed_pairs import (
    ComposedPairs,
    EqualReleases,
    probability_of_any_delta,
    sum_of,
    union,
    without,
)
from cydp.accounting._dominating_pairs import LaplacePair, SampledPair, normal_rho
from cydp.accounting._loss import PureDP
from cydp.accounting._sampled_renyi import log_moment

__all__ = [
    "Bound",
    "RenyiCurve",
    "compute_bounds",
    "report_costs",
]

_METHODS = {
    "basic": "by basic composition",
    "zcdp": "by zCDP",
    "renyi": "by Renyi divergences of samples",
    "optimal": "by optimal composition",
    "pld": "by the privacy loss distribution",
}
_NO_BOUND = "at delta {} no bound gives an epsilon: a larger delta is needed"

# Orders of Renyi divergences: any above 1 do. Large ones are for tiny deltas and shares.
_ORDERS: list[float] = [1 + 2.0 ** (i / 16) for i in range(-64, 194)]
_RENYI_MARGIN = 1e-9  # relative; more than the rounding of sums of positive numbers
_SHIFT = 1e-12  # added to epsilon: more than discrete noise on a grid costs above normal noise
_UP, _UP_BY = 1 + Fraction(_RENYI_MARGIN), Fraction(_SHIFT)
_LEAST_LOG = -700  # the logarithm of a delta that is still a float


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound on what some parts cost together.

    Attributes
    ----------
    epsilon : callable
        Returns the epsilon at a delta in [0, 1); None where the bound guarantees nothing.
    delta : callable
        Returns the delta at an epsilon >= 0; 1 or more where the bound guarantees nothing.

    """

    epsilon: Callable[[Fraction], Fraction | None]
    delta: Callable[[Fraction], Fraction]


def report_costs(epsilons: dict[str, Fraction], delta: Fraction) -> list[str]:
    """Return lines with the epsilon of each method at a delta, which name the least one.

    Parameters
    ----------
    epsilons : dict
        The epsilon of each method, by its name. Methods that give none are left out.
    delta : Fraction

    """
    least = min(epsilons, key=epsilons.__getitem__, default=None)
    at = format_number(delta)
    lines = [f"at delta {at} it costs" if epsilons else _NO_BOUND.format(at)]
    for method, epsilon in epsilons.items():
        used = " (this counts)" if method == least else ""
        lines.append(f"  epsilon {format_number(decimal_above(epsilon))} {_METHODS[method]}{used}")
    return lines


def compute_bounds(
    parts: Sequence[EqualReleases], composed: ComposedPairs | None
) -> dict[str, Bound]:
    """Return the bounds that apply to these parts and their composed pairs, by name."""
    found = {
        "basic": _basic_bound(parts),
        "zcdp": _zcdp_bound(parts),
        "renyi": _renyi_bound(parts),
        "optimal": _optimal_bound(parts),
        "pld": _pld_bound(parts, composed),
    }
    return {name: bound for name, bound in found.items() if bound is not None}


def _basic_bound(parts: Sequence[EqualReleases]) -> Bound | None:
    """Losses in (epsilon, delta) add up."""
    if any(part.known is None for part in parts):
        return None
    total_epsilon, total_delta = sum_of(parts)
    return Bound(
        lambda delta: total_epsilon if total_delta <= delta else None,
        lambda epsilon: total_delta if total_epsilon <= epsilon else Fraction(1),
    )


def _zcdp_bound(parts: Sequence[EqualReleases]) -> Bound:
    """Losses in zCDP add up; losses without a rho are added in (epsilon, delta).

    At a small delta a few large pure losses cost less if they are added so, too.
    """
    by_rho = _zcdp_beside([part for part in parts if part.loss.rho is None], parts)
    known = [part for part in parts if part.loss.rho is None or isinstance(part.loss, PureDP)]
    if len(known) in (0, len(parts)):
        return by_rho
    by_epsilon = _zcdp_beside(known, parts)

    def epsilon(delta: Fraction) -> Fraction | None:
        found = (by_rho.epsilon(delta), by_epsilon.epsilon(delta))
        return min((each for each in found if each is not None), default=None)

    return Bound(epsilon, lambda epsilon: min(by_rho.delta(epsilon), by_epsilon.delta(epsilon)))


def _zcdp_beside(added: Sequence[EqualReleases], parts: Sequence[EqualReleases]) -> Bound:
    """Return the bound in zCDP of parts, of which some are added in (epsilon, delta)."""
    rest = [part for part in parts if part not in added]
    rho = sum((part.count * (part.loss.rho or Fraction(0)) for part in rest), Fraction(0))
    return _beside(
        added,
        Bound(
            lambda delta: _conversion.epsilon_of(rho, delta) if rho else Fraction(0),
            lambda epsilon: _conversion.delta_of(rho, epsilon),
        ),
        bool(rho),
    )


def _renyi_bound(parts: Sequence[EqualReleases]) -> Bound | None:
    """Renyi divergences add up. Normal noise on samples has its own, other losses alpha * rho."""
    sampled = [(pair, part.count) for part in parts if (pair := _sampled_normal(part))]
    if not sampled:
        return None
    rest = [part for part in parts if not _sampled_normal(part)]
    rho = sum((part.count * (part.loss.rho or Fraction(0)) for part in rest), Fraction(0))

    @cache
    def curve() -> RenyiCurve:
        return RenyiCurve(sampled, rho)

    return _beside(
        [part for part in rest if part.loss.rho is None],
        Bound(lambda delta: curve().epsilon(delta), lambda epsilon: curve().delta(epsilon)),
        True,
    )


def _sampled_normal(part: EqualReleases) -> SampledPair | None:
    """Return the pair of a part that is normal noise on a Poisson sample, else None."""
    pairs = list(part.pairs or ())
    if len(pairs) != 1 or not isinstance(pairs[0], SampledPair):
        return None
    return None if normal_rho(pairs[0].pair) is None else pairs[0]


def _pld_bound(parts: Sequence[EqualReleases], composed: ComposedPairs | None) -> Bound | None:
    """Dominating pairs of all parts are composed, as distributions of their losses.

    None if all pairs are randomized responses of the losses' own epsilons: then the bound "optimal"
    is exact.
    """
    if composed is None:
        return None
    if _optimal_bound(parts) and composed.kinds == {
        LaplacePair(part.known[0]) for part in parts if part.known
    }:
        return None
    return Bound(composed.epsilon, composed.delta)


def _beside(others: Sequence[EqualReleases], bound: Bound, needs_delta: bool) -> Bound:
    """Return a bound with other parts added by basic composition.

    `needs_delta` says whether the bound gives no epsilon at delta = 0.
    """
    others_epsilon, others_delta = sum_of(others)

    def epsilon(delta: Fraction) -> Fraction | None:
        left = delta - others_delta
        if left < 0 or (left == 0 and needs_delta):
            return None
        try:
            found = bound.epsilon(left)
        except ValueError:  # beyond floats
            return None
        return None if found is None else others_epsilon + found

    def delta(epsilon: Fraction) -> Fraction:
        left = epsilon - others_epsilon
        if left < 0:
            return Fraction(1)
        try:
            return others_delta + bound.delta(left)
        except ValueError:
            return Fraction(1)

    return Bound(epsilon, delta)


def _optimal_bound(parts: Sequence[EqualReleases]) -> Bound | None:
    """Losses of one epsilon cost at most what as many randomized responses of it cost."""
    known = [part.known for part in parts]
    epsilons = {numbers[0] for numbers in known if numbers is not None}
    count = sum(part.count for part in parts)
    if None in known or len(epsilons) != 1:
        return None
    each, any_delta = epsilons.pop(), probability_of_any_delta(parts)
    if not _optimal_composition.can_compose(each, count):
        return None
    return Bound(
        lambda delta: (
            _optimal_composition.epsilon_of(each, count, without(delta, any_delta))
            if any_delta < delta
            else None
        ),
        lambda epsilon: union(_optimal_composition.delta_of(each, count, epsilon), any_delta),
    )


class RenyiCurve:
    """The privacy profile of normal noise on Poisson samples: the moments accountant.

    Mironov, Talwar, Zhang, "Renyi differential privacy of the sampled Gaussian mechanism", 2019.

    Parameters
    ----------
    sampled : sequence of (pair, count)
        For each kind: its pair, and the number of releases.
    rho : Fraction
        Of everything else, in zCDP.

    """

    __slots__ = ("_known", "_rho", "_sampled")

    def __init__(self, sampled: Sequence[tuple[SampledPair, int]], rho: Fraction) -> None:
        self._sampled, self._rho = sampled, float_of(rho)
        self._known: dict[int, float] = {}

    def epsilon(self, delta: Fraction) -> Fraction | None:
        """Return an epsilon at a delta; None beyond floats."""
        log_delta = log_of(delta)

        def bound(index: int) -> float:
            return (self._log_factor(index) - log_delta) / (_ORDERS[index] - 1)

        least = max(_least(bound), 0.0)
        return Fraction(least) * _UP + _UP_BY if math.isfinite(least) else None

    def delta(self, epsilon: Fraction) -> Fraction:
        """Return a delta at an epsilon."""
        at = float_of((epsilon - _UP_BY) / _UP)
        if math.isinf(at):
            return Fraction(1)
        least = _least(lambda index: self._log_factor(index) - (_ORDERS[index] - 1) * at)
        return Fraction(math.exp(max(least, _LEAST_LOG))) * _UP if least < 0 else Fraction(1)

    def _log_factor(self, index: int) -> float:
        """Return ln(delta) + (order - 1) epsilon, at one order; infinity beyond floats.

        Canonne, Kamath, Steinke 2020, proposition 12: ln(delta) = (order - 1) (divergence -
        epsilon) + order ln(1 - 1 / order) - ln(order - 1).
        """
        if index not in self._known:
            order = _ORDERS[index]
            moment: float = order * (order - 1) * self._rho
            moment += sum(count * log_moment(pair, order) for pair, count in self._sampled)
            constant = order * math.log1p(-1 / order) - math.log(order - 1)
            self._known[index] = moment * (1 + _RENYI_MARGIN) + constant
        return self._known[index]


def _least(bound: Callable[[int], float]) -> float:
    """Return the least bound that a search over the orders finds: it falls, and then grows."""
    low, high = 0, len(_ORDERS) - 1
    found = math.inf
    while low < high:
        middle = (low + high) // 2
        here, after = bound(middle), bound(middle + 1)
        found = min(found, here, after)
        if after < here:
            low = middle + 1
        else:
            high = middle
    return found
