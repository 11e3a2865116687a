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
_MARGIN = 1e-10  # relative, of a delta and an epsilon; more than the rounding of 10**7 sums


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
    epsilon, wanted = float_of(each), log_of(delta) - _MARGIN
    lies, curve = _curve(epsilon, count)
    likely = curve > wanted - 60  # what is left out is no share of delta that a float could tell
    losses, curve = (count - 2 * lies[likely]) * epsilon, curve[likely]
    low, high = 0.0, float_of(each * count)
    for _ in range(80):
        middle = (low + high) / 2
        if _log_delta(losses, curve, middle) <= wanted:
            high = middle
        else:
            low = middle
    return min(Fraction(high * (1 + _MARGIN)), each * count)


def delta_of(each: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """Return the least delta that `count` losses of `each` compose to at an epsilon, rounded up.

    >>> round(float(delta_of(Fraction(1, 10), 30, Fraction(1))), 8)
    0.01056168
    """
    lies, curve = _curve(float_of(each), count)
    log_delta = _log_delta((count - 2 * lies) * float_of(each), curve, float_of(epsilon))
    return Fraction(math.exp(min(log_delta, 0.0)) * (1 + _MARGIN))


def _delta(delta: Number) -> Fraction:
    rest = positive(delta, "delta")
    if rest >= 1:
        raise ValueError(f"delta must be less than 1, not {text(rest)}")
    return rest


def _curve(epsilon: float, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many of `count` answers may be lies, and the logarithms of the probabilities.

    Summed from the most likely number outwards: where it matters, few and small terms.
    """
    lies = np.arange(count + 1.0)
    steps = np.log((count - lies[:-1]) / lies[1:]) - epsilon
    peak = int((count + 1) * math.exp(-epsilon) / (1 + math.exp(-epsilon)))
    below, above = -np.cumsum(steps[:peak][::-1])[::-1], np.cumsum(steps[peak:])
    curve = np.concatenate([below, [0.0], above])
    return lies, curve - math.log(np.exp(curve).sum())


def _log_delta(losses: NDArray[np.float64], curve: NDArray[np.float64], epsilon: float) -> float:
    """Return ln of the sum of P(loss) max(0, 1 - e**(epsilon - loss))."""
    gap = epsilon - losses
    counted = gap < 0
    if not counted.any():
        return -math.inf
    terms = curve[counted] + np.log(-np.expm1(gap[counted]))
    most = float(terms.max())
    return most + math.log(float(np.exp(terms - most).sum()))
