# SPDX-License-Identifier: MIT
"""The Gaussian mechanism on integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._core import Sampler
from cydp._numbers.rational import as_exact, float_of, read_integer
from cydp._samplers import prepare_discrete_gaussian
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, gaussian_pairs
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms import _discrete_gaussian_distribution as law
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._gaussian_parameters import Given, read_given
from cydp.mechanisms._integer_mechanism import IntegerMechanism
from cydp.mechanisms._sensitivity import words_of

__all__ = ["DiscreteGaussian"]


@copy_base_methods
@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class DiscreteGaussian(IntegerMechanism):
    """The Gaussian mechanism on integers, exact.

    Adds noise with P(k) proportional to exp(-k**2 / (2 sigma**2)).

    Parameters
    ----------
    rho : number > 0
        Privacy cost of one `release` in zCDP: sigma = sensitivity / sqrt(2 rho). Or instead
    sigma, sigma2 : number > 0
        the parameter of the noise, or its square; or
    epsilon, delta : number > 0
        the cost in approximate DP, which sigma is found for.
    sensitivity : number > 0
        L2 norm, over the whole array released, of what one unit can change. A float is read up;
        one of `cydp.sensitivity` states the relation, and the loss is stated under it.
    coordinates : int >= 1, optional
        How many entries one unit can change; default all that are released. With epsilon and
        delta a single one may need a smaller sigma.

    Attributes
    ----------
    sigma2 : Fraction
        Square of the noise's sigma, for `coordinates` entries, or else for one: give
        ``coordinates=n`` to see, and to have, that of a release of n entries.
    relation : str or None
        What the sensitivity, and so the loss, is stated under; None: nobody said.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if sigma is outside [1e-3, 2**56].

    Notes
    -----
    Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020: rho by
    theorem 4 and proposition 5 in any dimension. (epsilon, delta) by theorem 7 for one coordinate,
    and for any number through corollary 13 or, mostly better, through normal noise (Balle, Wang,
    "Improving the Gaussian mechanism for differential privacy", 2018), whose variance is 3 less.

    Examples
    --------
    >>> DiscreteGaussian(rho=0.125, sensitivity=1).sigma2
    Fraction(4, 1)
    >>> DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1).sigma < 4.3
    True

    """

    _given: Given
    sigma2: Fraction
    relation: str | None
    _loss: ZCDP | ApproxDP

    @require_names
    def __init__(
        self,
        *,
        rho: Number | None = None,
        sigma: Number | None = None,
        sigma2: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        sensitivity: Number,
        coordinates: Integer | None = None,
    ) -> None:
        given = read_given(sensitivity, rho, sigma, sigma2, epsilon, delta, coordinates)
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "sigma2", as_exact(self._computed(1)))
        object.__setattr__(self, "relation", relation_of(sensitivity))
        object.__setattr__(self, "_loss", given.loss(self.rho, self.relation))
        try:
            for entries in (1, 2):
                prepare_discrete_gaussian(self._sigma2(entries))
        except ValueError:
            raise given.range_error from None

    def _sigma2(self, entries: int) -> Fraction:
        return self.sigma2 if entries <= 1 else self._computed(entries)

    def _computed(self, entries: int) -> Fraction:
        norm = self._given.sensitivity
        return self._given.sigma2(norm, entries, max(math.floor(norm), 1))

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
        """What the sigma in use costs in zCDP, for any number of entries."""
        return self._given.shown(self.sensitivity**2 / (2 * self.sigma2))

    @property
    def loss(self) -> ZCDP | ApproxDP:
        """Privacy cost of one release."""
        return self._loss

    @property
    def _pairs(self) -> Pairs | None:
        more = self._sigma2(2) != self.sigma2
        return gaussian_pairs(self.sensitivity**2, self.sigma2, self.coordinates, or_more=more)

    @property
    def variance(self) -> float:
        """Variance of the noise.

        >>> DiscreteGaussian(sigma=0.5, sensitivity=1).variance < 0.25
        True
        """
        return law.variance(self.sigma2)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Least h such that `count` independent draws all lie in [-h, h], or one more.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that they do, at least.
        count : int >= 1, default 1
            How many draws the bound must hold for together. Without coordinates, as the
            entries of one release.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> DiscreteGaussian(sigma=10, sensitivity=1).error_bound(0.95)
        20

        """
        log_miss = miss_of(confidence, count)
        return law.reach(self._sigma2(read_integer(count, "count")), log_miss)

    def _pmf(self, k: NDArray[np.float64]) -> NDArray[np.float64]:
        return law.pmf(self.sigma2, k)

    def _cdf(self, k: NDArray[np.float64]) -> NDArray[np.float64]:
        return law.cdf(self.sigma2, k)

    def _noise(self, entries: int) -> tuple[Sampler, bool]:
        return prepare_discrete_gaussian(self._sigma2(entries)), False

    def __repr__(self) -> str:
        given = self._given
        rest = "" if given.coordinates is None else f", coordinates={given.coordinates}"
        norm = words_of(given.sensitivity, self.relation)
        return f"DiscreteGaussian({given.words}, sensitivity={norm}{rest})"
