# SPDX-License-Identifier: MIT
"""The most that a mechanism may cost, if so many releases of it must fit a budget."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import SupportsIndex, TypeVar

from cydp.accounting.budget import HasLoss, check_budget, loss_of, measured
from cydp.accounting.loss import ApproxDP, Loss
from cydp.accounting.plan import Plan
from cydp.rational import float_of, index

_Mechanism = TypeVar("_Mechanism", bound=HasLoss)

_MOST_DOUBLINGS = 64
_CLOSE = 1 + 1e-6  # the largest parameter is at most so many times the one returned


def calibrate(
    make_mechanism: Callable[[Fraction], _Mechanism], budget: Loss, count: SupportsIndex = 1
) -> _Mechanism:
    """Return the mechanism that spends a budget in so many releases.

    Parameters
    ----------
    make_mechanism : callable
        Takes one privacy parameter, an epsilon or a rho, and returns the mechanism, which must
        cost more if that is larger.
    budget : PureDP, ApproxDP or ZCDP
        For ApproxDP the releases cost what `Plan` says: they must be fixed in advance.
    count : int >= 1

    Returns
    -------
    mechanism
        Of the largest parameter that fits: exactly, where costs add up and grow with the
        parameter in proportion; else within a millionth.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if no mechanism fits.
    MeasureMismatchError
        If the mechanism says nothing in the budget's measure.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PureDP
    >>> calibrate(DiscreteLaplace, PureDP(1), count=10)
    DiscreteLaplace(epsilon=0.1, sensitivity=1)
    >>> noise = calibrate(lambda rho: DiscreteGaussian(rho=rho), ApproxDP(1, 1e-6), count=100)
    >>> noise.sigma < 46  # zCDP alone would need 45.4, the extra ``pld`` 43.7
    True

    """
    limits = measured(check_budget(budget), budget)
    times = index(count, "count")
    if times < 1:
        raise ValueError(f"count must be at least 1, not {times}")
    if limits[0] == 0:
        raise ValueError("budget must be more than nothing")

    def fits(mechanism: HasLoss) -> bool:
        if isinstance(budget, ApproxDP):
            found = Plan([(mechanism, times)]).bounds(budget.delta)
            return min(found.values(), default=limits[0] + 1) <= limits[0]
        return times * measured(loss_of(mechanism), budget)[0] <= limits[0]

    start = limits[0] / times
    first = None if isinstance(budget, ApproxDP) else _made(make_mechanism, start)
    cost = Fraction(0) if first is None else times * measured(loss_of(first), budget)[0]
    if cost:
        exact = _made(make_mechanism, start * limits[0] / cost)
        if exact is not None and times * measured(loss_of(exact), budget)[0] == limits[0]:
            return exact
    return _largest(make_mechanism, fits, start)


def _largest(
    make: Callable[[Fraction], _Mechanism], fits: Callable[[HasLoss], bool], start: Fraction
) -> _Mechanism:
    low, found = start, None
    for _ in range(_MOST_DOUBLINGS):
        found = _fitting(make, fits, low)
        if found is not None:
            break
        low /= 2
    if found is None:
        make(start)  # says what is wrong with it, if it is wrong
        raise ValueError("make_mechanism must give a mechanism that fits the budget")
    high = 2 * low
    for _ in range(_MOST_DOUBLINGS):
        larger = _fitting(make, fits, high)
        if larger is None:
            break
        found, low, high = larger, high, 2 * high
    else:
        raise ValueError("make_mechanism must cost more for a larger parameter")
    while high > low * _CLOSE:
        middle = _between(low, high)
        larger = _fitting(make, fits, middle)
        if larger is None:
            high = middle
        else:
            found, low = larger, middle
    return found


def _fitting(
    make: Callable[[Fraction], _Mechanism], fits: Callable[[HasLoss], bool], parameter: Fraction
) -> _Mechanism | None:
    mechanism = _made(make, parameter)
    return mechanism if mechanism is not None and fits(mechanism) else None


def _made(make: Callable[[Fraction], _Mechanism], parameter: Fraction) -> _Mechanism | None:
    try:
        return make(parameter)
    except ValueError:  # noise that is too small, or too large, to be drawn
        return None


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Return about the geometric mean, with few digits."""
    return Fraction(f"{math.sqrt(float_of(low)) * math.sqrt(float_of(high)):.8g}")
