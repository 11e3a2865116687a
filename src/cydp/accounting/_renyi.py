# SPDX-License-Identifier: MIT
"""Renyi divergences of losses and mechanisms. docs/accounting/renyi.md has the formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._numbers.rational import float_of
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._dominating_pairs import LaplacePair, pairs_of
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss import Loss, PureDP
from cydp.accounting._plan import Plan

__all__ = ["renyi_divergence"]

_DIGITS = 90  # of the logarithm of a moment, which may be close to 0
_LEAST_LOG = Decimal("1e-60")  # below it, too few of these digits are left
_MOST_EXPONENT = 10**15  # above it, a divergence is epsilon, but for 1e-15 of it
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
        In nats, rounded up to a float, which prints no less: the least of the bounds that
        docs/accounting/renyi.md has. Exact for discrete Laplace noise and Gaussian noise; for
        another pure loss that of randomized response.

    Raises
    ------
    TypeError, ValueError
        If cost is no cost, or an order is not a number above 1.
    MeasureMismatchError
        For an ApproxDP without a rho, and an ApproxZCDP: such a loss has no Renyi divergence.

    References
    ----------
    Mironov, "Renyi differential privacy", 2017.

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
    items = cost.items if isinstance(cost, Plan) else ((cost, 1),)
    curves = [(_curve_of(item), count) for item, count in items]

    def at(order: float) -> Fraction | None:
        found = [(curve(order), count) for curve, count in curves if count]
        if any(each is None for each, _ in found):
            return None
        return sum((count * each for each, count in found if each is not None), Fraction(0))

    return _at_orders(at, orders)


def _curve_of(cost: Cost) -> Callable[[float], Fraction | None]:
    """Return the curve of a cost: its divergence at an order; None: infinity."""
    loss = loss_of(cost)
    if loss.rho is None or isinstance(loss, ApproxZCDP):
        raise MeasureMismatchError(
            "cost must have an epsilon alone, or a rho: where anything may happen with chance "
            "delta, no Renyi divergence is finite"
        )
    pairs = pairs_of(cost) or {}
    parts = [(pair, count) for pair, count in pairs.items() if isinstance(pair, LaplacePair)]
    of_mechanism = parts if len(parts) == len(pairs) else []

    def at(order: float) -> Fraction | None:
        found = _of_loss(loss, order)
        if of_mechanism:
            each = [count * _of_laplace(pair, order) for pair, count in of_mechanism]
            total = sum(each, Fraction(0))
            found = total if found is None else min(found, total)
        return found

    return at


def _at_orders(at: Callable[[float], Fraction | None], orders: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(orders)
    if given.dtype.kind not in "iuf":
        raise TypeError(f"orders must be numbers, not of dtype {given.dtype}")
    given = given.astype(np.float64)
    if not np.all(given > 1):  # NaN is none
        raise ValueError("orders must be greater than 1")
    found = [_float_above(at(order)) for order in given.ravel().tolist()]
    return np.array(found, np.float64).reshape(given.shape)


def _float_above(number: Fraction | None) -> float:
    """Return the float of a number, or the next one, if the former prints less; None: infinity."""
    value = math.inf if number is None else float_of(number)
    if number is None or math.isinf(value) or Fraction(repr(value)) >= number:
        return value
    return math.nextafter(value, math.inf)


def _of_loss(loss: Loss, order: float) -> Fraction | None:
    """Return order * rho, or less for a pure loss; None: infinity."""
    assert loss.rho is not None
    by_rho = None if math.isinf(order) else Fraction(repr(order)) * loss.rho
    if not loss.rho:
        by_rho = Fraction(0)
    if not isinstance(loss, PureDP):
        return by_rho
    by_epsilon = _of_laplace(LaplacePair(loss.epsilon), order)
    return by_epsilon if by_rho is None else min(by_rho, by_epsilon)


def _of_laplace(pair: LaplacePair, order: float) -> Fraction:
    """Return the divergence of discrete Laplace noise from the same, moved; a bit more, if any.

    Moved by a single step it is randomized response.
    """
    epsilon, steps = pair.epsilon, pair.steps
    if math.isinf(order) or Fraction(repr(order)) * epsilon > _MOST_EXPONENT:
        return epsilon
    with localcontext(prec=_DIGITS) as context:
        context.Emax, context.Emin = 10**17, -(10**17)
        alpha = Decimal(repr(order))
        e = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        q, up, down = (-e / steps).exp(), ((alpha - 1) * e).exp(), (-alpha * e).exp()
        ratio = (-(2 * alpha - 1) * e / steps).exp()
        between = ratio * (1 - ratio ** (steps - 1)) / (1 - ratio) if steps > 1 else Decimal(0)
        log = ((up + down + (1 - q) * up * between) / (1 + q)).ln()
        if log < _LEAST_LOG:  # of a tiny epsilon
            return min(Fraction(repr(order)) * PureDP(epsilon).rho, epsilon)
        found = Fraction(log / (alpha - 1)) * _ROUNDED
    return min(found, epsilon)
