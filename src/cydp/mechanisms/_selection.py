# SPDX-License-Identifier: MIT
"""Selection among candidates: exact draws in fractions, probabilities in floats, uniform choice.

The draws by scores are for scores that neither float64 nor int64 holds: slow, and rare. A candidate
is chosen at random and accepted with probability exp(-rate * gap), where the gap is the distance of
its score from the best. Else there is another choice: among all candidates for the exponential
mechanism (rejection sampling), among those not yet tried for permute-and-flip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._call_errors import require_names
from cydp._columns.mechanism_inputs import Scores
from cydp._generator import Generator
from cydp._numbers.rational import float_of, read_integer
from cydp.accounting._budget import Asked
from cydp.accounting._loss import PureDP
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._run import Budget, pay_and_draw

__all__ = [
    "UniformChoice",
    "draw_below",
    "draw_bernoulli",
    "draw_exp",
    "exponential_probabilities",
    "gumbel_probabilities",
    "scale_scores",
    "select",
]

Floats = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SMALL, _LARGE = Fraction(1, 2**60), Fraction(2**1000)
_MOST_LISTED = 2**30


def select(
    rate: Fraction,
    with_replacement: bool,
    scores: NDArray[np.object_],
    chosen: NDArray[np.int64],
    generator: Generator,
) -> None:
    """Fill `chosen` with the index of a candidate in each row of scores."""
    for i, row in enumerate(scores.reshape(len(chosen), -1)):
        exponents = [None if gap is None else rate * gap for gap in _gaps_to_best(row)]
        chosen[i] = _select_one(exponents, with_replacement, generator)


def _gaps_to_best(row: NDArray[np.object_]) -> list[Fraction | None]:
    """Return the best score minus each score; None for candidates that cannot win.

    If the best score is infinite, the gap of all candidates with this score is 0.

    >>> _gaps_to_best(np.array([2**60 + 1, 2.0**60, -math.inf], object))
    [Fraction(0, 1), Fraction(1, 1), None]
    """
    known = [-math.inf if isinstance(x, float) and math.isnan(x) else x for x in row]
    best = max(known)
    if isinstance(best, float) and math.isinf(best):
        return [Fraction(0) if x == best else None for x in known]
    return [None if x == -math.inf else Fraction(best) - Fraction(x) for x in known]


def _select_one(
    exponents: list[Fraction | None], with_replacement: bool, generator: Generator
) -> int:
    candidates = [(i, x) for i, x in enumerate(exponents) if x is not None]
    while True:
        at = draw_below(len(candidates), generator)
        index, exponent = candidates[at]
        if draw_exp(exponent, generator):  # the best candidate is always accepted
            return index
        if not with_replacement:
            del candidates[at]


def draw_exp(x: Fraction, generator: Generator) -> bool:
    """Return True with probability exp(-x), x >= 0, exactly.

    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020, algorithm 1.
    """
    while x > 1:
        if not draw_exp(Fraction(1), generator):
            return False
        x -= 1
    k = 1
    while draw_bernoulli(x / k, generator):
        k += 1
    return k % 2 == 1


def draw_bernoulli(p: Fraction, generator: Generator) -> bool:
    """Return True with probability p, exactly: if a uniform number is less than p."""
    rest = p.numerator
    while True:
        digit, rest = divmod(rest << 64, p.denominator)
        word = int.from_bytes(generator.bytes(8), "little")
        if word != digit:
            return word < digit


def draw_below(n: int, generator: Generator) -> int:
    """Return a uniform integer from 0 to n - 1, n <= 2**64."""
    while True:
        number = int.from_bytes(generator.bytes(8), "little") >> (64 - (n - 1).bit_length())
        if number < n:
            return number


def scale_scores(scores: Scores, rate: Fraction) -> Floats:
    """Return rate * (score - best score) along the last axis; -inf for candidates that cannot win.

    If the best score is infinite, the result is 0 for all candidates with this score.
    """
    if scores.dtype == object:
        return _scale_exactly(scores, rate)
    if scores.dtype == np.int64:
        best = scores.max(axis=-1, keepdims=True).view(np.uint64)
        return _multiply(-(best - scores.view(np.uint64)).astype(np.float64), rate)
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = known.max(axis=-1, keepdims=True)
    factor = 0.5 if rate < _SMALL else 1.0  # the difference of halves does not overflow
    with np.errstate(all="ignore"):
        finite = _multiply(known * factor - best * factor, rate / Fraction(factor))
    finite = np.where(np.isneginf(known), -np.inf, finite)
    infinite = np.where(known == best, 0.0, -np.inf)
    keys: Floats = np.where(np.isfinite(best), finite, infinite)
    return keys


def _scale_exactly(scores: NDArray[np.object_], rate: Fraction) -> Floats:
    keys = [
        -math.inf if gap is None else -float_of(rate * gap)
        for row in scores.reshape(-1, scores.shape[-1])
        for gap in _gaps_to_best(row)
    ]
    return np.array(keys, np.float64).reshape(scores.shape)


def gumbel_probabilities(keys: Floats) -> Floats:
    """Return the probabilities that key + Gumbel noise is the largest: exp(key), normalized."""
    weights: Floats = np.exp(keys)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def exponential_probabilities(keys: Floats) -> Floats:
    """Return the probabilities that key + exponential noise is the largest.

    Let p = exp(key), so that the largest is 1, and z = exp(-largest noisy key). The probability of
    i is p_i times the integral over z from 0 to 1 of the product of 1 - p_j z over all j other
    than i. This polynomial is integrated with 32 nodes in each of the intervals between 0, 1/s,
    2/s, 4/s, ..., 1, the last of which are one, where s is the sum of p. Beyond 64/s it is less
    than exp(-64).
    """
    weights = np.exp(keys)
    probabilities = np.zeros_like(weights)
    for row, integral in zip(_rows_of(weights), _rows_of(probabilities), strict=True):
        left, right = 0.0, _end_of(1 / row.sum())
        while left < right:
            middle, half = (left + right) / 2, (right - left) / 2
            for z, weight in zip(middle + half * _NODES, half * _WEIGHTS, strict=True):
                others = 1 - row * z
                integral += weight * np.prod(others) / others
            left, right = right, _end_of(2 * right)
        integral *= row
    return probabilities


def _end_of(interval: float) -> float:
    """Return the end of an interval, or 1 if the next one would be a small part of it.

    At nodes within rounding of 1 there would be 0 / 0.
    """
    return interval if interval <= 0.5 else 1.0


def _rows_of(array: Floats) -> Floats:
    return array.reshape(-1, array.shape[-1])


def _multiply(differences: Floats, rate: Fraction) -> Floats:
    """Return rate * differences, for rates beyond float64 too."""
    with np.errstate(all="ignore"):
        if rate <= _LARGE:
            return differences * float_of(rate)
        keys: Floats = differences * float(_LARGE) * float_of(min(rate / _LARGE, _LARGE))
        return keys


@dataclass(frozen=True, slots=True, init=False, match_args=False)
class UniformChoice:
    """A choice among candidates that sees no data: all are equally likely, and it costs nothing.

    It is the limit of `ExponentialMechanism` as epsilon goes to 0, which other mechanisms refuse.
    It takes no scores, since they would not matter.

    Parameters
    ----------
    count : int from 1 to 2**62
        The number of candidates, which must be public.

    Raises
    ------
    TypeError, ValueError
        If count is not such an integer.

    References
    ----------
    .. [1] McSherry, Talwar, "Mechanism design via differential privacy", 2007.

    Examples
    --------
    >>> uniform = UniformChoice(count=4)
    >>> uniform.probabilities(), uniform.loss
    (array([0.25, 0.25, 0.25, 0.25]), PureDP(epsilon=0))
    >>> uniform.release() in range(4)
    True

    """

    count: int

    @require_names
    def __init__(self, *, count: Integer) -> None:
        number = read_integer(count, "count")
        if not 1 <= number <= 2**62:
            raise ValueError(f"count must be from 1 to 2**62, not {number}")
        set_fields(self, count=number)

    @property
    def loss(self) -> PureDP:
        """Privacy cost: none."""
        return PureDP(0)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each candidate, shape (count,).

        Raises
        ------
        ValueError
            For more than 2**30 candidates: an array of them would not fit.

        """
        if self.count > _MOST_LISTED:
            raise ValueError(
                f"count must be at most 2**30 for an array of probabilities, not {self.count}: "
                "each is 1 / count"
            )
        return np.full(self.count, 1 / self.count)

    def release(self, *, budget: Budget | None = None, rng: Generator | None = None) -> int:
        """Choose a candidate.

        Parameters
        ----------
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It records the choice, and pays nothing.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        int
            From 0 to count - 1, each with the same probability, exactly.

        Raises
        ------
        TypeError
            If budget or rng is not allowed.
        PrivacyError
            If the budget refuses every charge, such as a ledger after its blocks are retired.

        """
        asked = Asked(self, "UniformChoice")
        chosen, _ = pay_and_draw(
            asked, lambda generator: draw_below(self.count, generator), budget, rng
        )
        return int(chosen)
