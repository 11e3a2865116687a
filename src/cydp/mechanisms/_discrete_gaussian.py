# SPDX-License-Identifier: MIT
"""The Gaussian mechanism on integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp.accounting import ZCDP, ApproxDP
from cydp.mechanisms import _gaussian_law as law
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._gaussian_given import Given, read_given
from cydp.mechanisms._integers import check_integers, entries_of, noisy, unwrap, whole
from cydp.random import Generator
from cydp.rational import Number, float_of, text
from cydp.samplers import gaussian_of_square


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteGaussian:
    """The Gaussian mechanism on integers, exact.

    Adds noise with P(k) proportional to exp(-k**2 / (2 sigma**2)).

    Parameters
    ----------
    sensitivity : number > 0, default 1
        L2 norm, over the whole array released, of what one unit can change.
    rho : number > 0
        Privacy cost of one `release` in zCDP: sigma = sensitivity / sqrt(2 rho). Or instead
    sigma, sigma2 : number > 0
        the parameter of the noise, or its square; or
    epsilon, delta : number > 0
        the cost in approximate DP, which sigma is found for.
    coordinates : int >= 1, optional
        How many entries one unit can change; default all that are released. With epsilon and
        delta a single one needs a smaller sigma.

    Attributes
    ----------
    sigma2 : Fraction
        Square of the noise's sigma, for `coordinates` entries, or else for one.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if sigma is outside [1e-3, 2**56].

    Notes
    -----
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020: rho by
    theorem 4 and proposition 5 in any dimension, a single (epsilon, delta) by theorem 7, several
    coordinates through corollary 13.

    Examples
    --------
    >>> DiscreteGaussian(rho=0.125).sigma2
    Fraction(4, 1)
    >>> DiscreteGaussian(epsilon=1, delta=1e-6).sigma < 4.3
    True

    """

    _given: Given
    sigma2: Fraction

    def __init__(
        self,
        sensitivity: Number = 1,
        *,
        rho: Number | None = None,
        sigma: Number | None = None,
        sigma2: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        coordinates: SupportsIndex | None = None,
    ) -> None:
        given = read_given(sensitivity, rho, sigma, sigma2, epsilon, delta, coordinates)
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "sigma2", self._computed(1))
        for entries in (1, 2):
            gaussian_of_square(self._sigma2(entries))

    def _sigma2(self, entries: int) -> Fraction:
        return self.sigma2 if entries <= 1 else self._computed(entries)

    def _computed(self, entries: int) -> Fraction:
        norm = self._given.sensitivity
        return self._given.sigma2(norm**2, entries, max(math.floor(norm), 1))

    @property
    def sensitivity(self) -> Fraction:
        """L2 norm of what one unit can change."""
        return self._given.sensitivity

    @property
    def coordinates(self) -> int | None:
        """How many entries one unit can change; None: all."""
        return self._given.coordinates

    @property
    def sigma(self) -> float:
        """The noise's sigma; not quite its standard deviation."""
        return math.sqrt(float_of(self.sigma2))

    @property
    def rho(self) -> Fraction:
        """What the sigma in use costs in zCDP."""
        return self.sensitivity**2 / (2 * self.sigma2)

    @property
    def loss(self) -> ZCDP | ApproxDP:
        """Privacy cost of one release."""
        return self._given.loss(self.rho)

    @property
    def variance(self) -> float:
        """Variance of the noise.

        >>> DiscreteGaussian(sigma=0.5).variance < 0.25
        True
        """
        return law.variance(self.sigma2)

    def error_bound(self, confidence: Number = 0.95, *, count: int = 1) -> int:
        """Least h such that `count` independent draws all lie in [-h, h], or one more.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that they do, at least.
        count : int >= 1, default 1
            How many draws the bound must hold for together.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> DiscreteGaussian(sigma=10).error_bound(0.95)
        20

        """
        return law.reach(self.sigma2, math.exp(miss_of(confidence, count)))

    @overload
    def pmf(self, k: int) -> float: ...
    @overload
    def pmf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def pmf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is k; float in, float out, and array in, array out.

        >>> round(DiscreteGaussian(sigma=1).pmf(0), 6)
        0.398942
        """
        return unwrap(law.pmf(self.sigma2, whole(k)))

    @overload
    def cdf(self, k: int) -> float: ...
    @overload
    def cdf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def cdf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is at most k.

        >>> DiscreteGaussian(sigma=1).cdf([-1, 0]).round(4)
        array([0.3005, 0.6995])
        """
        return unwrap(law.cdf(self.sigma2, whole(k)))

    @overload
    def release(
        self,
        value: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int: ...
    @overload
    def release(
        self,
        value: NDArray[np.integer] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[np.int64]: ...
    def release(
        self,
        value: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int | NDArray[np.int64]:
        """Return the value plus noise, of which `loss` covers the whole call.

        Parameters
        ----------
        value : int, or array of any integer dtype and shape
            Read as the nearest int64.
        budget : PrivacyFilter, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int, or ndarray of int64 of the same shape
            Saturated at the ends of int64, which is post-processing.

        Raises
        ------
        TypeError
            If value is not of integers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> DiscreteGaussian(rho=0.5).release([10, 20]).dtype
        dtype('int64')

        """
        check_integers(value)
        sampler = gaussian_of_square(self._sigma2(entries_of(value)))
        generator = charged_generator(rng, budget, self)
        return noisy(value, sampler, generator, stops=False)

    def __repr__(self) -> str:
        given = self._given
        rest = "" if given.coordinates is None else f", coordinates={given.coordinates}"
        return f"DiscreteGaussian(sensitivity={text(given.sensitivity)}, {given.words}{rest})"
