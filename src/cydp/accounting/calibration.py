# SPDX-License-Identifier: MIT
"""The most that a mechanism may cost, if so many releases of it must fit a budget."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import SupportsIndex, TypeVar

from cydp.accounting.budget import HasLoss, check_budget, loss_of, measured, relation_of
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting.plan import Plan
from cydp.accounting.stated import common_relation
from cydp.rational import float_of, index

_Mechanism = TypeVar("_Mechanism", bound=HasLoss)

_MOST_DOUBLINGS = 64
_MOST_GAIN = Fraction(5, 4)  # of the slow bound over the others, mostly
_LEAST, _MOST = Fraction(1, 10**290), 10**290  # what floats can halve and double
_MAKERS = "DiscreteLaplace or lambda rho: DiscreteGaussian(rho=rho)"
_FALLS = "make_mechanism must cost more for a larger parameter"
_CLOSE = 1 + 1e-6  # the largest parameter is at most so many times the one returned


def calibrate(
    make_mechanism: Callable[[Fraction], _Mechanism], budget: Loss, count: SupportsIndex = 1
) -> _Mechanism:
    """Return the mechanism that spends a budget in so many releases.

    Parameters
    ----------
    make_mechanism : callable
        Takes one privacy parameter, an epsilon or a rho: ``DiscreteLaplace``, or
        ``lambda rho: DiscreteGaussian(rho=rho)``. What it returns must cost more if that is larger.
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
        For a bad parameter, if no mechanism fits, and if one of a larger parameter costs less.
    MeasureMismatchError, RelationMismatchError
        If the mechanism says nothing in the budget's measure, or is stated under another relation
        than the budget.

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

    start = limits[0] / times
    _check_maker(make_mechanism, start, budget)
    if isinstance(budget, ApproxDP):
        return _planned(make_mechanism, budget, times, start)

    def fits(mechanism: HasLoss) -> bool:
        return times * measured(loss_of(mechanism), budget)[0] <= limits[0]

    first = _made(make_mechanism, start)
    cost = Fraction(0) if first is None else times * measured(loss_of(first), budget)[0]
    if cost:
        exact = _made(make_mechanism, start * limits[0] / cost)
        if exact is not None and times * measured(loss_of(exact), budget)[0] == limits[0]:
            return exact
    return _largest(make_mechanism, fits, start, 2)[1]


def _check_maker(make: object, parameter: Fraction, budget: Loss) -> None:
    """Raise a TypeError that says what to pass, if this makes no mechanism of one parameter."""
    if not callable(make):
        raise TypeError(f"make_mechanism must be {_MAKERS}, not a {type(make).__name__}")
    try:
        mechanism = make(parameter)
    except TypeError as error:
        raise TypeError(
            f"make_mechanism must take one privacy parameter, as {_MAKERS} does; it raised: {error}"
        ) from error
    except ValueError:  # of this parameter; another one may do
        return
    if not isinstance(getattr(mechanism, "loss", mechanism), PureDP | ApproxDP | ZCDP):
        raise TypeError(
            "make_mechanism must return a loss or a mechanism, not a "
            f"{type(mechanism).__name__}, as {_MAKERS} does"
        )
    common_relation("the budget and the mechanism", budget.relation, relation_of(mechanism))


def _planned(
    make: Callable[[Fraction], _Mechanism], budget: ApproxDP, count: int, start: Fraction
) -> _Mechanism:
    def fits(mechanism: HasLoss, *, quickly: bool) -> bool:
        plan = Plan([(mechanism, count)])
        return plan._fits(budget.epsilon, budget.delta, quickly=quickly)

    # First without the slow bound, which gains little; then from there.
    near, _ = _largest(make, partial(fits, quickly=True), start, 2)
    return _largest(make, partial(fits, quickly=False), near, _MOST_GAIN)[1]


def _largest(
    make: Callable[[Fraction], _Mechanism],
    fits: Callable[[HasLoss], bool],
    start: Fraction,
    step: int | Fraction,
) -> tuple[Fraction, _Mechanism]:
    """Return the largest parameter that fits, and its mechanism."""
    if not _LEAST < start < _MOST:
        raise ValueError("budget must be between 1e-290 and 1e290 for each of the releases")
    sizes: list[tuple[Fraction, Fraction]] = []

    def fitting(parameter: Fraction) -> _Mechanism | None:
        mechanism = _made(make, parameter)
        if mechanism is None:
            return None
        size = _size(loss_of(mechanism))
        if any((size - other) * (parameter - given) < 0 for given, other in sizes):
            raise ValueError(_FALLS)
        sizes.append((parameter, size))
        return mechanism if fits(mechanism) else None

    low, found = start, None
    for _ in range(_MOST_DOUBLINGS):
        found = fitting(low)
        if found is not None:
            break
        low /= step
    if found is None:
        make(start)  # says what is wrong with it, if it is wrong
        raise ValueError("make_mechanism must give a mechanism that fits the budget")
    high = low * step
    for _ in range(_MOST_DOUBLINGS):
        larger = fitting(high)
        if larger is None:
            break
        found, low, high = larger, high, high * step
    else:
        raise ValueError(_FALLS)
    while high > low * _CLOSE:
        middle = _between(low, high)
        larger = fitting(middle)
        if larger is None:
            high = middle
        else:
            found, low = larger, middle
    return low, found


def _size(loss: Loss) -> Fraction:
    """Return what grows with a loss."""
    if loss.rho is not None:
        return loss.rho
    return loss.epsilon  # of the others, each has a rho


def _made(make: Callable[[Fraction], _Mechanism], parameter: Fraction) -> _Mechanism | None:
    try:
        return make(parameter)
    except ValueError:  # noise that is too small, or too large, to be drawn
        return None


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Return about the geometric mean, with few digits."""
    return Fraction(f"{math.sqrt(float_of(low)) * math.sqrt(float_of(high)):.8g}")
