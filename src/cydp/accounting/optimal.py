# SPDX-License-Identifier: MIT
"""The exact cost of composing pure losses, and other answers in (epsilon, delta)."""

import math
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from cydp.accounting import conversion
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.rational import Number, exact, float_of, index, log_of, positive, text

MOST = 10**7
_MARGIN = 1e-10  # relative; more than the rounding of logarithms of factorials to 10**7


def convert(loss: Loss, *, delta: Number) -> ApproxDP:
    """Return the (epsilon, delta) that a loss implies at a delta.

    Parameters
    ----------
    loss : PureDP, ApproxDP or ZCDP
    delta : number in (0, 1)
        For an ApproxDP without a rho, at least its own.

    Returns
    -------
    ApproxDP
        The least epsilon of those that hold: the loss's own, and that of its rho, rounded up.

    Raises
    ------
    TypeError, ValueError
        For what is no loss, and for such a delta.

    Notes
    -----
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13.

    Examples
    --------
    >>> round(float(convert(ZCDP(0.5), delta=1e-6).epsilon), 6)
    5.221534

    """
    if not isinstance(loss, PureDP | ApproxDP | ZCDP):
        raise TypeError(f"loss must be PureDP, ApproxDP or ZCDP, not {type(loss).__name__}")
    rest = _delta(delta)
    found: list[Fraction] = []
    if isinstance(loss, PureDP) or (isinstance(loss, ApproxDP) and loss.delta <= rest):
        found.append(loss.epsilon)
    if loss.rho is not None:
        found.append(conversion.epsilon_of(loss.rho, rest))
    if not found:
        raise ValueError(f"delta must be at least that of the loss, {text(loss.delta)}")  # type: ignore[union-attr]
    return ApproxDP(min(found), rest)


def optimal_composition(epsilon: Number, count: SupportsIndex, delta: Number) -> ApproxDP:
    """Return the least epsilon at a delta that `count` pure losses compose to, whatever they are.

    Parameters
    ----------
    epsilon : number >= 0
        Of each of them.
    count : int in [0, 10**7]
    delta : number in (0, 1)

    Returns
    -------
    ApproxDP
        Rounded up.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter.

    Notes
    -----
    Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015, theorem 3.3.
    For discrete Laplace noise of sensitivity 1, which is randomized response, it is exact.

    Examples
    --------
    >>> round(float(optimal_composition("0.1", 100, 1e-6).epsilon), 6)
    4.774568

    """
    each = exact(epsilon, "epsilon")
    if each < 0:
        raise ValueError(f"epsilon must be at least 0, not {text(each)}")
    times = index(count, "count")
    if not 0 <= times <= MOST:
        raise ValueError(f"count must be from 0 to 10**7, not {times}")
    rest = _delta(delta)
    if each * times >= 10**300:
        raise ValueError("epsilon must be less than 1e300 in all")
    return ApproxDP(epsilon_of(each, times, rest), rest)


def epsilon_of(each: Fraction, count: int, delta: Fraction) -> Fraction:
    """Return the least epsilon at a delta in (0, 1), rounded up; each * count is below 1e300."""
    low, high = 0.0, float_of(each * count)
    curve = _curve(float_of(each), count)
    wanted = log_of(delta)
    for _ in range(80):
        middle = (low + high) / 2
        if _log_delta(curve, float_of(each), count, middle) <= wanted:
            high = middle
        else:
            low = middle
    return min(Fraction(high * (1 + _MARGIN)), each * count)


def delta_of(each: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """Return the least delta that `count` losses of `each` compose to at an epsilon, rounded up.

    >>> round(float(delta_of(Fraction(1, 10), 30, Fraction(1))), 8)
    0.01056168
    """
    curve = _curve(float_of(each), count)
    log_delta = _log_delta(curve, float_of(each), count, float_of(epsilon))
    return Fraction(math.exp(min(log_delta, 0.0)) * (1 + _MARGIN))


def _delta(delta: Number) -> Fraction:
    rest = positive(delta, "delta")
    if rest >= 1:
        raise ValueError(f"delta must be less than 1, not {text(rest)}")
    return rest


def _curve(epsilon: float, count: int) -> NDArray[np.float64]:
    """Return the logarithms of the probabilities of l lies among `count` answers."""
    lies = np.arange(count + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, count + 1)))])
    ways = factorials[-1] - factorials - factorials[::-1]
    # ln(1 + e**epsilon) without overflow
    chance: NDArray[np.float64] = ways - count * np.log1p(np.exp(-epsilon)) - epsilon * lies
    return chance


def _log_delta(curve: NDArray[np.float64], epsilon: float, count: int, at: float) -> float:
    """Return ln of the sum over l of P(l) max(0, 1 - e**(at - (count - 2 l) epsilon))."""
    gap = at - (count - 2 * np.arange(count + 1)) * epsilon
    counted = gap < 0
    if not counted.any():
        return -math.inf
    terms = curve[counted] + np.log(-np.expm1(gap[counted]))
    most = float(terms.max())
    return most + math.log(float(np.exp(terms - most).sum()))
