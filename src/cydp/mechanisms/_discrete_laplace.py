# SPDX-License-Identifier: MIT
"""The Laplace mechanism on integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp.accounting import PureDP
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._integers import check_integers, noisy, unwrap, whole
from cydp.mechanisms._norm import norm_of
from cydp.random import Generator
from cydp.rational import Number, float_of, positive, text
from cydp.samplers import laplace_of

# Up to it the 1,024 bits of a sample end before the noise is 2**62.
MOST_UNSTOPPED_SCALE = 2**52


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteLaplace:
    """The Laplace mechanism on integers, exact.

    Adds noise with P(k) proportional to exp(-abs(k) / scale), scale = sensitivity / epsilon.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release`, in pure DP.
    sensitivity : number > 0, default 1
        L1 norm, over the whole array released, of what one unit can change.

    Attributes
    ----------
    scale : Fraction
        Scale of the noise: sensitivity / epsilon.

    Raises
    ------
    TypeError, ValueError
        If either is not a positive number, or the scale is outside [1e-6, 2**56].

    Notes
    -----
    Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", 2012.

    Examples
    --------
    >>> DiscreteLaplace(epsilon=0.5).scale
    Fraction(2, 1)

    """

    epsilon: Fraction
    sensitivity: Fraction
    scale: Fraction

    def __init__(self, epsilon: Number, sensitivity: Number = 1) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", norm_of(sensitivity))
        object.__setattr__(self, "scale", self.sensitivity / self.epsilon)
        laplace_of(self.scale)

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one release."""
        return PureDP(self.epsilon)

    @property
    def variance(self) -> float:
        """Variance of the noise, 2 p / (1 - p)**2 with p = exp(-1 / scale).

        >>> round(DiscreteLaplace(epsilon=1).variance, 4)
        1.8413
        """
        rate = self._rate
        return 2 * math.exp(-rate) / math.expm1(-rate) ** 2

    @property
    def _rate(self) -> float:
        return float_of(1 / self.scale)

    def error_bound(self, confidence: Number = 0.95, *, count: int = 1) -> int:
        """Least h such that `count` independent draws all lie in [-h, h], up to 2**-45 of it.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that they do, at least.
        count : int >= 1, default 1
            How many counts the bound must hold for together.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> DiscreteLaplace(epsilon=1).error_bound(0.95)
        3

        """
        # P(|X| > h) = 2 p**(h + 1) / (1 + p), which must be at most `miss` for one draw. The
        # factor covers the rounding of the logarithms: h is never too small.
        rate = self._rate
        log_miss = miss_of(confidence, count)
        steps = (math.log(2) - math.log1p(math.exp(-rate)) - log_miss) / rate
        return max(math.ceil(steps * (1 + 2**-48)) - 1, 0)

    @overload
    def pmf(self, k: int) -> float: ...
    @overload
    def pmf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def pmf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is k; float in, float out, and array in, array out.

        >>> round(DiscreteLaplace(epsilon=1).pmf(0), 4)
        0.4621
        """
        steps = np.abs(whole(k))
        return unwrap(math.tanh(0.5 * self._rate) * np.exp(-self._rate * steps))

    @overload
    def cdf(self, k: int) -> float: ...
    @overload
    def cdf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def cdf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is at most k.

        >>> DiscreteLaplace(epsilon=1).cdf([-1, 0]).round(4)
        array([0.2689, 0.7311])
        """
        steps = whole(k)
        tail = np.exp(-self._rate * np.where(steps < 0, -steps, steps + 1))
        tail /= 1 + math.exp(-self._rate)
        return unwrap(np.where(steps < 0, tail, 1 - tail))

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
            Read as the nearest int64; for a scale above 2**52, in [-2**62, 2**62].
        budget : PrivacyFilter, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int, or ndarray of int64 of the same shape
            Saturated at the ends of int64, or, for a scale above 2**52, within 2**62, which is
            post-processing.

        Raises
        ------
        TypeError
            If value is not of integers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> DiscreteLaplace(epsilon=1).release([10, 20]).dtype
        dtype('int64')

        """
        check_integers(value)
        generator = charged_generator(rng, budget, self)
        return noisy(
            value, laplace_of(self.scale), generator, stops=self.scale > MOST_UNSTOPPED_SCALE
        )

    def __repr__(self) -> str:
        return (
            f"DiscreteLaplace(epsilon={text(self.epsilon)}, sensitivity={text(self.sensitivity)})"
        )
