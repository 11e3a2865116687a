# SPDX-License-Identifier: MIT
"""Optimal composition: the exact (epsilon, delta) of several pure losses of one epsilon."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import (
    MAX_BITS,
    float_of,
    log_of,
    read_integer,
)
from cydp._numbers.rounding import decimal_above
from cydp.accounting._loss import ApproxDP
from cydp.accounting._loss_numbers import read_nonnegative, read_positive_delta

__all__ = ["can_compose", "delta_of", "epsilon_of", "optimal_composition"]

MOST = 10**7  # losses
_LEAST_LOSS, _MOST_LOSS = Fraction(1, 10**290), 10**300  # of one, and of all: normal floats
_MARGIN = 1e-10  # relative, of a delta and an epsilon; more than the rounding of all sums
_DRIFT = 1e-12  # of ln(delta); more than the rounding of the sums that lead to a rare number
_CLOSE = 2.0**-40  # of epsilon: the width at which a bisection ends
_RARE = 2900  # -ln of a probability; no delta of MAX_BITS is below e**-2840


@explain_arguments
def optimal_composition(*, epsilon: Number, count: Integer, delta: Number) -> ApproxDP:
    """Return the least epsilon at a delta of several pure losses of one epsilon.

    Parameters
    ----------
    epsilon : number >= 0
        The epsilon of each loss, in nats.
    count : int in [0, 10**7]
        How many losses there are.
    delta : number in (0, 1)
        The delta of all losses together.

    Returns
    -------
    ApproxDP
        Its epsilon is the exact sum, or is rounded up to a decimal of six digits. The loss states
        no relation, because an epsilon has none.

    Raises
    ------
    TypeError, ValueError
        If a parameter is outside its range.

    Notes
    -----
    The bound is theorem 3.3 of [1]_. For discrete Laplace noise of sensitivity 1, which is
    randomized response, it is exact but for its rounding. For an epsilon below 1e-290 it is the
    sum.

    References
    ----------
    .. [1] Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015.

    Examples
    --------
    >>> optimal_composition(epsilon=0.1, count=100, delta=1e-6)
    ApproxDP(epsilon=4.77457, delta=1e-06)

    """
    each = read_nonnegative(epsilon, "epsilon")
    times = read_integer(count, "count")
    if not 0 <= times <= MOST:
        raise ValueError(f"count must be from 0 to 10**7, not {times}")
    at = read_positive_delta(delta)
    if each * times >= _MOST_LOSS:
        raise ValueError("epsilon must be less than 1e300 / count")
    total = min(decimal_above(epsilon_of(each, times, at)), each * times)
    return ApproxDP(total, at)


def epsilon_of(each: Fraction, count: int, delta: Fraction) -> Fraction:
    """Return the least epsilon at a delta in (0, 1), rounded up; each * count is below 1e300."""
    total = each * count
    if not can_compose(each, count):
        return total
    wanted = log_of(delta) - _MARGIN
    # Smaller probabilities do not change a sum of floats.
    curve = _ResponsesProfile(each, count, wanted - 60)
    low, high = 0.0, float_of(total)
    while high - low > high * _CLOSE:
        middle = (low + high) / 2
        if curve.log_delta(Fraction(middle)) <= wanted:
            high = middle
        else:
            low = middle
    return min(Fraction(high * (1 + _MARGIN)), total)


def delta_of(each: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """Return the least delta that `count` losses of `each` compose to at an epsilon, rounded up.

    A delta below e**-700 is rounded up to a power of two, and never down to 0.

    >>> round(float(delta_of(Fraction(1, 10), 30, Fraction(1))), 8)
    0.01056168
    """
    log_delta = _ResponsesProfile(each, count).log_delta(epsilon)
    if log_delta == -math.inf:
        return Fraction(0)
    log_delta += _MARGIN - _DRIFT * log_delta
    if log_delta < -700:
        return Fraction(1, 2 ** min(math.floor(-log_delta / math.log(2)), MAX_BITS - 1))
    return min(Fraction(math.exp(min(log_delta, 0.0))), Fraction(1))


def can_compose(each: Fraction, count: int) -> bool:
    """Whether floats can follow `count` losses of this size."""
    return count <= MOST and each >= _LEAST_LOSS and each * count < _MOST_LOSS


class _ResponsesProfile:
    """The privacy profile of randomized responses: the least delta at each epsilon.

    `count` randomized responses of the epsilon `each` stand for as many losses.

    The loss of all of them depends on the number of lies alone, and the object keeps the logarithms
    of the probabilities of these numbers, as far as they matter. By Chernoff's bounds a smaller
    number has a probability below e**-2900, which is less than any delta that can be asked for, and
    a larger one has a probability below e**-60. Numbers with a log probability below `least` are
    left out, too.
    """

    __slots__ = ("_count", "_each", "_first", "_log_probabilities")

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
        # Summed from the most likely number outwards: numbers that matter have few and small terms.
        up = peak - self._first
        below, above = -np.cumsum(steps[:up][::-1])[::-1], np.cumsum(steps[up:])
        log_probabilities = np.concatenate([below, [0.0], above])
        log_probabilities -= math.log(np.exp(log_probabilities).sum())
        likely = np.flatnonzero(log_probabilities > least)
        self._first += int(likely[0])
        self._log_probabilities = log_probabilities[likely]

    def log_delta(self, epsilon: Fraction) -> float:
        """Return ln of the sum of P(loss) max(0, 1 - e**(epsilon - loss)).

        The gap between epsilon and the next larger loss is an exact difference, and the other gaps
        are added to it. A difference of two floats would lose its digits next to the largest loss.
        """
        top = self._count * self._each - epsilon
        if top <= 0:
            return -math.inf
        most = math.ceil(top / (2 * self._each)) - 1  # lies at which the loss is above epsilon
        if most < self._first:
            return -float(_RARE)
        log_probabilities = self._log_probabilities[: most + 1 - self._first]
        gap = max(float_of(top - 2 * most * self._each), sys.float_info.min)
        gaps = gap + 2 * float_of(self._each) * (
            most - self._first - np.arange(len(log_probabilities))
        )
        terms = log_probabilities + np.log(-np.expm1(-gaps))
        highest = float(terms.max())
        return highest + math.log(float(np.exp(terms - highest).sum()))
