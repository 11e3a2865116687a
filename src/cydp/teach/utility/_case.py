# SPDX-License-Identifier: MIT
"""A setting, its case that is ready to run, and how far measured errors stray from predicted ones.

docs/teach/utility.md has the argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of
from cydp.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from cydp.random import Generator

__all__ = [
    "EXPONENTIAL",
    "GAUSSIAN",
    "LAPLACE",
    "RESPONSE",
    "Case",
    "Errors",
    "Setting",
    "Spread",
    "binomial_tail",
    "errors_of",
    "spread_of",
]

_LARGEST_RATE = 100.0  # beyond it Laplace noise is 0 but once in e^100 draws
# Bounds of E Y**2 and E Y**4, for discrete Gaussian noise of sigma2 >= 1 and sums of it.
_NORMAL = (2.001, 61.0)
_FOR_SMALL = 0.1  # the share of the failure probability for errors that are too small
_BELOW_1 = 1 - 1e-9
_EULERIAN = {  # polynomials A_m: sum k**m p**k = p A_m(p) / (1 - p)**(m + 1)
    4: (1, 11, 11, 1),
    6: (1, 57, 302, 302, 57, 1),
    8: (1, 247, 4293, 15619, 15619, 4293, 247, 1),
}
LAPLACE, GAUSSIAN = "discrete Laplace", "discrete Gaussian"
EXPONENTIAL, RESPONSE = "exponential", "randomized response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Moments of Y = Z**2 - 1, where Z is an error over its predicted root mean square.

    Attributes
    ----------
    second : float
        At least E Y**2.
    fourth : float
        At least E Y**4; infinity if it is not known.
    copies : int
        How many independent errors one release has. 1 if its errors depend on each other: the
        moments are then of their mean.

    """

    second: float
    fourth: float
    copies: int

    def tolerance(self, trials: int, failure: float) -> float:
        """Return a t that abs(mean of Y) reaches with a probability of at most `failure`.

        >>> round(Spread(second=2.001, fourth=61, copies=1).tolerance(1000, 1e-3), 2)
        0.33
        """
        n = trials * self.copies
        by_second = math.sqrt(self.second / n / failure)
        moment = self.fourth / n**3 + 3 * self.second**2 / n**2
        by_fourth = math.sqrt(math.sqrt(moment / failure))
        return min(by_second, by_fourth)

    def interval(self, trials: int, failure: float) -> tuple[float, float]:
        """Return an interval that the mean of Z**2 leaves with a probability of at most `failure`.

        >>> low, high = Spread(second=2.001, fourth=61, copies=1).interval(100, 0.01)
        >>> round(low, 2), round(high, 2)
        (0.5, 1.61)
        """
        far = self.tolerance(trials, (1 - _FOR_SMALL) * failure)
        return max(1 - far, self._least(trials, _FOR_SMALL * failure)), 1 + far

    def _least(self, trials: int, failure: float) -> float:
        """Return a number that the mean of Z**2 is below with a probability of at most `failure`.

        Chernoff's bound, with E e**(-c X) <= 1 - 1/m + e**(-c m) / m for X >= 0 of mean 1 and a
        square of mean m.
        """
        wanted = -math.log(failure) / (trials * self.copies)
        p = min(1 / (1 + self.second), _BELOW_1)
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            a = middle * p
            divergence = a * math.log(middle) + (1 - a) * (math.log1p(-a) - math.log1p(-p))
            low, high = (middle, high) if divergence > wanted else (low, middle)
        return low


