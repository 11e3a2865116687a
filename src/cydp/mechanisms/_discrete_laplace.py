# SPDX-License-Identifier: MIT
"""The Laplace mechanism on integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._random import add_noise
from cydp.accounting import PureDP
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.mechanisms._integers import check_integers, read_integers
from cydp.random import Generator
from cydp.rational import Number, exact, float_of, index, positive, text
from cydp.samplers import laplace_of

# Values beyond this are read as this (cydp.h, "Saturating addition").
_BOUND = 2**62


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

    def __init__(self, epsilon: Number, sensitivity: Number = 1) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", positive(sensitivity, "sensitivity"))
        laplace_of(self.scale)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise: sensitivity / epsilon."""
        return self.sensitivity / self.epsilon

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
        draws = index(count, "count")
        if not 1 <= draws <= 2**62:
            raise ValueError("count must be from 1 to 2**62")
        share = exact(confidence, "confidence")
        if not 0 < share < 1:
            raise ValueError(f"confidence must be between 0 and 1, not {text(share)}")
        # P(|X| > h) = 2 p**(h + 1) / (1 + p), which must be at most `miss` for one draw. The
        # factor covers the rounding of the logarithms: h is never too small.
        log_miss = _log(1 - share) if draws == 1 else math.log(-math.expm1(_log(share) / draws))
        rate = self._rate
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
        steps = np.abs(_whole(k))
        return _unwrap(math.tanh(0.5 * self._rate) * np.exp(-self._rate * steps))

    @overload
    def cdf(self, k: int) -> float: ...
    @overload
    def cdf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def cdf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is at most k.

        >>> DiscreteLaplace(epsilon=1).cdf([-1, 0]).round(4)
        array([0.2689, 0.7311])
        """
        steps = _whole(k)
        tail = np.exp(-self._rate * np.where(steps < 0, -steps, steps + 1))
        tail /= 1 + math.exp(-self._rate)
        return _unwrap(np.where(steps < 0, tail, 1 - tail))

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
            Read as the nearest integer in [-2**62, 2**62].
        budget : PrivacyFilter, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int, or ndarray of int64 of the same shape
            In (-2**62, 2**62): ends are saturated, which is post-processing.

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
        values = read_integers(value, _BOUND)
        noise = np.empty_like(values)
        generator.fill(laplace_of(self.scale), noise)
        add_noise(values.reshape(-1), noise.reshape(-1))
        if isinstance(value, (int, np.integer)):
            return int(values[()])
        return values

    def __repr__(self) -> str:
        return (
            f"DiscreteLaplace(epsilon={text(self.epsilon)}, sensitivity={text(self.sensitivity)})"
        )


def _log(share: Fraction) -> float:
    if 2 * share > 1:
        return math.log1p(-float_of(1 - share))  # keeps the digits of a share next to 1
    return math.log(share.numerator) - math.log(share.denominator)  # of any length


def _whole(k: ArrayLike) -> NDArray[np.float64]:
    steps = np.asarray(k)
    if steps.dtype.kind not in "iu":
        raise TypeError(f"k must be of integers, not {steps.dtype}")
    return steps.astype(np.float64)


def _unwrap(result: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(result) if np.ndim(result) == 0 else result
