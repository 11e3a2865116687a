# SPDX-License-Identifier: MIT
"""The exact cost of composing pure losses, and other answers in (epsilon, delta)."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np

from cydp._arguments import Integer, Number
from cydp._named import explained
from cydp._numbers.rational import MAX_BITS, exact, float_of, index, log_of, positive, text
from cydp._numbers.rounding import decimal_above
from cydp.accounting import _conversion
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP

__all__ = ["can_compose", "convert", "delta_of", "epsilon_of", "optimal_composition"]

MOST = 10**7
_LEAST_LOSS, _MOST_LOSS = Fraction(1, 10**290), 10**300  # of one, and of all: normal floats
_MARGIN = 1e-10  # relative, of a delta and an epsilon; more than the rounding of all sums
_DRIFT = 1e-12  # of ln(delta); more than the rounding of the sums that lead to a rare number
_CLOSE = 2.0**-40  # of epsilon, where a bisection ends
_RARE = 2900  # -ln of a chance; no delta of MAX_BITS is below e**-2840


@explained
def convert(loss: Loss, *, delta: Number) -> ApproxDP:
    """Return the (epsilon, delta) that a loss implies at a delta.

    Parameters
    ----------
    loss : PureDP, ApproxDP or ZCDP
    delta : number in (0, 1)
        For an ApproxDP without a rho, at least the loss's own delta.

    Returns
    -------
    ApproxDP
        The least epsilon that is known to hold: the loss's own, or what its rho implies, rounded
        up to a decimal of six digits. Stated under the loss's relation.

    Raises
    ------
    TypeError, ValueError
        If loss is no loss, or delta is outside its range.

    Notes
    -----
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, corollary 13.

    Examples
    --------
    >>> convert(ZCDP(0.5), delta=1e-6)
    ApproxDP(epsilon=5.22154, delta=1e-06)

    """
    if not isinstance(loss, PureDP | ApproxDP | ZCDP):
        advice = "; pass its loss" if hasattr(loss, "loss") else ""
        given = type(loss).__name__
        raise TypeError(f"loss must be PureDP, ApproxDP or ZCDP, not {given}{advice}")
    rest = _delta(delta)
    found: list[Fraction] = []
    if isinstance(loss, PureDP) or (isinstance(loss, ApproxDP) and loss.delta <= rest):
        found.append(loss.epsilon)
    if loss.rho is not None:
        found.append(decimal_above(_conversion.epsilon_of(loss.rho, rest)))
    if not found:
        least = text(loss.delta)  # type: ignore[union-attr]
        raise ValueError(f"delta must be at least that of the loss, {least}, not {text(rest)}")
    return ApproxDP(min(found), rest, relation=loss.relation)


@explained
def optimal_composition(*, epsilon: Number, count: Integer, delta: Number) -> ApproxDP:
    """Return the least epsilon at a delta that so many pure losses compose to.

    Parameters
    ----------
    epsilon : number >= 0
        Of each loss.
    count : int in [0, 10**7]
        How many losses there are.
    delta : number in (0, 1)

    Returns
    -------
    ApproxDP
        Its epsilon is rounded up to a decimal of six digits, unless it is the exact sum. It states
        no relation, since an epsilon has none.

    Raises
    ------
    TypeError, ValueError
        If a parameter is outside its range.

    Notes
    -----
    Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015, theorem 3.3.
    For discrete Laplace noise of sensitivity 1, which is randomized response, the bound is exact
    but for its rounding. For an epsilon below 1e-290 it is the sum.

    Examples
    --------
    >>> optimal_composition(epsilon=0.1, count=100, delta=1e-6)
    ApproxDP(epsilon=4.77457, delta=1e-06)

    """
    each = exact(epsilon, "epsilon")
    if each < 0:
        raise ValueError(f"epsilon must be at least 0, not {text(each)}")
    times = index(count, "count")
    if not 0 <= times <= MOST:
        raise ValueError(f"count must be from 0 to 10**7, not {times}")
    rest = _delta(delta)
    if each * times >= _MOST_LOSS:
        raise ValueError("epsilon must be less than 1e300 / count")
    whole, found = each * times, epsilon_of(each, times, rest)
    return ApproxDP(min(decimal_above(found), whole), rest)


def epsilon_of(each: Fraction, count: int, delta: Fraction) -> Fraction:
    """Return the least epsilon at a delta in (0, 1), rounded up; each * count is below 1e300."""
    whole = each * count
    if not can_compose(each, count):
        return whole
    wanted = log_of(delta) - _MARGIN
    curve = _Curve(each, count, wanted - 60)  # less is no share of delta that a float could tell
    low, high = 0.0, float_of(whole)
    while high - low > high * _CLOSE:
        middle = (low + high) / 2
        if curve.log_delta(Fraction(middle)) <= wanted:
            high = middle
        else:
            low = middle
    return min(Fraction(high * (1 + _MARGIN)), whole)


def delta_of(each: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """Return the least delta that `count` losses of `each` compose to at an epsilon, rounded up.

    Where that is below e**-700, a power of two above it; 0 only where delta is 0.

    >>> round(float(delta_of(Fraction(1, 10), 30, Fraction(1))), 8)
    0.01056168
    """
    log_delta = _Curve(each, count).log_delta(epsilon)
    if log_delta == -math.inf:
        return Fraction(0)
    log_delta += _MARGIN - _DRIFT * log_delta
    if log_delta < -700:
        return Fraction(1, 2 ** min(math.floor(-log_delta / math.log(2)), MAX_BITS - 1))
    return min(Fraction(math.exp(min(log_delta, 0.0))), Fraction(1))


def can_compose(each: Fraction, count: int) -> bool:
    """Whether floats can follow losses of this size, and so many."""
    return count <= MOST and each >= _LEAST_LOSS and each * count < _MOST_LOSS


def _delta(delta: Number) -> Fraction:
    rest = positive(delta, "delta")
    if rest >= 1:
        raise ValueError(f"delta must be less than 1, not {text(rest)}")
    return rest


class _Curve:
    """Of `count` answers to randomized response of a loss of `each`, how many may be lies.

    Only numbers of lies are kept that matter. By Chernoff's bounds fewer are told with a chance
    below e**-2900, less than any delta that can be asked for, and more with one below e**-60. Nor
    are those kept whose own chance has a logarithm below `least`.
    """

    __slots__ = ("_chances", "_count", "_each", "_first")

    def __init__(self, each: Fraction, count: int, least: float = -math.inf) -> None:
        self._each, self._count = each, count
        epsilon = float_of(each)
        truths = 1 / (1 + math.exp(-epsilon))
        mean = count * math.exp(-epsilon) * truths
        peak = min(int(mean), count)
        self._first = max(math.floor(mean - math.sqrt(2 * _RARE * mean)), 0)
        last = min(math.ceil(mean + math.sqrt(120 * mean)) + 41, count)
        lies = np.arange(self._first, last, dtype=np.float64)
        steps = np.log((count - lies) / (lies + 1)) - epsilon
        # Summed from the most likely number outwards: where it matters, few and small terms.
        up = peak - self._first
        below, above = -np.cumsum(steps[:up][::-1])[::-1], np.cumsum(steps[up:])
        chances = np.concatenate([below, [0.0], above])
        chances -= math.log(np.exp(chances).sum())
        likely = np.flatnonzero(chances > least)
        self._first += int(likely[0])
        self._chances = chances[likely]

    def log_delta(self, epsilon: Fraction) -> float:
        """Return ln of the sum of P(loss) max(0, 1 - e**(epsilon - loss)).

        The gap between the next loss and epsilon is exact, and the other gaps are added to it: a
        difference of two floats would lose its digits next to the largest loss.
        """
        top = self._count * self._each - epsilon
        if top <= 0:
            return -math.inf
        most = math.ceil(top / (2 * self._each)) - 1  # lies, while the loss is above epsilon
        if most < self._first:
            return -float(_RARE)
        chances = self._chances[: most + 1 - self._first]
        gap = max(float_of(top - 2 * most * self._each), sys.float_info.min)
        gaps = gap + 2 * float_of(self._each) * (most - self._first - np.arange(len(chances)))
        terms = chances + np.log(-np.expm1(-gaps))
        highest = float(terms.max())
        return highest + math.log(float(np.exp(terms - highest).sum()))
