# SPDX-License-Identifier: MIT
"""Privacy profiles, and bounds of trade-off (ROC) curves, of what a release costs.

docs/accounting/profile.md, and docs/teach/meaning.md for the proofs of the curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import exp_bounds
from cydp._numbers.rational import float_of, format_number, log_of, read_exact
from cydp._numbers.rounding import decimal_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._conversion import delta_of
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting._loss_numbers import read_group_size, rho_of_pure
from cydp.accounting._plan import Plan

__all__ = [
    "RocBound",
    "privacy_profile",
    "roc_of",
    "trade_off_curve",
]

_MOST_EPSILON = 1000  # above it, an (epsilon, delta) is taken to promise nothing
_LEAST_RHO, _MOST_RHO = Fraction(1, 10**200), 10**4
_DIGITS = 25  # of e**epsilon, which is rounded up
_POINTS = 41  # epsilons at which a rho is converted
_EVEN = 33  # epsilons at which a plan is asked, besides those of these deltas
_DELTAS = [
    Fraction(text)
    for text in ("0", "1e-12", "1e-9", "1e-6", "1e-4", "1e-3", "0.01", "0.03", "0.1", "0.2", "0.3",
                 "0.5", "0.7", "0.9", "0.99")
]  # fmt: skip


@explain_arguments
def privacy_profile(cost: Cost | Plan, epsilons: ArrayLike) -> NDArray[np.float64]:
    """Return the least known delta at each epsilon: the privacy profile.

    Parameters
    ----------
    cost : loss, mechanism, release or Plan
    epsilons : array_like of numbers >= 0
        In nats.

    Returns
    -------
    ndarray of float64, shape of `epsilons`
        As `Plan.delta`, rounded up. The curve of Gaussian noise and of other known noise is that of
        the noise itself; a loss alone has the curve of all mechanisms of that loss.

    Raises
    ------
    TypeError, ValueError
        If cost is no cost, or an epsilon is not allowed.

    Notes
    -----
    Privacy cost: none by itself. The profile determines the trade-off curve, and the other way
    round [1]_.

    References
    ----------
    .. [1] Dong, Roth, Su, "Gaussian differential privacy", 2022, proposition 2.12.

    Examples
    --------
    >>> from cydp import Gaussian, Plan
    >>> steps = Plan([(Gaussian(sigma=10, sensitivity=1), 100)])
    >>> privacy_profile(steps, [0, 1, 2, 4]).round(6)
    array([3.82925e-01, 1.26937e-01, 2.09240e-02, 4.70000e-05])

    """
    plan = _plan_of(cost)
    return _at_each(plan.delta, epsilons, "epsilons")


@explain_arguments
def trade_off_curve(cost: Cost | Plan, false_positives: ArrayLike) -> NDArray[np.float64]:
    """Return the least rate of false negatives of any test, at each rate of false positives.

    The test decides which of two neighbouring tables a release was made of.

    Parameters
    ----------
    cost : loss, mechanism, release or Plan
    false_positives : array_like of numbers from 0 to 1

    Returns
    -------
    ndarray of float64, shape of `false_positives`
        f(x), rounded down. It is a bound by the profile at 48 epsilons: the curve itself is a
        little higher between the corners, and for losses of many nats several times as high.

    Raises
    ------
    TypeError, ValueError
        If cost is no cost, or a rate is not from 0 to 1.

    Notes
    -----
    Privacy cost: none by itself. `cydp.teach.trade_off` draws the curve, and says what it means.

    References
    ----------
    .. [1] Dong, Roth, Su, "Gaussian differential privacy", 2022.
    .. [2] Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015.

    Examples
    --------
    >>> from cydp import Gaussian, PureDP
    >>> trade_off_curve(PureDP(1), [0.05, 0.5]).round(4)
    array([0.8641, 0.1839])
    >>> trade_off_curve(Gaussian(sigma=1, sensitivity=1), [0.05, 0.5]).round(3)
    array([0.74 , 0.158])

    """
    curve, name = roc_of(_plan_of(cost)), "false_positives"

    def at(false_positives: float) -> float:
        rate = read_exact(false_positives, name)
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must be from 0 to 1, not {format_number(rate)}")
        least = 1 - curve.most(rate)
        value = float_of(least)
        return value if Fraction(value) <= least else math.nextafter(value, 0)

    return _at_each(at, false_positives, name)


def _plan_of(cost: Cost | Plan) -> Plan:
    return cost if isinstance(cost, Plan) else Plan([(cost, 1)])


def _at_each(
    function: Callable[[float], float], given: ArrayLike, name: str
) -> NDArray[np.float64]:
    """Return a function of each number of an array."""
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numbers, not of dtype {numbers.dtype}")
    found = [function(each) for each in numbers.astype(np.float64).ravel().tolist()]
    return np.array(found, np.float64).reshape(numbers.shape)


@dataclass(frozen=True, slots=True)
class EpsilonDelta:
    """An (epsilon, delta) that holds.

    Attributes
    ----------
    factor : Fraction
        e**epsilon, rounded up.
    delta : Fraction

    """

    factor: Fraction
    delta: Fraction


def _group(pair: EpsilonDelta, size: int) -> EpsilonDelta:
    """Return what follows for tables that are `size` steps apart."""
    if size * log_of(pair.factor) > _MOST_EPSILON:
        return EpsilonDelta(Fraction(1), Fraction(1))  # (0, 1), which every mechanism has
    factor = pair.factor**size
    if not pair.delta:
        return EpsilonDelta(factor, pair.delta)
    several = (factor - 1) / (pair.factor - 1) if pair.factor > 1 else Fraction(size)
    return EpsilonDelta(factor, pair.delta * several)


def _pair_of(epsilon: Fraction, delta: Fraction = Fraction(0)) -> EpsilonDelta:
    if epsilon > _MOST_EPSILON:
        return EpsilonDelta(Fraction(1), Fraction(1))  # (0, 1), which every mechanism has
    return EpsilonDelta(exp_bounds(epsilon, _DIGITS)[1] if epsilon else Fraction(1), delta)


@dataclass(frozen=True, slots=True)
class RocBound:
    """What tests can find out under a cost, exactly: a bound by each (epsilon, delta) that holds.

    `roc_of` makes it, and ``one & other`` is what follows from two that hold. A test says
    "present" or not. Its rate of false positives is a number x from 0 to 1.

    Attributes
    ----------
    pairs : tuple of (e**epsilon, delta)
        Each has a `factor`, e**epsilon rounded up, and a `delta`. Without pairs nothing is bounded.

    """

    pairs: tuple[EpsilonDelta, ...]

    def most(self, x: Number) -> Fraction:
        """Return a rate of true positives that no test with x false positives exceeds.

        Parameters
        ----------
        x : number from 0 to 1

        Returns
        -------
        Fraction

        Raises
        ------
        TypeError, ValueError
            If x is no such number.

        """
        x = read_exact(x, "x")
        if not 0 <= x <= 1:
            raise ValueError(f"x must be from 0 to 1, not {format_number(x)}")
        rising = (each.delta + each.factor * x for each in self.pairs)
        falling = (1 - (1 - each.delta - x) / each.factor for each in self.pairs)
        return min([Fraction(1), *rising, *falling])

    def least(self, x: Number) -> Fraction:
        """Return a rate of true positives that every test with x false positives has at least.

        It is 1 - most(1 - x): the opposite test says "absent" where this one says "present".
        """
        return 1 - self.most(1 - read_exact(x, "x"))

    def group(self, k: Integer) -> RocBound:
        """Return the bound for tables that are k steps apart, such as those of k records.

        Parameters
        ----------
        k : int >= 1

        Returns
        -------
        RocBound
            Each pair has k epsilon and (1 + e**epsilon + ... + e**((k - 1) epsilon)) delta.
            The bound of `loss.group(k)` is closer where a rho is known.

        Raises
        ------
        TypeError, ValueError
            If k is no integer of at least 1.

        Examples
        --------
        >>> from cydp import ApproxDP
        >>> round(float(roc_of(ApproxDP(1, "0.01")).group(2).pairs[0].delta), 6)
        0.037183

        """
        size = read_group_size(k)
        grouped = (_group(each, size) for each in self.pairs)
        return RocBound(tuple(each for each in grouped if each.delta < 1))

    def __and__(self, other: RocBound) -> RocBound:
        """Return the bound by all pairs of two bounds that both hold."""
        return RocBound(tuple(dict.fromkeys([*self.pairs, *other.pairs])))

    @property
    def chance(self) -> Fraction:
        """The chance to win a fair bet: (e**epsilon + delta) / (e**epsilon + 1), or less."""
        found = ((each.factor + each.delta) / (each.factor + 1) for each in self.pairs)
        return min(found, default=Fraction(1))

    @property
    def factor(self) -> Fraction | None:
        """The largest factor by which one output changes odds; None if nothing bounds it."""
        return min((each.factor for each in self.pairs if not each.delta), default=None)


@explain_arguments
def roc_of(cost: Cost | Plan) -> RocBound:
    """Return what a test can find out under a cost, as exact numbers.

    The test decides which of two neighbouring tables a release was made of. `trade_off_curve`
    has the curve as floats.

    Parameters
    ----------
    cost : loss, mechanism, release or Plan
        A rho, and a plan, are converted at several epsilons; of a mechanism or a release the loss
        counts, and ``Plan([(mechanism, 1)])`` may know more.

    Returns
    -------
    RocBound
        It has the largest rate of true positives (`most`), the best fair bet (`chance`), and the
        most by which odds move (`factor`).

    Raises
    ------
    TypeError
        If cost is no cost.

    Notes
    -----
    Privacy cost: none by itself.

    References
    ----------
    .. [1] Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from cydp import PureDP
    >>> bound = roc_of(PureDP(1))
    >>> round(float(bound.most(Fraction(1, 20))), 6), round(float(bound.chance), 6)
    (0.135914, 0.731059)

    """
    if isinstance(cost, Plan):
        return RocBound(tuple(_pair_of(*point) for point in _profile_points(cost)))
    loss = loss_of(cost)
    if isinstance(loss, ApproxZCDP):
        own = loss.delta
        return RocBound(
            tuple(
                EpsilonDelta(each.factor, own + (1 - own) * each.delta)
                for each in _pairs_of_rho(loss.rho)
            )
        )
    pairs: list[EpsilonDelta] = []
    if not isinstance(loss, ZCDP):
        pairs.append(
            _pair_of(loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0))
        )
    implied = isinstance(loss, PureDP) and loss.rho >= rho_of_pure(loss.epsilon)  # and tells less
    if loss.rho is not None and not implied:
        pairs += _pairs_of_rho(loss.rho)
    return RocBound(tuple(pairs))


def _pairs_of_rho(rho: Fraction) -> list[EpsilonDelta]:
    if rho == 0:
        return [_pair_of(Fraction(0))]
    if rho > _MOST_RHO:
        return []
    rho = max(rho, _LEAST_RHO)  # a larger rho holds too
    deviation = math.sqrt(2 * float_of(rho))  # of the privacy loss; its mean is rho
    most = float_of(rho) + 9 * deviation
    epsilons = [Fraction(most * step / (_POINTS - 1)) for step in range(_POINTS)]
    pairs = [(epsilon, delta_of(rho, epsilon)) for epsilon in epsilons]
    return [_pair_of(epsilon, delta) for epsilon, delta in pairs if delta < 1]


def _profile_points(plan: Plan) -> list[tuple[Fraction, Fraction]]:
    """Return some (epsilon, delta) that a plan costs: at several deltas, and at even epsilons.

    >>> from cydp import PureDP
    >>> _profile_points(Plan([(PureDP("0.1"), 3)]))[0]
    (Fraction(3, 10), Fraction(0, 1))
    """
    least = Fraction(0)  # of a plan of losses with a delta
    for cost, count in plan.items:
        least += count * getattr(loss_of(cost), "delta", Fraction(0))
    deltas = [*_DELTAS, *([least] if least < 1 else [])]
    found = [(plan._epsilons(delta).values(), delta) for delta in deltas]
    points = [
        (Fraction(decimal_above(min(epsilons))), delta) for epsilons, delta in found if epsilons
    ]
    most = max((epsilon for epsilon, _ in points), default=Fraction(0))
    epsilons = [most * step / (_EVEN - 1) for step in range(_EVEN)]
    even = [(epsilon, Fraction(plan.delta(epsilon))) for epsilon in epsilons]
    return [*points, *((epsilon, delta) for epsilon, delta in even if delta < 1)]
