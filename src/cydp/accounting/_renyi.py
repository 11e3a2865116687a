# SPDX-License-Identifier: MIT
"""Renyi divergences of losses, mechanisms and plans. docs/accounting/renyi.md has the formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._numbers.rational import float_of
from cydp._numbers.rounding import decimal_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._dominating_pairs import LaplacePair, Pair, SampledPair, pairs_of
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss import Loss, PureDP
from cydp.accounting._plan import Plan
from cydp.accounting._sampled_renyi import log_moment

__all__ = ["divergence_of", "renyi_divergence"]

_DIGITS = 90  # of the logarithm of a moment, which may be close to 0
_LEAST_LOG = Decimal("1e-60")  # below it, too few of these digits are left
_MOST_EXPONENT = 10**15  # above it, a divergence is epsilon, but for 1e-15 of it
_CHARGED = 12  # digits of what a budget pays
_ROUNDED = 1 + Fraction(1, 10**20)  # more than the rounding of decimals


def renyi_divergence(cost: Cost | Plan, orders: ArrayLike) -> NDArray[np.float64]:
    """Return the Renyi divergences that a loss, a mechanism or a plan has at most, at some orders.

    Parameters
    ----------
    cost : loss, mechanism, release or Plan
        With an epsilon alone, or a known rho. Those of the items of a plan add up.
    orders : array_like of numbers > 1
        The orders alpha; 1.1 means 11/10. Infinity is one, too.

    Returns
    -------
    ndarray of float64, shape of `orders`
        In nats, rounded up to a float, which prints no less. Exact for discrete Laplace noise and
        for normal noise, of which discrete Gaussian noise has no more; within 1e-9 of itself for
        normal and Laplace noise on Poisson samples (`cydp.sampling.Sampled`); for another pure loss
        that of randomized response.

    Raises
    ------
    TypeError, ValueError
        If cost is no cost, or an order is not a number above 1.
    MeasureMismatchError
        For an ApproxDP without a rho, and an ApproxZCDP: such a loss has no Renyi divergence.

    References
    ----------
    Mironov, "Renyi differential privacy", 2017. Mironov, Talwar, Zhang, "Renyi differential privacy
    of the sampled Gaussian mechanism", 2019.

    Examples
    --------
    >>> from cydp import ZCDP, DiscreteLaplace, PureDP
    >>> renyi_divergence(ZCDP(0.5), [2, 10])
    array([1., 5.])
    >>> renyi_divergence(PureDP(1), [2, 10, float("inf")]).round(4)
    array([0.7353, 0.9652, 1.    ])
    >>> renyi_divergence(DiscreteLaplace(epsilon=1, sensitivity=100), [2, 10]).round(4)
    array([0.6191, 0.9287])
    >>> renyi_divergence(Plan([(ZCDP(0.5), 2), (PureDP(1), 1)]), [2]).round(4)
    array([2.7353])

    """
    curve = _curve_of(cost)
    return _at_orders(curve, orders)


def divergence_of(cost: Cost, order: Fraction) -> Fraction:
    """Return the divergence of one release at an order; a MeasureMismatchError if it has none."""
    found = _curve_of(cost)(order)
    if found is None:
        raise MeasureMismatchError("cost must have a finite Renyi divergence of this order")
    return decimal_above(found, _CHARGED)


_Curve: TypeAlias = Callable[[Fraction | None], Fraction | None]
"""The divergence at an order. None: infinity, of both."""


def _curve_of(cost: Cost | Plan) -> _Curve:
    items = cost.items if isinstance(cost, Plan) else ((cost, 1),)
    curves = [(_curve_of_item(item), count) for item, count in items if count]

    def at(order: Fraction | None) -> Fraction | None:
        total = Fraction(0)
        for curve, count in curves:
            found = curve(order)
            if found is None:
                return None
            total += count * found
        return total

    return at


def _curve_of_item(cost: Cost) -> _Curve:
    loss = loss_of(cost)
    if loss.rho is None or isinstance(loss, ApproxZCDP):
        raise MeasureMismatchError(
            "cost must have an epsilon alone, or a rho: where anything may happen with chance "
            "delta, no Renyi divergence is finite"
        )
    pairs = pairs_of(cost) or {}
    is_known = pairs and all(isinstance(pair, LaplacePair | SampledPair) for pair in pairs)

    def at(order: Fraction | None) -> Fraction | None:
        found = [_of_loss(loss, order)]
        if is_known:
            each = [(_of_pair(pair, order), count) for pair, count in pairs.items()]
            if all(divergence is not None for divergence, _ in each):
                found.append(sum((count * one for one, count in each if one), Fraction(0)))
        return min((one for one in found if one is not None), default=None)

    return at


def _at_orders(at: _Curve, orders: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(orders)
    if given.dtype.kind not in "iuf":
        raise TypeError(f"orders must be numbers, not of dtype {given.dtype}")
    given = given.astype(np.float64)
    if not np.all(given > 1):  # NaN is none
        raise ValueError("orders must be greater than 1")
    exact = [None if math.isinf(x) else Fraction(repr(x)) for x in given.ravel().tolist()]
    found = [_float_above(at(order)) for order in exact]
    return np.array(found, np.float64).reshape(given.shape)


def _float_above(number: Fraction | None) -> float:
    """Return the float of a number, or the next one, if the former prints less; None: infinity."""
    value = math.inf if number is None else float_of(number)
    if number is None or math.isinf(value) or Fraction(repr(value)) >= number:
        return value
    return math.nextafter(value, math.inf)


def _of_loss(loss: Loss, order: Fraction | None) -> Fraction | None:
    """Return order * rho, or less for a pure loss; None: infinity."""
    assert loss.rho is not None
    by_rho = None if order is None else order * loss.rho
    if not loss.rho:
        by_rho = Fraction(0)
    if not isinstance(loss, PureDP):
        return by_rho
    by_epsilon = _of_laplace(LaplacePair(loss.epsilon), order)
    return by_epsilon if by_rho is None else min(by_rho, by_epsilon)


def _of_pair(pair: Pair, order: Fraction | None) -> Fraction | None:
    if isinstance(pair, LaplacePair):
        return _of_laplace(pair, order)
    if order is None or not isinstance(pair, SampledPair):
        return None
    moment = log_moment(pair, float_of(order))
    return Fraction(moment) / (order - 1) * _ROUNDED if math.isfinite(moment) else None


def _of_laplace(pair: LaplacePair, order: Fraction | None) -> Fraction:
    """Return the divergence of discrete Laplace noise from the same, moved; a bit more, if any.

    Moved by a single step it is randomized response.
    """
    epsilon, steps = pair.epsilon, pair.steps
    if order is None or order * epsilon > _MOST_EXPONENT:
        return epsilon
    with localcontext(prec=_DIGITS) as context:
        context.Emax, context.Emin = 10**17, -(10**17)
        alpha = Decimal(order.numerator) / Decimal(order.denominator)
        e = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        q, up, down = (-e / steps).exp(), ((alpha - 1) * e).exp(), (-alpha * e).exp()
        ratio = (-(2 * alpha - 1) * e / steps).exp()
        between = ratio * (1 - ratio ** (steps - 1)) / (1 - ratio) if steps > 1 else Decimal(0)
        log = ((up + down + (1 - q) * up * between) / (1 + q)).ln()
        if log < _LEAST_LOG:  # of a tiny epsilon
            return min(order * PureDP(epsilon).rho, epsilon)
        found = Fraction(log / (alpha - 1)) * _ROUNDED
    return min(found, epsilon)