def spread_of(noise: Any, copies: int, *, linear: bool = False) -> Spread | None:
    """Return the spread of errors that are noise, or linear combinations of independent noise.

    Parameters
    ----------
    noise : mechanism that adds noise
    copies : int
        How many independent errors a release has, if not `linear`.
    linear : bool, default False
        Whether errors are linear combinations, which depend on each other.

    Returns
    -------
    Spread or None
        None if no moments are known: noise that is nearly always 0.

    """
    step = Fraction(getattr(noise, "step", 1))
    if isinstance(noise, DiscreteLaplace | Laplace):
        rate = float_of(step / noise.scale)
        if rate > _LARGEST_RATE:
            return None
        fourth, sixth, eighth = (_laplace_moment(rate, order) for order in (4, 6, 8))
        if linear:
            return Spread(second=fourth - 1, fourth=eighth + 6 * fourth - 7, copies=1)
        mean = eighth - 4 * sixth + 6 * fourth - 3
        return Spread(second=fourth - 1, fourth=mean, copies=copies)
    if isinstance(noise, DiscreteGaussian | Gaussian) and noise.sigma2 >= step**2:
        return Spread(second=_NORMAL[0], fourth=_NORMAL[1], copies=1 if linear else copies)
    return None


def _laplace_moment(rate: float, order: int) -> float:
    """Return E X**order / (E X**2)**(order / 2) of discrete Laplace noise, p = exp(-rate).

    >>> [round(_laplace_moment(1e-9, order)) for order in (4, 6, 8)]
    [6, 90, 2520]
    """
    p = math.exp(-rate)
    polynomial = math.fsum(weight * p**i for i, weight in enumerate(_EULERIAN[order]))
    return polynomial / (1 + p) / math.pow(2 * p, order // 2 - 1)


def binomial_tail(trials: int, probability: float, least: int) -> float:
    """Return the probability that at least `least` of `trials` independent events happen.

    >>> round(binomial_tail(10, 0.5, 9) * 2**10, 6)
    11.0
    """
    if least <= 0:
        return 1.0
    log_p, log_q = math.log(probability), math.log1p(-probability)
    whole = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
                 + k * log_p + (trials - k) * log_q)
        for k in range(least, trials + 1)
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point of the grid: what is asked, and for which privacy.

    Attributes
    ----------
    workload : str
    dimension : int
        How many cells, answers, columns or rows: what the workload counts (`WORKLOADS`).
    mechanism : str
        "discrete Laplace", "discrete Gaussian", "exponential", "randomized response", or the name
        of a `Method`.
    relation : str
    epsilon, rho, delta : number or None
        The privacy of the whole release, as it was given.

    """

    workload: str
    dimension: int
    mechanism: str
    relation: str = "add-remove"
    epsilon: Number | None = None
    rho: Number | None = None
    delta: Number | None = None

    @property
    def privacy(self) -> dict[str, Any]:
        """The arguments of a release: epsilon, rho or delta, where given, and relation.

        >>> Setting(workload="sum", dimension=9, mechanism="", relation="change-one", rho=1).privacy
        {'rho': 1, 'relation': 'change-one'}
        """
        given = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}
        found: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        return found | {"relation": self.relation}


class Errors(NamedTuple):
    """The errors of the answers of one release.

    Attributes
    ----------
    square, absolute : float
        The means of the squares and of the absolute values.
    beyond : float
        The share of answers that are farther off than the predicted bound; nan without one.

    """

    square: float
    absolute: float
    beyond: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """How to draw the errors of one release, and what is predicted.

    Attributes
    ----------
    draw : callable
        From a generator to the `Errors` of one release.
    rms : float or None
        The predicted root of the mean square error of an answer.
    spread : Spread or None
        How far measured mean squares stray, if it is known.
    bound : float or None
        What the error of an answer exceeds with a probability of at most 0.05.
    answers : int
    unit : str
        The unit of the errors.

    """

    draw: Callable[[Generator], Errors]
    rms: float | None
    spread: Spread | None
    bound: float | None
    answers: int
    unit: str


def errors_of(answers: Any, truth: NDArray[Any], bound: float | None) -> Errors:
    """Return the errors of answers."""
    off = np.abs(answers - truth).astype(np.float64)  # squares of integers might wrap around
    flat = off.ravel()
    beyond = float(np.mean(flat > bound)) if bound is not None else np.nan
    return Errors(float(flat @ flat) / flat.size, float(flat.mean()), beyond)
