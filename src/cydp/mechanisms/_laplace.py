# SPDX-License-Identifier: MIT
"""The Laplace mechanism on real numbers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp.accounting import PureDP
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.mechanisms._coordinates import coordinates_of
from cydp.mechanisms._discrete_laplace import MOST_UNSTOPPED_SCALE, DiscreteLaplace
from cydp.mechanisms._integers import entries_of
from cydp.mechanisms._norm import norm_of
from cydp.mechanisms._reals import check_reals, float_up, grid_exponent, noisy_on_grid
from cydp.random import Generator
from cydp.rational import Number, float_of, positive, text
from cydp.samplers import laplace_of


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Laplace:
    """The Laplace mechanism on real numbers, exact on a grid.

    A value is rounded to a grid of a power of two, discrete Laplace noise is added as an integer,
    and the sum is converted to float64 once. No output tells by its bits what the value was.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release`, in pure DP.
    sensitivity : number > 0
        L1 norm, over the whole array released, of what one unit can change.
    granularity : number, optional
        The grid, a power of two. Default: the least that is at least 2**-40 of
        sensitivity / epsilon.
    coordinates : int >= 1, optional
        How many entries one unit can change; default all that are released. Rounding moves
        each of them by up to one step of the grid, and the scale pays for it.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if the scale is outside [1e-6, 2**52] steps of the grid.

    Notes
    -----
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity", 2006; on grids: Mironov, "On
    significance of the least significant bits", 2012; docs/mechanisms.md.

    Examples
    --------
    >>> Laplace(epsilon=0.5, sensitivity=1).granularity == Fraction(1, 2**39)
    True

    """

    epsilon: Fraction
    sensitivity: Fraction
    exponent: int
    coordinates: int | None
    _single: Fraction

    def __init__(
        self,
        epsilon: Number,
        sensitivity: Number,
        *,
        granularity: Number | None = None,
        coordinates: SupportsIndex | None = None,
    ) -> None:
        limit, norm = positive(epsilon, "epsilon"), norm_of(sensitivity)
        object.__setattr__(self, "epsilon", limit)
        object.__setattr__(self, "sensitivity", norm)
        object.__setattr__(self, "coordinates", coordinates_of(coordinates))
        object.__setattr__(self, "exponent", grid_exponent(norm / limit, granularity))
        object.__setattr__(self, "_single", self._computed(self.coordinates or 1))
        laplace_of(self._single)

    def _steps(self, entries: int) -> Fraction:
        """Return the scale in steps of the grid, for so many entries."""
        if entries <= 1 or self.coordinates is not None:
            return self._single
        return self._computed(entries)

    def _computed(self, count: int) -> Fraction:
        steps = (self.sensitivity / self.granularity + count) / self.epsilon
        if steps > MOST_UNSTOPPED_SCALE:
            raise ValueError(
                "scale must be at most 2**52 steps of the grid: the granularity is too fine, or "
                "the sensitivity is less than a step"
            )
        return steps

    @property
    def granularity(self) -> Fraction:
        """The step of the grid."""
        return Fraction(2) ** self.exponent

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, for `coordinates` entries, or else for one."""
        return self._steps(1) * self.granularity

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one release."""
        return PureDP(self.epsilon)

    @property
    def variance(self) -> float:
        """Variance of the noise.

        >>> round(Laplace(epsilon=1, sensitivity=1).variance, 6)
        2.0
        """
        return self._noise.variance * float_of(self.granularity) ** 2

    def error_bound(self, confidence: Number = 0.95, *, count: int = 1) -> float:
        """Half-width that `count` independent results are within of their values, all of them.

        The rounding to the grid is part of it, that of the result to float64 is not.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that they are, at least.
        count : int >= 1, default 1

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> round(Laplace(epsilon=1, sensitivity=1).error_bound(0.95), 3)
        2.996

        """
        steps = self._noise.error_bound(confidence, count=count) + Fraction(1, 2)
        return float_up(steps * self.granularity)

    @property
    def _noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(1 / self._steps(1))

    @overload
    def release(
        self, value: float, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float: ...
    @overload
    def release(
        self, value: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float | NDArray[np.float64]: ...
    def release(
        self, value: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float | NDArray[np.float64]:
        """Return the value plus noise, of which `loss` covers the whole call.

        Parameters
        ----------
        value : float or int, or array of floats of up to 64 bits or integers, of any shape
            NaN counts as 0; more than 2**126 steps of the grid from 0 are cut there, integers
            beyond 2**53 at that.
        budget : PrivacyFilter, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        float, or ndarray of float64 of the same shape
            Multiples of the grid, rounded to float64.

        Raises
        ------
        TypeError, ValueError
            If value is not of numbers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> Laplace(epsilon=1, sensitivity=0.5).release([0.25, 1]).dtype
        dtype('float64')

        """
        check_reals(value)
        sampler = laplace_of(self._steps(entries_of(value)))
        generator = charged_generator(rng, budget, self)
        return noisy_on_grid(value, self.exponent, sampler, generator)

    def __repr__(self) -> str:
        rest = "" if self.coordinates is None else f", coordinates={self.coordinates}"
        return (
            f"Laplace(epsilon={text(self.epsilon)}, sensitivity={text(self.sensitivity)}, "
            f"granularity=2.0**{self.exponent}{rest})"
        )
